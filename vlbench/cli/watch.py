"""`vlbench watch`: the live view of a run, from any terminal."""

from __future__ import annotations

import click


@click.command(short_help="Watch a run.")
@click.argument("name", required=False, metavar="[RUN]")
@click.option("--control", is_flag=True, help="Let this view pause, steer and stop the run.")
@click.option(
    "--web",
    is_flag=True,
    help="Serve the view to a browser on this machine; needs the package textual-serve.",
)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=0,
    metavar="N",
    help="Port for --web; default a free one.",
)
@click.option(
    "--ui",
    type=click.Choice(["auto", "full", "plain"]),
    default="auto",
    show_default=True,
    help="full: the live view; plain: progress lines.",
)
def watch(name: str | None, control: bool, web: bool, port: int, ui: str) -> int:
    """Watch RUN, by default the newest one, while it goes on or afterwards.

    RUN is the name of a run, the beginning of one, or a path. The view only reads; with --control its keys
    steer the run, too. Without a terminal it prints lines until the run ends.
    """
    import os

    from vlbench.cli.results import runs_dir
    from vlbench.cli.watching import drawing_for, say, watch_run
    from vlbench.store.run_dir import find

    directory = find(runs_dir(), name)
    if web:
        from vlbench.cli.web import serve

        return serve(directory, port, control=control)
    drawing = drawing_for(ui, os.environ)
    farewell = watch_run(directory, steers=control, drawing=drawing)
    if drawing == "plain" and farewell == "closed":
        from vlbench.report.show import print_run

        print_run(directory)
    if directory.alive() is not None:
        say(f"The run {directory.name} goes on.")
    return 0
