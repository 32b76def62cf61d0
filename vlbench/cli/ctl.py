"""`vlbench ctl`: steer a run that is alive."""

from __future__ import annotations

import click

ACTIONS = ("pause", "resume", "drain", "cancel", "set", "drop", "add", "retry")


@click.command(short_help="Steer a run that is going on.")
@click.argument("run")
@click.argument("action", type=click.Choice(ACTIONS))
@click.argument("name", required=False)
@click.option(
    "--lane", metavar="NAME", help="For set: only this lane (one provider at one address); default all."
)
@click.option("--rpm", type=click.IntRange(1), metavar="N", help="For set: requests per minute.")
@click.option("--tpm", type=click.IntRange(1), metavar="N", help="For set: tokens per minute.")
@click.option(
    "--concurrency", type=click.IntRange(1), metavar="N", help="For set: requests in flight at most."
)
def ctl(
    run: str,
    action: str,
    name: str | None,
    lane: str | None,
    rpm: int | None,
    tpm: int | None,
    concurrency: int | None,
) -> int:
    """Steer RUN (its name, the beginning of it, or "last") while it goes on. Changes are kept in its journal.

    \b
    vlbench ctl last pause            send nothing until "resume"
    vlbench ctl last drain            finish what is in flight, then end (resumable)
    vlbench ctl last cancel           end now (resumable)
    vlbench ctl last set --rpm 300    new limits
    vlbench ctl last drop gpt         stop asking a variant (a row of the report) or a lane
    vlbench ctl last add gemini       ask one more provider
    vlbench ctl last retry            ask failed samples again
    """
    import os
    import sys
    from pathlib import Path

    from vlbench.engine.control_client import send
    from vlbench.errors import UsageError
    from vlbench.store.run_dir import find
    from vlbench.store.workspace import Workspace

    directory = find(Workspace.find(Path.cwd(), os.environ).runs_dir, None if run == "last" else run)
    needs = {"drop": "the id of a lane or variant", "add": "a target such as gpt:gpt-6.1-sol"}
    if (name is not None) != (action in needs):
        wanted = f"needs {needs[action]}" if action in needs else f"takes no name ({name!r})"
        raise UsageError(f"{action} {wanted}.")
    named = {"add": "target", "drop": "name"}.get(action, "")
    fields = {named: name} if named else {}
    answer = send(
        directory.socket_path, action, lane=lane, rpm=rpm, tpm=tpm, concurrency=concurrency, **fields
    )
    if error := answer.get("error"):
        raise UsageError(str(error))
    print(f"{directory.name}: {answer.get('message', 'done')}", file=sys.stderr)
    return 0
