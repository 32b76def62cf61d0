"""The result of one run on stdout, as it stands when the run ends."""

from __future__ import annotations

from vlbench.store.run_dir import RunDir


def print_run(directory: RunDir) -> None:
    """Print the table that `vlbench report` would."""
    from vlbench.state.loaded import facts_of, loaded, scores_of

    with loaded(directory) as run:
        for row in scores_of(run.state, facts_of(run.samples)).rows:
            print(row.variant, row.condition.id, row.overall)
