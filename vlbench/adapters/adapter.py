"""What the engine asks of a wire format: send one request once, say what went wrong."""

from __future__ import annotations

from typing import Protocol

from vlbench.catalog.entry import ProviderEntry
from vlbench.errors import Fault
from vlbench.types import Completion, ImageRef, Request


class ImageBytes(Protocol):
    """Where an adapter gets the bytes behind a reference; `media.read.ImageReader` is one."""

    def raw(self, ref: ImageRef) -> bytes:
        """The encoded picture, as it is sent."""

    def base64(self, ref: ImageRef) -> bytes:
        """The same bytes as ASCII base64 without line breaks."""


class Adapter(Protocol):
    """One provider account, spoken to in one wire format.

    Built from the entry, the base URLs of its replicas and the key; nothing is imported or connected
    before `open`.
    """

    def __init__(self, entry: ProviderEntry, urls: tuple[str, ...], key: str | None) -> None: ...

    async def open(self, images: ImageBytes) -> None:
        """Import what the wire needs (in a thread) and make the client. Called once, before a request.

        Raises `UsageError` for a key, URL or proxy that can never work.
        """

    async def complete(self, request: Request) -> Completion:
        """Send one request once and map what came back.

        A refusal, a content filter or a cut-off is a `Completion`. All else that is no reply raises: a
        `Fault`, or an exception that `explain` turns into one.
        """

    def explain(self, error: Exception) -> Fault | None:
        """The fault behind an exception of `complete`; None for a defect of ours: it must not be hidden."""

    async def close(self) -> None:
        """Close the connections."""
