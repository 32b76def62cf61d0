"""What a report says of money."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

from tests.report.conftest import answered, variant
from vlbench.engine.forecast import Forecast
from vlbench.report.blocks import brief_blocks_of
from vlbench.report.cost_blocks import price_words
from vlbench.report.data import ReportData
from vlbench.report.figures import dollars
from vlbench.report.forecast import cost_sentences
from vlbench.report.formats import rendered
from vlbench.report.report import open_report
from vlbench.report.terminal import blocks_text
from vlbench.store.run_dir import RunDir
from vlbench.types import Condition, LongPrice, Price, Usage

IMAGE, TEXT = Condition(show="image"), Condition(show="text")
MakeRun = Callable[..., RunDir]
PRICE = Price(
    input=1.25, output=10.0, cached_input=0.125, listed=True, source="a list 3", checked=date(2026, 11, 30)
)


def run_of(make_run: MakeRun, prices: dict[str, Price | None]) -> RunDir:
    """Every variant answers one question with the image for 1,000,000 tokens in and 100,000 out."""
    variants = tuple(variant(name).model_copy(update={"price": price}) for name, price in prices.items())
    replies = []
    for name in prices:
        event = answered(name, IMAGE, "s0", "A")
        usage = Usage(input_tokens=1_000_000, output_tokens=100_000)
        replies.append(event.model_copy(update={"reply": event.reply.model_copy(update={"usage": usage})}))
    return make_run(
        {(name, IMAGE): [] for name in prices},
        categories=[("x", "p")],
        extra=tuple(replies),
        facts={"variants": variants},
    )


def _flat(text: str) -> str:
    return " ".join(text.split())


def _brief(report: ReportData) -> str:
    return _flat(blocks_text(brief_blocks_of(report), width=200, colour=False))


def test_a_report_names_the_cost_and_whose_price_it_is(make_run: MakeRun) -> None:
    report = open_report(run_of(make_run, {"m": PRICE, "n": PRICE}))
    text = _flat(rendered([report], "table", width=160))
    assert "m image 1,000,000 0 100,000 0 2.25" in text
    assert "all 2,000,000 0 200,000 0 4.50" in text
    words = "$1.25 in, $0.125 cached in, $10.00 out per million tokens (list price by a list 3, 2026-11-30)"
    assert f"m: {words}." in text
    assert "Cost: $4.50 (list price by a list 3, 2026-11-30)." in _brief(report)


def test_replies_that_told_no_tokens_are_named(make_run: MakeRun) -> None:
    told = answered("m", IMAGE, "s0", "A")
    usage = Usage(input_tokens=1_000_000, output_tokens=100_000)
    told = told.model_copy(update={"reply": told.reply.model_copy(update={"usage": usage})})
    silent = answered("m", IMAGE, "s1", "A")
    silent = silent.model_copy(update={"reply": silent.reply.model_copy(update={"usage": Usage()})})
    run = make_run(
        {("m", IMAGE): []},
        categories=[("x", "p"), ("x", "p")],
        extra=(told, silent),
        facts={"variants": (variant("m").model_copy(update={"price": PRICE}),)},
    )
    note = "1 of 2 replies told no tokens and are counted at the mean of the others."
    report = open_report(run)
    assert note in _flat(rendered([report], "table", width=160))
    assert "Cost: $4.50" in _brief(report)
    assert note in _brief(report)


def test_tokens_that_were_never_told_are_no_unknown_price(make_run: MakeRun) -> None:
    silent = answered("m", TEXT, "s0", "A")
    silent = silent.model_copy(update={"reply": silent.reply.model_copy(update={"usage": Usage()})})
    told = answered("m", IMAGE, "s0", "A")
    told = told.model_copy(
        update={"reply": told.reply.model_copy(update={"usage": Usage(input_tokens=1_000_000)})}
    )
    run = make_run(
        {("m", IMAGE): [], ("m", TEXT): []},
        categories=[("x", "p")],
        extra=(told, silent),
        facts={"variants": (variant("m").model_copy(update={"price": PRICE}),)},
    )
    report = open_report(run)
    text = _flat(rendered([report], "table", width=160))
    assert "Under some condition m told no tokens, so that its cost is not known." in text
    assert "The price of" not in text
    assert "Cost: $1.25 without m, of which no price or tokens are known" in _brief(report)


def test_an_unknown_price_is_no_zero(make_run: MakeRun) -> None:
    report = open_report(run_of(make_run, {"m": PRICE, "local": None}))
    text = _flat(rendered([report], "table", width=160))
    assert "local image 1,000,000 0 100,000 0 —" in text
    assert "all 2,000,000 0 200,000 0 —" in text
    assert "$2.25 in all that has a price" in text
    assert "The price of local is not known" in text
    assert "Cost: $2.25 without local, of which no price is known (list price by" in _brief(report)


def test_a_run_without_any_price_says_nothing_of_it_in_short(make_run: MakeRun) -> None:
    report = open_report(run_of(make_run, {"local": None}))
    assert "Cost" not in _brief(report)


def test_sums_are_written_to_the_cent_and_small_ones_finer() -> None:
    assert [dollars(sum) for sum in (None, 0.0, 0.00123, 0.5, 1.0, 1234.5)] == [
        "—", "0.00", "0.0012", "0.5000", "1.00", "1,234.50",
    ]  # fmt: skip


def test_a_forecast_is_an_estimate_only_where_every_condition_has_replies_to_go_by() -> None:
    tokens = Usage(input_tokens=20_000, output_tokens=1_000)
    price = PRICE.model_copy(update={"long": (LongPrice(above=10_000, input=9, output=9),)})
    known = Forecast("l", "m", "image", requests=1_000, known=20, tokens=tokens, price=price)
    unknown = Forecast("l", "m", "text", requests=1_000, price=price)
    local = Forecast("l", "local", "text", requests=5)
    done = Forecast("l", "done", "text", price=price)

    (line,) = cost_sentences([known])
    assert line.startswith(
        "Cost of m: about $1.75, if they are like the replies there are (20 of image: 1,000"
    )
    assert "more for long requests" in line
    blind, none, advice = cost_sentences([known, unknown, local, done])
    assert blind.startswith(
        "Cost of m: 1,000 requests of 1,000 tokens in and 100 out come to $2.25, at $1.25"
    )
    assert none == "Cost of local: — (no price is known)"
    assert "--limit 20" in advice


def test_absurd_prices_and_sums_are_written_shortly() -> None:
    assert dollars(1e308) == "1e+308"
    assert price_words(Price(input=1e300, output=1.25)).startswith("$1e+300 in, $1.25 out")
