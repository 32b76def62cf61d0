from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from vlbench.errors import StoreError, UsageError
from vlbench.store.manifest import Manifest, Selection
from vlbench.store.run_dir import RunDir, check_name, continuable, create, find, list_runs, new_run_id
from vlbench.store.samples import SampleIndex
from vlbench.types import Sample

Make = Callable[[int], Sample]


def named(manifest: Manifest, name: str) -> Manifest:
    return manifest.model_copy(update={"run": name})


@pytest.fixture
def runs(tmp_path: Path, manifest: Manifest) -> Path:
    """Three runs; `mmstar-b` was written to last."""
    directory = tmp_path / "runs"
    for age, name in ((1, "mmstar-b"), (2, "mmstar-a"), (3, "vdiff-a")):
        run = create(directory, named(manifest, name), [])
        os.utime(run.manifest_path, (1e9 - age, 1e9 - age))
    return directory


def test_a_new_run_holds_its_manifest_and_samples(
    tmp_path: Path, manifest: Manifest, make_sample: Make
) -> None:
    run = create(tmp_path / "runs", manifest, [make_sample(0)])
    assert run.path == tmp_path / "runs" / manifest.run
    assert run.manifest() == manifest
    with SampleIndex.open(run.samples_path) as index:
        assert index.ids == ["row-0"]


def test_a_name_is_not_given_twice(runs: Path, manifest: Manifest) -> None:
    with pytest.raises(StoreError, match="exists already"):
        create(runs, named(manifest, "mmstar-a"), [])


def test_a_directory_without_manifest_is_no_run_and_can_be_used(runs: Path, manifest: Manifest) -> None:
    (runs / "half").mkdir()
    assert "half" not in [run.name for run in list_runs(runs)]
    assert create(runs, named(manifest, "half"), []).name == "half"


@pytest.mark.parametrize(
    "name", ["", ".", "..", "../x", "/etc", "a/b", "a b", "-x", ".x", "a\n", "a\x1b[0m", "x" * 101]
)
def test_names_that_could_leave_the_directory_or_draw_are_refused(
    name: str, tmp_path: Path, manifest: Manifest
) -> None:
    with pytest.raises(UsageError, match="cannot name a run"):
        create(tmp_path / "runs", named(manifest, name), [])
    assert not (tmp_path / "runs").exists()


@pytest.mark.parametrize("benchmark", ["mmstar", "../../etc", "Größe 1/2", "", "x" * 300])
def test_a_run_id_is_always_a_good_name(benchmark: str) -> None:
    run_id = new_run_id(benchmark, datetime(2027, 1, 2, 3, 4, 5, tzinfo=UTC))
    assert check_name(run_id) == run_id
    assert re.search(r"-20270102-030405-[0-9a-f]{4}$", run_id)


def test_runs_are_listed_newest_first(runs: Path) -> None:
    assert [run.name for run in list_runs(runs)] == ["mmstar-b", "mmstar-a", "vdiff-a"]
    find(runs, "vdiff-a").journal_path.touch()
    assert list_runs(runs)[0].name == "vdiff-a"


def test_directories_with_names_of_others_are_not_listed(runs: Path, manifest: Manifest) -> None:
    hostile = runs / "\x1b[2Jevil"
    hostile.mkdir()
    manifest.save(hostile / "manifest.json")
    assert len(list_runs(runs)) == 3


@pytest.mark.parametrize(
    ("name", "found"),
    [(None, "mmstar-b"), ("mmstar-a", "mmstar-a"), ("vd", "vdiff-a"), ("mmstar-b", "mmstar-b")],
)
def test_a_run_is_found_by_name_or_beginning(name: str | None, found: str, runs: Path) -> None:
    assert find(runs, name).name == found


def test_a_whole_name_wins_over_longer_ones(runs: Path, manifest: Manifest) -> None:
    create(runs, named(manifest, "vdiff"), [])
    assert find(runs, "vdiff").name == "vdiff"


def test_a_run_is_found_by_its_path(runs: Path) -> None:
    assert find(Path("/nowhere"), str(runs / "vdiff-a")).name == "vdiff-a"


@pytest.mark.parametrize(
    ("name", "message"),
    [("mmstar", "begins the names of 2 runs"), ("x", "no run 'x'"), ("/etc", "not a run directory")],
)
def test_a_run_that_cannot_be_told_is_an_error(name: str, message: str, runs: Path) -> None:
    with pytest.raises(StoreError, match=message):
        find(runs, name)


def test_without_runs_the_error_says_how_to_start_one(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="vlbench run"):
        find(tmp_path / "missing")


def test_the_newest_run_that_is_continued_is_found(runs: Path, manifest: Manifest) -> None:
    other = manifest.model_copy(update={"run": "other", "selection": Selection(seed=9)})
    create(runs, other, [])
    (runs / "mmstar-b" / "manifest.json").write_text("damaged", encoding="utf-8")
    os.utime(runs / "mmstar-b" / "manifest.json", (2e9, 2e9))
    found = continuable(runs, manifest)
    assert found is not None
    assert found.name == "mmstar-a"
    assert continuable(runs, manifest.model_copy(update={"selection": Selection(seed=8)})) is None


def test_an_extension_adds_samples_and_keeps_the_name(
    runs: Path, manifest: Manifest, make_sample: Make
) -> None:
    run = find(runs, "vdiff-a")
    run.extend(manifest.model_copy(update={"repeats": 2}), [make_sample(0), make_sample(1)])
    assert run.manifest().run == "vdiff-a"
    assert run.manifest().repeats == 2
    with SampleIndex.open(run.samples_path) as index:
        assert len(index) == 2


def test_an_extension_that_asks_something_else_is_refused(runs: Path, manifest: Manifest) -> None:
    run = find(runs, "vdiff-a")
    with pytest.raises(StoreError, match=r"seed differs.*--fresh"):
        run.extend(manifest.model_copy(update={"selection": Selection(seed=1)}), [])
    assert run.manifest().selection.seed == 0


def test_a_run_that_is_held_names_its_owner(runs: Path) -> None:
    run = find(runs, "vdiff-a")
    assert run.alive() is None
    with run.lock():
        owner = run.alive()
        assert owner is not None
        assert (owner.pid, owner.host) == (os.getpid(), socket.gethostname())
        with (
            pytest.raises(StoreError, match=rf"process {os.getpid()} on .*vlbench watch vdiff-a"),
            run.lock(),
        ):
            pass
    assert run.alive() is None
    with run.lock():
        pass


def test_a_lock_file_with_garbage_is_still_a_lock(runs: Path) -> None:
    run = find(runs, "vdiff-a")
    with run.lock():
        run.lock_path.write_bytes(b'{"pid": "x"}')
        owner = run.alive()
        assert owner is not None
        assert owner.pid == 0


HOLDER = """
import sys, time
from pathlib import Path
from vlbench.store.run_dir import RunDir
with RunDir(Path(sys.argv[1])).lock():
    print("held", flush=True)
    time.sleep(60)
"""


def test_a_killed_owner_gives_the_run_back(runs: Path) -> None:
    run = RunDir(runs / "vdiff-a")
    with subprocess.Popen([sys.executable, "-c", HOLDER, str(run.path)], stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        holder.stdout.readline()
        owner = run.alive()
        holder.send_signal(signal.SIGKILL)
    assert owner is not None
    assert owner.pid == holder.pid
    assert run.alive() is None
    with run.lock():
        pass
