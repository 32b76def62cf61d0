from __future__ import annotations

import subprocess
import sys

import pytest

from vlbench.adapters import registry
from vlbench.adapters.registry import adapter_for
from vlbench.catalog.entry import ProviderEntry
from vlbench.errors import UsageError


def test_a_wire_without_an_adapter_is_told_with_those_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    entry = ProviderEntry(id="x", name="X", wire="chat")
    monkeypatch.setattr(registry, "_ADAPTERS", {"messages": "vlbench.adapters.messages:MessagesAdapter"})
    with pytest.raises(UsageError, match=r"'chat'.*there is: messages"):
        adapter_for(entry, (), None)


def test_neither_the_registry_nor_an_adapter_loads_a_client_before_it_is_opened() -> None:
    program = """
import sys
from vlbench.adapters.registry import adapter_for
from vlbench.catalog.entry import ProviderEntry
assert "vlbench.adapters.chat" not in sys.modules
for wire in ("chat", "messages", "gemini"):
    adapter_for(ProviderEntry(id="x", name="X", wire=wire), ("http://127.0.0.1:1",), None)
heavy = ("aiohttp", "httpx_aiohttp", "httpx2", "openai", "anthropic", "google.genai", "PIL", "numpy")
print([m for m in heavy if m in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
