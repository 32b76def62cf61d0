from __future__ import annotations

import json
from collections.abc import Callable
from subprocess import CompletedProcess

import pytest

from vlbench.cli.read import parse_options
from vlbench.errors import UsageError

Command = Callable[..., CompletedProcess[str]]


def test_one_answer_is_explained(vlbench: Command) -> None:
    shown = vlbench("read", "--options", "A=Cat,B=Dog", "B")
    assert (shown.returncode, shown.stderr) == (0, "")
    facts = dict(line.split(maxsplit=1) for line in shown.stdout.splitlines())
    assert facts["label"] == "B (Dog)"
    assert facts["outcome"] == "answered"
    assert facts["reader"].startswith("strict@")
    assert facts["rule"]


def test_an_answer_without_a_label_says_why(vlbench: Command) -> None:
    shown = vlbench("read", "--options", "A=Cat,B=Dog", "hm, cannot tell from here")
    assert shown.returncode == 0
    assert "label    none" in shown.stdout
    assert "reason   " in shown.stdout


def test_a_lenient_reader_shows_all_it_would_credit(vlbench: Command) -> None:
    shown = vlbench("read", "--reader", "mmstar-official", "--options", "T=Cat,B=Dog", "The answer is B")
    assert "also     B" in shown.stdout or "also     T" in shown.stdout


def test_escape_codes_in_an_answer_are_not_printed(vlbench: Command) -> None:
    shown = vlbench("read", "--options", "A=\x1b[31mCat,B=Dog", "A")
    assert "\x1b" not in shown.stdout


@pytest.mark.parametrize(
    ("given", "options"),
    [
        ("A=Cat,B=Dog", {"A": "Cat", "B": "Dog"}),
        ("A=a cat, black,B=x = 1", {"A": "a cat, black", "B": "x = 1"}),
        ("1=,2=b", {"1": "", "2": "b"}),
    ],
)
def test_option_texts_may_hold_commas_and_equals_signs(given: str, options: dict[str, str]) -> None:
    assert parse_options(given) == options


@pytest.mark.parametrize("given", ["Cat", "", "=Cat", "A=x,A=y"])
def test_options_that_are_none_are_refused(given: str) -> None:
    with pytest.raises(UsageError, match="--options"):
        parse_options(given)


def test_lines_are_answered_in_order(vlbench: Command) -> None:
    asked = [
        {"options": {"A": "Cat", "B": "Dog"}, "output": "B"},
        {"options": {"A": "Cat", "B": "Dog"}, "output": "Both seem possible.", "id": 7},
        {"options": {"A": "Cat", "B": "Dog"}, "output": "Let me think about", "finish": "length"},
    ]
    stdin = b"\xef\xbb\xbf" + b"\r\n\n".join(json.dumps(one).encode() for one in asked)
    shown = vlbench("read", "-", stdin=stdin)
    answers = [json.loads(line) for line in shown.stdout.splitlines()]
    assert shown.returncode == 0
    assert [one["label"] for one in answers] == ["B", None, None]
    assert [one["outcome"] for one in answers] == ["answered", "unparsed", "truncated"]
    assert list(answers[0]) == ["label", "outcome", "rule", "span", "reason"]
    assert answers[1]["span"] is None


@pytest.mark.parametrize(
    ("line", "error"),
    [
        (b"{", "not JSON"),
        (b"[1]", "no object"),
        (b"\xff", "not UTF-8"),
        (b"[" * 200_000, "nested too deeply"),
        (b'{"output": "A"}', '"options"'),
        (b'{"options": {}, "output": "A"}', '"options"'),
        (b'{"options": {"A": 1}, "output": "A"}', '"options"'),
        (b'{"options": {"A": "x"}, "output": null}', '"output"'),
        (b'{"options": {"A": "x"}, "output": "A", "finish": "soon"}', '"finish"'),
    ],
)
def test_a_bad_line_is_named_and_the_next_one_read(vlbench: Command, line: bytes, error: str) -> None:
    good = b'{"options": {"A": "Cat", "B": "Dog"}, "output": "A"}'
    shown = vlbench("read", "-", stdin=b"\n".join([good, line, good]))
    first, bad, last = (json.loads(text) for text in shown.stdout.splitlines())
    assert shown.returncode == 2
    assert (first["label"], last["label"]) == ("A", "A")
    assert bad["line"] == 2
    assert error in bad["error"]


def test_broken_surrogates_are_read_and_written(vlbench: Command) -> None:
    line = b'{"options": {"A": "Cat", "B": "Dog"}, "output": "B \\ud83d"}'
    assert json.loads(vlbench("read", "-", stdin=line).stdout).get("error") is None


def test_missing_options_and_unknown_readers_are_refused(vlbench: Command) -> None:
    assert vlbench("read", "B").returncode == 2
    assert "no answer reader called 'x'" in vlbench("read", "--reader", "x", "-").stderr
