"""The commands of `vlbench`. Each is one file, imported only when it is called."""

from __future__ import annotations

from importlib import import_module

import click

from vlbench import __version__

COMMANDS: dict[str, tuple[str, str]] = {
    # name: (module:attribute, one line for `--help`, in the order a user meets them)
    "run": ("vlbench.cli.run:run", "Run benchmarks against providers; typed again, go on where it stopped."),
    "resume": ("vlbench.cli.resume:resume", "Go on with a run, by its name or the newest one."),
    "watch": ("vlbench.cli.watch:watch", "Watch a run live, or look into a finished one."),
    "ctl": ("vlbench.cli.ctl:ctl", "Steer a run that is going on: pause, resume, stop, new limits, …"),
    "score": ("vlbench.cli.score:score", "Read the replies of a run again, with any reader; sends nothing."),
    "report": ("vlbench.cli.report:report", "Show the result of runs as a table, JSON, CSV or Markdown."),
    "compare": ("vlbench.cli.compare:compare", "Compare variants of one run or two; is it more than chance?"),
    "runs": ("vlbench.cli.runs:runs", "List the runs of this workspace."),
    "check": ("vlbench.cli.check:check", "Check providers: address, key, model; does it see pictures?"),
    "list": ("vlbench.cli.listing:listing", "List providers, models, benchmarks or prompts."),
    "init": ("vlbench.cli.init:init", "Make a directory with a small set that runs, to begin from."),
    "validate": ("vlbench.cli.validate:validate", "Check a data file row by row; sends nothing."),
    "fetch": ("vlbench.cli.fetch:fetch", "Download a benchmark, to run it later without network."),
    "import": ("vlbench.cli.import_:import_", "Take predictions of other tools in as a finished run."),
    "read": ("vlbench.cli.read:read", "Explain how one answer is read."),
    "cache": ("vlbench.cli.cache:cache", "Look into the reply cache: stats, why, export, import, clear."),
    "catalog": ("vlbench.cli.catalog:catalog", "Check the entries of providers/ and prompts/."),
    "simulate": ("vlbench.cli.simulate:simulate", "Serve a simulated provider, for tests and rehearsals."),
}


class LazyGroup(click.Group):
    """A group that knows its commands' names and first lines without importing them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module, _, attribute = COMMANDS[cmd_name][0].partition(":")
        command = getattr(import_module(module), attribute)
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in COMMANDS.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if name not in COMMANDS and not name.startswith("-"):
            from difflib import get_close_matches

            near = get_close_matches(name, COMMANDS, n=1)
            hint = f" Did you mean {near[0]!r}?" if near else ""
            ctx.fail(f"There is no command {name!r}.{hint} `vlbench --help` lists them.")
        return super().resolve_command(ctx, args)


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
    epilog="Without a provider, `vlbench run` measures the built-in model: no key, no network.",
)
@click.version_option(__version__, message="vlbench %(version)s")
def group() -> None:
    """Benchmark vision-language models behind any API.

    Accuracy with and without the image, multi-modal gain (MG) and leakage (ML). A run that was stopped, in
    whatever way, goes on without paying for a reply twice.
    """
