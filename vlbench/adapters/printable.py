"""Text of a server made fit for a terminal and an error message; see `vlbench.printable`."""

from __future__ import annotations

from vlbench.printable import printable

__all__ = ["printable"]
