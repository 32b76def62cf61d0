"""The control socket of a run: JSON lines from its owner, one answer each, for as long as the run lives.

Whoever may connect may steer the run, so the socket is the owner's alone (0600, before it listens).
"""

from __future__ import annotations

from pathlib import Path

import anyio
import anyio.to_thread
import orjson
from anyio.abc import SocketStream
from anyio.streams.buffered import BufferedByteReceiveStream
from pydantic import JsonValue, ValidationError

from vlbench.engine.socket_path import reachable
from vlbench.engine.steering import Command, Steering
from vlbench.errors import VlbenchError
from vlbench.store.canonical import json_bytes

LONGEST_LINE = 64 * 1024
MOST_CLIENTS = 16
ANSWER_WITHIN_S = 1.0

Answer = dict[str, JsonValue]


async def serve_control(path: Path, steering: Steering) -> None:
    """Obey whoever connects to `path` until cancelled, then remove the socket.

    Raises OSError when the place takes no socket (some network file systems do not), `StoreError` when its
    path is too long.
    """
    # Made under another name: whoever finds the socket finds it listening. A killed run's is replaced.
    unready = path.with_suffix(".new")
    with reachable(unready) as address:
        listener = await anyio.create_unix_listener(address, mode=0o600)
    clients = anyio.CapacityLimiter(MOST_CLIENTS)

    async def talk(stream: SocketStream) -> None:
        async with clients, stream:
            try:
                await _talk(stream, steering)
            except (anyio.BrokenResourceError, anyio.ClosedResourceError):
                return

    try:
        async with listener:
            await anyio.to_thread.run_sync(unready.replace, path)
            await listener.serve(talk)
    finally:
        with anyio.CancelScope(shield=True):
            await anyio.to_thread.run_sync(_remove, unready, path)


def _remove(*paths: Path) -> None:
    for path in paths:
        if path.is_socket():
            path.unlink(missing_ok=True)


async def _talk(stream: SocketStream, steering: Steering) -> None:
    lines = BufferedByteReceiveStream(stream)
    while True:
        try:
            line = await lines.receive_until(b"\n", LONGEST_LINE)
        except anyio.IncompleteRead:
            return
        except anyio.DelimiterNotFound:
            await stream.send(json_bytes({"error": f"A line has at most {LONGEST_LINE} bytes."}) + b"\n")
            return
        answer = json_bytes(await _answer(line, steering)) + b"\n"
        # The command may have ended the run, and with it this task: the answer is still owed.
        with anyio.move_on_after(ANSWER_WITHIN_S, shield=True):
            await stream.send(answer)


async def _answer(line: bytes, steering: Steering) -> Answer:
    try:
        command = Command.model_validate(orjson.loads(line))
    except orjson.JSONDecodeError:
        return {"error": 'Send one JSON object a line, such as {"action": "pause"}.'}
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "command"
        return {"error": f"{where}: {first['msg']}"}
    try:
        return {"ok": True, "message": await steering.obey(command)}
    except VlbenchError as error:
        return {"error": str(error)}
