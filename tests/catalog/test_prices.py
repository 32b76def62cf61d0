"""Prices: whose they are, and what they make of tokens."""

from __future__ import annotations

import re
from datetime import date
from pathlib import Path

import genai_prices
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vlbench.catalog.entry import ModelFacts, ProviderEntry
from vlbench.catalog.prices import cost, list_price, price_of, require_prices
from vlbench.catalog.read import read_provider
from vlbench.errors import UsageError
from vlbench.types import LongPrice, Price, Usage, Variant

PRICE = Price(input=1.25, output=10.0, cached_input=0.125)
OPENAI = "https://api.openai.com/v1"
COUNT = st.integers(1, 2_000_000)


def variant(model: str, url: str = OPENAI, price: Price | None = None) -> Variant:
    return Variant(
        id=f"p:{model}", provider="p", model=model, lane="p", wire="chat", urls=(url,), identity=model,
        price=price,
    )  # fmt: skip


def entry(**facts: ModelFacts) -> ProviderEntry:
    return ProviderEntry(id="p", name="P", wire="chat", models=facts)


def test_cached_tokens_are_part_of_the_input_and_cheaper() -> None:
    usage = Usage(input_tokens=1_000_000, cached_input_tokens=400_000, output_tokens=100_000)
    assert cost(PRICE, usage) == pytest.approx(0.6 * 1.25 + 0.4 * 0.125 + 0.1 * 10)
    without = PRICE.model_copy(update={"cached_input": None})
    assert cost(without, usage) == pytest.approx(1.25 + 0.1 * 10)


def test_a_server_that_counts_more_cached_tokens_than_input_is_not_paid_less_than_nothing() -> None:
    usage = Usage(input_tokens=10, cached_input_tokens=1_000)
    assert cost(PRICE, usage) == pytest.approx(10 * 0.125 / 1e6)


def test_what_is_not_known_is_not_nothing() -> None:
    assert cost(None, Usage(input_tokens=10)) is None
    assert cost(PRICE, Usage()) is None, "a server that tells no tokens"
    assert cost(PRICE, Usage(), replies=0) == 0.0


@given(COUNT, COUNT, COUNT, COUNT)
def test_two_replies_cost_what_they_cost_together(a: int, b: int, c: int, d: int) -> None:
    one, other = Usage(input_tokens=a, output_tokens=b), Usage(input_tokens=c, output_tokens=d)
    both = Usage(input_tokens=a + c, output_tokens=b + d)
    apart = (cost(PRICE, one) or 0.0) + (cost(PRICE, other) or 0.0)
    assert cost(PRICE, both, 2) == pytest.approx(apart)


def test_long_requests_have_their_own_price_by_the_mean_length() -> None:
    price = PRICE.model_copy(update={"long": (LongPrice(above=1_000, input=5.0, output=20.0),)})
    assert cost(price, Usage(input_tokens=1_000)) == pytest.approx(1_000 * 1.25e-6)
    assert cost(price, Usage(input_tokens=1_001)) == pytest.approx(1_001 * 5e-6)
    assert cost(price, Usage(input_tokens=2_000), 2) == pytest.approx(2_000 * 1.25e-6)


@given(st.integers(1, 900_000), st.integers(0, 50_000), st.floats(0, 1))
@pytest.mark.parametrize("model", ["gpt-5.4", "gpt-5", "gpt-6.1-sol"])
def test_a_list_price_comes_to_what_the_list_itself_computes(
    model: str, asked: int, made: int, share: float
) -> None:
    cached = int(asked * share)
    theirs = genai_prices.calc_price(
        genai_prices.Usage(input_tokens=asked, output_tokens=made, cache_read_tokens=cached),
        model_ref=model,
        provider_api_url=OPENAI,
    )
    usage = Usage(input_tokens=asked, output_tokens=made, cached_input_tokens=cached)
    assert cost(list_price(variant(model)), usage) == pytest.approx(float(theirs.total_price))


def test_a_list_price_says_which_list_and_when() -> None:
    found = list_price(variant("gpt-5"))
    assert found is not None
    assert found.listed
    assert found.source == f"genai-prices {genai_prices.__version__}"
    assert found.checked is not None
    assert found.checked > date(2026, 1, 1)


@pytest.mark.parametrize(
    ("model", "url"),
    [
        ("gpt-5", "http://127.0.0.1:8000/v1"),
        ("gpt-5", "http://gpu-7.example/v1"),
        ("no-such-model", OPENAI),
        ("sonar", "https://api.perplexity.ai"),
        ("gpt-image-1", OPENAI),
    ],
)
def test_a_server_of_ones_own_and_what_is_charged_otherwise_have_no_list_price(model: str, url: str) -> None:
    assert list_price(variant(model, url)) is None


def test_the_entrys_price_wins() -> None:
    assert price_of(variant("gpt-5"), entry(**{"gpt-5": ModelFacts(price=PRICE)})) == PRICE
    assert price_of(variant("m", "http://127.0.0.1:1"), entry(m=ModelFacts(price=PRICE))) == PRICE
    assert price_of(variant("m", "http://127.0.0.1:1"), entry()) is None


def test_the_refusal_shows_lines_that_repair_it(tmp_path: Path) -> None:
    strange = variant('org/"m"', "http://127.0.0.1:1")
    with pytest.raises(UsageError) as refused:
        require_prices([(variant("gpt-5", price=PRICE), tmp_path / "a"), (strange, tmp_path / "p.toml")])
    message = str(refused.value)
    assert message.startswith('The price of p:org/"m" is not known')
    assert "gpt-5" not in message
    path = tmp_path / "p.toml"
    lines = re.findall(r"^  (.+)$", message, flags=re.MULTILINE)
    path.write_text("\n".join(['name = "P"', 'wire = "chat"', *lines]), encoding="utf-8")
    assert price_of(strange, read_provider(path)) is not None
    require_prices([(variant("gpt-5", price=PRICE), tmp_path / "a")])


@pytest.mark.parametrize("value", ["-1", "inf", "nan"])
def test_a_price_is_a_sum(value: str, tmp_path: Path) -> None:
    path = tmp_path / "p.toml"
    path.write_text(
        f'name = "P"\nwire = "chat"\n[models.m]\nprice = {{ input = {value}, output = 1 }}', encoding="utf-8"
    )
    with pytest.raises(Exception, match=r"p\.toml:4: models\.m\.price\.input"):
        read_provider(path)
