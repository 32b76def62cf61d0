"""Everything wrong with a set of one's own, row by row, found before anything is asked."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Literal

from vlbench.benchmarks.benchmark import Benchmark, DataSource, LocalFile, Progress
from vlbench.benchmarks.index import IndexedData, indexed, silent
from vlbench.benchmarks.mcq import marks_of
from vlbench.benchmarks.own.files import tables_of
from vlbench.benchmarks.presets import LONGEST_INDEX, ROTATION_STEP
from vlbench.types import Sample

# Beyond this share for one label, an answer that is always the same looks like knowledge.
_MOST_GOLD_SHARE = 0.6
_FEWEST_ROWS = 20
_ROTATED = (
    "{count:,} rows have the index of another row and some millions: are they rotations of its options, as "
    "in MMBench? Then run the file as such: vlbench run mmbench --data FILE"
)


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing about one sample, or about the whole set (`sample` and `place` "").

    `place` is the line or row of the file, "" where that is not known. `reason` reads on from the id.
    """

    kind: Literal["error", "warning"]
    sample: str
    reason: str
    place: str = ""


@dataclass(frozen=True, slots=True)
class Checked:
    """What a set holds, and what was found in it, in the order of its rows."""

    data: IndexedData
    pictures: int
    golds: dict[str, int]
    categories: dict[str, int]
    findings: tuple[Finding, ...]

    @property
    def errors(self) -> int:
        return sum(finding.kind == "error" for finding in self.findings)


def check_set(
    benchmark: Benchmark, source: DataSource | None, cache_dir: Path, progress: Progress = silent
) -> Checked:
    """Read and check all of a set. Raises `DatasetError` only when nothing of it can be read."""
    data = indexed(benchmark, source, cache_dir, progress)
    findings: list[Finding] = []
    pictures: set[str] = set()
    golds: dict[str, int] = {}
    categories: dict[str, int] = {}
    ids: set[str] = set()
    for place, sample in _placed(benchmark, data, source):
        findings += [replace(finding, place=place) for finding in findings_of(sample)]
        pictures |= {image.sha256 for image in sample.images}
        if sample.problem is None:
            golds[sample.gold] = golds.get(sample.gold, 0) + 1
            for name in sample.categories[:1]:
                categories[name] = categories.get(name, 0) + 1
        if not sample.role:
            ids.add(sample.id)
    findings += _of_the_whole(golds, categories)
    long = (int(id) for id in ids if id.isdecimal() and 6 < len(id) <= LONGEST_INDEX)
    if rotated := sum(str(number % ROTATION_STEP) in ids for number in long):
        findings.append(Finding("warning", "", _ROTATED.format(count=rotated)))
    return Checked(data, len(pictures), golds, categories, tuple(findings))


def _placed(
    benchmark: Benchmark, data: IndexedData, source: DataSource | None
) -> Iterator[tuple[str, Sample]]:
    """Every sample with its place in the user's own file."""
    places: Iterator[str] = iter(())
    if isinstance(source, LocalFile) and benchmark.files is not None:
        places = places_in(tables_of(source.path, benchmark.split))
    place, group = "", ""
    for sample in data.samples():
        # A row of pictures and captions makes several samples of one group.
        if not sample.role or sample.group != group:
            place, group = next(places, ""), sample.group
        yield place, sample


def places_in(tables: tuple[Path, ...]) -> Iterator[str]:
    """`line 3` of a JSONL file or `row 3` of another, in the order of their rows; without end."""
    for table in tables:
        where = f"{table.name}, " if len(tables) > 1 else ""
        if table.suffix == ".jsonl":
            with table.open("rb") as lines:
                yield from (f"{where}line {number}" for number, line in enumerate(lines, 1) if line.strip())
        elif len(tables) == 1:
            yield from (f"row {number}" for number in count(1))


def findings_of(sample: Sample) -> Iterator[Finding]:
    """What there is to say of one sample; a broken row has its error alone."""
    if sample.problem is not None:
        yield Finding("error", sample.id, sample.problem)
        return
    for reason in _doubts(sample):
        yield Finding("warning", sample.id, reason)


def _doubts(sample: Sample) -> Iterator[str]:
    seen: dict[str, str] = {}
    for label, text in sample.options.items():
        same = seen.setdefault(text.strip(), label)
        if same != label:
            yield f"its options {same} and {label} are equal ({text.strip()[:40]!r})"
    letters = [label for label in sample.options if len(label) == 1 and label.isupper()]
    if len(letters) == len(sample.options) and letters != [chr(65 + n) for n in range(len(letters))]:
        yield f"its options are {', '.join(letters)}: is one in between missing?"
    if not sample.images:
        yield "it has no picture"
    shown = sample.question + "\n".join(sample.options.values())
    beyond = sorted({number for number in marks_of(shown) if not 1 <= number <= len(sample.images)})
    if beyond:
        yield (
            f"it speaks of <image {beyond[0]}>, but has {len(sample.images)} "
            f"picture{'s' * (len(sample.images) != 1)}"
        )


def _of_the_whole(golds: dict[str, int], categories: dict[str, int]) -> Iterator[Finding]:
    total = sum(golds.values())
    if total >= _FEWEST_ROWS:
        label, most = max(golds.items(), key=lambda item: item[1])
        if most / total > _MOST_GOLD_SHARE:
            yield Finding(
                "warning",
                "",
                f"{most / total:.0%} of the right answers are {label}: always answering {label} scores that. "
                "Shuffle the options (--shuffle-options 1), or look whether that is meant",
            )
    without = total - sum(categories.values())
    if categories and without:
        yield Finding("warning", "", f"{without:,} of {total:,} rows have no category")
