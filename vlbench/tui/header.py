"""The two lines on top of every screen: which run, how long, how far, what it costs, how it stands."""

from __future__ import annotations

from textual.content import Content

from vlbench.tui.figures import bar, clock, money, short
from vlbench.tui.grid import beside, text
from vlbench.tui.inert import line
from vlbench.tui.watched import Totals, Watched, totals_of
from vlbench.tui.words import standing

ROOMY = 100
_BAR = 24


def header(watched: Watched, width: int) -> Content:
    """Both lines, `width` cells wide."""
    return beside(_subject(watched), _right(watched, width), width) + "\n" + _second(watched, width)


def _subject(watched: Watched) -> Content:
    manifest = watched.live.manifest
    conditions = ", ".join(condition.id for condition in manifest.conditions)
    samples = watched.state.started.samples if watched.state.started else len(watched.state.samples)
    return Content.assemble(
        ("vlbench ", "bold $text-accent"),
        (line(manifest.benchmark.name), "bold"),
        (f"  {samples:,} samples × {conditions}", "$muted"),
    )


def _right(watched: Watched, width: int) -> Content:
    parts: list[Content] = []
    if width >= ROOMY:
        parts.append(text(line(watched.live.directory.name, 44), "$muted"))
    parts.append(text(clock(watched.elapsed_s)))
    if watched.standing == "running" and watched.state.ended is None:
        parts.append(text(f"ETA {clock(watched.eta_s)}"))
    parts.append(standing(watched))
    return Content("  ").join(parts)


def _second(watched: Watched, width: int) -> Content:
    if watched.problem:
        return text(f"! {line(watched.problem, 400)}", "bold $text-error").truncate(width, ellipsis=True)
    totals = totals_of(watched.state)
    share = 100 * totals.done / totals.total if totals.total else 0.0
    left = Content.assemble(
        bar(totals.done, totals.total, _BAR) if totals.total else Content.blank(_BAR),
        (f" {int(share)}%", "bold"),
        (f"  {totals.done:,} of {totals.total:,}", ""),
        (f", {totals.cached:,} cached" if totals.cached else "", "$muted"),
    )
    return beside(left, _costs(watched, totals, width), width)


def _costs(watched: Watched, totals: Totals, width: int) -> Content:
    parts: list[str] = []
    if width >= ROOMY:
        tokens = f"{short(totals.input_tokens)} in, {short(totals.output_tokens)} out"
        parts.append(f"tokens {tokens}")
    parts.append(f"spent {_spent(watched)}")
    parts.append(_requests(watched))
    return text("  ".join(parts), "$muted")


def _spent(watched: Watched) -> str:
    manifest, tally = watched.live.manifest, watched.tally
    spent = money(tally.spend(len(manifest.variants)) if tally else None)
    most = manifest.options.get("max_cost")
    return f"{spent} / {money(most)}" if isinstance(most, int | float) else spent


def _requests(watched: Watched) -> str:
    limit = watched.live.manifest.options.get("max_requests")
    sent = short(watched.state.requests)
    return f"{sent} of {limit:,} requests" if isinstance(limit, int) else f"{sent} requests"
