"""`vlbench run`: the main job."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

SHOWS = ("image", "text", "grey")
RETRIES = ("refused", "truncated", "unparsed", "blocked")


@click.command(short_help="Run benchmarks against providers.")
@click.argument("what", nargs=-1, metavar="[BENCHMARK | RUN.toml]...")
@click.option(
    "-p",
    "--providers",
    multiple=True,
    metavar="TARGETS",
    help="Who is asked: provider[:model][+param=value][@url|url], several with commas.",
)
@click.option(
    "--base", metavar="TARGET", help="Text-only LLM base, asked 2-shot without the image (for ML*)."
)
@click.option("--data", type=click.Path(path_type=Path), help="Read the benchmark from this file.")
@click.option("--revision", help="Revision of the data set on the Hugging Face Hub.")
@click.option(
    "--conditions",
    metavar="LIST",
    help="Of image, text and grey; default image and what the provider takes without it.",
)
@click.option(
    "--shots",
    type=click.Choice(["0", "2"]),
    default="0",
    show_default=True,
    help="Worked examples before each question without the image.",
)
@click.option("-n", "--limit", type=click.IntRange(1), help="The first N samples of the shuffled order.")
@click.option("--ids", metavar="LIST", help="Only these samples.")
@click.option("--category", multiple=True, metavar="NAME", help="Only this category; may be repeated.")
@click.option(
    "--repeats", type=click.IntRange(1), default=1, show_default=True, help="Ask everything K times."
)
@click.option("--prompt", default="default", show_default=True, help="Prompt profile; see `list prompts`.")
@click.option("--system", metavar="TEXT", help="System message in place of the profile's.")
@click.option("--max-tokens", type=click.IntRange(1), help="Output limit of one reply.")
@click.option("--temperature", type=click.FloatRange(0), help="Sent only when given or set by the entry.")
@click.option("--top-p", type=click.FloatRange(0, 1, min_open=True))
@click.option("--seed", type=int, help="Sampling seed sent to the provider.")
@click.option("--effort", metavar="LEVEL", help="Reasoning effort.")
@click.option("--image-detail", metavar="LEVEL")
@click.option("--param", multiple=True, metavar="K=V", help="Any other field of the request body.")
@click.option("--reader", default="strict", show_default=True, help="Answer reader.")
@click.option("--rpm", type=click.IntRange(1), help="Requests per minute of each provider.")
@click.option("--tpm", type=click.IntRange(1), help="Tokens per minute of each provider.")
@click.option("--concurrency", type=click.IntRange(1), help="Requests in flight at each provider.")
@click.option(
    "--timeout",
    type=click.FloatRange(0, min_open=True),
    default=600.0,
    show_default=True,
    help="Seconds one attempt may take.",
)
@click.option("--max-requests", type=click.IntRange(0), help="Stop, resumable, after N requests.")
@click.option("--dry-run", is_flag=True, help="Show what would be sent, and send nothing.")
@click.option("--retry", metavar="KINDS", help="Ask again what was refused, truncated, unparsed or blocked.")
@click.option("--fresh", is_flag=True, help="Begin a new run; the cache is still used.")
@click.option("--skip-bad", is_flag=True, help="Count broken rows as unusable and go on.")
@click.option("--name", help="Name of the run's directory.")
@click.option("--ui", type=click.Choice(["auto", "plain", "json", "none"]), default="auto", show_default=True)
@click.option("--cache-dir", type=click.Path(path_type=Path), help="Directory of the reply cache.")
@click.option("--trust", is_flag=True, help="Let entries of this workspace send known keys elsewhere.")
@click.pass_context
def run(ctx: click.Context, /, what: tuple[str, ...], **given: Any) -> int:  # Any: click's own typed values
    """Run benchmarks against providers.

    Without a benchmark it is mmstar; with no provider either, the built-in benchmark against the built-in
    model. The same command again goes on where it stopped.

    \b
    vlbench run --providers gemini,gpt
    vlbench run mmstar -p local:Qwen3-VL-8B@http://127.0.0.1:8000/v1 -n 200
    """
    from vlbench.cli.run_options import options_of
    from vlbench.cli.running import run_all

    explicit = {
        name: value
        for name, value in given.items()
        if ctx.get_parameter_source(name) is not click.core.ParameterSource.DEFAULT
    }
    asked = options_of(what, explicit)
    return run_all(asked.options, ui=asked.ui, dry_run=asked.dry_run)
