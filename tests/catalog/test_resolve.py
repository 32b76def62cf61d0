"""A target, its entry and the flags make one variant; layers of decoding are merged in one order."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from vlbench.catalog.entry import ModelFacts, ProviderEntry
from vlbench.catalog.layers import layered
from vlbench.catalog.resolve import Rejection, final_decoding, rejections, resolve, with_weights
from vlbench.catalog.target import parse_target
from vlbench.errors import UsageError
from vlbench.types import Decoding, Variant

VENDOR = ProviderEntry(
    id="vendor",
    name="Vendor",
    wire="chat",
    urls=("https://api.vendor.example/v1",),
    default_model="eye-2",
    models={"eye-2": ModelFacts(), "eye-1": ModelFacts()},
)
OWN = ProviderEntry(id="own", name="Own", wire="chat", urls=("http://127.0.0.1:8000/v1",), self_hosted=True)
BUILT_IN = ProviderEntry(
    id="builtin", name="Eye", wire="chat", default_model="eye-1", self_hosted=True, built_in=True
)


def made(text: str, entry: ProviderEntry, **flags: int) -> Variant:
    return resolve(parse_target(text), entry, flags=Decoding.model_validate(flags))


def test_a_variant_carries_what_the_run_needs() -> None:
    assert made("vendor:eye-1+seed=2+effort=low", VENDOR, seed=1, max_output_tokens=9) == Variant(
        id="vendor:eye-1+effort=low+seed=2",
        provider="vendor",
        model="eye-1",
        lane="vendor",
        wire="chat",
        urls=("https://api.vendor.example/v1",),
        identity="vendor/eye-1",
        decoding=Decoding(seed=2, effort="low", max_output_tokens=9),
    )


def test_the_order_of_parameters_does_not_make_another_variant() -> None:
    assert made("vendor+a=1+b=2", VENDOR) == made("vendor+b=2+a=1", VENDOR)


@pytest.mark.parametrize(
    ("text", "entry", "identity"),
    [
        ("vendor", VENDOR, "vendor/eye-2"),
        ("vendor@https://API.vendor.example:443/v1", VENDOR, "vendor/eye-2"),
        ("vendor@http://127.0.0.1:9", VENDOR, "vendor/eye-2@http://127.0.0.1:9"),
        ("own:m", OWN, "url:http://127.0.0.1:8000/v1/m"),
        ("own:m@http://H.example/|http://g.example", OWN, "url:http://h.example/m"),
        ("own:m+tag=step-4@http://h.example", OWN, "tag:step-4/m"),
        ("builtin", BUILT_IN, "builtin/eye-1"),
        ("builtin@http://127.0.0.1:54321", BUILT_IN, "builtin/eye-1"),
    ],
)
def test_the_identity_names_what_answers(text: str, entry: ProviderEntry, identity: str) -> None:
    assert made(text, entry).identity == identity


def test_reported_weights_replace_an_address_only() -> None:
    assert with_weights(made("own:m", OWN), "/data/m-v2").identity == "weights:/data/m-v2/m"
    for settled in (made("own:m+tag=t", OWN), made("vendor", VENDOR)):
        assert with_weights(settled, "/data/m-v2") == settled


def test_sets_of_addresses_are_lanes() -> None:
    one, other = "http://h.example:1/v1", "http://h.example:2/v1"
    lane = made(f"own:a@{one}|{other}", OWN).lane
    assert lane == made(f"own:b@{other}/|{one}", OWN).lane == f"own@{one}|{other}"
    assert made(f"own:a@{one}", OWN).lane != lane
    assert made("own:a@http://127.0.0.1:8000/v1/", OWN).lane == made("own:a", OWN).lane == "own"


def test_a_tag_is_no_parameter_of_the_request() -> None:
    variant = made("own:m+tag=step-4", OWN)
    assert variant.id == "own:m+tag=step-4"
    assert variant.decoding == Decoding()


@pytest.mark.parametrize(
    ("text", "entry", "words"),
    [
        ("own", OWN, "no default model.*own:MODEL"),
        ("x", VENDOR.model_copy(update={"default_model": None}), "eye-2, eye-1"),
        ("own:m", OWN.model_copy(update={"urls": ()}), "no address.*@http://"),
        ("vendor+tag=t", VENDOR, "self_hosted"),
        ("builtin+tag=t", BUILT_IN, "self_hosted"),
        ("vendor+temperature=x", VENDOR, "Target vendor:eye-2: temperature=x"),
    ],
)
def test_a_target_that_cannot_be_asked_is_refused(text: str, entry: ProviderEntry, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        made(text, entry)


def test_the_address_of_the_built_in_model_is_left_open() -> None:
    assert made("builtin", BUILT_IN).urls == ()


def test_each_layer_of_decoding_gives_way_to_the_next() -> None:
    """Entry < model facts < profile < flags < target parameters."""

    def layers(count: int) -> tuple[Variant, ProviderEntry, Decoding]:
        seeds = [Decoding(seed=n) if n <= count else Decoding() for n in range(1, 6)]
        entry = VENDOR.model_copy(
            update={"decoding": seeds[0], "models": {"eye-2": ModelFacts(decoding=seeds[1])}}
        )
        text = "vendor+seed=5" if count == 5 else "vendor"
        return resolve(parse_target(text), entry, flags=seeds[3]), entry, seeds[2]

    assert [final_decoding(*layers(count)).seed for count in range(6)] == [None, 1, 2, 3, 4, 5]


def test_rejected_fields_are_left_out_and_told() -> None:
    entry = VENDOR.model_copy(
        update={
            "rejects": ("temperature", "top_k", "seed"),
            "models": {"eye-2": ModelFacts(rejects=("top_p",)), "eye-1": ModelFacts()},
        }
    )
    profile = Decoding(temperature=0, max_output_tokens=32)
    variant = made("vendor+top_k=3+top-p=0.5+mode=x", entry)
    assert final_decoding(variant, entry, profile) == Decoding(max_output_tokens=32, extra={"mode": "x"})
    assert rejections(variant, entry, profile) == (
        Rejection("temperature", 0.0),
        Rejection("top_k", 3),
        Rejection("top_p", 0.5),
    )
    other = made("vendor:eye-1+top-p=0.5", entry)
    assert final_decoding(other, entry, Decoding()).top_p == 0.5


tables = st.recursive(
    st.integers(0, 3).map(lambda n: n),
    lambda inner: st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=6,
)
extras = st.dictionaries(st.sampled_from("abc"), tables, max_size=3)


def leaves(table: JsonValue, path: str = "") -> dict[str, JsonValue]:
    if not isinstance(table, dict):
        return {path: table}
    return {k: v for key, value in table.items() for k, v in leaves(value, f"{path}.{key}").items()}


@given(extras, extras)
def test_nested_tables_of_extra_are_merged_leaf_by_leaf(
    lower: dict[str, JsonValue], upper: dict[str, JsonValue]
) -> None:
    merged = leaves(layered(Decoding(extra=upper), Decoding(extra=lower)).extra)
    assert leaves(upper).items() <= merged.items()
    for path in merged.keys() - leaves(upper).keys():
        assert merged[path] == leaves(lower)[path]


def test_merging_does_not_touch_its_layers() -> None:
    layers = [Decoding(extra={"a": {str(n): n}}) for n in range(3)]
    for lower, upper in pairwise(layers):
        layered(upper, lower)
    assert layers == [Decoding(extra={"a": {str(n): n}}) for n in range(3)]
