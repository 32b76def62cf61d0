"""The built-in model as a provider: a simulator in a process of its own, started when it is first asked."""

from __future__ import annotations

import subprocess
import sys

import anyio
import anyio.to_thread

from vlbench.adapters.adapter import Adapter, ImageBytes
from vlbench.adapters.registry import adapter_for
from vlbench.catalog.entry import ProviderEntry
from vlbench.errors import Fault, ServerFailed
from vlbench.simulator.server import serve
from vlbench.types import Completion, Request

START_WITHIN_S = 30.0
_SERVE = "from vlbench.simulator.built_in import serve_until_orphaned; serve_until_orphaned()"


class BuiltInAdapter:
    """Speaks to the simulator through the entry's real adapter; the process ends with this one."""

    def __init__(self, entry: ProviderEntry) -> None:
        self._entry = entry
        self._process: subprocess.Popen[bytes] | None = None
        self._adapter: Adapter | None = None

    async def open(self, images: ImageBytes) -> None:
        """Start the simulator and wait until it answers. Raises `ServerFailed` when it does not."""
        with anyio.fail_after(START_WITHIN_S):
            url = await anyio.to_thread.run_sync(self._start)
        self._adapter = adapter_for(self._entry, (url,), None)
        await self._adapter.open(images)

    async def complete(self, request: Request) -> Completion:
        """Ask the built-in model."""
        if self._adapter is None:
            raise RuntimeError("complete() before open()")
        return await self._adapter.complete(request)

    def explain(self, error: Exception) -> Fault | None:
        """The fault behind an exception of `complete`."""
        return self._adapter.explain(error) if self._adapter else None

    async def close(self) -> None:
        """End the simulator."""
        if self._adapter is not None:
            await self._adapter.close()
        if self._process is not None:
            self._process.terminate()
            await anyio.to_thread.run_sync(self._process.wait)
            for pipe in (self._process.stdin, self._process.stdout):
                assert pipe is not None
                pipe.close()

    def _start(self) -> str:
        # The child ends when its standard input does, which happens however this process ends.
        self._process = subprocess.Popen(
            [sys.executable, "-c", _SERVE],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
        )
        assert self._process.stdout is not None
        url = self._process.stdout.readline().decode().strip()
        if not url:
            raise ServerFailed("the simulator with the built-in model did not start")
        return url


def serve_until_orphaned() -> None:
    """Serve the built-in model on a free port, print the URL, and end when standard input closes."""

    async def main() -> None:
        async with serve() as simulator:
            print(simulator.url, flush=True)
            # An interrupt in the terminal is for the parent alone: it drains, and needs the replies.
            await anyio.to_thread.run_sync(sys.stdin.buffer.read)

    anyio.run(main)
