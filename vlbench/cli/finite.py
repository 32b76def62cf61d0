"""Numbers of the command line that a range alone does not keep out."""

from __future__ import annotations

import math

import click


class FiniteRange(click.FloatRange):
    """A range of numbers without nan, which passes every comparison, and without infinity."""

    def convert(self, value: str | float, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The number, or a usage error that repeats what was typed."""
        number = super().convert(value, param, ctx)  # type: ignore[arg-type]  # click takes texts, too
        if not math.isfinite(number):
            self.fail(f"{value} is no number to work with.", param, ctx)
        return number
