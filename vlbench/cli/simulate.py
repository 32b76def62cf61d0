"""`vlbench simulate`: the loopback provider, for rehearsals and tests of other tools."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from vlbench.cli.finite import FiniteRange

if TYPE_CHECKING:
    from vlbench.simulator.scenario import WhenFull


@click.command(short_help="Serve a simulated provider.")
@click.option("--host", default="127.0.0.1", show_default=True, help="A loopback address.")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8000, show_default=True, help="0 takes a free one."
)
@click.option("--latency", type=FiniteRange(0), default=0.0, show_default=True, metavar="SECONDS",
              help="How long an answer takes.")  # fmt: skip
@click.option("--spread", type=FiniteRange(0), default=0.0, show_default=True,
              help="Log-normal spread of the latency.")  # fmt: skip
@click.option("--rpm", type=click.IntRange(1), help="Requests per minute it allows.")
@click.option("--tpm", type=click.IntRange(1), help="Tokens per minute it allows.")
@click.option("--capacity", type=click.IntRange(1), help="How many requests it takes at once.")
@click.option("--when-full", type=click.Choice(["503", "429", "slow"]), default="503", show_default=True,
              help="What becomes of requests beyond the capacity.")  # fmt: skip
@click.option("--fault", "faults", multiple=True, metavar="KIND=RATE",
              help="Share of requests that fail this way, such as 429=0.05; may be repeated. KIND is "
                   "429, 500, 503, 529, stall, cut, malformed, error_in_200, refusal, content_filter, "
                   "length or empty.")  # fmt: skip
@click.option("--reply", help="Always answer this, in place of the built-in model.")
@click.option("--seed", default=0, show_default=True, help="Of the faults and latencies.")
def simulate(
    host: str,
    port: int,
    latency: float,
    spread: float,
    rpm: int | None,
    tpm: int | None,
    capacity: int | None,
    when_full: WhenFull,
    faults: tuple[str, ...],
    reply: str | None,
    seed: int,
) -> None:
    """Serve a simulated provider on this machine until interrupted.

    It speaks the formats of OpenAI (chat, responses, completions), Anthropic and Google, and answers with the
    built-in model, which knows shapes but reads no numbers: `vlbench check` calls it not usable. `GET /_log`
    lists what was asked.

    \b
    vlbench simulate --port 8000 --rpm 600 --fault 500=0.02
    vlbench run shapes -p local:shapes-eye-1@http://127.0.0.1:8000/v1
    """
    from vlbench.simulator.scenario import Latency, Quota, Scenario
    from vlbench.simulator.server import run

    rates = {kind: float(rate) for kind, rate in (_pair(text) for text in faults)}
    scenario = Scenario(
        replies=[reply] if reply is not None else None,
        latency=Latency(latency, spread),
        quota=Quota(rpm=rpm, tpm=tpm) if rpm or tpm else None,
        faults=rates,  # type: ignore[arg-type]  # Scenario itself refuses unknown kinds
        capacity=capacity,
        when_full=when_full,
        seed=seed,
    )
    try:
        run(host, port, scenario, ready=lambda url: click.echo(f"serving {url}"))
    except KeyboardInterrupt:
        click.echo("stopped", err=True)


def _pair(text: str) -> tuple[str, str]:
    kind, equals, rate = text.partition("=")
    try:
        float(rate)
    except ValueError:
        equals = ""
    if not equals:
        raise click.BadParameter(
            f"{text!r} has not the form KIND=RATE, such as 500=0.02", param_hint="--fault"
        )
    return kind, rate
