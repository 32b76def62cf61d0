"""Samples that belong together are never torn apart by a limit."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from vlbench.engine.selection import choose
from vlbench.scoring.quads import ROLES
from vlbench.store.manifest import Selection
from vlbench.store.samples import SampleIndex, write_samples
from vlbench.types import Sample


def sample(name: str, group: str = "", role: str = "", category: str = "c") -> Sample:
    return Sample(
        id=name,
        question="q",
        options={"A": "a", "B": "b"},
        gold="A",
        group=group,
        role=role,
        categories=(category, role.partition("_")[0]) if role else (category,),
    )


@pytest.fixture
def quads(tmp_path: Path) -> Iterator[SampleIndex]:
    """Twelve quads of three categories, in the order of a file."""
    path = tmp_path / "samples.jsonl"
    write_samples(
        path,
        [
            sample(f"{category}-{number}-{role}", f"{category}-{number}", role, category)
            for category in ("x", "y", "z")
            for number in range(4)
            for role in ROLES
        ],
    )
    with SampleIndex.open(path) as index:
        yield index


def test_a_limit_is_filled_up_to_the_end_of_the_last_group(quads: SampleIndex) -> None:
    for limit in (1, 4, 5, 8, 30):
        chosen = choose(quads, Selection(limit=limit))
        assert len(chosen) == -(-limit // 4) * 4
        groups = [quads.groups[ordinal] for ordinal in chosen]
        assert all(len(set(groups[at : at + 4])) == 1 for at in range(0, len(groups), 4))


def test_a_larger_limit_begins_with_the_smaller_one(quads: SampleIndex) -> None:
    assert choose(quads, Selection(limit=20))[:8] == choose(quads, Selection(limit=8))


def test_every_category_has_its_share_of_whole_groups(quads: SampleIndex) -> None:
    chosen = choose(quads, Selection(limit=12))
    assert sorted(quads.categories[ordinal][0] for ordinal in chosen) == ["x"] * 4 + ["y"] * 4 + ["z"] * 4


def test_all_samples_are_there_once(quads: SampleIndex) -> None:
    assert sorted(choose(quads, Selection())) == list(range(48))


def test_shared_pictures_alone_do_not_keep_samples_together(tmp_path: Path) -> None:
    path = tmp_path / "samples.jsonl"
    write_samples(path, [sample(str(number), "one picture") for number in range(8)])
    with SampleIndex.open(path) as index:
        assert len(choose(index, Selection(limit=3))) == 3
