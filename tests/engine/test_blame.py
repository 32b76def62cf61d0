"""Telling a server that is overloaded from one that fails whatever the load."""

from __future__ import annotations

from collections.abc import Iterable

from vlbench.engine.blame import Blame

SPAN = 2.0


def judged(blame: Blame, signs: Iterable[tuple[float, int]], span: float = SPAN) -> list[bool]:
    """The verdicts on signs, each given as its load and what went well before it."""
    verdicts = []
    for load, well in signs:
        for _ in range(well):
            blame.went_well()
        verdicts.append(blame.is_in_vain(load, span=span))
    return verdicts


def sinking(well: int, steps: int = 8) -> list[tuple[float, int]]:
    return [(64 / 1.3**step, well) for step in range(steps)]


def test_signs_that_come_as_often_at_a_fraction_of_the_load_are_not_heeded() -> None:
    assert judged(Blame(), sinking(15)) == [False] * 4 + [True] * 4


def test_nothing_is_concluded_from_loads_that_hardly_differ() -> None:
    assert not any(judged(Blame(), sinking(15), span=8.0))


def test_signs_that_grow_rare_with_less_load_are_heeded() -> None:
    assert not any(judged(Blame(), [(64 / 1.3**step, 2 * 3**step) for step in range(8)]))


def test_a_server_that_refuses_nearly_everything_is_heeded() -> None:
    assert not any(judged(Blame(), sinking(1, steps=20)))


def test_what_a_wait_lets_in_again_proves_nothing() -> None:
    blame = Blame()
    for load, well in sinking(15, steps=20):
        for _ in range(well):
            blame.went_well()
        assert not blame.is_in_vain(load, span=SPAN, owed=12.0)


def test_after_the_verdict_a_real_overload_is_noticed() -> None:
    blame = Blame()
    judged(blame, sinking(15))

    assert judged(blame, [(64, 0)] * 3) == [True, True, False]


def test_after_the_verdict_signs_as_rare_as_before_are_never_heeded() -> None:
    blame = Blame()
    judged(blame, sinking(15))

    assert all(judged(blame, [(64, 15 if at % 3 else 1) for at in range(1000)]))


def test_a_verdict_that_was_wrong_asks_for_more_the_next_time() -> None:
    blame = Blame()
    judged(blame, [*sinking(15), (64, 0), (64, 0), (64, 0)])

    assert not any(judged(blame, [(64 / 1.15**step, 15) for step in range(9)]))


def test_a_load_that_was_fine_for_long_is_no_evidence_against_a_server_that_changed() -> None:
    signs = [(25.0, 500), (25.0, 300), (23.0, 400), (21.0, 0), (14.0, 0), (11.0, 70), (11.0, 60), (11.0, 80)]

    assert not any(judged(Blame(), signs))
