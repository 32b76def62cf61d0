"""From the targets a user named to who is really asked: variants with their entries, keys and conditions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import SecretStr

from vlbench.catalog.entry import Limits, ProviderEntry
from vlbench.catalog.keys import key_for, read_dotenv
from vlbench.catalog.load import Catalog
from vlbench.catalog.profile import PromptProfile
from vlbench.catalog.resolve import final_decoding, resolve
from vlbench.catalog.target import parse_target, with_addresses
from vlbench.engine.options import RunOptions
from vlbench.engine.plan import LanePlan, PlannedRow
from vlbench.errors import UsageError
from vlbench.media.fit import with_longest_side
from vlbench.types import Condition, Decoding, Show, Variant

BUILT_IN = "builtin"
"""The provider of a run that names none."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One target, resolved: the variant, its provider's entry and the key to send."""

    variant: Variant
    entry: ProviderEntry
    key: SecretStr | None


def resolve_all(
    options: RunOptions, catalog: Catalog, environ: Mapping[str, str], root: Path
) -> tuple[Asked, ...]:
    """Everybody the options name, the base last; keys come from `environ`, else from `.env` in `root`.

    Raises `UsageError` for an unknown provider, a missing model or key, or one variant named twice.
    """
    named = [(text, False) for text in options.providers or (BUILT_IN,)]
    if options.base is not None:
        named.append((options.base, True))
    found: dict[str, Asked] = {}
    for text, is_base in named:
        target = with_addresses(parse_target(text), root)
        entry = within(catalog.provider(target.provider), options)
        variant = resolve(target, entry, flags=options.decoding, base=is_base)
        if variant.id in found:
            raise UsageError(
                f"{variant.id} is named twice. Give two of one model different parameters, such as "
                f"{variant.id}+temperature=0.7, or the base another model."
            )
        dotenv = read_dotenv(root / ".env", entry.key_variables)
        found[variant.id] = Asked(variant, entry, key_for(entry, environ, dotenv))
    return tuple(found.values())


def worded(profile: PromptProfile, options: RunOptions) -> PromptProfile:
    """The profile with the user's own system message and place of the pictures."""
    if options.system is not None:
        profile = profile.with_system(options.system)
    if options.image_position is not None:
        profile = profile.with_images(options.image_position)
    return profile


def within(entry: ProviderEntry, options: RunOptions) -> ProviderEntry:
    """The entry with the user's own limit on the size of pictures."""
    images = with_longest_side(entry.images, options.image_max_side)
    return entry if images is entry.images else entry.model_copy(update={"images": images})


def conditions_of(asked: Asked, options: RunOptions) -> tuple[Condition, ...]:
    """What one variant is shown: 2-shot text for the LLM base, else what the options say.

    By default a subject is asked with the image, and without it in the way its provider takes. Raises
    `UsageError` for a condition the provider cannot serve.
    """
    if asked.variant.base:
        return (Condition(show="text", shots=2),)
    entry, model = asked.entry, asked.variant.model
    shows = options.conditions or _default_shows(entry)
    if not entry.facts(model).takes_images and (seen := [show for show in shows if show != "text"]):
        raise UsageError(
            f"{asked.variant.id} takes no images, so it cannot be asked under {', '.join(seen)}. "
            "Use --conditions text, or name it as the LLM base with --base."
        )
    if entry.no_image == "grey" and "text" in shows:
        raise UsageError(
            f"{entry.id} takes no request without an image, so there is no condition text for it. "
            "Use --conditions image,grey."
        )
    return tuple(
        Condition(show=show, shots=0 if Condition(show=show).has_image else options.shots) for show in shows
    )


def _default_shows(entry: ProviderEntry) -> tuple[Show, ...]:
    if entry.wire == "embeddings":
        return ("image",)  # there is nothing to compare a caption with when the picture is left out
    return ("image", "grey" if entry.no_image == "grey" else "text")


def plan_lanes(asked: Sequence[Asked], profile: PromptProfile, options: RunOptions) -> tuple[LanePlan, ...]:
    """The lanes of a run: variants of one account share its limits."""
    rows: dict[str, list[PlannedRow]] = {}
    first: dict[str, Asked] = {}
    for one in asked:
        first.setdefault(one.variant.lane, one)
        rows.setdefault(one.variant.lane, []).extend(_rows(one, profile, options))
    return tuple(
        LanePlan(
            id=lane,
            entry=one.entry.model_copy(update={"limits": _limits(one.entry.limits, options)}),
            urls=one.variant.urls,
            key=one.key,
            rows=tuple(rows[lane]),
        )
        for lane, one in first.items()
    )


def _rows(one: Asked, profile: PromptProfile, options: RunOptions) -> Iterator[PlannedRow]:
    for condition in conditions_of(one, options):
        prescribed = profile.decoding_for(condition, base=one.variant.base)
        decoding = final_decoding(one.variant, one.entry, prescribed)
        yield PlannedRow(
            variant=one.variant,
            condition=condition,
            entry=one.entry,
            profile=profile,
            decoding=decoding,
            again=_again(decoding, options),
        )


def _again(decoding: Decoding, options: RunOptions) -> Decoding | None:
    """How replies that were not good enough are asked again; None for as before."""
    limit = options.retry_max_tokens
    return None if limit is None else decoding.model_copy(update={"max_output_tokens": limit})


def _limits(limits: Limits, options: RunOptions) -> Limits:
    """The entry's limits under the user's; a concurrency the user gives is also the most there ever is."""
    given = {"rpm": options.rpm, "tpm": options.tpm}
    update: dict[str, int] = {name: value for name, value in given.items() if value is not None}
    if options.concurrency is not None:
        update |= {"concurrency": options.concurrency, "max_concurrency": options.concurrency}
    return limits.model_copy(update=update)
