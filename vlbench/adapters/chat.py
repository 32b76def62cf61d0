"""Any server that speaks OpenAI's Chat Completions: self-hosted ones and most vendors."""

from __future__ import annotations

from vlbench.adapters.body import Shape
from vlbench.adapters.chat_body import build_body
from vlbench.adapters.chat_reply import read_reply
from vlbench.adapters.http import Http
from vlbench.adapters.json_post import JsonFormat, JsonPostAdapter
from vlbench.catalog.entry import ProviderEntry

CHAT = JsonFormat("/chat/completions", Shape.of, build_body, read_reply)


class ChatAdapter(JsonPostAdapter):
    """`POST /chat/completions` through our own lean HTTP seam."""

    def __init__(self, entry: ProviderEntry, urls: tuple[str, ...], key: str | None) -> None:
        super().__init__(entry, Http.of(entry, urls, key), CHAT)
