"""A set of one's own: a file, a folder, a web address or a data set on the hub as a benchmark."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Literal

from pydantic import Field

from vlbench.benchmarks.benchmark import Benchmark, DataSource, HubSet, LocalFile, Row, WebFile
from vlbench.benchmarks.mcq import MOST_LEVELS, McqFile
from vlbench.benchmarks.own.columns import Columns, found_columns
from vlbench.benchmarks.own.files import TABLES, settings_path, tables_of
from vlbench.benchmarks.own.pairs import PairsFile, are_pairs
from vlbench.benchmarks.own.pictures import PictureFolder
from vlbench.benchmarks.pack import Pack
from vlbench.benchmarks.tables.opened import columns_of
from vlbench.catalog.read import read_record
from vlbench.errors import UsageError
from vlbench.types import Record

_VERSION = "own-1"
_HUB_ID = re.compile(r"[A-Za-z0-9][\w.-]{0,95}/[A-Za-z0-9][\w.-]{0,95}")
_LEVELS = {
    "choice": ("category", "subcategory", "level 3", "level 4"),
    "pairs": ("category", "task"),
}
_LONGEST_NAME = 40

Protocol = Literal["choice", "pairs"]


class SetFile(Record):
    """What `<stem>.set.toml` beside a data file, or `set.toml` in a folder, says of it. All is optional.

    `data` names where the tables are, if not here (a web address or hf://org/name). `protocol` "choice" asks
    each row as a question with options, "pairs" makes four questions of two pictures and two captions; it is
    told by the columns when it is not given. `counterbalanced` asks pairs in both orders of their choices.
    `columns` names columns by the fields of `Columns`.
    """

    title: str = ""
    data: str = ""
    protocol: Protocol | None = None
    counterbalanced: bool = False
    split: str = ""
    levels: tuple[str, ...] = Field(default=(), max_length=MOST_LEVELS)
    source: str = ""
    licence: str = ""
    columns: dict[str, str | tuple[str, ...]] = Field(default_factory=dict)


def own_benchmark(name: str, taken: frozenset[str] = frozenset()) -> Benchmark | None:
    """The set that `name` stands for: a path, an http(s) address, `hf://org/name`, or `org/name`.

    Its own name is a short one in plain characters, and none of `taken`. None when `name` can only be the
    name of a benchmark. Raises `UsageError` for a data file that is not there, `CatalogError` for broken
    settings.
    """
    source = _source(name)
    if source is None:
        return None
    settings, mark = _settings(source)
    if settings.data:
        source = _source(settings.data) or source
    if settings.split and isinstance(source, HubSet) and not source.split:
        source = HubSet(source.repo, settings.split, source.revision)
    split = source.split if isinstance(source, HubSet) else settings.split
    protocol = settings.protocol or _protocol(source, settings, split)
    short = short_name(name)
    return Benchmark(
        name=f"own-{short}" if short in taken else short,
        title=settings.title or short,
        version=f"{_VERSION}-{protocol}{mark}",
        split=split,
        levels=(*settings.levels, *_LEVELS[protocol][len(settings.levels) :]),
        size=0,
        images_per_question=0,
        source=settings.source or name,
        licence=settings.licence or "the data's own",
        home=source,
        read=partial(_read, settings, split, protocol),
        files=partial(_files, split),
        metrics=("quads",) if protocol == "pairs" else (),
        prompts="vismin" if protocol == "pairs" else "mcq",
    )


def short_name(name: str) -> str:
    """`name` without folders and suffix, in characters that may stand in a file's name."""
    last = name.rstrip("/").rpartition("/")[2]
    for suffix in TABLES:
        last = last.removesuffix(suffix)
    return re.sub(r"[^A-Za-z0-9._-]+", "-", last).strip("-._")[:_LONGEST_NAME].lower() or "set"


def _source(name: str) -> DataSource | None:
    if name.startswith(("http://", "https://")):
        return WebFile(name)
    if name.startswith("hf://"):
        org, _, rest = name.removeprefix("hf://").partition("/")
        repo, _, split = rest.partition("/")
        if not _HUB_ID.fullmatch(f"{org}/{repo}"):
            raise UsageError(f"{name!r} is no data set of the hub: write hf://org/name, or /split behind it.")
        return HubSet(f"{org}/{repo}", split.rstrip("/"))
    path = Path(name).expanduser()
    if path.exists():
        return LocalFile(path.absolute())
    if name.endswith(TABLES) or name.startswith((".", "/", "~")):
        raise UsageError(f"There is no data file {name}. Paths are taken from the current directory.")
    return HubSet(name) if _HUB_ID.fullmatch(name) else None


def _settings(source: DataSource) -> tuple[SetFile, str]:
    """What the set's own file says, and a mark of it for the version; defaults where there is none."""
    if not isinstance(source, LocalFile):
        return SetFile(), ""
    path = settings_path(source.path)
    if not path.is_file():
        return SetFile(), ""
    settings = read_record(SetFile, path)
    unknown = [field for field in settings.columns if field not in Columns.__slots__]
    if unknown:
        raise UsageError(
            f"{path}: columns.{unknown[0]} is not known. Known are {', '.join(Columns.__slots__)}."
        )
    return settings, f"+{hashlib.sha256(settings.model_dump_json().encode()).hexdigest()[:8]}"


def _protocol(source: DataSource, settings: SetFile, split: str) -> Protocol:
    """What the columns of a file on this machine tell."""
    if not isinstance(source, LocalFile):
        return "choice"
    (first, *_) = tables_of(source.path, split)
    names = columns_of(first)
    return "pairs" if are_pairs(found_columns(names, settings.columns)) else "choice"


def _files(split: str, path: Path) -> tuple[Path, ...]:
    settings = settings_path(path)
    return (*tables_of(path, split), *((settings,) if settings.is_file() else ()))


def _read(settings: SetFile, split: str, protocol: Protocol, path: Path, pack: Pack) -> Iterator[Row]:
    reader: Callable[[Path, Pack, PictureFolder, int], Iterator[Row]]
    if protocol == "pairs":
        reader = PairsFile(settings.columns, counterbalanced=settings.counterbalanced).rows
    else:
        reader = McqFile(settings.columns).rows
    before = 0
    for table in tables_of(path, split):
        folder = PictureFolder(path if path.is_dir() else table.parent, table.parent)
        for row in reader(table, pack, folder, before):
            yield row
            before += 1
