"""`vlbench watch --web` as a process of its own."""

from __future__ import annotations

import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PATIENCE_S = 20.0


@contextmanager
def serving(run: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The server of the view on `run`, and the address it printed; it is interrupted at the end."""
    command = [sys.executable, "-P", "-m", "vlbench", "watch", str(run), "--web"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as served:
        try:
            assert served.stderr is not None
            said = served.stderr.readline()
            found = re.search(r"http://127\.0\.0\.1:(\d+)/\S+", said)
            assert found is not None, said
            _wait_for(int(found[1]))
            yield served, found[0]
            served.send_signal(signal.SIGINT)
            served.communicate(timeout=PATIENCE_S)
        finally:
            served.kill()


def _wait_for(port: int) -> None:
    until = time.monotonic() + PATIENCE_S
    while True:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            return
        except ConnectionRefusedError:
            assert time.monotonic() < until
            time.sleep(0.01)
