"""Steering a run from outside: one command, one answer, over the run's control socket."""

from __future__ import annotations

import socket
from pathlib import Path

import anyio.to_thread
import orjson
from pydantic import JsonValue

from vlbench.engine.socket_path import reachable
from vlbench.errors import StoreError
from vlbench.store.canonical import json_bytes

ANSWER_WITHIN_S = 30.0
LONGEST_ANSWER = 1024 * 1024


def send(path: Path, action: str, **fields: JsonValue) -> dict[str, JsonValue]:
    """Send one command to the run behind `path` (its `control.sock`); the answer as it stands.

    That is `{"ok": true, "message": "…"}` or `{"error": "…"}`; for actions and fields see
    `vlbench.engine.steering.Command`. Fields that are None are not sent. Raises `StoreError` when nobody
    answers.
    """
    given = {name: value for name, value in fields.items() if value is not None}
    try:
        with reachable(path) as address, socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as stream:
            stream.settimeout(ANSWER_WITHIN_S)
            stream.connect(address)
            stream.sendall(json_bytes({"action": action, **given}) + b"\n")
            line = _line(stream)
        answer: JsonValue = orjson.loads(line)
    except (FileNotFoundError, ConnectionRefusedError) as error:
        raise StoreError(
            f"The run {path.parent.name} is not alive, or cannot be steered: nobody listens at {path}. "
            "Go on with it: vlbench resume"
        ) from error
    except (OSError, orjson.JSONDecodeError) as error:
        raise StoreError(f"The run {path.parent.name} did not answer: {error}. Is it alive?") from error
    return answer if isinstance(answer, dict) else {"error": "an answer that is no object"}


async def send_async(path: Path, action: str, **fields: JsonValue) -> dict[str, JsonValue]:
    """`send` for a view that must not stand still meanwhile."""

    def blocking() -> dict[str, JsonValue]:
        return send(path, action, **fields)

    return await anyio.to_thread.run_sync(blocking, abandon_on_cancel=True)


def _line(stream: socket.socket) -> bytes:
    received = b""
    while not received.endswith(b"\n") and len(received) < LONGEST_ANSWER:
        piece = stream.recv(65536)
        if not piece:
            break
        received += piece
    return received
