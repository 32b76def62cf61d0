from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from vlbench.adapters.replicas import LONGEST_PAUSE_S, Replicas


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def test_the_least_loaded_server_is_taken() -> None:
    replicas = Replicas(3)
    assert [replicas.take() for _ in range(4)] == [0, 1, 2, 0]
    replicas.reached(1)
    assert replicas.take() == 1


def test_one_request_at_a_time_still_uses_every_server() -> None:
    replicas = Replicas(2)
    used = []
    for _ in range(4):
        used.append(replicas.take())
        replicas.reached(used[-1])
    assert used == [0, 1, 0, 1]


def test_an_unreachable_server_is_left_out_for_growing_pauses_and_tried_with_one_request() -> None:
    clock = Clock()
    replicas = Replicas(2, clock)
    for pause in (1.0, 2.0, 4.0, 8.0):
        assert replicas.take() == 0
        replicas.unreachable(0)
        clock.now += pause - 0.01
        assert replicas.take() == 1
        clock.now += 0.02
    assert replicas.take() == 0
    assert replicas.take() == 1, "on probation it gets one request only"
    replicas.reached(0)
    assert [replicas.take(), replicas.take()] == [0, 0]


def test_requests_that_fail_together_count_as_one_failure() -> None:
    clock = Clock()
    replicas = Replicas(2, clock)
    for index in [replicas.take() for _ in range(20)]:
        if index == 0:
            replicas.unreachable(0)
    clock.now += 1.01
    assert replicas.take() == 0


def test_the_only_server_is_tried_even_in_its_pause() -> None:
    replicas = Replicas(1)
    for _ in range(3):
        assert replicas.take() == 0
        replicas.unreachable(0)
    assert replicas.take() == 0


def test_no_pause_is_longer_than_a_minute() -> None:
    clock = Clock()
    replicas = Replicas(2, clock)
    assert [replicas.take(), replicas.take()] == [0, 1]
    for _ in range(100):
        replicas.unreachable(0)
        clock.now += LONGEST_PAUSE_S
        assert replicas.take() == 0


@given(st.lists(st.sampled_from(["take", "reached", "unreachable", "drop"]), max_size=60))
def test_every_request_is_counted_out_once(actions: list[str]) -> None:
    clock = Clock()
    replicas = Replicas(3, clock)
    out: list[int] = []
    for action in actions:
        clock.now += 0.3
        if action == "take":
            out.append(replicas.take())
        elif out:
            getattr(replicas, action)(out.pop(0))
    for index in out:
        replicas.reached(index)
    clock.now += LONGEST_PAUSE_S
    assert sorted(replicas.take() for _ in range(3)) == [0, 1, 2], "none is still thought to be busy"
