"""Keys are found in the environment or `.env`, and never shown."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import SecretStr

from vlbench.catalog.entry import ProviderEntry
from vlbench.catalog.keys import key_for, read_dotenv
from vlbench.errors import UsageError

ENTRY = ProviderEntry(id="vendor", name="Vendor", wire="chat", key_variables=("FIRST_KEY", "SECOND_KEY"))
NONE: dict[str, SecretStr] = {}


def revealed(key: SecretStr | None) -> str | None:
    return key.get_secret_value() if key else None


def test_variables_are_tried_in_order_and_the_environment_first() -> None:
    dotenv = {"FIRST_KEY": SecretStr("f1"), "SECOND_KEY": SecretStr("f2")}
    assert revealed(key_for(ENTRY, {"FIRST_KEY": "e1", "SECOND_KEY": "e2"}, dotenv)) == "e1"
    assert revealed(key_for(ENTRY, {"SECOND_KEY": "e2"}, dotenv)) == "f1"
    assert revealed(key_for(ENTRY, {"SECOND_KEY": "e2"}, NONE)) == "e2"


@pytest.mark.parametrize("environ", [{}, {"FIRST_KEY": ""}, {"FIRST_KEY": " \n", "OTHER": "x"}])
def test_a_missing_or_empty_key_is_named(environ: dict[str, str]) -> None:
    with pytest.raises(UsageError, match=r"vendor needs a key: set FIRST_KEY or SECOND_KEY .*\.env"):
        key_for(ENTRY, environ, NONE)
    assert key_for(ENTRY.model_copy(update={"key_required": False}), environ, NONE) is None


def test_an_entry_that_requires_a_key_but_names_none_says_so() -> None:
    with pytest.raises(UsageError, match="names no variable"):
        key_for(ENTRY.model_copy(update={"key_variables": ()}), {}, NONE)


def test_white_space_around_a_key_is_not_part_of_it() -> None:
    assert revealed(key_for(ENTRY, {"FIRST_KEY": " abc\r\n"}, NONE)) == "abc"


@pytest.mark.parametrize("value", ["can ary", "canary\nX: y", "canaryé"])
def test_what_no_header_can_carry_is_refused_and_not_repeated(value: str) -> None:
    with pytest.raises(UsageError, match="value of FIRST_KEY cannot be a key") as caught:
        key_for(ENTRY, {"FIRST_KEY": value}, NONE)
    assert "can" not in str(caught.value).replace("cannot", "")


DOTENV = """\
# a comment
FIRST_KEY=one # trailing
export SECOND_KEY = 'two # not a comment'  # a comment
THIRD_KEY="thr\\"ee\\\\"
EMPTY=
HTTPS_PROXY=http://evil.example
this is no assignment
HASH=a#b
ONLY_COMMENT= # nothing
FIRST_KEY=last
"""


def test_lines_of_a_dotenv_file_are_read(tmp_path: Path) -> None:
    path = tmp_path / ".env"
    path.write_bytes(b"\xef\xbb\xbf" + DOTENV.replace("\n", "\r\n").encode())
    names = ["FIRST_KEY", "SECOND_KEY", "THIRD_KEY", "EMPTY", "HASH", "ONLY_COMMENT"]
    found = read_dotenv(path, names)
    assert {name: value.get_secret_value() for name, value in found.items()} == {
        "FIRST_KEY": "last",
        "SECOND_KEY": "two # not a comment",
        "THIRD_KEY": 'thr"ee\\',
        "HASH": "a#b",
    }
    assert "last" not in repr(found)


def test_no_file_gives_no_variables(tmp_path: Path) -> None:
    assert read_dotenv(tmp_path / ".env", ["FIRST_KEY"]) == {}


def test_an_open_quote_is_an_error_of_wanted_variables_only(tmp_path: Path) -> None:
    path = tmp_path / ".env"
    path.write_text("OTHER='x\nFIRST_KEY='canary\n", encoding="utf-8")
    assert read_dotenv(path, ["SECOND_KEY"]) == {}
    with pytest.raises(UsageError, match=r"\.env:2: .*FIRST_KEY") as caught:
        read_dotenv(path, ["FIRST_KEY"])
    assert "canary" not in str(caught.value)


def test_a_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / ".env").write_bytes(b"FIRST_KEY=\xff")
    with pytest.raises(UsageError, match="UTF-8"):
        read_dotenv(tmp_path / ".env", ["FIRST_KEY"])
