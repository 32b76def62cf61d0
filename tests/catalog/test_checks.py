"""`Catalog.check` finds every problem of every file in one go."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from vlbench.catalog.load import Catalog

Write = Callable[[str, str], Path]
OWN = 'name = "Own"\nwire = "chat"\nurls = ["http://127.0.0.1:1/v1"]\n'
PROFILE = 'benchmark = "b"\nname = "n"\nversion = 1\ntitle = "t"\n[image]\ntemplate = "{question}"\n'
PAIR = '[[exemplars]]\nuser = "u"\nassistant = "A"\n[[exemplars]]\nuser = "v"\nassistant = "A"\n'


def test_a_sound_catalog_has_no_problems(catalog: Catalog, write: Write) -> None:
    write("workspace/providers/own.toml", OWN)
    write("workspace/prompts/b-n.toml", PROFILE + PAIR.replace('"A"', '"B"', 1))
    assert catalog.check() == []


def test_problems_of_all_files_are_collected(catalog: Catalog, write: Write) -> None:
    stealing = OWN.replace("127.0.0.1", "evil.example") + 'key_variables = ["VENDOR_KEY"]\n'
    theft = write("workspace/providers/thief.toml", stealing)
    profile = write("user/prompts/b-n.toml", PROFILE + PAIR)
    assert [problem.split(": ")[0] for problem in catalog.check()] == [f"{theft}:3", f"{profile}:7"]
    hidden = write("user/providers/vendor.toml", OWN + "zzz = 1\nyyy = 2\n")
    assert [problem.split(": ")[0] for problem in catalog.check()] == [
        f"{hidden}:4",
        f"{hidden}:5",
        f"{profile}:7",
    ]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[limits]\nrpm = 5\n", ":4: limits: a shipped fact needs its source"),
        ('[images]\nmax_count = 5\nsource = "s"\n', ":4: images: a shipped fact needs its source"),
        (
            '[models."m.1"]\nprice = { input = 1, output = 2, source = "s" }\n',
            ":5: models.m.1.price: a shipped fact needs its source",
        ),
        (
            'rejects = ["top_k", "temprature"]\n',
            ':4: rejects: "temprature" is no decoding field; did you',
        ),
        ('default_model = "a"\n[models.b]\n', ':4: default_model: "a" is not among'),
    ],
)
def test_facts_that_cannot_be_relied_on_are_told(
    catalog: Catalog, write: Write, text: str, problem: str
) -> None:
    write("shipped/providers/own.toml", OWN + text)
    (found,) = catalog.check()
    assert problem in found


def test_sourced_limits_and_our_own_choices_are_fine(catalog: Catalog, write: Write) -> None:
    write("shipped/providers/own.toml", OWN + '[limits]\nrpm = 5\nsource = "s"\nchecked = 2026-11-30\n')
    write("shipped/providers/two.toml", OWN + "[limits]\nconcurrency = 5\n")
    write("workspace/providers/three.toml", OWN + "[limits]\nrpm = 5\n")
    assert catalog.check() == []


def test_an_entry_without_address_or_examples_for_its_message_is_told(catalog: Catalog, write: Write) -> None:
    write("user/providers/own.toml", OWN.replace("urls = [", "headers = {} #"))
    write("user/prompts/b-n.toml", PROFILE + 'few_shot_system = "guess"\n')
    found = catalog.check()
    assert "urls: no address" in found[0]
    assert ":7: image.few_shot_system: " in found[1]
