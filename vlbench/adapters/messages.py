"""Anthropic's Messages, through the anthropic client: its own API, and Claude at Vertex AI and Bedrock."""

from __future__ import annotations

from vlbench.adapters.json_post import JsonFormat, JsonPostAdapter
from vlbench.adapters.messages_body import build_body, shape_of
from vlbench.adapters.messages_endpoint import PATH, MessagesEndpoint
from vlbench.adapters.messages_reply import read_reply
from vlbench.catalog.entry import ProviderEntry

MESSAGES = JsonFormat(PATH, shape_of, build_body, read_reply)


class MessagesAdapter(JsonPostAdapter):
    """`POST /v1/messages` through `anthropic.AsyncAnthropic` or its sister for the entry's cloud."""

    def __init__(self, entry: ProviderEntry, urls: tuple[str, ...], key: str | None) -> None:
        super().__init__(entry, MessagesEndpoint(entry, urls, key), MESSAGES)
