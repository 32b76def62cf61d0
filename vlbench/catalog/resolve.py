"""From a target and its entry to the variant a run is made with, and what is finally sent for it."""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import JsonValue

from vlbench.catalog.choices import chosen, flags_chosen
from vlbench.catalog.entry import ProviderEntry
from vlbench.catalog.layers import layered
from vlbench.catalog.parameters import decoding_of
from vlbench.catalog.target import Target
from vlbench.catalog.urls import normalised
from vlbench.errors import UsageError
from vlbench.types import Decoding, Variant

_BY_URL = "url:"


@dataclass(frozen=True, slots=True)
class Rejection:
    """A parameter that is not sent because the server answers it with an error."""

    name: str
    value: JsonValue


def resolve(target: Target, entry: ProviderEntry, *, flags: Decoding, base: bool = False) -> Variant:
    """The variant a target names, without asking the server.

    `Variant.decoding` holds what the user gave and nothing else: the target's parameters over its choices
    (`+thinking=off`, in the entry's words) over `flags`; `final_decoding` puts it over the catalog's layers.
    `Variant.id` is `provider:model` and the parameters in order of names. `Variant.lane` is the provider,
    with the addresses when others than the entry's were given.

    The identity of a hosted model is `provider/model`, with the addresses when they were given and lead
    elsewhere than the entry's: what another server answers must never pass for the vendor's. That of a
    self-hosted model is its `tag`, else its first address, each with the model; see `with_weights`.

    Raises `UsageError`: no model, no address, a parameter that cannot be read, a tag on a hosted model.
    """
    model = target.model or entry.default_model
    if model is None:
        raise UsageError(_no_model(entry))
    urls = target.urls or entry.urls
    if not urls and not entry.built_in:
        raise UsageError(
            f"Provider {entry.id} has no address. Give one: {entry.id}:{model}@http://HOST:PORT/v1"
        )
    parameters = dict(target.parameters)
    tag = parameters.pop("tag", None)
    if tag is not None and (entry.built_in or not entry.self_hosted):
        raise UsageError(
            f"+tag={tag} names weights, and those of {entry.id} are its vendor's own. "
            "Leave it out, or use an entry with self_hosted = true."
        )
    owner = f"Target {entry.id}:{model}"
    choices, plain = chosen(parameters, entry, model, owner)
    given = layered(decoding_of(plain, owner), choices)
    suffix = "".join(f"+{name}={value}" for name, value in sorted(target.parameters.items()))
    return Variant(
        id=f"{entry.id}:{model}{suffix}",
        provider=entry.id,
        model=model,
        lane=_lane(entry, target.urls),
        wire=entry.wire,
        urls=urls,
        identity=_identity(entry, model, target.urls, tag),
        decoding=layered(given, flags_chosen(flags, entry, model)),
        base=base,
    )


def has_unnamed_weights(variant: Variant) -> bool:
    """Whether only an address identifies the model, since neither a vendor nor a tag names it."""
    return variant.identity.startswith(_BY_URL)


def with_weights(variant: Variant, weights: str) -> Variant:
    """The variant with the weights' path its server reported, unless a tag or vendor names the model."""
    if not has_unnamed_weights(variant):
        return variant
    return variant.model_copy(update={"identity": f"weights:{weights}/{variant.model}"})


def final_decoding(variant: Variant, entry: ProviderEntry, profile_decoding: Decoding) -> Decoding:
    """What is sent: target parameters over flags over profile over model facts over entry.

    Fields the entry or the model rejects are left out, the user's too; `rejections` tells which.
    """
    decoding = _merged(variant, entry, profile_decoding)
    rejected = _rejected(variant, entry)
    kept = {name: value for name, value in decoding.extra.items() if name not in rejected}
    cleared = {name: None for name in Decoding.model_fields if name in rejected and name != "extra"}
    return decoding.model_copy(update={**cleared, "extra": kept})


def rejections(variant: Variant, entry: ProviderEntry, profile_decoding: Decoding) -> tuple[Rejection, ...]:
    """The parameters `final_decoding` leaves out, for the manifest and for a word to the user."""
    merged = _merged(variant, entry, profile_decoding).model_dump(mode="json", exclude_none=True)
    values = {**merged.pop("extra"), **merged}
    return tuple(Rejection(name, values[name]) for name in _rejected(variant, entry) if name in values)


def _merged(variant: Variant, entry: ProviderEntry, profile_decoding: Decoding) -> Decoding:
    below = layered(entry.facts(variant.model).decoding, entry.decoding)
    return layered(variant.decoding, layered(profile_decoding, below))


def _rejected(variant: Variant, entry: ProviderEntry) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*entry.rejects, *entry.facts(variant.model).rejects)))


def _lane(entry: ProviderEntry, given: tuple[str, ...]) -> str:
    addresses = {normalised(url) for url in given}
    if not addresses or addresses == {normalised(url) for url in entry.urls}:
        return entry.id
    return f"{entry.id}@{'|'.join(sorted(addresses))}"


def _identity(entry: ProviderEntry, model: str, given: tuple[str, ...], tag: str | None) -> str:
    if tag is not None:
        return f"tag:{tag}/{model}"
    if entry.self_hosted and not entry.built_in:
        return f"{_BY_URL}{normalised((given or entry.urls)[0])}/{model}"
    homes = {normalised(url) for url in entry.urls}
    elsewhere = [normalised(url) for url in given if normalised(url) not in homes]
    hosted = f"{entry.id}/{model}"
    return f"{hosted}@{elsewhere[0]}" if elsewhere and not entry.built_in else hosted


def _no_model(entry: ProviderEntry) -> str:
    if entry.models:
        return (
            f"Provider {entry.id} has no default model. Name one of these: {', '.join(entry.models)}; "
            f"for example {entry.id}:{next(iter(entry.models))}."
        )
    return (
        f"Provider {entry.id} has no default model. Name the one its server offers: {entry.id}:MODEL "
        "(GET /v1/models lists them)."
    )
