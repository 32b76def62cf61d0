"""OpenAI's Responses API, through its SDK."""

from __future__ import annotations

from vlbench.adapters.json_post import JsonFormat, JsonPostAdapter
from vlbench.adapters.openai_endpoint import OpenAiEndpoint
from vlbench.adapters.responses_body import build_body, shape_of
from vlbench.adapters.responses_reply import read_reply
from vlbench.catalog.entry import ProviderEntry

RESPONSES = JsonFormat("/responses", shape_of, build_body, read_reply)


class ResponsesAdapter(JsonPostAdapter):
    """`POST /responses`; nothing is stored at the provider."""

    def __init__(self, entry: ProviderEntry, urls: tuple[str, ...], key: str | None) -> None:
        super().__init__(entry, OpenAiEndpoint(entry, urls, key), RESPONSES)
