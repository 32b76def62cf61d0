"""Two pictures and two captions a row, as four questions: Winoground, MMVP, EQBEN and the like."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from vlbench.benchmarks.benchmark import Row
from vlbench.benchmarks.mcq import categories_of
from vlbench.benchmarks.own.columns import Columns, found_columns
from vlbench.benchmarks.own.pictures import PictureFolder
from vlbench.benchmarks.pack import Pack
from vlbench.benchmarks.quads import quad_samples
from vlbench.benchmarks.tables.opened import columns_of, opened_table
from vlbench.errors import DatasetError


def are_pairs(columns: Columns) -> bool:
    """Whether a file with these columns holds pairs: pictures and captions, and no question."""
    return not columns.question and len(columns.captions) == 2 and len(columns.images) in (1, 2)


@dataclass(frozen=True, slots=True)
class PairsFile:
    """How the rows of a file of pairs are read; `said` names columns (see `found_columns`)."""

    said: Mapping[str, str | tuple[str, ...]]
    counterbalanced: bool = False

    def rows(self, path: Path, pack: Pack, folder: PictureFolder, before: int = 0) -> Iterator[Row]:
        """Four rows for each of the file's, eight when counterbalanced; ids of rows without one count on.

        Raises `DatasetError` when the file lacks two pictures or two captions.
        """
        columns = found_columns(columns_of(path), self.said)
        with opened_table(path, pack, columns.images, folder) as table:
            if len(columns.captions) != 2 or not columns.images:
                raise DatasetError(
                    f"{path} holds no pairs: they have the columns image_0, image_1, caption_0, caption_1. "
                    f"Columns found: {', '.join(table.columns)}."
                )
            for row in table.rows:
                first, second = (row.cells.get(name, "") for name in columns.captions)
                yield from quad_samples(
                    tuple(span for name in columns.images for span in row.pictures.get(name, ())),
                    (first, second),
                    "/".join(categories_of(row, columns)),
                    row.cells.get(columns.id, "").strip() or f"row-{before + row.number}",
                    orders=("given", "reversed") if self.counterbalanced else ("given",),
                    source=row.cells.get(columns.source, ""),
                    problem=row.problem,
                )
