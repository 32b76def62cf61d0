"""Small data files in the layouts that are about."""

from __future__ import annotations

import base64
import csv
from collections.abc import Callable, Mapping, Sequence
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image

from vlbench.benchmarks.benchmark import Row, RowDrawer
from vlbench.benchmarks.pack import Pack

WriteTable = Callable[[Sequence[Mapping[str, str]]], Path]
Picture = Callable[[int], bytes]
Drawn = Callable[[RowDrawer], tuple[list[Row], bytes]]


@pytest.fixture(scope="session")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Drawn:
    """The rows a benchmark draws, and its pictures put end to end."""

    def draw(draw_rows: RowDrawer) -> tuple[list[Row], bytes]:
        with Pack(tmp_path_factory.mktemp("drawn") / "pictures.bin") as pack:
            return list(draw_rows(pack)), pack.path.read_bytes()

    return draw


@pytest.fixture(scope="session")
def jpeg() -> Picture:
    """The n-th of many different pictures, 40 x 30 pixels."""

    def draw(number: int) -> bytes:
        out = BytesIO()
        Image.new("RGB", (40, 30), (number * 37 % 256, number * 91 % 256, 60)).save(out, "JPEG")
        return out.getvalue()

    return draw


@pytest.fixture(scope="session")
def jpeg_base64(jpeg: Picture) -> Callable[[int], str]:
    return lambda number: base64.b64encode(jpeg(number)).decode()


@pytest.fixture
def write_tsv(tmp_path: Path) -> WriteTable:
    """Writes `data.tsv` from rows; the first row names the columns."""

    def write(rows: Sequence[Mapping[str, str]]) -> Path:
        path = tmp_path / "data.tsv"
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]), delimiter="\t", lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
        return path

    return write
