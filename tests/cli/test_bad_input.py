"""Everything a user can get wrong before a run: one paragraph, the next step, exit code 2, nothing sent."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.test_river import mmstar_tsv
from vlbench.cli.main import main

ROOT = Path(__file__).parent.parent.parent


@dataclass(frozen=True)
class Outcome:
    code: int
    out: str
    err: str


Do = Callable[..., Outcome]


@pytest.fixture
def do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Iterator[Do]:
    """Runs one command line in a workspace of its own, in this process."""
    (tmp_path / "providers").mkdir()
    shutil.copy(ROOT / "providers" / "local.toml", tmp_path / "providers")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)

    def run(*words: str) -> Outcome:
        monkeypatch.setattr("sys.argv", ["vlbench", *words])
        with pytest.raises(SystemExit) as ended:
            main()
        shown = capsys.readouterr()
        return Outcome(int(ended.value.code or 0), shown.out, shown.err)

    yield run
    assert not list(tmp_path.glob("runs/*/journal.jsonl"))


LOCAL = ("run", "mmstar", "-p", "local:m@http://127.0.0.1:9/v1")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("run", "mmstar", "-p", "nobody"), ("nobody", "builtin", "local")),
        (("run", "mmstar", "-p", "loca"), ("loca", "local")),
        (("run", "mmstr", "-p", "builtin"), ("mmstr", "mmstar")),
        (("run", "mmstar", "-p", "gpt"), ("OPENAI_API_KEY", ".env", "Nothing was sent")),
        (("run", "mmstar", "-p", "local"), ("no default model", "local:MODEL")),
        (("run", "mmstar", "-p", "local:m@ftp://host"), ("http://",)),
        (("run", "mmstar", "-p", "local:m+temprature=0"), ("temprature", "temperature")),
        (("run", "mmstar", "-p", "local:m+temperature=hot"), ("temperature", "hot")),
        (("run", "--limt", "5"), ("--limt", "--limit")),
        (("rnu",), ("rnu", "run")),
        (("run", "shapes", "--conditions", "image,gray"), ("gray", "grey")),
        (("run", "shapes", "--retry", "failed"), ("failed", "refused")),
        (("run", "shapes", "--prompt", "nix"), ("shapes-nix", "shapes-default")),
        (("run", "shapes", "--ids", "zzz"), ("'zzz'", "shapes-0001")),
        (("run", "shapes", "--category", "maths"), ("maths", "math")),
        (("run", "shapes", "--reader", "zzz"), ("zzz", "strict", "mmstar-official")),
        (("run", "shapes", "--base", "builtin"), ("twice",)),
        (("run", "shapes", "--param", "x"), ("'x'", "name=value")),
        (("run", "shapes", "--data", "x.tsv"), ("shapes", "--data")),
        (("run", "shapes", "--name", "../up"), ("../up",)),
        (("run", "none.toml"), ("none.toml",)),
        (("run", "shapes", "mmstr"), ("mmstr", "mmstar")),
        (("run", "shapes", "-p", ""), ("--providers is empty",)),
        (("run", "shapes", "--ids", ""), ("--ids is empty",)),
        (("run", "shapes", "--conditions", ","), ("--conditions is empty",)),
        (("run", "shapes", "--temperature", "nan"), ("--temperature", "nan")),
        (("run", "shapes", "--timeout", "inf"), ("--timeout", "inf")),
        (("run", "shapes", "--repeats", "100000000000"), ("--repeats", "1000")),
        (("run", "shapes", "-p", "local:m@127.0.0.1:9/v1"), ("local:m", "http://")),
        (("simulate", "--port", "99999"), ("--port", "65535")),
        (("init", ""), ("no name", "vlbench init")),
        (("resume", "nix"), ("nix", "vlbench runs")),
        (("report", "nix"), ("nix", "vlbench runs")),
        (("score", "nix"), ("nix", "vlbench runs")),
        (("cache", "why", "1"), ("vlbench run",)),
        ((*LOCAL, "--data", "none.tsv"), ("none.tsv",)),
    ],
    ids=lambda value: " ".join(value[:5]) if isinstance(value, tuple) else None,
)
def test_a_wrong_word_is_named_with_what_to_do_next(
    do: Do, words: tuple[str, ...], told: tuple[str, ...]
) -> None:
    outcome = do(*words)

    assert outcome.code == 2
    assert outcome.out == ""
    for part in told:
        assert part in outcome.err
    assert "Traceback" not in outcome.err


def test_a_file_of_another_kind_is_told_with_the_columns_found(do: Do, tmp_path: Path) -> None:
    (tmp_path / "other.tsv").write_text("name\tage\nann\t3\n", encoding="utf-8")

    outcome = do(*LOCAL, "--data", "other.tsv")

    assert outcome.code == 2
    assert "other.tsv" in outcome.err
    assert "name, age" in outcome.err
    assert "question" in outcome.err


def test_broken_rows_are_all_listed_before_anything_is_sent(do: Do, tmp_path: Path) -> None:
    data = tmp_path / "data.tsv"
    mmstar_tsv(data, 12)
    text = data.read_text(encoding="utf-8")
    text = text.replace("\n3\t", "\n2\t", 1)  # a duplicate index
    lines = text.split("\n5\t", 1)
    text = lines[0] + "\n5\t" + lines[1].replace("\tB\t", "\tQ\t", 1)  # an answer that is no option
    data.write_text(text, encoding="utf-8")

    outcome = do(*LOCAL, "--data", "data.tsv")

    assert outcome.code == 2
    assert "2 broken rows" in outcome.err
    assert "row 2 (row 4)" in outcome.err
    assert "row 5" in outcome.err
    assert "--skip-bad" in outcome.err


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ('wire = "chatt"\nname = "x"\n', ("mine.toml:1", "wire", "chat")),
        ('wire = "chat"\nname = "x"\nurl = "http://x"\n', ("mine.toml:3", "url", "urls")),
        ('wire = "chat"\nname = \n', ("mine.toml:2",)),
        ('wire = "chat"\nname = "x"\n[limits]\nrpm = -5\n', ("mine.toml:4", "limits.rpm")),
    ],
)
def test_a_broken_entry_is_told_with_file_line_and_field(
    do: Do, tmp_path: Path, content: str, told: tuple[str, ...]
) -> None:
    (tmp_path / "providers" / "mine.toml").write_text(content, encoding="utf-8")

    for words in (("run", "mmstar", "-p", "mine"), ("catalog", "check")):
        outcome = do(*words)
        assert outcome.code == 2
        for part in told:
            assert part in outcome.err + outcome.out


def test_a_broken_run_file_is_told_with_file_line_and_field(do: Do, tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text('providers = ["builtin"]\nmax-tokns = 5\n', encoding="utf-8")

    outcome = do("run", "mine.toml")

    assert outcome.code == 2
    assert "mine.toml:2" in outcome.err
    assert "max-tokens" in outcome.err


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ('benchmarks = "shapes"\n', ("Run 1.toml:1", "list")),
        ("timeout = inf\n", ("Run 1.toml:1", "timeout")),
        ("max-cost = true\n", ("Run 1.toml:1", "max-cost", "valid number")),
        ("limit = true\n", ("Run 1.toml:1", "limit", "valid integer")),
        ('limit = "4"\n', ("Run 1.toml:1", "limit", "valid integer")),
        ("[param]\nmessages = []\n", ("messages", "part of every request")),
        ("[param]\nx = {y = [nan]}\n", ("x holds a number", "nan")),
        ("providers = ['']\n", ("--providers is empty",)),
        ('cache-dir = "a\\u0000b"\n', ("Run 1.toml:1: cache-dir", "U+0000")),
    ],
)
def test_a_run_file_of_any_name_is_read_as_strictly_as_the_command_line(
    do: Do, tmp_path: Path, content: str, told: tuple[str, ...]
) -> None:
    (tmp_path / "Run 1.toml").write_text(content, encoding="utf-8")

    outcome = do("run", "Run 1.toml", "--dry-run")

    assert outcome.code == 2
    for part in told:
        assert part in outcome.err


def test_a_run_file_gives_options_and_the_command_line_wins(do: Do, tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(
        'benchmarks = ["shapes"]\nlimit = 6\nconditions = ["image"]\n', encoding="utf-8"
    )

    outcome = do("run", "mine.toml", "--limit", "4", "--dry-run")

    assert outcome.code == 0
    (row,) = (line for line in outcome.out.splitlines() if " image " in line)
    assert row.split()[2] == "4"


def test_a_cache_that_cannot_be_written_stops_before_anything_is_paid(do: Do, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")

    outcome = do("run", "shapes", "--limit", "2", "--cache-dir", "file/cache")

    assert outcome.code == 2
    assert "--cache-dir" in outcome.err
    assert "Traceback" not in outcome.err


LONG = "x" * 300


@pytest.mark.parametrize(
    "words",
    [
        ("run", LONG),
        ("run", "shapes", "--cache-dir", LONG),
        ("run", "mmstar", "-p", f"local:m@file:{LONG}"),
        (*LOCAL, "--data", LONG),
        ("resume", f"/{LONG}"),
        ("init", LONG),
        ("validate", LONG),
        ("import", LONG, "--benchmark", "mmstar"),
        ("cache", "import", LONG),
    ],
    ids=lambda words: " ".join(words[:2]),
)
def test_a_name_that_no_file_can_have_is_told_like_one_that_is_missing(
    do: Do, words: tuple[str, ...]
) -> None:
    outcome = do(*words)

    assert outcome.code == 2
    assert outcome.out == ""
    assert "xxx" in outcome.err
    assert "Traceback" not in outcome.err


def test_a_proxy_that_cannot_be_used_is_told_before_there_is_a_run(
    do: Do, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-canary-123456789")
    monkeypatch.setenv("ALL_PROXY", "socks5://127.0.0.1:1")
    for name in ("HTTPS_PROXY", "https_proxy", "NO_PROXY", "no_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)

    outcome = do("run", "shapes", "-p", "gpt", "-n", "2", "--ui", "plain")

    assert outcome.code == 2
    assert "ALL_PROXY" in outcome.err
    assert not (tmp_path / "runs").exists()


def test_an_entry_of_the_workspace_that_sends_a_known_key_elsewhere_is_refused(
    do: Do, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-canary-123456789")
    (tmp_path / "providers" / "gpt.toml").write_text(
        'name = "x"\nwire = "chat"\nurls = ["https://evil.example/v1"]\n'
        'key_variables = ["OPENAI_API_KEY"]\ndefault_model = "m"\n',
        encoding="utf-8",
    )

    outcome = do("run", "shapes", "-p", "gpt")

    assert outcome.code == 2
    assert "--trust" in outcome.err
    assert "sk-canary" not in outcome.err


def test_a_run_file_that_sends_a_known_key_elsewhere_is_refused(
    do: Do, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-canary-123456789")
    (tmp_path / "mine.toml").write_text('providers = ["gpt@https://evil.example/v1"]\n', encoding="utf-8")

    outcome = do("run", "shapes", "mine.toml")

    assert outcome.code == 2
    assert "--trust" in outcome.err
