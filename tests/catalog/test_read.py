"""A broken file is refused with its name, the line, the field, and what would be right."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from pathlib import Path

import pytest

from vlbench.catalog.read import BrokenFile, read_profile, read_provider
from vlbench.errors import CatalogError

Write = Callable[[str, str], Path]
HEAD = 'name = "X"\nwire = "chat"\n'


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        (HEAD + "concurency = 3\n", 3, ["concurency", "no such field", "allowed are name, wire"]),
        (HEAD + "\n[limits]\nrmp = 5\n", 5, ["limits.rmp", 'did you mean "rpm"']),
        (HEAD + "[decoding]\ntemprature = 0\n", 4, ["decoding.temprature", '"temperature"']),
        (HEAD + '[models."a.b"]\ntake_images = false\n', 4, ["models.a.b.take_images", '"takes_images"']),
        (HEAD + "[models.m.decoding]\ntop-p = 1\n", 4, ["models.m.decoding.top-p", '"top_p"']),
        ('name = "X"\nwire = "chatt"\n', 2, ["wire", "'chat', 'openai-chat', 'completions'"]),
        (HEAD + "[limits]\nrpm = true\n", 4, ["limits.rpm", "valid integer"]),
        (HEAD + "[models.m.decoding]\ntemperature = false\n", 4, ["temperature", "valid number"]),
        (HEAD + "[models.m]\nprice = { input = true, output = 1 }\n", 4, ["price.input", "valid number"]),
        (HEAD + f"[limits]\nrpm = {2**63}\n", 4, ["limits.rpm", "64 bits"]),
        (HEAD + f"[limits]\nrpm = {'9' * 5000}\n", 1, ["64 bits"]),
        (HEAD + f"[decoding.extra]\nx = [1, 0x{'f' * 5000}]\n", 4, ["extra.x.1", "64 bits"]),
        (HEAD + "[limits]\n\nrpm = 0\n", 5, ["limits.rpm", "greater than 0"]),
        (HEAD + 'urls = ["https://a.example",\n "ftp://b.example"]\n', 3, ["urls", "http:// or https://"]),
        (HEAD + 'headers = {Authorization = "x"}\n', 3, ["headers", "key_variables"]),
        (HEAD + 'id = "x"\n', 3, ["id", "the file's name is the id"]),
        (HEAD + 'urls = "http://a.example"\n', 3, ["urls", "should be a list"]),
        (HEAD + f"urls = {'[' * 5000}\n", 1, ["nested too deeply"]),
        (HEAD + 'urls = ["http://a", "http://b\\u0000"]\n', 3, ["urls.1", "U+0000"]),
        (HEAD + '[headers]\nx = "a\\u0000"\n', 4, ["headers.x", "U+0000"]),
        ('name = "X"\n', 1, ["wire", "missing"]),
        ('name = "X"\nwire = \n', 2, ["not valid TOML", "Invalid value"]),
        ('name = "X"\nwire = """chat\n', 3, ["not valid TOML"]),
    ],
)
def test_errors_of_an_entry_name_line_and_field(write: Write, text: str, line: int, words: list[str]) -> None:
    path = write("providers/x.toml", text)
    with pytest.raises(CatalogError) as caught:
        read_provider(path)
    message = str(caught.value)
    assert message.startswith(f"{path}:{line}: ")
    assert all(word in message for word in words), message


def test_every_problem_is_kept_and_counted(write: Write) -> None:
    path = write("providers/x.toml", 'name = "X"\nwire = "chat"\nzzz = 1\n[limits]\nrpm = -1\n')
    with pytest.raises(BrokenFile, match="and 1 more in this file") as caught:
        read_provider(path)
    assert [problem.line for problem in caught.value.problems] == [3, 5]


def test_a_key_pasted_into_an_entry_is_never_repeated(write: Write) -> None:
    secret = "sk-canary-1234"
    path = write("providers/x.toml", HEAD + f'key_variables = ["{secret}"]\n')
    with pytest.raises(CatalogError) as caught:
        read_provider(path)
    assert secret not in "".join(traceback.format_exception(caught.value))


@pytest.mark.parametrize("name", ["Upper.toml", "with space.toml", "-dash.toml"])
def test_a_file_name_that_is_no_plain_id_is_refused(write: Write, name: str) -> None:
    with pytest.raises(CatalogError, match="the name must be small letters"):
        read_provider(write(f"providers/{name}", HEAD))


def test_a_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.toml"
    path.write_bytes(b"name = '\xff'")
    with pytest.raises(CatalogError, match="UTF-8"):
        read_provider(path)


def test_a_huge_file_is_refused_unread(write: Write) -> None:
    with pytest.raises(CatalogError, match="1,000,000 bytes"):
        read_provider(write("x.toml", "#" * 1_000_001))


def test_a_byte_order_mark_does_no_harm(write: Write) -> None:
    assert read_provider(write("x.toml", "\ufeff" + HEAD)).id == "x"


PROFILE = 'benchmark = "b"\nname = "n"\nversion = 1\ntitle = "t"\n'


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        (
            PROFILE + '[image]\ntemplate = "{question} {optoins}"\n',
            6,
            ["image.template", "{optoins}", "{options}"],
        ),
        (PROFILE + '[image]\ntemplate = "hello"\n', 6, ["image.template", "{question} is missing"]),
        (
            PROFILE + '[image]\ntemplate = "{question}"\nimage_label = "x"\n',
            7,
            ["image.image_label", "{number}"],
        ),
        (
            PROFILE + '[image]\ntemplate = "{question}"\n[grey]\ntemplte = ""\n',
            7,
            ["grey.template", "missing"],
        ),
        (
            PROFILE + '[image]\ntemplate = "{question}"\n[[exemplars]]\nuser = "u"\nassistant = "a"\n',
            7,
            ["exemplars", "two examples are wanted (or none), not 1"],
        ),
        (
            PROFILE + '[image]\ntemplate = "{question}"\n[[exemplars]]\nuser = "u"\nasistant = "a"\n',
            7,
            ["assistant"],
        ),
    ],
)
def test_errors_of_a_profile_name_line_and_field(
    write: Write, text: str, line: int, words: list[str]
) -> None:
    path = write("prompts/b-n.toml", text)
    with pytest.raises(CatalogError) as caught:
        read_profile(path)
    message = str(caught.value)
    assert message.startswith(f"{path}:{line}: ")
    assert all(word in message for word in words), message


def test_a_profile_must_stand_in_the_file_of_its_name(write: Write) -> None:
    path = write("prompts/b-other.toml", PROFILE + '[image]\ntemplate = "{question}"\n')
    with pytest.raises(CatalogError, match=r"b-other\.toml:2: name: .* b-n\.toml"):
        read_profile(path)
