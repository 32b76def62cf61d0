"""`vlbench resume`: go on with a run by its name."""

from __future__ import annotations

from typing import Any

import click

from vlbench.cli.finite import FiniteRange


@click.command(short_help="Go on with a run.")
@click.argument("name", required=False, metavar="[RUN]")
@click.option(
    "--retry",
    metavar="KINDS",
    help="Ask again the replies that were refused, truncated, unparsed or blocked; what failed always is.",
)
@click.option(
    "--max-tokens",
    type=click.IntRange(1),
    metavar="N",
    help="Output limit of what --retry asks again, in place of the run's.",
)
@click.option("--rpm", type=click.IntRange(1), metavar="N", help="Requests per minute of each provider.")
@click.option("--tpm", type=click.IntRange(1), metavar="N", help="Tokens per minute of each provider.")
@click.option(
    "--concurrency", type=click.IntRange(1), metavar="N", help="Requests in flight at each provider."
)
@click.option(
    "--timeout",
    type=FiniteRange(0, min_open=True),
    metavar="SECONDS",
    help="The time one attempt may take.",
)
@click.option("--max-requests", type=click.IntRange(0), metavar="N", help="Stop after N requests; resumable.")
@click.option(
    "--max-cost",
    type=FiniteRange(0),
    metavar="DOLLARS",
    help="Stop before the replies of the run, since its first start, cost more US dollars; resumable.",
)
@click.option(
    "--ui",
    type=click.Choice(["auto", "full", "plain", "json", "none"]),
    default="auto",
    show_default=True,
    help="full: the live view; plain: progress lines; json: every event on stdout; none: neither these "
    "nor the report.",
)
@click.option(
    "--trust",
    is_flag=True,
    help="Let files of this directory send the key of a known provider to another address.",
)
def resume(
    name: str | None,
    ui: str,
    retry: str | None,
    max_tokens: int | None,
    **given: Any,  # Any: click's values
) -> int:
    """Go on with RUN, by default the newest one: what has no reply yet is asked, everything else is kept.

    RUN is the name of a run, the beginning of one, or a path. With --retry truncated --max-tokens N, replies
    that were cut off are asked again with a larger limit; the run's manifest says so.
    """
    from vlbench.cli.run_options import retry_kinds
    from vlbench.cli.running import resume_run
    from vlbench.errors import UsageError

    if max_tokens is not None and not retry:
        raise UsageError(
            "--max-tokens is for replies that are asked again: say which, as in --retry truncated. "
            "What a run asks in the first place is fixed when it begins."
        )
    typed = {option: value for option, value in given.items() if value is not None}
    return resume_run(name, {**typed, "retry": retry_kinds(retry), "retry_max_tokens": max_tokens}, ui=ui)
