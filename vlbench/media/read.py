"""The bytes of a picture, read when they are needed."""

from __future__ import annotations

import hashlib
import os
from binascii import Error as NotBase64
from collections import OrderedDict
from threading import Lock
from typing import Self

from vlbench.errors import DatasetError
from vlbench.media.combine import draw_combined
from vlbench.media.grey import grey_png
from vlbench.types import Combined, Fitted, Grey, ImageRef, Span

_DRAWN_KEPT = 8
"""Drawn pictures that are kept: neighbouring requests often show the same one."""


class _OpenFile:
    """A file descriptor that is closed with its last user, so that a thread may outlive its eviction."""

    __slots__ = ("fd",)

    def __init__(self, path: str) -> None:
        self.fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)

    def __del__(self) -> None:
        # `fd` is missing when the file could not be opened.
        if hasattr(self, "fd"):
            os.close(self.fd)


class ImageReader:
    """Reads pictures by reference; keeps up to `max_files` files open. Safe to use from several threads.

    Every read checks the length, and the first read of a file also the picture's hash: a file that was
    changed since it was indexed is found before anything of it is sent. Reads raise `DatasetError`.
    """

    def __init__(self, max_files: int = 32) -> None:
        self._max_files = max_files
        self._files: OrderedDict[str, _OpenFile] = OrderedDict()
        self._drawn: OrderedDict[str, bytes] = OrderedDict()
        self._lock = Lock()

    def raw(self, ref: ImageRef) -> bytes:
        """The encoded picture (PNG, JPEG, …) as it would be sent."""
        if isinstance(ref.source, Grey):
            return grey_png(ref.source.width, ref.source.height)
        if isinstance(ref.source, Combined):
            return self._combined(ref.sha256, ref.source)
        if isinstance(ref.source, Fitted):
            return self._stored(ref.source.made, ref)
        stored = self._stored(ref.source, ref)
        return stored if ref.source.encoding == "raw" else _decoded(stored, ref.source)

    def base64(self, ref: ImageRef) -> bytes:
        """The encoded picture as base64 in ASCII; text that stands in the file is returned as it is."""
        if isinstance(ref.source, Span) and ref.source.encoding == "base64":
            return self._stored(ref.source, ref)
        from pybase64 import b64encode  # here: a report reads no pictures

        encoded: bytes = b64encode(self.raw(ref))
        return encoded

    def span(self, span: Span) -> bytes:
        """The encoded picture at `span`, of which nothing is known yet."""
        stored = self._stored(span, None)
        return stored if span.encoding == "raw" else _decoded(stored, span)

    def close(self) -> None:
        """Let go of the open files."""
        with self._lock:
            self._files.clear()
            self._drawn.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _combined(self, name: str, source: Combined) -> bytes:
        with self._lock:
            if name in self._drawn:
                self._drawn.move_to_end(name)
                return self._drawn[name]
        drawn = draw_combined(self.raw(source.first), self.raw(source.second), source.layout)
        with self._lock:
            self._drawn[name] = drawn
            while len(self._drawn) > _DRAWN_KEPT:
                self._drawn.popitem(last=False)
        return drawn

    def _stored(self, span: Span, ref: ImageRef | None) -> bytes:
        with self._lock:
            file = self._files.get(span.path)
            if file is not None:
                self._files.move_to_end(span.path)
        try:
            opened = file or _OpenFile(span.path)
            stored = os.pread(opened.fd, span.length, span.offset)
        except OSError as error:
            raise DatasetError(
                f"The picture file {span.path} cannot be read ({error.strerror or error}). "
                "Put it back where it was, or run the benchmark again from a file that is there."
            ) from error
        if len(stored) != span.length:
            raise _changed(span)
        if file is None:
            if ref is not None:
                data = stored if span.encoding == "raw" else _decoded(stored, span)
                if hashlib.sha256(data).hexdigest() != ref.sha256:
                    raise _changed(span)
            self._keep(span.path, opened)
        return stored

    def _keep(self, path: str, file: _OpenFile) -> None:
        with self._lock:
            self._files[path] = file
            self._files.move_to_end(path)
            if len(self._files) > self._max_files:
                self._files.popitem(last=False)


def _decoded(text: bytes, span: Span) -> bytes:
    from pybase64 import b64decode  # here: a report reads no pictures

    try:
        data: bytes = b64decode(text, validate=True)
    except NotBase64 as error:
        raise _changed(span) from error
    return data


def _changed(span: Span) -> DatasetError:
    return DatasetError(
        f"The picture file {span.path} was changed after it was indexed: at byte {span.offset} there is "
        "another content than expected. Put the original file back, or start a new run with the changed one."
    )
