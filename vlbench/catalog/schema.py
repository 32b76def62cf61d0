"""JSON schemas of catalog files, for editors that check TOML while it is written."""

from __future__ import annotations

from pydantic import JsonValue

from vlbench.catalog.entry import ProviderEntry
from vlbench.catalog.places import Kind
from vlbench.catalog.profile import PromptProfile


def file_schema(kind: Kind) -> dict[str, JsonValue]:
    """The schema of one file of `providers/` or `prompts/`, as a JSON document."""
    if kind == "prompts":
        return PromptProfile.model_json_schema()
    schema = ProviderEntry.model_json_schema()
    # The id is the file's name and must not stand in the file.
    del schema["properties"]["id"]
    schema["required"].remove("id")
    return schema
