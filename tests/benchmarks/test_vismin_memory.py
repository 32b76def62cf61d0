"""A set of large pictures is indexed in little memory, whatever its size."""

from __future__ import annotations

import subprocess
import sys
from io import BytesIO
from pathlib import Path
from random import Random

import pyarrow
import pyarrow.ipc
import pyarrow.parquet
import pytest
from PIL import Image

ROWS, BATCH = 1000, 100
PICTURE = pyarrow.struct([("bytes", pyarrow.binary()), ("path", pyarrow.string())])
SCHEMA = pyarrow.schema(
    [
        ("image_0", PICTURE),
        ("image_1", PICTURE),
        ("text_0", pyarrow.string()),
        ("text_1", pyarrow.string()),
        ("id", pyarrow.int64()),
        ("category", pyarrow.string()),
    ]
)

# Prints the sum of the peaks of the indexing process and of the reader it starts, in kilobytes. The resource
# module would count for a process what its parent had when it was started.
INDEXING = """
import resource, sys
from pathlib import Path
from vlbench.benchmarks.benchmark import LocalFile
from vlbench.benchmarks.index import indexed
from vlbench.benchmarks.vismin import VISMIN
found = indexed(VISMIN, LocalFile(Path(sys.argv[1])), Path(sys.argv[2]))
own = next(line for line in open("/proc/self/status", encoding="utf-8") if line.startswith("VmHWM"))
peak = int(own.split()[1]) + resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
print(found.rows, len(found.problems), peak)
"""


def jpeg() -> bytes:
    """About a megabyte of noise."""
    small = Image.frombytes("RGB", (192, 192), Random(0).randbytes(192 * 192 * 3))
    out = BytesIO()
    small.resize((1536, 1536)).save(out, "JPEG", quality=95)
    return out.getvalue()


def batch(picture: bytes, first: int) -> pyarrow.RecordBatch:
    def distinct(number: int) -> dict[str, object]:
        # A comment behind the start marker makes other bytes of the same picture.
        comment = b"\xff\xfe\x00\x0a" + number.to_bytes(8, "big")
        return {"bytes": picture[:2] + comment + picture[2:], "path": None}

    rows = [
        {
            "image_0": distinct(2 * n),
            "image_1": distinct(2 * n + 1),
            "text_0": f"{n} one",
            "text_1": f"{n} two",
            "id": n,
            "category": "object",
        }
        for n in range(first, first + BATCH)
    ]
    return pyarrow.RecordBatch.from_pylist(rows, schema=SCHEMA)


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="peaks are read from Linux's /proc")
@pytest.mark.parametrize("form", ["arrow", "parquet"])
def test_two_gigabytes_are_indexed_in_less_than_500_mb(tmp_path: Path, form: str) -> None:
    path, picture = tmp_path / f"data.{form}", jpeg()
    opened = pyarrow.ipc.new_stream if form == "arrow" else pyarrow.parquet.ParquetWriter
    with opened(str(path), SCHEMA) as writer:
        for first in range(0, ROWS, BATCH):
            writer.write_batch(batch(picture, first))
    assert path.stat().st_size > 2e9
    command = [sys.executable, "-c", INDEXING, str(path), str(tmp_path / "cache")]
    shown = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    rows, problems, peak_kb = map(int, shown.split())
    assert (rows, problems) == (4 * ROWS, 0)
    assert peak_kb < 500_000, f"{peak_kb / 1000:.0f} MB"
    print(f"{form}: {peak_kb / 1000:.0f} MB")
