"""What replies cost: the price in a provider's entry, else the vendor's list price, else unknown."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Final

from vlbench.catalog.entry import ProviderEntry
from vlbench.catalog.urls import is_local
from vlbench.errors import UsageError
from vlbench.types import LongPrice, Price, Usage, Variant

if TYPE_CHECKING:
    from genai_prices.types import TieredPrices

PRICE_LIST: Final = "genai-prices"

_RATES: Final = {"input": "input_mtok", "output": "output_mtok", "cached_input": "cache_read_mtok"}
_NOT_TOLD_APART: Final = frozenset({"requests_kcount", "input_image_mtok", "output_reasoning_mtok"})
"""What a few models charge for apart from text; to leave it out would say too little."""


def cost(price: Price | None, usage: Usage, replies: int = 1) -> float | None:
    """US dollars for `replies` that were paid for, with `usage` their tokens in all.

    None when the price is not known, or the server told no tokens. Where longer requests cost more, the mean
    length decides, because only sums are known of many replies.
    """
    if price is None:
        return None
    if replies == 0:
        return 0.0
    given, made = usage.input_tokens or 0, usage.output_tokens or 0
    if not given and not made:
        return None
    rate: Price | LongPrice = price
    for long in price.long:
        rate = long if given / replies > long.above else rate
    cached = min(given, usage.cached_input_tokens or 0)
    cached_rate = rate.input if rate.cached_input is None else rate.cached_input
    return ((given - cached) * rate.input + cached * cached_rate + made * rate.output) / 1e6


def price_of(variant: Variant, entry: ProviderEntry) -> Price | None:
    """The price in the entry, else the list price; None for a server of one's own and an unknown model."""
    return entry.facts(variant.model).price or list_price(variant)


def list_price(variant: Variant) -> Price | None:
    """The price genai-prices has for a hosted model at its vendor's own address, as of today."""
    if not variant.urls or is_local(variant.urls[0]):
        return None
    import genai_prices
    from genai_prices.types import TieredPrices

    now = datetime.now(UTC)
    try:
        found = genai_prices.calc_price(
            genai_prices.Usage(input_tokens=1, output_tokens=1),
            model_ref=variant.model,
            provider_api_url=variant.urls[0],
            genai_request_timestamp=now,
        )
    except (LookupError, ValueError):
        return None
    charged = {name: value for name, value in vars(found.model_price).items() if value is not None}
    if _NOT_TOLD_APART & charged.keys() or not {"input_mtok", "output_mtok"} <= charged.keys():
        return None
    tiered = [value for name in _RATES.values() if isinstance(value := charged.get(name), TieredPrices)]
    starts = sorted({tier.start for value in tiered for tier in value.tiers})
    return Price.model_validate(
        {
            **_rates(charged, 0),
            "long": [{"above": start, **_rates(charged, start)} for start in starts],
            "listed": True,
            "source": f"{PRICE_LIST} {genai_prices.__version__}",
            "checked": now.date(),
        }
    )


def _rates(charged: Mapping[str, Decimal | TieredPrices], above: int) -> dict[str, Decimal]:
    """What tokens cost in a request of more than `above` input tokens, by the names of `Price`."""
    found: dict[str, Decimal] = {}
    for ours, theirs in _RATES.items():
        value = charged.get(theirs)
        if value is None:
            continue
        if not isinstance(value, Decimal):
            reached = [tier.price for tier in value.tiers if tier.start <= above]
            value = reached[-1] if reached else value.base
        found[ours] = value
    return found


def require_prices(variants: Sequence[tuple[Variant, Path]]) -> None:
    """Refuse a limit in dollars when a price is unknown; each variant comes with the file of its entry.

    Raises `UsageError` that names the variants and shows the lines to put into their entries.
    """
    unknown = [(variant, path) for variant, path in variants if variant.price is None]
    if not unknown:
        return
    names = ", ".join(variant.id for variant, _ in unknown)
    lines = [
        f"providers/{variant.provider}.toml, begun as a copy of {path}:\n"
        f"  [models.{json.dumps(variant.model, ensure_ascii=False)}]\n"
        '  price = { input = 1.25, output = 10.0, cached_input = 0.125, source = "https://…" }'
        for variant, path in unknown
    ]
    raise UsageError(
        f"The price of {names} is not known, so --max-cost cannot be kept; nothing was sent. Write what a "
        "million tokens cost in US dollars (0 where nothing is paid) into the provider's entry in this "
        "directory, or use --max-requests instead.\n" + "\n".join(lines)
    )
