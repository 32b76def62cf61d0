"""Options in another order: shuffled by a seed, and every question once in each rotation of its options.

What was asked is what stands in `samples.jsonl`: a question's `relabelled` says which option of the data file
each label shows, its `role` which rotation it is, its `group` whose.
"""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from vlbench.errors import UsageError
from vlbench.store.manifest import Selection
from vlbench.store.samples import SampleIndex, write_samples
from vlbench.types import Sample

ROTATION = "rotation-"
"""How the roles of rotations begin; the number of places the options are moved by follows."""


@contextmanager
def arranged(
    index: SampleIndex, chosen: list[int], selection: Selection, scratch: Path
) -> Iterator[tuple[SampleIndex, list[int]]]:
    """The chosen samples with their options as `selection` says, as an index and ordinals into it.

    Without a shuffle or rotations these are the ones given. Raises `UsageError` for questions whose options
    cannot be moved, `StoreError` when nothing can be written to `scratch`.
    """
    if selection.shuffle is None and not selection.circular:
        yield index, chosen
        return
    scratch.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="arranged-", dir=scratch) as folder:
        path = Path(folder) / "samples.jsonl"
        write_samples(path, (made for at in chosen for made in _made(index.get(at), selection)))
        with SampleIndex.open(path) as moved:
            yield moved, list(range(len(moved)))


def _made(sample: Sample, selection: Selection) -> Iterator[Sample]:
    if sample.problem is not None:
        yield sample
        return
    _check_movable(sample, selection)
    if selection.shuffle is not None:
        sample = relabelled(sample, shuffled_labels(sample, selection.shuffle))
    yield from rotations(sample) if selection.circular else (sample,)


def shuffled_labels(sample: Sample, seed: int) -> tuple[str, ...]:
    """The labels in an order that depends on the seed and the sample's id alone: that of a hash."""
    return tuple(
        sorted(
            sample.options,
            key=lambda label: hashlib.sha256(f"{seed}\0{sample.id}\0{label}".encode()).digest(),
        )
    )


def rotations(sample: Sample) -> Iterator[Sample]:
    """The sample with its options moved by 0, 1, … places, one question for each option it has."""
    labels = tuple(sample.options)
    for places in range(len(labels)):
        moved = relabelled(sample, labels[places:] + labels[:places])
        yield moved.model_copy(
            update={
                "id": f"{sample.id}@{places}",
                "group": sample.id,
                "role": f"{ROTATION}{places}",
            }
        )


def relabelled(sample: Sample, order: tuple[str, ...]) -> Sample:
    """The sample with the texts of `order`, labels of its options, under its labels from first to last."""
    shows = dict(zip(sample.options, order, strict=True))
    before = sample.relabelled or {label: label for label in sample.options}

    def now(label: str) -> str:
        return next((shown for shown, was in shows.items() if was == label), "")

    return sample.model_copy(
        update={
            "options": {label: sample.options[was] for label, was in shows.items()},
            "gold": now(sample.gold),
            "null_label": now(sample.null_label) if sample.null_label else "",
            "relabelled": {label: before[was] for label, was in shows.items()},
        }
    )


def _check_movable(sample: Sample, selection: Selection) -> None:
    option = "--circular" if selection.circular else "--shuffle-options"
    if sample.options_in_question:
        raise UsageError(
            f"Sample {sample.id!r} lists its options in the question's text, so {option} cannot move them. "
            "Give the options in columns A, B, … or in a list."
        )
    if sample.role:
        raise UsageError(
            f"Sample {sample.id!r} is the part {sample.role} of a group of questions, so {option} would "
            "change what the group measures. Leave it out for this benchmark."
        )
