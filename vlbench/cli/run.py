"""`vlbench run`: the main job."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from vlbench.cli.finite import FiniteRange
from vlbench.cli.sections import SectionedCommand

SECTIONS = {
    "Who is asked": ("providers", "base"),
    "What is asked": (
        "data", "revision", "conditions", "shots", "limit", "ids", "category", "repeats", "shuffle_options",
        "circular", "prompt", "system", "image_position",
        "image_max_side", "skip_bad", "reader",
    ),
    "Decoding (sent only when given, or set by the provider's entry)": (
        "max_tokens", "temperature", "top_p", "seed", "effort", "image_detail", "param",
    ),
    "Limits": ("rpm", "tpm", "concurrency", "timeout", "max_requests", "max_cost"),
    "The run": ("dry_run", "retry", "fresh", "name", "ui"),
}  # fmt: skip
COUNT = click.IntRange(1)
MOST_REPEATS = 1000


@click.command(cls=SectionedCommand, sections=SECTIONS, short_help="Run benchmarks against providers.")
@click.argument("what", nargs=-1, metavar="[BENCHMARK | FILE | RUN.toml]...")
@click.option(
    "-p",
    "--providers",
    multiple=True,
    metavar="TARGETS",
    help="provider[:model][+param=value][@url|url], several with commas; see `vlbench list providers`.",
)
@click.option(
    "--base",
    metavar="TARGET",
    help="An LLM to compare with, asked without the image after two worked examples; gives ML*.",
)
@click.option("--data", type=click.Path(path_type=Path), metavar="FILE", help="Read the benchmark from FILE.")
@click.option("--revision", metavar="REV", help="Revision of the data set on the Hugging Face Hub.")
@click.option(
    "--conditions",
    metavar="LIST",
    help="How samples are shown, with commas: image, text (no image), grey (a plain grey one), swapped "
    "(two images in reverse). By default image and text, or grey where a provider insists on an image.",
)
@click.option(
    "--shots",
    type=click.Choice(["0", "2"]),
    default="0",
    show_default=True,
    help="Worked examples before each question without the image.",
)
@click.option(
    "-n",
    "--limit",
    type=COUNT,
    metavar="N",
    help="Only N samples, the same ones each time, spread over the categories.",
)
@click.option("--ids", metavar="LIST", help="Only the samples with these ids, with commas.")
@click.option("--category", multiple=True, metavar="NAME", help="Only this category; may be repeated.")
@click.option(
    "--repeats",
    type=click.IntRange(1, MOST_REPEATS),
    default=1,
    show_default=True,
    metavar="K",
    help="Ask every question K times.",
)
@click.option("--shuffle-options", type=int, metavar="SEED", help="Shuffle the options of every question.")
@click.option("--circular", is_flag=True, help="Ask in all rotations of the options; all must be right.")
@click.option(
    "--prompt",
    default="default",
    show_default=True,
    metavar="NAME",
    help="Prompt profile; `vlbench list prompts` names them.",
)
@click.option("--system", metavar="TEXT", help="System message in place of the profile's.")
@click.option(
    "--image-position",
    type=click.Choice(["before", "after"]),
    help="Pictures before or after the text, in place of the profile's order.",
)
@click.option(
    "--image-max-side",
    type=COUNT,
    metavar="PIXELS",
    help="Make larger pictures smaller; by default only what a provider does not take is changed.",
)
@click.option("--max-tokens", type=COUNT, metavar="N", help="Output limit of one reply.")
@click.option("--temperature", type=FiniteRange(0), metavar="T", help="Sampling temperature.")
@click.option("--top-p", type=FiniteRange(0, 1, min_open=True), metavar="P", help="Nucleus sampling.")
@click.option("--seed", type=int, metavar="S", help="The provider's seed of sampling.")
@click.option("--effort", metavar="LEVEL", help="Reasoning effort, in the provider's own words.")
@click.option("--image-detail", metavar="LEVEL", help="Detail of images, in the provider's own words.")
@click.option(
    "--param", multiple=True, metavar="K=V", help="Any other field of the request body; may be repeated."
)
@click.option(
    "--reader",
    default="strict",
    show_default=True,
    metavar="NAME",
    help="Who reads the answers: strict, official (the benchmark's own), vlmevalkit or lmms-eval.",
)
@click.option("--rpm", type=COUNT, metavar="N", help="Requests per minute of each provider.")
@click.option("--tpm", type=COUNT, metavar="N", help="Tokens per minute of each provider.")
@click.option("--concurrency", type=COUNT, metavar="N", help="Requests in flight at each provider.")
@click.option(
    "--timeout",
    type=FiniteRange(0, min_open=True),
    default=600.0,
    show_default=True,
    metavar="SECONDS",
    help="The time one attempt may take.",
)
@click.option("--max-requests", type=click.IntRange(0), metavar="N", help="Stop after N requests; resumable.")
@click.option(
    "--max-cost",
    type=FiniteRange(0),
    metavar="DOLLARS",
    help="Stop before the replies of a run, since its first start, cost more US dollars; resumable. It is "
    "passed at most by what replies in flight cost above the mean. Each benchmark is a run of its own.",
)
@click.option(
    "--dry-run", is_flag=True, help="Count what would be sent and what it would cost; send nothing."
)
@click.option(
    "--retry",
    metavar="KINDS",
    help="Ask again the replies that were refused, truncated, unparsed or blocked; what failed always is.",
)
@click.option("--fresh", is_flag=True, help="Begin a new run; cached replies are still used.")
@click.option("--skip-bad", is_flag=True, help="Count broken rows as unusable and go on.")
@click.option("--name", metavar="NAME", help="Name of the run's directory.")
@click.option(
    "--ui",
    type=click.Choice(["auto", "full", "plain", "json", "none"]),
    default="auto",
    show_default=True,
    help="full: the live view; plain: progress lines; json: every event on stdout; none: neither these "
    "nor the report.",
)
@click.option(
    "--cache-dir", type=click.Path(path_type=Path), metavar="DIR", help="Where data and replies are kept."
)
@click.option(
    "--trust",
    is_flag=True,
    help="Let files of this directory send the key of a known provider to another address.",
)
@click.pass_context
def run(ctx: click.Context, /, what: tuple[str, ...], **given: Any) -> int:  # Any: click's own typed values
    """Run benchmarks against providers.

    Without a benchmark it is mmstar; with no provider either, the built-in benchmarks against the built-in
    model. `vlbench list benchmarks` names them; FILE holds questions of your own, RUN.toml these options. The
    same command again goes on where it stopped. `vlbench report` shows the result again.

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
