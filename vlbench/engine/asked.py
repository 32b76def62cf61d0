"""From the targets a user named to who is really asked: variants with their entries, keys and conditions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import SecretStr

from vlbench.catalog.entry import Limits, ProviderEntry
from vlbench.catalog.keys import key_for, read_dotenv
from vlbench.catalog.load import Catalog
from vlbench.catalog.profile import PromptProfile
from vlbench.catalog.resolve import final_decoding, resolve
from vlbench.catalog.target import parse_target
from vlbench.engine.options import RunOptions
from vlbench.engine.plan import LanePlan, PlannedRow
from vlbench.errors import UsageError
from vlbench.types import Condition, Variant

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
        target = parse_target(text)
        entry = catalog.provider(target.provider)
        variant = resolve(target, entry, flags=options.decoding, base=is_base)
        if variant.id in found:
            raise UsageError(
                f"{variant.id} is named twice. Give two of one model different parameters, such as "
                f"{variant.id}+temperature=0.7, or the base another model."
            )
        dotenv = read_dotenv(root / ".env", entry.key_variables)
        found[variant.id] = Asked(variant, entry, key_for(entry, environ, dotenv))
    return tuple(found.values())


def conditions_of(asked: Asked, options: RunOptions) -> tuple[Condition, ...]:
    """What one variant is shown: 2-shot text for the LLM base, else what the options say.

    By default a subject is asked with the image, and without it in the way its provider takes. Raises
    `UsageError` for a condition the provider cannot serve.
    """
    if asked.variant.base:
        return (Condition(show="text", shots=2),)
    entry, model = asked.entry, asked.variant.model
    shows = options.conditions or ("image", "grey" if entry.no_image == "grey" else "text")
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
    return tuple(Condition(show=show, shots=0 if show == "image" else options.shots) for show in shows)


def plan_lanes(asked: Sequence[Asked], profile: PromptProfile, options: RunOptions) -> tuple[LanePlan, ...]:
    """The lanes of a run: variants of one account share its limits."""
    rows: dict[str, list[PlannedRow]] = {}
    first: dict[str, Asked] = {}
    for one in asked:
        first.setdefault(one.variant.lane, one)
        rows.setdefault(one.variant.lane, []).extend(
            PlannedRow(
                variant=one.variant,
                condition=condition,
                entry=one.entry,
                profile=profile,
                decoding=final_decoding(
                    one.variant, one.entry, profile.decoding_for(condition, base=one.variant.base)
                ),
            )
            for condition in conditions_of(one, options)
        )
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


def _limits(limits: Limits, options: RunOptions) -> Limits:
    """The entry's limits under the user's; a concurrency the user gives is also the most there ever is."""
    given = {"rpm": options.rpm, "tpm": options.tpm}
    update: dict[str, int] = {name: value for name, value in given.items() if value is not None}
    if options.concurrency is not None:
        update |= {"concurrency": options.concurrency, "max_concurrency": options.concurrency}
    return limits.model_copy(update=update)
