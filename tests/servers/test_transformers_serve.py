"""vlbench against `transformers serve`, a server and a model nobody here wrote."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.servers.tiny_vision_model import TOKENS_OF_A_PICTURE
from tests.servers.transformers_serve import build_model, run_words, served, target
from tests.servers.workspace import Workspace

PYTHON = os.environ.get("VLBENCH_TRANSFORMERS", "")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not PYTHON,
        reason="VLBENCH_TRANSFORMERS names no Python with transformers and torch (docs/servers.md)",
    ),
]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_model(Path(PYTHON), tmp_path_factory.mktemp("transformers"))


@pytest.fixture(scope="module")
def url(model: Path) -> Iterator[str]:
    with served(Path(PYTHON), model, model.parent) as url:
        yield url


# `Any`: replies as plain JSON.
def _by_slot(workspace: Workspace) -> dict[tuple[str, str], dict[str, Any]]:
    return {(event["condition"], event["sample"]): event["reply"] for event in workspace.replies()}


def test_two_pictures_in_one_request_reach_the_model_in_order(
    workspace: Workspace, model: Path, url: str
) -> None:
    workspace.vlbench(*run_words(target(model, url)))

    replies = _by_slot(workspace)
    samples = {sample for _, sample in replies}
    assert len(replies) == 4 * len(samples) == 16
    for sample in samples:
        tokens = {show: replies[show, sample]["usage"]["input_tokens"] for show in ("image", "grey", "text")}
        # Two pictures and the names they are given, but not three.
        assert 2 * TOKENS_OF_A_PICTURE <= tokens["image"] - tokens["text"] < 3 * TOKENS_OF_A_PICTURE
        assert tokens["grey"] == tokens["image"]
    # At temperature 0 the same input has the same answer, so these inputs differ.
    texts = {show: [replies[show, sample]["text"] for sample in sorted(samples)] for show, _ in replies}
    assert texts["image"] != texts["swapped"]
    assert texts["image"] != texts["grey"]
    assert {reply["model"] for reply in replies.values()} == {str(model)}


@pytest.mark.parametrize("wire", ["openai-chat", "responses"])
def test_every_wire_it_speaks_shows_the_model_the_same(
    workspace: Workspace, model: Path, url: str, wire: str
) -> None:
    entry = f'name = "Own"\nwire = "{wire}"\nkey_required = false\n[decoding]\ntemperature = 0.0\n'
    (workspace.folder / "providers" / "own.toml").write_text(entry, encoding="utf-8")
    asked = f"{target(model, url)},own:{model}@{url}"
    workspace.vlbench("run", "shapes-diff", "-p", asked, "-n", "2", "--max-tokens", "64", "--ui", "none")

    said: dict[str, dict[tuple[str, str], str]] = {}
    for event in workspace.replies():
        provider = event["variant"].partition(":")[0]
        said.setdefault(provider, {})[event["condition"], event["sample"]] = event["reply"]["text"]
    assert len(said["local"]) == 4
    assert said["own"] == said["local"]


def test_check_finds_the_server_and_that_random_weights_read_nothing(
    workspace: Workspace, model: Path, url: str
) -> None:
    (found,) = json.loads(workspace.vlbench("check", "-p", target(model, url), "--format", "json", code=3))
    states = {finding["what"]: finding["state"] for finding in found["findings"]}
    assert states == {
        "server": "ok",
        "key": "unknown",
        "model": "ok",
        "limits": "unknown",
        "image": "failed",
        "two images": "failed",
    }
    assert "it said" in found["findings"][-1]["detail"]


def test_a_model_it_does_not_serve_is_named_as_such(workspace: Workspace, url: str) -> None:
    (found,) = json.loads(workspace.vlbench("check", "-p", f"local:other@{url}", "--format", "json", code=3))
    model = next(finding for finding in found["findings"] if finding["what"] == "model")
    assert model["state"] == "failed"
    assert "other is not offered" in model["detail"]
