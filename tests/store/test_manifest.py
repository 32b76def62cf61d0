from __future__ import annotations

import json
from pathlib import Path

import pytest

from vlbench.errors import StoreError
from vlbench.store.manifest import Manifest, Selection
from vlbench.types import Condition, Decoding, Price, Variant


def limited(manifest: Manifest, limit: int | None) -> Manifest:
    return manifest.model_copy(update={"selection": Selection(limit=limit)})


def test_a_manifest_comes_back_as_it_was_saved(manifest: Manifest, tmp_path: Path) -> None:
    path = tmp_path / "manifest.json"
    manifest.save(path)
    assert Manifest.load(path) == manifest


def test_a_manifest_extends_itself_and_what_asked_less(manifest: Manifest, variant: Variant) -> None:
    other = variant.model_copy(update={"id": "gemini"})
    wider = manifest.model_copy(update={"variants": (other, variant), "repeats": 3})
    assert manifest.extends(manifest)
    assert wider.extends(manifest)
    assert manifest.conflicts(wider) == ("fewer repeats are asked for", "gemini is no longer asked")


@pytest.mark.parametrize(
    ("now", "before", "extends"),
    [
        (None, None, True),
        (None, 100, True),
        (200, 100, True),
        (100, 100, True),
        (99, 100, False),
        (100, None, False),
    ],
)
def test_a_limit_may_only_grow(
    now: int | None, before: int | None, extends: bool, manifest: Manifest
) -> None:
    assert limited(manifest, now).extends(limited(manifest, before)) is extends


@pytest.mark.parametrize(
    ("path", "value", "reason"),
    [
        ("data.sha256", "00", "data differs"),
        ("benchmark.version", "2", "benchmark differs"),
        ("benchmark.name", "vdiff", "benchmark differs"),
        ("prompt.sha256", "00", "prompt differs"),
        ("conditions", (Condition(show="image"),), "conditions differ"),
        ("conditions", (Condition(show="image"), Condition(show="text", shots=2)), "conditions differ"),
        ("base_conditions", (Condition(show="text", shots=2),), "base conditions differ"),
        ("selection.seed", 1, "seed differs"),
        ("selection.order", "file", "order differs"),
        ("selection.ids", ("1",), "ids differ"),
        ("selection.categories", ("math",), "categories differ"),
    ],
)
def test_another_question_is_another_run(path: str, value: object, reason: str, manifest: Manifest) -> None:
    name, _, inner = path.partition(".")
    if inner:
        value = getattr(manifest, name).model_copy(update={inner: value})
    assert manifest.model_copy(update={name: value}).conflicts(manifest) == (reason,)


@pytest.mark.parametrize(
    ("field", "value", "extends"),
    [
        ("model", "gpt-7", False),
        ("identity", "x", False),
        ("wire", "chat", False),
        ("decoding", Decoding(temperature=1), False),
        ("decoding", Decoding(), True),
        ("urls", ("http://other/v1",), True),
        ("lane", "second", True),
    ],
)
def test_a_shared_variant_must_be_the_same_model_wherever_it_is_served(
    field: str, value: object, extends: bool, manifest: Manifest, variant: Variant
) -> None:
    changed = manifest.model_copy(update={"variants": (variant.model_copy(update={field: value}),)})
    assert changed.extends(manifest) is extends


def test_what_is_sent_for_one_condition_must_be_the_same(manifest: Manifest) -> None:
    decoding = {"gpt": manifest.decoding["gpt"] | {"text": Decoding(temperature=0.5)}}
    assert not manifest.model_copy(update={"decoding": decoding}).extends(manifest)


def test_run_reader_and_versions_are_not_part_of_the_question(manifest: Manifest) -> None:
    changes = {"run": "other", "reader": "official", "vlbench": "9", "packages": {"openai": "3"}}
    assert manifest.model_copy(update=changes).extends(manifest)


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"schema_version": 2}'])
def test_a_manifest_that_cannot_be_read_names_the_file(text: str, tmp_path: Path) -> None:
    path = tmp_path / "manifest.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(StoreError, match=r"manifest\.json is damaged.*--fresh"):
        Manifest.load(path)


def test_a_missing_manifest_is_a_store_error(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="Cannot read"):
        Manifest.load(tmp_path / "manifest.json")


LISTED = Price(input=1.0, output=4.0, listed=True, source="a list 1")
RAISED = Price(input=2.0, output=8.0, listed=True, source="a list 2")
OWN = Price(input=3.0, output=9.0, source="the contract")


@pytest.mark.parametrize(
    ("before", "now", "kept"),
    [
        (None, LISTED, LISTED),
        (LISTED, RAISED, LISTED),
        (LISTED, None, LISTED),
        (LISTED, OWN, OWN),
        (OWN, RAISED, OWN),
        (None, None, None),
    ],
)
def test_a_price_stays_unless_the_entry_names_another(
    before: Price | None, now: Price | None, kept: Price | None, manifest: Manifest, variant: Variant
) -> None:
    def priced(price: Price | None) -> Manifest:
        return manifest.model_copy(update={"variants": (variant.model_copy(update={"price": price}),)})

    assert priced(now).extends(priced(before)), "a price is no part of what is asked"
    assert [one.price for one in priced(now).priced_as(priced(before))] == [kept]


def test_a_manifest_without_prices_still_loads(manifest: Manifest, tmp_path: Path) -> None:
    path = tmp_path / "manifest.json"
    written = json.loads(manifest.model_dump_json())
    for one in written["variants"]:
        del one["price"]
    path.write_text(json.dumps(written), encoding="utf-8")
    assert Manifest.load(path) == manifest
