"""Which adapter speaks which wire format."""

from __future__ import annotations

import importlib
from typing import cast

from vlbench.adapters.adapter import Adapter
from vlbench.catalog.entry import ProviderEntry
from vlbench.errors import UsageError

_ADAPTERS = {
    "chat": "vlbench.adapters.chat:ChatAdapter",
    "openai-chat": "vlbench.adapters.chat_sdk:ChatSdkAdapter",
    "responses": "vlbench.adapters.responses:ResponsesAdapter",
    "completions": "vlbench.adapters.completions:CompletionsAdapter",
    "messages": "vlbench.adapters.messages:MessagesAdapter",
    "gemini": "vlbench.adapters.gemini:GeminiAdapter",
    "embeddings": "vlbench.adapters.embeddings:EmbeddingsAdapter",
}


def adapter_for(entry: ProviderEntry, urls: tuple[str, ...], key: str | None) -> Adapter:
    """The adapter for `entry`'s wire format, not opened yet; its module is imported only now.

    Raises `UsageError` for a wire format that has no adapter.
    """
    target = _ADAPTERS.get(entry.wire)
    if target is None:
        known = ", ".join(sorted(_ADAPTERS))
        raise UsageError(
            f"Provider {entry.id} speaks {entry.wire!r}, which has no adapter yet; there is: {known}."
        )
    module, _, name = target.partition(":")
    adapter_class = cast(type[Adapter], getattr(importlib.import_module(module), name))
    return adapter_class(entry, urls, key)
