"""What a report says of the pictures, the retries and the servers behind its numbers."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from vlbench.report.data import ReportData
from vlbench.report.formats import Format, rendered
from vlbench.report.report import open_report
from vlbench.store.manifest import ChangedPictures, Retried, ServerFacts
from vlbench.store.run_dir import RunDir
from vlbench.types import Condition

IMAGE = Condition(show="image")
MakeRun = Callable[..., RunDir]

CHANGED = ChangedPictures(provider="local", pictures=1200, steps={"PNG": 1150, "scaled": 60})
RETRIED = (
    Retried(kinds=("refused", "truncated")),
    Retried(kinds=("truncated",), max_output_tokens=16_384),
)
SERVERS = (
    ServerFacts(url="http://gpu-1:8000/v1", model="m", version="0.21.0", weights="/ckpt/step-4000"),
    ServerFacts(url="http://gpu-2:8000/v1", model="m", version="0.21.0", weights="/ckpt/step-4000"),
    ServerFacts(url="http://gpu-3:8000/v1", model="n"),
)


@pytest.fixture
def report(make_run: MakeRun) -> ReportData:
    facts = {"changed": (CHANGED,), "retried": RETRIED, "servers": SERVERS, "image_max_side": 1024}
    return open_report(make_run({("m", IMAGE): ["A"]}, categories=[("x", "p")], facts=facts))


def _flat(text: str) -> str:
    return " ".join(text.replace("\\", "").split())


@pytest.mark.parametrize("form", ["table", "md"])
def test_what_was_altered_and_who_served_is_told_to_readers(report: ReportData, form: Format) -> None:
    text = _flat(rendered([report], form, width=200))
    for told in (
        "1,200 sent in another form (PNG 1,150, scaled 60)",
        "at most 1,024 pixels",
        "refused, truncated replies",
        "truncated replies, with an output limit of 16,384 tokens",
        "version 0.21.0, weights /ckpt/step-4000, 2 replicas",
        "version not told, weights not told",
    ):
        assert told in text
    assert "gpu-1" not in text


def test_what_was_altered_and_who_served_is_in_the_json(report: ReportData) -> None:
    text = rendered([report], "json")
    facts = json.loads(text)["reports"][0]["provenance"]
    assert facts["image_max_side"] == 1024
    assert facts["changed"] == [{"provider": "local", "pictures": 1200, "steps": {"PNG": 1150, "scaled": 60}}]
    assert facts["retried"] == [
        {"kinds": ["refused", "truncated"], "max_output_tokens": None},
        {"kinds": ["truncated"], "max_output_tokens": 16_384},
    ]
    assert facts["servers"] == [
        {"model": "m", "version": "0.21.0", "weights": "/ckpt/step-4000", "replicas": 2},
        {"model": "n", "version": "", "weights": "", "replicas": 1},
    ]
    assert "gpu-1" not in text


def test_a_run_of_which_nothing_is_to_be_told_has_no_such_lines(make_run: MakeRun) -> None:
    text = rendered([open_report(make_run({("m", IMAGE): ["A"]}, categories=[("x", "p")]))], "table")
    for absent in ("asked again", "server of", "sent in another form", "longest side"):
        assert absent not in text
