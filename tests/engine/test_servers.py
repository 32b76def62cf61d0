"""Weights identify the models of the user's own servers, also while a server is away."""

from __future__ import annotations

from pathlib import Path

import pytest

from vlbench.adapters.probe import Server
from vlbench.catalog.entry import ProviderEntry
from vlbench.catalog.resolve import resolve
from vlbench.catalog.target import parse_target
from vlbench.engine import servers
from vlbench.engine.asked import Asked
from vlbench.engine.servers import Identified, identified
from vlbench.errors import UsageError
from vlbench.types import Decoding

OWN = ProviderEntry(id="own", name="Own", wire="chat", urls=("http://a/v1",), self_hosted=True)
VENDOR = ProviderEntry(id="vendor", name="Vendor", wire="chat", urls=("https://v/v1",))


class Farm:
    """Servers by address, each with the weights it reports; None is one that is away."""

    def __init__(self) -> None:
        self.weights: dict[str, str | None] = {}
        self.asked: list[str] = []

    def probe(self, url: str, model: str, **_: object) -> Server:
        self.asked.append(url)
        weights = self.weights.get(url)
        if weights is None:
            return Server(url, "unreachable", "refused")
        return Server(url, "ready", version="1", models=(model,), weights=weights)


@pytest.fixture
def farm(monkeypatch: pytest.MonkeyPatch) -> Farm:
    made = Farm()
    monkeypatch.setattr(servers, "probe", made.probe)
    return made


def named(target: str, folder: Path, *, ask: bool = True, entry: ProviderEntry = OWN) -> Identified:
    variant = resolve(parse_target(target), entry, flags=Decoding())
    return identified([Asked(variant, entry, None)], folder, ask=ask)


def identity(target: str, folder: Path, *, ask: bool = True) -> str:
    return named(target, folder, ask=ask).asked[0].variant.identity


def test_reported_weights_name_the_model_and_stand_in_the_manifest(farm: Farm, tmp_path: Path) -> None:
    farm.weights["http://a/v1"] = "/data/m"
    found = named("own:m", tmp_path)
    assert found.asked[0].variant.identity == "weights:/data/m/m"
    assert [server.model_dump() for server in found.servers] == [
        {"url": "http://a/v1", "model": "m", "version": "1", "weights": "/data/m"}
    ]


def test_a_server_that_is_away_is_what_it_was(farm: Farm, tmp_path: Path) -> None:
    assert identity("own:m", tmp_path) == "url:http://a/v1/m"
    farm.weights["http://a/v1"] = "/data/m"
    identity("own:m", tmp_path)
    farm.weights["http://a/v1"] = None
    assert identity("own:m", tmp_path) == "weights:/data/m/m"
    assert identity("own:other", tmp_path) == "url:http://a/v1/other"


def test_nothing_is_asked_when_nothing_may_be_sent(farm: Farm, tmp_path: Path) -> None:
    farm.weights["http://a/v1"] = "/data/m"
    identity("own:m", tmp_path)
    farm.asked.clear()
    assert identity("own:m", tmp_path, ask=False) == "weights:/data/m/m"
    assert farm.asked == []


def test_a_tag_and_a_vendor_need_no_question(farm: Farm, tmp_path: Path) -> None:
    assert identity("own:m+tag=t", tmp_path) == "tag:t/m"
    assert named("vendor:m", tmp_path, entry=VENDOR).asked[0].variant.identity == "vendor/m"
    assert farm.asked == []


def test_one_replica_speaks_for_those_that_are_away(farm: Farm, tmp_path: Path) -> None:
    farm.weights["http://b/v1"] = "/data/m"
    assert identity("own:m@http://a/v1|http://b/v1", tmp_path) == "weights:/data/m/m"


def test_replicas_with_different_weights_are_not_one_model(farm: Farm, tmp_path: Path) -> None:
    farm.weights |= {"http://a/v1": "/data/step-1", "http://b/v1": "/data/step-2"}
    with pytest.raises(UsageError, match=r"a/v1 serves /data/step-1; http://b/v1 serves /data/step-2"):
        identity("own:m@http://a/v1|http://b/v1", tmp_path)


def test_a_memory_that_cannot_be_kept_ends_nothing(farm: Farm, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    (tmp_path / "servers.json").write_text("{", encoding="utf-8")
    farm.weights["http://a/v1"] = "/data/m"
    assert identity("own:m", tmp_path / "file") == "weights:/data/m/m"
    assert identity("own:m", tmp_path) == "weights:/data/m/m"
