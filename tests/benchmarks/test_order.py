"""Every beginning of a run is a fair subset."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from vlbench.benchmarks.order import run_order

strata = st.lists(st.sampled_from("abcdefghij"), max_size=150)


@given(strata, st.integers())
def test_every_sample_comes_once(categories: list[str], seed: int) -> None:
    ids = [str(n) for n in range(len(categories))]
    assert sorted(run_order(ids, categories, seed)) == list(range(len(categories)))


@given(strata, st.integers())
def test_every_prefix_holds_every_category_within_one_sample_of_its_share(
    categories: list[str], seed: int
) -> None:
    totals = Counter(categories)
    seen: Counter[str] = Counter()
    for done, position in enumerate(run_order([str(n) for n in range(len(categories))], categories, seed), 1):
        seen[categories[position]] += 1
        for category, total in totals.items():
            assert abs(seen[category] - Fraction(done * total, len(categories))) < 1


def test_mmstars_axes_are_balanced_from_the_first_samples_on() -> None:
    sizes = (141, 78, 31, 118, 92, 40, 99, 89, 62, 110, 101, 39, 146, 58, 46, 116, 86, 48)
    categories = [str(axis) for axis, size in enumerate(sizes) for _ in range(size)]
    first = run_order([str(n) for n in range(1500)], categories, seed=0)[:150]
    counts = Counter(categories[position] for position in first)
    assert all(abs(counts[str(axis)] - size / 10) < 1 for axis, size in enumerate(sizes))


@given(strata, st.integers())
def test_the_order_of_the_file_does_not_matter(categories: list[str], seed: int) -> None:
    ids = [str(n) for n in range(len(categories))]
    back = ids[::-1]
    forward = [ids[n] for n in run_order(ids, categories, seed)]
    assert [back[n] for n in run_order(back, categories[::-1], seed)] == forward


def test_the_order_is_the_same_on_every_machine() -> None:
    assert run_order([str(n) for n in range(10)], "aaaabbbccc", seed=7) == [3, 9, 4, 0, 7, 6, 1, 8, 5, 2]


def test_another_seed_gives_another_order() -> None:
    ids, categories = [str(n) for n in range(60)], ["x", "y", "z"] * 20
    assert run_order(ids, categories, seed=1) != run_order(ids, categories, seed=2)
