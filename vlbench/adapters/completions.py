"""Base models without a chat template: one text goes in, and the model goes on with it."""

from __future__ import annotations

from vlbench.adapters.chat_reply import read_reply
from vlbench.adapters.completions_body import build_body, shape_of
from vlbench.adapters.http import Http
from vlbench.adapters.json_post import JsonFormat, JsonPostAdapter
from vlbench.catalog.entry import ProviderEntry

COMPLETIONS = JsonFormat("/completions", shape_of, build_body, read_reply)


class CompletionsAdapter(JsonPostAdapter):
    """`POST /completions` through our own lean HTTP seam; the wire has no pictures."""

    def __init__(self, entry: ProviderEntry, urls: tuple[str, ...], key: str | None) -> None:
        super().__init__(entry, Http.of(entry, urls, key), COMPLETIONS)
