"""Which tables a file, a folder or a data set on the hub stands for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from vlbench.errors import DatasetError

TABLES = (".jsonl", ".tsv", ".csv", ".parquet", ".arrow")
_SHARD = re.compile(r"(.*?)-\d{5}-of-\d{5}(-[0-9a-f]+)?\.[a-z]+")
# What people evaluate on, in this order, where a set has several splits and none was named.
_SPLITS = ("test", "val", "validation", "dev", "minitest", "testmini")
SETTINGS_NAME = "set.toml"
SHARDS_SUFFIX = ".shards"
"""A file of this suffix lists the shards of one table, a path a line."""


def tables_of(path: Path, split: str = "") -> tuple[Path, ...]:
    """The tables behind `path`: the file itself, or those of one split of a folder. Raises `DatasetError`."""
    if not path.is_dir():
        if path.suffix == SHARDS_SUFFIX:
            return tuple(map(Path, path.read_text(encoding="utf-8").split("\n")))
        return (path,)
    names = sorted(
        str(found.relative_to(path))
        for found in path.rglob("*")
        if found.suffix in TABLES and found.is_file() and not found.name.startswith(".")
    )
    return tuple(path / name for name in chosen_tables(names, split, str(path)))


def chosen_tables(names: Sequence[str], split: str, where: str) -> tuple[str, ...]:
    """The tables to read of `names`: a single one, or the shards of one split in their order.

    `split` is a file's name, a folder's, or that of a split; "" takes the only one, else the test split.
    Raises `DatasetError` listing what there is when that is not clear.
    """
    tables = sorted(name for name in names if name.endswith(TABLES))
    if not tables:
        raise DatasetError(
            f"{where} holds no table. A set is a .jsonl, .tsv, .csv or .parquet file, or a folder with one."
        )
    sets: dict[str, list[str]] = {}
    for name in tables:
        sets.setdefault(_stem(name), []).append(name)
    if split:
        wanted = [
            stem
            for stem, found in sets.items()
            if split in (stem, Path(stem).name, str(Path(stem).parent), *found)
        ]
    elif len(sets) == 1:
        wanted = list(sets)
    else:
        by_split = ([stem for stem in sets if Path(stem).name == name] for name in _SPLITS)
        wanted = next((found for found in by_split if found), [])
    if len(wanted) != 1:
        what = f"no single table {split!r}" if split else "several tables and no single test split"
        raise DatasetError(
            f"{where} holds {what}. Name one of them behind the set's name: {', '.join(sets)}."
        )
    return tuple(sets[wanted[0]])


def _stem(name: str) -> str:
    """The name that the shards of one table share."""
    match = _SHARD.fullmatch(name)
    return match[1] if match else name.removesuffix(Path(name).suffix)


def settings_path(path: Path) -> Path:
    """Where the settings of a set stand: `set.toml` in a folder, `<stem>.set.toml` beside a file."""
    return path / SETTINGS_NAME if path.is_dir() else path.with_name(f"{path.stem}.{SETTINGS_NAME}")
