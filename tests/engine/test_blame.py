"""Telling a server that is overloaded from one that fails whatever the load."""

from __future__ import annotations

from vlbench.engine.blame import Blame


def test_signs_that_come_as_often_at_a_fraction_of_the_load_are_not_heeded() -> None:
    blame = Blame(span=2.0)
    verdicts = [blame.is_in_vain(64 / 1.3**step, 15, float(step)) for step in range(8)]

    assert verdicts == [False] * 7 + [True]


def test_signs_that_grow_rare_with_less_load_are_heeded() -> None:
    blame = Blame(span=2.0)

    assert not any(blame.is_in_vain(64 / 1.3**step, 2 * 3**step, float(step)) for step in range(8))


def test_a_server_that_refuses_nearly_everything_is_heeded() -> None:
    blame = Blame(span=2.0)

    assert not any(blame.is_in_vain(64 / 1.3**step, 1, float(step)) for step in range(20))


def test_after_the_verdict_a_real_overload_is_noticed() -> None:
    blame = Blame(span=2.0)
    for step in range(8):
        blame.is_in_vain(64 / 1.3**step, 15, float(step))

    verdicts = [blame.is_in_vain(64, 0, 10.0 + step) for step in range(3)]

    assert verdicts == [True, True, False]


def test_a_verdict_holds_for_a_minute() -> None:
    blame = Blame(span=2.0)
    for step in range(8):
        blame.is_in_vain(64 / 1.3**step, 15, float(step))

    assert blame.is_in_vain(64, 15, 66.0)
    assert not blame.is_in_vain(64, 15, 68.0)
