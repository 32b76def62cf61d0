"""Google's generateContent, through the google-genai client: the Gemini API, and Gemini at Vertex AI."""

from __future__ import annotations

from vlbench.adapters.gemini_body import build_body, shape_of
from vlbench.adapters.gemini_endpoint import GeminiEndpoint
from vlbench.adapters.gemini_reply import read_reply
from vlbench.adapters.json_post import JsonFormat, JsonPostAdapter
from vlbench.catalog.entry import ProviderEntry

# The client makes the path, from the model in the body.
GEMINI = JsonFormat("", shape_of, build_body, read_reply)


class GeminiAdapter(JsonPostAdapter):
    """`POST /models/…:generateContent` through `google.genai.Client`."""

    def __init__(self, entry: ProviderEntry, urls: tuple[str, ...], key: str | None) -> None:
        super().__init__(entry, GeminiEndpoint(entry, urls, key), GEMINI)
