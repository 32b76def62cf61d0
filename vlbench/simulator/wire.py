"""What the simulator needs of a wire format; a new one is one file and one line in `server.WIRES`."""

from __future__ import annotations

from typing import Protocol

from vlbench.simulator.exchange import Asked, Failed, Said


class MalformedBody(Exception):
    """A body that does not follow the wire format; the message says where."""


class Wire(Protocol):
    """Translates between HTTP bodies and neutral exchanges."""

    def serves(self, path: str) -> bool:
        """Whether a POST to `path` is of this format."""

    def read(self, path: str, body: bytes, *, decode_images: bool) -> Asked:
        """The request in `body`; pictures stay base64 without `decode_images`. Raises `MalformedBody`."""

    def write(self, said: Said, asked: Asked, request_id: str) -> bytes:
        """The body of a success."""

    def write_error(self, failed: Failed) -> bytes:
        """The body of an error."""
