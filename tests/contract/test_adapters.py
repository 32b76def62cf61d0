"""What the engine may rely on, whatever the wire format."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import TYPE_CHECKING, Any

import anyio
import pytest

from vlbench.adapters.registry import adapter_for
from vlbench.catalog.entry import ProviderEntry
from vlbench.errors import (
    AuthFailed,
    BadRequest,
    Fault,
    Network,
    NoImageSupport,
    NoSuchModel,
    Overloaded,
    QuotaGone,
    RateLimited,
    ServerFailed,
    Unreadable,
)
from vlbench.simulator.exchange import Asked, Broken, Failed, Said, Step
from vlbench.simulator.scenario import Quota, Scenario
from vlbench.simulator.server import serve
from vlbench.types import Decoding, ImagePart, Message, Request, TextPart

pytestmark = pytest.mark.anyio

# Fixtures of conftest.py: their classes cannot be imported from here at run time.
if TYPE_CHECKING:
    RequestOf = Callable[..., Request]
    Talker = Any
    Pictures = Any
    WireCase = Any


async def test_a_text_is_asked_and_its_reply_read(talk: Talker, request_of: RequestOf) -> None:
    result = await talk(["The answer is B."], request_of("Which letter?"))
    assert result.completion.reply.text == "The answer is B."
    assert result.completion.reply.finish == "stop"
    assert result.completion.reply.model == "sim-model"
    assert result.completion.reply.request_id == "sim-1"
    assert result.log[0].text.rstrip() == "Which letter?"
    assert result.log[0].images == ()


@pytest.mark.parametrize(
    "text", ['"quoted" \\n', "line\nline\ttab\x00\x1b[2J", "图 – ü 🦊", "lone \ud800 surrogate"]
)
async def test_any_text_arrives_as_it_was_sent(talk: Talker, request_of: RequestOf, text: str) -> None:
    result = await talk(["x"], request_of(text))
    assert result.log[0].text.rstrip() == text.replace("\ud800", "\ufffd")


async def test_two_pictures_arrive_byte_for_byte_in_order(
    talk: Talker, request_of: RequestOf, pictures: Pictures, case: WireCase
) -> None:
    case.needs("pictures")
    seen: list[Asked] = []

    def look(asked: Asked) -> Step:
        seen.append(asked)
        return "same"

    first, second = b"\x89PNG first \x00\xff", b"\xff\xd8 second" * 1000
    request = request_of("Left:", pictures.add(first), "Right:", pictures.add(second, "image/jpeg"), "Same?")
    result = await talk(look, request)
    assert seen[0].turns[0].parts == ("Left:", first, "Right:", second, "Same?")
    assert result.log[0].images == tuple(hashlib.sha256(i).hexdigest() for i in (first, second))


async def test_a_picture_above_a_megabyte_arrives_whole(
    talk: Talker, request_of: RequestOf, pictures: Pictures, case: WireCase
) -> None:
    case.needs("pictures")
    large = bytes(range(256)) * 12_000
    result = await talk(["x"], request_of(pictures.add(large)))
    assert result.log[0].images == (hashlib.sha256(large).hexdigest(),)


async def test_examples_are_turns_of_their_own(talk: Talker, pictures: Pictures, case: WireCase) -> None:
    case.needs("turns")
    seen: list[Asked] = []

    def look(asked: Asked) -> Step:
        seen.append(asked)
        return "C"

    roles = ("user", "assistant", "user", "assistant")
    shots = [Message(r, (TextPart(f"{r} {i}"),)) for i, r in enumerate(roles)]  # type: ignore[arg-type] # literals
    final = Message("user", (TextPart("now"), ImagePart(pictures.add(b"png"))))
    await talk(look, Request("m", (*shots, final), Decoding()))
    assert [t.role for t in seen[0].turns] == [*roles, "user"]
    assert seen[0].turns[1].parts == ("assistant 1",)
    assert seen[0].turns[4].parts == ("now", b"png")


async def test_usage_and_limits_are_reported(talk: Talker, request_of: RequestOf, case: WireCase) -> None:
    result = await talk([Said("four", reasoning="think" * 4)], request_of("a" * 39))
    usage = result.completion.reply.usage
    thought = 5 if "reasoning" in case.features else 0
    assert (usage.input_tokens, usage.output_tokens) == (10, 1 + thought)
    assert usage.reasoning_tokens == (thought or None)
    assert usage.cached_input_tokens is None
    assert result.completion.requests.limit is None


async def test_limits_told_by_a_success_are_reported(
    case: WireCase, request_of: RequestOf, pictures: Pictures
) -> None:
    async with serve(Scenario(replies=["B"], quota=Quota(rpm=60, tpm=9000))) as server:
        adapter = adapter_for(ProviderEntry(id="s", name="S", wire=case.wire), (server.url,), None)
        await adapter.open(pictures)
        completion = await adapter.complete(request_of("?"))
        await adapter.close()
    assert (completion.requests.limit, completion.requests.remaining) == (60, 59)
    assert completion.tokens.limit == 9000


async def test_a_refusal_keeps_its_text(talk: Talker, request_of: RequestOf, case: WireCase) -> None:
    case.needs("refusals")
    result = await talk([Said("I can't see people.", finish="refused")], request_of("Who?"))
    assert result.completion.reply.finish == "refused"
    assert result.completion.reply.text == "I can't see people."


@pytest.mark.parametrize("step", [Said("", finish="blocked"), Failed(400, "content_policy_violation")])
async def test_a_content_filter_is_a_reply_and_not_a_fault(
    talk: Talker, request_of: RequestOf, step: Step
) -> None:
    result = await talk([step], request_of("?"))
    assert result.completion.reply.finish == "blocked"
    assert result.completion.reply.text == ""
    assert "content" in result.completion.reply.finish_detail.lower()


async def test_a_cut_off_keeps_what_there_is(talk: Talker, request_of: RequestOf) -> None:
    result = await talk([Said("First, the", finish="length")], request_of("?"))
    assert result.completion.reply.finish == "length"
    assert result.completion.reply.text == "First, the"


@pytest.mark.parametrize("reasoning", ["", "It is blue."])
async def test_an_empty_reply_stays_empty_even_after_thinking(
    talk: Talker, request_of: RequestOf, reasoning: str, case: WireCase
) -> None:
    case.needs("reasoning")
    reply = (await talk([Said("", reasoning=reasoning)], request_of("?"))).completion.reply
    assert (reply.text, reply.reasoning, reply.finish) == ("", reasoning, "stop")


@pytest.mark.parametrize(
    ("failed", "kind"),
    [
        (Failed(400, "invalid_value"), BadRequest),
        (Failed(400, "context_length_exceeded"), BadRequest),
        (Failed(401, "invalid_api_key"), AuthFailed),
        (Failed(403, None), AuthFailed),
        (Failed(403, None, "Your account has insufficient balance"), QuotaGone),
        (Failed(404, "model_not_found"), NoSuchModel),
        (Failed(404, None), NoSuchModel),
        (Failed(402, None), QuotaGone),
        (Failed(408, None), ServerFailed),
        (Failed(409, None), ServerFailed),
        (Failed(413, None), BadRequest),
        (Failed(422, None), BadRequest),
        (Failed(429, "insufficient_quota"), QuotaGone),
        (Failed(429, "rate_limit_exceeded"), RateLimited),
        (Failed(500, None), ServerFailed),
        (Failed(502, None, body=b"<html>Bad Gateway</html>"), ServerFailed),
        (Failed(503, None), Overloaded),
        (Failed(504, None), ServerFailed),
        (Failed(529, None), Overloaded),
        (Failed(301, None, body=b""), NoSuchModel),
        (Failed(200, body=b'{"choices": [{"mess'), Unreadable),
        (Failed(200, body=b"<html><body>It works!</body></html>"), Unreadable),
        (Failed(200, body=b""), Unreadable),
        (Failed(200, body=b"[]"), Unreadable),
        (Failed(200, body=b'{"choices":null,"error":{"code":429,"message":"slow"}}'), RateLimited),
        (Failed(200, body=b'{"choices":[],"error":{"code":"insufficient_quota"}}'), QuotaGone),
        (Failed(200, body=b'{"error":{"type":"overloaded_error","message":"busy"}}'), Overloaded),
        (Failed(200, body=b'{"error":{"message":"a backend broke"}}'), ServerFailed),
        (Failed(200, body=b'{"choices":[]}'), Unreadable),
    ],
    ids=lambda v: f"{v.status}-{v.code or len(v.body or b'')}" if isinstance(v, Failed) else v.__name__,
)
async def test_every_failure_is_a_fault_of_its_kind_after_one_request(
    talk: Talker, request_of: RequestOf, failed: Failed, kind: type[Fault]
) -> None:
    result = await talk([failed], request_of("?", decoding=Decoding(max_output_tokens=64, temperature=0)))
    assert type(result.fault) is kind
    assert "Simulated" in result.fault.message
    assert len(result.log) == 1


async def test_a_wrong_key_is_told_without_repeating_it(talk: Talker, request_of: RequestOf) -> None:
    key = "sk-wrong-9876543210"
    result = await talk(["x"], request_of("?"), key=key)
    assert isinstance(result.fault, AuthFailed)
    assert key not in result.fault.message


async def test_an_error_that_echoes_the_key_or_draws_on_the_terminal_is_cleaned(
    talk: Talker, request_of: RequestOf
) -> None:
    key = "sk-canary-0123456789"
    failed = Failed(400, "bad\x1b[31m", f"key {key}\x1b]0;owned\x07\n\u202etxt", param=key)
    fault = (await talk([failed], request_of("?"))).fault
    shown = fault.message + fault.code + fault.param
    assert key not in shown
    assert all(c.isprintable() for c in shown)


@pytest.mark.parametrize(
    "how",
    [
        Failed(500, None, "image input is not supported by this server"),
        Failed(404, None, "No endpoints found that support image input"),
    ],
)
async def test_a_server_without_vision_says_so_only_where_a_picture_was_sent(
    talk: Talker, request_of: RequestOf, pictures: Pictures, how: Failed, case: WireCase
) -> None:
    case.needs("pictures")
    with_picture = request_of("?", pictures.add(b"png"))
    result = await talk([how], with_picture, request_of("?"))
    assert isinstance(result.results[0], NoImageSupport)
    assert not isinstance(result.results[1], NoImageSupport)


def _waits() -> list[tuple[Failed, float]]:
    def refused(*headers: tuple[str, str], delay: float | None = None) -> Failed:
        return Failed(429, "rate_limit_exceeded", headers=headers, retry_delay_s=delay)

    date = ("date", format_datetime(datetime.now(UTC), usegmt=True))
    later = format_datetime(datetime.now(UTC) + timedelta(seconds=75), usegmt=True)
    spent = ("x-ratelimit-remaining-requests", "0")
    return [
        (refused(("retry-after", "75")), 75),
        (refused(("retry-after", "0.25")), 0.25),
        (refused(("retry-after-ms", "1500"), ("retry-after", "2")), 1.5),
        (refused(("retry-after", later), date), 75),
        (refused(delay=53.2), 53.2),
        (refused(spent, ("x-ratelimit-reset-requests", "1m2.5s")), 62.5),
        (refused(spent, ("x-ratelimit-reset-requests", "120ms")), 0.12),
        (refused(("x-ratelimit-remaining-tokens", "0"), ("x-ratelimit-reset-tokens", "6s")), 6),
        (refused(("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", "3")), 3),
    ]


@pytest.mark.parametrize(("failed", "wait"), _waits())
async def test_every_form_of_a_wait_is_read(
    talk: Talker, request_of: RequestOf, failed: Failed, wait: float
) -> None:
    fault = (await talk([failed], request_of("?"))).fault
    assert isinstance(fault, RateLimited)
    assert fault.retry_after == pytest.approx(wait, abs=1e-6)


async def test_no_wait_is_made_up(talk: Talker, request_of: RequestOf) -> None:
    headers = (("x-ratelimit-remaining-requests", "5"), ("x-ratelimit-reset-requests", "9s"))
    result = await talk(
        [Failed(429, None), Failed(429, None, headers=headers)], request_of("?"), request_of("?")
    )
    assert [r.retry_after for r in result.results] == [None, None]


@pytest.mark.parametrize("how", ["cut"])
async def test_a_cut_connection_is_a_network_fault_and_the_next_request_works(
    talk: Talker, request_of: RequestOf, how: str
) -> None:
    result = await talk([Broken("cut"), "fine"], request_of("1"), request_of("2"))
    assert isinstance(result.fault, Network)
    assert result.results[1].reply.text == "fine"


async def test_a_stalled_request_is_cancelled_and_its_connection_given_back(
    case: WireCase, request_of: RequestOf, pictures: Pictures
) -> None:
    async with serve(Scenario(replies=[Broken("stall"), "fine"])) as server:
        entry = ProviderEntry.model_validate(
            {"id": "s", "name": "S", "wire": case.wire, "limits": {"concurrency": 1, "max_concurrency": 1}}
        )
        adapter = adapter_for(entry, (server.url,), None)
        await adapter.open(pictures)
        with anyio.move_on_after(0.05) as deadline:
            await adapter.complete(request_of("?"))
        assert deadline.cancelled_caught
        with anyio.fail_after(5):
            assert (await adapter.complete(request_of("?"))).reply.text == "fine"
        await adapter.close()


async def test_a_server_that_is_gone_is_named_with_its_host(
    case: WireCase, request_of: RequestOf, pictures: Pictures, dead_url: str
) -> None:
    adapter = adapter_for(ProviderEntry(id="s", name="S", wire=case.wire), (dead_url,), None)
    await adapter.open(pictures)
    with pytest.raises(Network, match=r"127\.0\.0\.1:\d+"):
        await adapter.complete(request_of("?"))
    await adapter.close()


async def test_a_rejected_output_limit_is_renamed_once_and_remembered(
    talk: Talker, request_of: RequestOf, case: WireCase
) -> None:
    if not case.other_limit_field:
        pytest.skip(f"the {case.wire} format has one name for the limit")
    fields: list[set[str]] = []

    def picky(asked: Asked) -> Step:
        fields.append(set(asked.fields) & {case.limit_field, case.other_limit_field})
        if case.limit_field in asked.fields:
            return Failed(400, "unsupported_parameter", param=case.limit_field)
        return "B"

    result = await talk(picky, request_of("1"), request_of("2"))
    assert fields == [{case.limit_field}, {case.other_limit_field}, {case.other_limit_field}]
    expected = (f"renamed {case.limit_field} to {case.other_limit_field}",)
    assert [r.reply.adjustments for r in result.results] == [expected, expected]


async def test_rejected_parameters_are_dropped_one_by_one_and_recorded(
    talk: Talker, request_of: RequestOf
) -> None:
    def picky(asked: Asked) -> Step:
        for name in ("temperature", "top_p"):
            if name in asked.fields:
                return Failed(400, "unsupported_value", param=name)
        return "B"

    decoding = Decoding(temperature=0, top_p=0.5)
    result = await talk(picky, request_of("1", decoding=decoding), request_of("2", decoding=decoding))
    assert [r.reply.adjustments for r in result.results] == [("dropped temperature", "dropped top_p")] * 2
    assert len(result.log) == 4


async def test_a_seed_reaches_the_server_or_the_reply_says_that_it_did_not(
    talk: Talker, request_of: RequestOf, case: WireCase
) -> None:
    seeds: list[object] = []

    def look(asked: Asked) -> Step:
        seeds.append(asked.fields.get("seed"))
        return "B"

    result = await talk(look, request_of("?", decoding=Decoding(seed=7)))
    told = result.completion.reply.adjustments
    assert (seeds, told) == (([7], ()) if "seed" in case.features else ([None], ("dropped seed",)))


async def test_a_request_without_the_dropped_parameter_reports_nothing(
    talk: Talker, request_of: RequestOf
) -> None:
    def picky(asked: Asked) -> Step:
        return Failed(400, "unsupported_value", param="temperature") if "temperature" in asked.fields else "B"

    result = await talk(picky, request_of("1", decoding=Decoding(temperature=0)), request_of("2"))
    assert [r.reply.adjustments for r in result.results] == [("dropped temperature",), ()]


@pytest.mark.parametrize(
    "failed",
    [
        Failed(400, "invalid_value", "too large", param="max_tokens"),
        Failed(400, "invalid_value", "too large", param="max_output_tokens"),
        Failed(400, "unsupported_parameter", param="reasoning_effort"),
        Failed(400, "unsupported_parameter", param="top_k"),
        Failed(400, "unsupported_parameter"),
        Failed(500, "unsupported_value", param="temperature"),
        Failed(429, "unsupported_value", param="temperature"),
    ],
)
async def test_nothing_else_is_sent_twice(
    talk: Talker, request_of: RequestOf, failed: Failed, case: WireCase
) -> None:
    effort = "low" if "effort" in case.features else None
    decoding = Decoding(max_output_tokens=9, temperature=0, effort=effort)
    result = await talk([failed], request_of("?", decoding=decoding))
    assert isinstance(result.fault, Fault)
    assert len(result.log) == 1


async def test_a_server_that_rejects_everything_gets_a_bounded_number_of_requests(
    talk: Talker, request_of: RequestOf
) -> None:
    droppable = {"temperature", "top_p", "seed", "stop"}
    rejected: set[str] = set()

    def hostile(asked: Asked) -> Step:
        name = min(droppable & asked.fields.keys(), default="temperature")
        rejected.add(name)
        return Failed(400, "unsupported_parameter", param=name)

    decoding = Decoding(temperature=0, top_p=0.5, seed=1, stop=("x",))
    result = await talk(hostile, request_of("?", decoding=decoding))
    assert isinstance(result.fault, BadRequest)
    assert {"temperature", "top_p"} <= rejected
    assert len(result.log) == len(rejected) + 1


@pytest.mark.parametrize(
    "failed",
    [
        Failed(400, None, "System role not supported"),
        Failed(400, "unsupported_value", param="messages[0].role"),
        Failed(400, "unsupported_value", param="input[0].role"),
    ],
)
async def test_a_rejected_system_role_is_merged_once_and_remembered(
    talk: Talker, request_of: RequestOf, failed: Failed, case: WireCase
) -> None:
    case.needs("turns")

    def picky(asked: Asked) -> Step:
        return failed if asked.turns[0].role == "system" else "B"

    result = await talk(picky, request_of("Q", system="Rules."), request_of("Q", system="Rules."))
    assert len(result.log) == 3
    assert result.log[2].text == "Rules.\n\nQ"
    assert [r.reply.adjustments for r in result.results] == [
        ("merged system text into the first user turn",)
    ] * 2


async def test_sixty_four_requests_in_flight_at_once_all_succeed(
    case: WireCase, pictures: Pictures, request_of: RequestOf
) -> None:
    shown = [pictures.add(b"png" * 5000)] if "pictures" in case.features else []
    texts: list[str] = []

    async def one(number: int) -> None:
        completion = await adapter.complete(request_of(f"number {number}", *shown))
        texts.append(completion.reply.text.rstrip())

    async with serve(Scenario(replies=lambda asked: asked.text)) as server:
        adapter = adapter_for(ProviderEntry(id="s", name="S", wire=case.wire), (server.url,), None)
        await adapter.open(pictures)
        async with anyio.create_task_group() as tasks:
            for number in range(100):
                tasks.start_soon(one, number)
        await adapter.close()
    assert sorted(texts) == sorted(f"number {n}" for n in range(100))
