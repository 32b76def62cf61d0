"""A check tells what is wrong with a provider, and proves that its model sees what was sent."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence

import pytest
from pydantic import SecretStr

from vlbench.adapters.registry import adapter_for
from vlbench.catalog.entry import ImageRules, ModelFacts, ProviderEntry
from vlbench.catalog.resolve import resolve
from vlbench.catalog.target import parse_target
from vlbench.engine.asked import Asked
from vlbench.engine.check import Checked, check, draw_numbers
from vlbench.media.canary import Canaries
from vlbench.simulator.exchange import Asked as Question
from vlbench.simulator.exchange import Failed, Said, Step
from vlbench.simulator.scenario import Quota, Scenario
from vlbench.simulator.server import serve
from vlbench.types import Decoding

NUMBERS = ("482", "917", "305")
HOSTED = ProviderEntry(id="sim", name="Simulated", wire="chat")
OWN = ProviderEntry(id="sim", name="Simulated", wire="chat", self_hosted=True)

pytestmark = pytest.mark.anyio


def seeing(question: Question) -> str:
    """A model with eyes: it says the numbers of the pictures it was sent, in order."""
    drawn = {Canaries().draw(number).sha256: number for number in NUMBERS}
    return " ".join(drawn[hashlib.sha256(image).hexdigest()] for image in question.images)


async def checked(
    replies: Callable[[Question], Step] | Sequence[Step],
    *,
    entry: ProviderEntry = HOSTED,
    model: str = "shapes-eye-1",
    key: str = "sk-right-key",
    wait_s: float = 0.0,
    quota: Quota | None = None,
) -> tuple[Checked, int]:
    """What a check finds, and how many requests it took."""
    scenario = Scenario(replies=replies, key="sk-right-key", quota=quota)
    async with serve(scenario) as server:
        target = parse_target(f"sim:{model}@{server.url}")
        asked = Asked(resolve(target, entry, flags=Decoding()), entry, SecretStr(key))
        adapter = adapter_for(entry, (server.url,), key)
        found = await check(asked, adapter, wait_s=wait_s, numbers=NUMBERS, look_again_after_s=0.01)
        return found, len(server.log)


def states(found: Checked) -> dict[str, str]:
    return {finding.what: finding.state for finding in found.findings}


def detail(found: Checked, what: str) -> str:
    return next(finding.detail for finding in found.findings if finding.what == what)


async def test_a_model_that_sees_reads_one_number_and_two_in_order() -> None:
    found, requests = await checked(seeing, quota=Quota(rpm=500))
    assert found.is_usable
    assert states(found) == {"key": "ok", "model": "ok", "limits": "ok", "image": "ok", "two images": "ok"}
    assert detail(found, "two images") == "it reads 917 and 305"
    assert "of 500 a minute left" in detail(found, "limits")
    assert requests == 2


async def test_a_blind_model_is_found_out() -> None:
    found, _ = await checked(["I see a nice picture of 123."])
    assert states(found)["image"] == "failed"
    assert "it said 'I see a nice picture of 123.'" in detail(found, "image")
    assert not found.is_usable


async def test_pictures_in_the_wrong_order_are_found_out() -> None:
    found, _ = await checked(lambda q: " ".join(reversed(seeing(q).split())))
    assert states(found)["image"] == "ok"
    assert "wrong order" in detail(found, "two images")


@pytest.mark.parametrize(
    ("step", "what"),
    [
        (Failed(404, "model_not_found"), "model"),
        (Failed(429, "insufficient_quota"), "account"),
        (Failed(429, "rate_limit_exceeded"), "limits"),
        (Failed(503, "overloaded"), "server"),
        (Failed(400, "bad"), "image"),
    ],
)
async def test_a_failure_is_put_to_what_it_is_about(step: Step, what: str) -> None:
    found, requests = await checked([step])
    assert states(found) == {what: "failed"}
    assert requests == 1


async def test_a_wrong_key_is_told() -> None:
    found, _ = await checked(seeing, key="sk-wrong-key")
    assert states(found) == {"key": "failed"}
    assert "sk-wrong-key" not in str(found)


async def test_a_thinker_without_room_for_an_answer_is_neither_right_nor_wrong() -> None:
    found, _ = await checked(lambda q: Said("", finish="length"))
    assert states(found)["image"] == "unknown"


async def test_a_server_that_is_loading_is_waited_for() -> None:
    steps = iter([Failed(503, "loading"), Failed(503, "loading")])
    found, requests = await checked(lambda q: next(steps, None) or seeing(q), wait_s=30.0)
    assert found.is_usable
    assert requests == 4


async def test_one_picture_at_a_time_is_enough_where_no_more_are_taken() -> None:
    entry = HOSTED.model_copy(update={"images": ImageRules(max_count=1)})
    found, requests = await checked(seeing, entry=entry)
    assert "two images" not in states(found)
    assert requests == 1


async def test_a_model_without_eyes_is_asked_in_words() -> None:
    entry = HOSTED.model_copy(update={"models": {"shapes-eye-1": ModelFacts(takes_images=False)}})
    found, _ = await checked(["7"], entry=entry)
    assert states(found)["reply"] == "ok"


async def test_ones_own_servers_are_listed_with_what_they_offer() -> None:
    found, _ = await checked(seeing, entry=OWN)
    assert states(found)["server"] == "ok"
    assert found.is_usable
    wrong, _ = await checked(seeing, entry=OWN, model="unknown")
    assert "unknown is not offered; the server has shapes-eye-1" in detail(wrong, "model")


async def test_a_server_that_is_away_costs_no_request() -> None:
    asked = Asked(resolve(parse_target("sim:m@http://127.0.0.1:9/v1"), OWN, flags=Decoding()), OWN, None)
    adapter = adapter_for(OWN, asked.variant.urls, None)
    found = await check(asked, adapter, wait_s=0.02, look_again_after_s=0.01)
    assert states(found) == {"server": "failed"}


def test_numbers_cannot_be_guessed() -> None:
    drawn = [draw_numbers() for _ in range(50)]
    assert len(set(drawn)) > 40
    assert all(len(set(numbers)) == 3 and all(100 <= int(n) <= 999 for n in numbers) for numbers in drawn)
