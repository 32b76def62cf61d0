"""`transformers serve` with a tiny vision-language model made on the spot, and vlbench against it.

    python tests/servers/transformers_serve.py PYTHON [FOLDER]

PYTHON is one that has transformers[serving], torch and Pillow; docs/servers.md says how to make it. FOLDER
(by default a temporary one) takes the model, the server's log and vlbench's workspace. The server listens on
the loopback and is ended, by its process id, whatever happens. Nothing is downloaded.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx

START_WITHIN_S = 180.0
SAMPLES = "4"
OFFLINE = {"HF_HUB_OFFLINE": "1", "HF_HUB_DISABLE_UPDATE_CHECK": "1"}


def build_model(python: Path, folder: Path) -> Path:
    """Make the model with the given Python; where it is."""
    model = folder / "tiny-vision"
    script = Path(__file__).with_name("tiny_vision_model.py")
    subprocess.run([python, script, model], check=True, env={**os.environ, **OFFLINE})
    return model


@contextmanager
def served(python: Path, model: Path, folder: Path) -> Iterator[str]:
    """Serve the model and give the base URL; what the server says stands in `folder`/server.log."""
    port = _free_port()
    program = str(python.with_name("transformers"))
    address = ("--host", "127.0.0.1", "--port", str(port))
    words = [program, "serve", str(model), *address, "--device", "cpu"]
    environ = {**os.environ, **OFFLINE, "HF_HOME": str(folder / "huggingface")}
    with (folder / "server.log").open("wb") as log:
        process = subprocess.Popen(words, stdout=log, stderr=log, env=environ)
        try:
            _wait_until_healthy(f"http://127.0.0.1:{port}/health", process, folder / "server.log")
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            process.terminate()
            try:
                process.wait(timeout=20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def target(model: Path, url: str) -> str:
    """The model as vlbench is told of it: the server knows it by its path."""
    return f"local:{model}@{url}"


def run_words(asked: str) -> list[str]:
    """A run that shows two pictures in one request, in both orders, grey and not at all."""
    conditions = "image,swapped,grey,text"
    return ["run", "shapes-diff", "-p", asked, "-n", SAMPLES, "--conditions", conditions, "--ui", "none"]


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


def _wait_until_healthy(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + START_WITHIN_S
    while process.poll() is None and time.monotonic() < deadline:
        try:
            if httpx.get(url, trust_env=False).is_success:
                return
        except httpx.TransportError:
            time.sleep(0.5)
    raise RuntimeError(f"transformers serve did not start:\n{log.read_text(encoding='utf-8')[-2000:]}")


def main(python: Path, folder: Path) -> int:
    """Do all of it once and show what vlbench says; 0 when the run is complete."""
    workspace = folder / "workspace"
    (workspace / "providers").mkdir(parents=True, exist_ok=True)
    (workspace / "providers" / "none.toml").write_text("", encoding="utf-8")
    vlbench = [sys.executable, "-m", "vlbench"]
    model = build_model(python, folder)
    with served(python, model, folder) as url:
        asked = target(model, url)
        print(f"serving {model} at {url}", flush=True)
        # Exits with 3: random weights cannot read the numbers that check shows them.
        subprocess.run([*vlbench, "check", "-p", asked], cwd=workspace, check=False)
        return subprocess.run([*vlbench, *run_words(asked)], cwd=workspace, check=False).returncode


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    if len(sys.argv) == 3:
        sys.exit(main(Path(sys.argv[1]).absolute(), Path(sys.argv[2]).absolute()))
    with tempfile.TemporaryDirectory() as scratch:
        sys.exit(main(Path(sys.argv[1]).absolute(), Path(scratch)))
