"""How the view does anything to a run: over its control socket, one command, one answer."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from vlbench.errors import UsageError


class Steering(Protocol):
    """Sends one command to the run; returns what it said. Raises `VlbenchError` when it refused."""

    async def __call__(self, action: str, **fields: str | int) -> str: ...


def over_socket(path: Path) -> Steering:
    """Steering over the control socket of a run."""

    async def steer(action: str, **fields: str | int) -> str:
        from vlbench.engine.control_client import send_async

        answer = await send_async(path, action, **fields)
        if "error" in answer:
            raise UsageError(str(answer["error"]))
        return str(answer.get("message", ""))

    return steer
