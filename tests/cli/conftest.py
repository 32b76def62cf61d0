"""The command line in a workspace of its own, as a shell would see it."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from subprocess import CompletedProcess

import pytest
from anyio.from_thread import start_blocking_portal

from vlbench.cli.main import main
from vlbench.simulator.scenario import Scenario
from vlbench.simulator.server import Simulator, serve

RunCommand = Callable[..., CompletedProcess[str]]


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace without entries that matter, made the current directory."""
    root = tmp_path / "workspace"
    (root / "providers").mkdir(parents=True)
    (root / "providers" / "none.toml").write_text("", encoding="utf-8")
    monkeypatch.chdir(root)
    monkeypatch.delenv("VLBENCH_CACHE_DIR", raising=False)
    monkeypatch.setenv("COLUMNS", "140")
    return root


@pytest.fixture
def vlbench(
    workspace: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> RunCommand:
    """Runs `vlbench ARGUMENTS` in this process; `stdin` are the bytes on its standard input."""

    def run(*arguments: str, stdin: bytes = b"") -> CompletedProcess[str]:
        monkeypatch.setattr(sys, "argv", ["vlbench", *arguments])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8"))
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            main()
        written = capsys.readouterr()
        code = ended.value.code
        assert isinstance(code, int)
        return CompletedProcess(arguments, code, written.out, written.err)

    return run


Serve = Callable[[Scenario], Simulator]


@pytest.fixture
def served() -> Iterator[Serve]:
    """Serves scenarios on the loopback, each in an event loop beside the test."""
    with start_blocking_portal() as portal, ExitStack() as stack:

        def start(scenario: Scenario) -> Simulator:
            return stack.enter_context(portal.wrap_async_context_manager(serve(scenario)))

        yield start


PREDICTIONS = (
    "index\tquestion\tA\tB\tC\tanswer\tcategory\tl2_category\tprediction\n"
    "1\tWhich?\tcat\tdog\towl\tA\tmath\tgeometry\tA\n"
    "2\tWhich?\tcat\tdog\towl\tB\tmath\tgeometry\t**B**\n"
    "3\tWhich?\tcat\tdog\towl\tC\tcoarse perception\timage emotion\t\\x1b[31mBad\n"
    "4\tWhich?\tcat\tdog\towl\tA\tcoarse perception\timage emotion\tThe answer is C\n"
)


@pytest.fixture
def predictions(workspace: Path) -> Path:
    """Four predictions of one model: by the official rule one is right, by the strict reader two are."""
    path = workspace / "model_MMStar.tsv"
    path.write_text(PREDICTIONS.replace("\\x1b", "\x1b"), encoding="utf-8")
    return path
