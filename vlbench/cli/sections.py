"""A command whose options stand under headings in its help."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import click


class SectionedCommand(click.Command):
    """`sections` maps headings to names of parameters; what is in none comes last, under "Other"."""

    def __init__(
        self, *args: Any, sections: Mapping[str, Sequence[str]], **kwargs: Any
    ) -> None:  # Any: click's
        super().__init__(*args, **kwargs)
        self._sections = sections

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        records = {
            param.name: record
            for param in self.get_params(ctx)
            if isinstance(param, click.Option) and (record := param.get_help_record(ctx)) is not None
        }
        for heading, names in self._sections.items():
            with formatter.section(heading):
                formatter.write_dl([records.pop(name) for name in names])
        with formatter.section("Other"):
            formatter.write_dl(list(records.values()))
