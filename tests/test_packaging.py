"""What is shipped: the wheel holds the catalogs, and works far from the checkout."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    (built,) = folder.glob("*.whl")
    return built


def test_the_wheel_holds_every_file_of_both_catalogs(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    for kind in ("providers", "prompts"):
        here = {path.name for path in (ROOT / kind).glob("*.toml")}
        assert here
        prefix = f"vlbench/_catalog/{kind}/"
        assert {name.removeprefix(prefix) for name in names if name.startswith(prefix)} == here


def test_the_wheel_holds_every_file_of_the_package_and_nothing_beside_it(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    here = {
        str(path.relative_to(ROOT))
        for path in (ROOT / "vlbench").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert here <= names
    assert {name.split("/")[0] for name in names if ".dist-info" not in name} == {"vlbench"}


def test_an_installed_copy_runs_the_built_in_job_from_any_directory(wheel: Path, tmp_path: Path) -> None:
    installed, elsewhere = tmp_path / "site", tmp_path / "elsewhere"
    elsewhere.mkdir()
    zipfile.ZipFile(wheel).extractall(installed)
    environ = {
        **os.environ,
        "PYTHONPATH": str(installed),
        "XDG_DATA_HOME": str(tmp_path / "data"),
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
        "XDG_CONFIG_HOME": str(tmp_path / "config"),
        "COLUMNS": "100",
    }
    where = subprocess.run(
        [sys.executable, "-P", "-c", "import vlbench; print(vlbench.__file__)"],
        cwd=elsewhere, env=environ, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert where.stdout.startswith(str(installed))

    done = subprocess.run(
        [sys.executable, "-P", "-m", "vlbench", "run", "shapes", "--limit", "12", "--ui", "plain"],
        cwd=elsewhere, env=environ, capture_output=True, text=True, timeout=60,
    )  # fmt: skip

    assert done.returncode == 0, done.stderr
    assert "builtin:shapes-eye-1" in done.stdout
    for name in ("accuracy", "MG", "ML"):
        assert name in done.stdout
    assert list(elsewhere.iterdir()) == []
