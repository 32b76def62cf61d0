"""The schema that editors use knows the fields the loader knows."""

from __future__ import annotations

import json

from vlbench.catalog.entry import ProviderEntry
from vlbench.catalog.profile import PromptProfile
from vlbench.catalog.schema import file_schema


def test_schemas_list_the_fields_of_a_file_and_refuse_others() -> None:
    for kind, fields in (("providers", ProviderEntry.model_fields), ("prompts", PromptProfile.model_fields)):
        schema = file_schema("providers" if kind == "providers" else "prompts")
        assert set(schema["properties"]) == set(fields) - {"id"}  # type: ignore[arg-type]  # a JSON document
        assert schema["additionalProperties"] is False
        assert json.loads(json.dumps(schema)) == schema


def test_the_file_name_stands_for_the_id() -> None:
    assert file_schema("providers")["required"] == ["name", "wire"]
