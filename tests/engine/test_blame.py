"""Telling a server that is overloaded from one that fails whatever the load."""

from __future__ import annotations

from vlbench.engine.blame import Blame

ENOUGH = 100.0


def test_signs_that_come_as_often_at_a_fraction_of_the_load_are_not_heeded() -> None:
    blame = Blame(span=2.0)
    verdicts = [blame.is_in_vain(64 / 1.3**step, 15, float(step), enough=ENOUGH) for step in range(8)]

    assert verdicts == [False] * 5 + [True] * 3


def test_signs_that_grow_rare_with_less_load_are_heeded() -> None:
    blame = Blame(span=2.0)

    assert not any(
        blame.is_in_vain(64 / 1.3**step, 2 * 3**step, float(step), enough=ENOUGH) for step in range(8)
    )


def test_a_server_that_refuses_nearly_everything_is_heeded() -> None:
    blame = Blame(span=2.0)

    assert not any(blame.is_in_vain(64 / 1.3**step, 1, float(step), enough=ENOUGH) for step in range(20))


def test_after_the_verdict_a_real_overload_is_noticed() -> None:
    blame = Blame(span=2.0)
    for step in range(8):
        blame.is_in_vain(64 / 1.3**step, 15, float(step), enough=ENOUGH)

    verdicts = [blame.is_in_vain(64, 0, 10.0 + step, enough=ENOUGH) for step in range(3)]

    assert verdicts == [True, True, False]


def test_a_verdict_holds_for_a_minute() -> None:
    blame = Blame(span=2.0)
    for step in range(8):
        blame.is_in_vain(64 / 1.3**step, 15, float(step), enough=ENOUGH)

    assert blame.is_in_vain(64, 15, 64.0, enough=ENOUGH)
    assert not blame.is_in_vain(64, 15, 66.0, enough=ENOUGH)


def test_a_load_that_was_fine_for_long_is_no_evidence_against_a_server_that_changed() -> None:
    blame = Blame(span=2.0)
    signs = [(25.0, 500), (25.0, 300), (23.0, 400), (21.0, 0), (14.0, 0), (11.0, 70), (11.0, 60), (11.0, 80)]

    verdicts = [
        blame.is_in_vain(load, well, at * 5.0, enough=4 * load) for at, (load, well) in enumerate(signs)
    ]

    assert not any(verdicts)
