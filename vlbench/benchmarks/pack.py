"""A file of pictures put end to end, for those that cannot be read where they stand."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

from vlbench.types import Span


class Pack:
    """Appends raw pictures to the file `path`, which is made with the first one.

    What was added can be read at once, by any process. Not for several threads.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file: BinaryIO | None = None
        self._end = 0

    def add(self, picture: bytes) -> Span:
        """Append the bytes of an encoded picture; the span says where they are."""
        if self._file is None:
            # Unbuffered, so that the index can read a picture back right after it was added.
            self._file = self.path.open("xb", buffering=0)
        left = memoryview(picture)
        while left:
            left = left[self._file.write(left) :]
        span = Span(path=str(self.path), offset=self._end, length=len(picture))
        self._end += len(picture)
        return span

    def close(self) -> None:
        if self._file is not None:
            self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
