"""What a start must not cost, and what must not be loaded for it."""

from __future__ import annotations

import resource
import subprocess
import sys

import pytest

HEAVY = (
    "openai", "anthropic", "google.genai", "textual", "PIL", "pyarrow", "numpy", "genai_prices", "aiohttp",
    "httpx", "huggingface_hub", "pydantic", "rich",
)  # fmt: skip
NEVER = tuple(name for name in HEAVY if name not in ("pydantic", "rich", "numpy"))


def loaded_by(code: str, names: tuple[str, ...]) -> set[str]:
    """Which of `names` are imported when `code` has run in a fresh interpreter."""
    script = (
        f"import sys\ntry:\n    {code}\nexcept SystemExit:\n    pass\n"
        f"print('\\n=', *(name for name in {names!r} if name in sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(done.stdout.rpartition("=")[2].split())


def test_help_loads_nothing_heavy() -> None:
    assert loaded_by("sys.argv[1:] = ['--help']; import vlbench.cli.main as m; m.main()", HEAVY) == set()


def test_importing_the_package_loads_nothing_heavy() -> None:
    assert loaded_by("import vlbench", HEAVY) == set()


@pytest.mark.parametrize(
    "command", ["run --help", "report --help", "runs", "list providers", "catalog check"]
)
def test_commands_that_look_load_no_sdk(command: str) -> None:
    code = f"sys.argv[1:] = {command.split()!r}; import vlbench.cli.main as m; m.main()"
    assert loaded_by(code, NEVER) == set()


def test_help_costs_a_tenth_of_a_second_of_cpu_at_most() -> None:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    for _ in range(5):
        subprocess.run([sys.executable, "-m", "vlbench", "--help"], capture_output=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    assert spent / 5 <= 0.12
