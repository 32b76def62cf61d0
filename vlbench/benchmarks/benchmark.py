"""What a benchmark is: facts about it, and how its rows are read from a file or drawn."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from vlbench.benchmarks.pack import Pack
from vlbench.errors import UsageError
from vlbench.types import Sample, Span


@dataclass(frozen=True, slots=True)
class HubFile:
    """One file of a Hugging Face data set; `revision` is a branch, tag or commit, None for the newest."""

    repo: str
    file: str
    revision: str | None = None


@dataclass(frozen=True, slots=True)
class HubSet:
    """A Hugging Face data set whose tables are found by their names.

    `split` is a split, a file or a folder of it; "" takes the only table, or the test split.
    """

    repo: str
    split: str = ""
    revision: str | None = None


@dataclass(frozen=True, slots=True)
class WebFile:
    """A file at an http(s) address; `md5` (hex) is checked when it is known."""

    url: str
    md5: str = ""


@dataclass(frozen=True, slots=True)
class LocalFile:
    """A data file the user has, or a folder with one."""

    path: Path


DataSource = HubFile | HubSet | WebFile | LocalFile


@dataclass(frozen=True, slots=True)
class Step:
    """How far preparing has come: `done` of `total` (None: unknown) in the unit that `what` names."""

    what: str
    done: int
    total: int | None = None


Progress = Callable[[Step], None]


@dataclass(frozen=True, slots=True)
class Row:
    """One sample whose pictures are not checked yet.

    `sample.images` is empty: it is filled from `pictures`, in order, when the index has decoded each once.
    The index also fills `sample.group` when the row leaves it empty. Set `sample.problem` on a broken row;
    it is kept and counted, never dropped.
    """

    sample: Sample
    pictures: tuple[Span, ...] = ()


RowReader = Callable[[Path, Pack], Iterator[Row]]
RowDrawer = Callable[[Pack], Iterator[Row]]


@dataclass(frozen=True, slots=True)
class Benchmark:
    """A set of questions with pictures.

    `version` is the evaluation version: it changes whenever rows are read or scored differently. `levels`
    names the levels of `Sample.categories`, coarse first. `size` is the number of samples of the full set,
    `source` the paper or address to cite, `home` where the file is fetched from when the user names none.
    `metrics` are further ones by their names in `vlbench.scoring.metrics`.

    Exactly one of two functions makes the rows. `read` takes the data file; `draw` makes the pictures itself
    and adds each to the pack with `pack.add(png)`, which returns the span to put into the row. Both yield
    rows one by one in a fixed order and raise `DatasetError` for a file they cannot read at all.

    `prompts` is the benchmark whose prompt profiles are used, when they are not its own. `files` gives what
    is read for a path beside pictures that a table names; None: the path itself.
    """

    name: str
    title: str
    version: str
    split: str
    levels: tuple[str, ...]
    size: int
    images_per_question: int
    source: str
    licence: str
    home: DataSource | None = None
    read: RowReader | None = None
    draw: RowDrawer | None = None
    metrics: tuple[str, ...] = ()
    prompts: str = ""
    files: Callable[[Path], tuple[Path, ...]] | None = None

    def __post_init__(self) -> None:
        if (self.read is None) == (self.draw is None):
            raise UsageError(f"benchmark {self.name!r} must either read its rows or draw them")
