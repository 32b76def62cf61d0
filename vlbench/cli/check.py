"""`vlbench check`: whether providers can be used, before anything is paid for."""

from __future__ import annotations

import re
from typing import Final

import click

_UNITS: Final = {"": 1, "s": 1, "m": 60, "h": 3600}


class Duration(click.ParamType[float]):
    """Seconds, written 90, 90s, 10m or 1h."""

    name = "duration"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> float:
        if isinstance(value, (int, float)):
            return float(value)
        match = re.fullmatch(r"(\d+(?:\.\d+)?)([smh]?)", str(value).strip())
        if match is None:
            self.fail(f"{value!r} is no duration; write 90s, 10m or 1h.", param, ctx)
        return float(match[1]) * _UNITS[match[2]]


@click.command(short_help="Check providers: address, key, model, and whether it sees pictures.")
@click.option(
    "-p",
    "--providers",
    multiple=True,
    metavar="TARGETS",
    help="provider[:model][+param=value][@url|url], with commas; by default all whose key is set.",
)
@click.option(
    "--wait",
    type=Duration(),
    default=0.0,
    metavar="TIME",
    help="How long to wait for a server that is still loading, such as 10m.",
)
@click.option("--format", "form", type=click.Choice(["table", "json"]), default="table", show_default=True)
@click.option(
    "--trust",
    is_flag=True,
    help="Let files of this directory send the key of a known provider to another address.",
)
def check(providers: tuple[str, ...], wait: float, form: str, trust: bool) -> int:
    """Ask every provider one or two cheap questions and say what was found.

    A number is drawn that the model must read back, then two of them in order: a server that drops pictures,
    or mixes them up, is found here. Servers of your own are listed one by one, with their version and the
    weights they serve where they say so. The exit code is 3 when something is wrong.
    """
    from vlbench.cli.checking import check_all

    return check_all(providers, wait_s=wait, form=form, trust=trust)
