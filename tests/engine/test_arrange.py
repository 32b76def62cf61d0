"""Options change their places, and what was shown under each label is written down."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vlbench.engine.arrange import arranged, relabelled, rotations, shuffled_labels
from vlbench.errors import UsageError
from vlbench.store.manifest import Selection
from vlbench.store.samples import SampleIndex, write_samples
from vlbench.types import Sample


def sample(count: int = 4, gold: int = 1, **changes: object) -> Sample:
    labels = "ABCDEFGH"[:count]
    made = Sample(
        id="q",
        question="?",
        options={label: f"text {label}" for label in labels},
        gold=labels[gold % count],
        null_label=labels[-1],
    )
    return made.model_copy(update=changes)


@given(st.integers(2, 8), st.integers(0, 7))
def test_each_rotation_has_the_right_text_under_its_gold_and_every_label_gets_it_once(
    count: int, gold: int
) -> None:
    original = sample(count, gold)
    made = list(rotations(original))
    assert len(made) == count
    assert [one.role for one in made] == [f"rotation-{places}" for places in range(count)]
    assert {one.group for one in made} == {"q"}
    assert len({one.id for one in made}) == count
    assert sorted(one.gold for one in made) == list(original.options)
    for one in made:
        assert one.options[one.gold] == original.options[original.gold]
        assert one.options[one.null_label] == original.options[original.null_label]
        assert {label: original.options[was] for label, was in one.relabelled.items()} == one.options
    assert made[0].options == original.options


@given(st.integers(0, 10**6), st.text(min_size=1, max_size=5))
def test_a_shuffle_depends_on_seed_and_id_alone(seed: int, name: str) -> None:
    one = sample(id=name)
    order = shuffled_labels(one, seed)
    assert sorted(order) == list(one.options)
    assert shuffled_labels(sample(gold=3, id=name), seed) == order


def test_seeds_and_ids_give_different_orders_and_no_place_is_preferred() -> None:
    golds = [
        relabelled(one, shuffled_labels(one, 7)).gold for one in (sample(id=str(n)) for n in range(2000))
    ]
    assert all(430 < golds.count(label) < 570 for label in "ABCD")


def test_a_shuffle_before_rotations_is_traced_to_the_labels_of_the_file() -> None:
    original = sample()
    shuffled = relabelled(original, ("C", "A", "D", "B"))
    for one in rotations(shuffled):
        assert {label: original.options[was] for label, was in one.relabelled.items()} == one.options


def test_rotations_of_a_question_follow_each_other_and_broken_rows_stay_one(tmp_path: Path) -> None:
    broken = sample(id="b", problem="its image is empty")
    write_samples(tmp_path / "samples.jsonl", [sample(id="a", count=2), broken, sample(id="c", count=3)])
    with (
        SampleIndex.open(tmp_path / "samples.jsonl") as index,
        arranged(index, [2, 1, 0], Selection(circular=True), tmp_path / "scratch") as (moved, chosen),
    ):
        assert [moved.ids[at] for at in chosen] == ["c@0", "c@1", "c@2", "b", "a@0", "a@1"]
        assert moved.problems == {3: "its image is empty"}
    assert not list((tmp_path / "scratch").iterdir())


def test_without_a_wish_everything_stays_where_it_is(tmp_path: Path) -> None:
    write_samples(tmp_path / "samples.jsonl", [sample()])
    with (
        SampleIndex.open(tmp_path / "samples.jsonl") as index,
        arranged(index, [0], Selection(), tmp_path / "scratch") as (same, chosen),
    ):
        assert (same, chosen) == (index, [0])
    assert not (tmp_path / "scratch").exists()


@pytest.mark.parametrize(
    ("changes", "selection", "words"),
    [
        ({"options_in_question": True}, Selection(circular=True), "so --circular cannot move them"),
        ({"options_in_question": True}, Selection(shuffle=1), "so --shuffle-options cannot move them"),
        ({"role": "text_0"}, Selection(circular=True), "is the part text_0 of a group of questions"),
    ],
)
def test_options_that_cannot_be_moved_are_told(
    tmp_path: Path, changes: dict[str, object], selection: Selection, words: str
) -> None:
    write_samples(tmp_path / "samples.jsonl", [sample().model_copy(update=changes)])
    with (
        SampleIndex.open(tmp_path / "samples.jsonl") as index,
        pytest.raises(UsageError, match=words),
        arranged(index, [0], selection, tmp_path / "scratch"),
    ):
        pass
