"""Chat Completions of OpenAI itself, through its SDK."""

from __future__ import annotations

from vlbench.adapters.chat import CHAT
from vlbench.adapters.json_post import JsonPostAdapter
from vlbench.adapters.openai_endpoint import OpenAiEndpoint
from vlbench.catalog.entry import ProviderEntry


class ChatSdkAdapter(JsonPostAdapter):
    """The same bodies as `ChatAdapter`, carried by the vendor's own client."""

    def __init__(self, entry: ProviderEntry, urls: tuple[str, ...], key: str | None) -> None:
        super().__init__(entry, OpenAiEndpoint(entry, urls, key), CHAT)
