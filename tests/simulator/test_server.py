from __future__ import annotations

import json
import random
from collections import Counter

import anyio
import anyio.lowlevel
import httpx
import pytest

from vlbench.errors import UsageError
from vlbench.simulator import server as server_module
from vlbench.simulator.exchange import Asked, Broken, Said
from vlbench.simulator.eye import model as eye
from vlbench.simulator.scenario import FaultKind, Latency, Quota, Scenario
from vlbench.simulator.server import Simulator, serve

pytestmark = pytest.mark.anyio


def _body(text: str = "q") -> dict[str, object]:
    return {"model": "m", "messages": [{"role": "user", "content": text}]}


async def _ask(client: httpx.AsyncClient, simulator: Simulator, text: str = "q") -> httpx.Response:
    return await client.post(f"{simulator.url}/chat/completions", json=_body(text))


def _client() -> httpx.AsyncClient:
    return httpx.AsyncClient(trust_env=False, timeout=5)


def _text(response: httpx.Response) -> str:
    text: str = response.json()["choices"][0]["message"]["content"]
    return text


async def test_a_list_is_replied_in_order_and_from_the_start_again() -> None:
    async with serve(Scenario(replies=["A", Said("B")])) as simulator, _client() as client:
        assert [_text(await _ask(client, simulator)) for _ in range(3)] == ["A", "B", "A"]


async def test_the_first_pattern_that_matches_decides() -> None:
    replies = {"colou?r": "blue", "r$": "never", "size": "big"}
    async with serve(Scenario(replies=replies)) as simulator, _client() as client:
        assert _text(await _ask(client, simulator, "which color")) == "blue"
        assert _text(await _ask(client, simulator, "which size")) == "big"
        assert (await _ask(client, simulator, "what")).status_code == 400


async def test_the_built_in_model_is_asked_when_there_is_no_script(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server_module, "_look", lambda asked: f"looked at {asked.text}")
    async with serve() as simulator, _client() as client:
        assert _text(await _ask(client, simulator, "this")) == "looked at this"


async def test_the_built_in_model_reads_the_last_question_and_counts_the_examples(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def told(text: str, images: list[bytes], *, worked_examples: int) -> str:
        return f"{text} | {images} | {worked_examples}"

    monkeypatch.setattr(eye, "answer", told)

    def picture(data: str) -> dict[str, object]:
        return {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{data}"}}

    messages = [
        {"role": "system", "content": "Rules."},
        {"role": "user", "content": [{"type": "text", "text": "Example? A. cat"}, picture("T0xE")]},
        {"role": "assistant", "content": "A"},
        {"role": "user", "content": "Example? B. dog"},
        {"role": "assistant", "content": "B"},
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "Which?"},
                picture("TkVX"),
                {"type": "text", "text": "A. red"},
            ],
        },
    ]
    async with serve() as simulator, _client() as client:
        response = await client.post(
            f"{simulator.url}/chat/completions", json={"model": "m", "messages": messages}
        )
    assert _text(response) == "Which?\nA. red | [b'NEW'] | 2"


async def test_the_log_says_what_was_seen() -> None:
    async with serve(Scenario(replies=["A"])) as simulator, _client() as client:
        await _ask(client, simulator, "first")
        await _ask(client, simulator, "first")
        await _ask(client, simulator, "second")
        root = simulator.url.removesuffix("/v1")
        told = (await client.get(f"{root}/_log")).json()
        assert (await client.get(f"{root}/health")).json() == {"status": "ok"}
        assert [m["id"] for m in (await client.get(f"{simulator.url}/models")).json()["data"]] == [
            "shapes-eye-1"
        ]
    assert [(e["id"], e["status"], e["model"], e["text"]) for e in told] == [
        (1, 200, "m", "first"),
        (2, 200, "m", "first"),
        (3, 200, "m", "second"),
    ]
    hashes = [e["body_sha256"] for e in told]
    assert hashes[0] == hashes[1] != hashes[2]


async def test_one_seed_gives_one_series_of_faults() -> None:
    rates: dict[FaultKind, float] = {"500": 0.2, "529": 0.2, "malformed": 0.1, "empty": 0.1}

    async def statuses(seed: int) -> list[int]:
        scenario = Scenario(replies=["A"], faults=rates, seed=seed)
        async with serve(scenario) as simulator, _client() as client:
            return [(await _ask(client, simulator)).status_code for _ in range(40)]

    first = await statuses(1)
    assert first == await statuses(1)
    assert first != await statuses(2)
    assert set(first) == {200, 500, 529}


def test_fault_rates_are_kept() -> None:
    scenario = Scenario(faults={"429": 0.1, "503": 0.3})
    rng = random.Random(0)
    drawn = Counter(str(getattr(scenario.draw_fault(rng), "status", None)) for _ in range(10_000))
    assert drawn["429"] == pytest.approx(1000, rel=0.1)
    assert drawn["503"] == pytest.approx(3000, rel=0.1)


def test_rates_that_make_no_sense_are_refused() -> None:
    with pytest.raises(UsageError):
        Scenario(faults={"429": 0.7, "503": 0.7})
    with pytest.raises(UsageError, match="500"):
        Scenario(faults={"418": 0.1})  # type: ignore[dict-item] # what a user may type


def test_latencies_have_their_median() -> None:
    rng = random.Random(3)
    drawn = sorted(Latency(0.2, sigma=0.5).draw(rng) for _ in range(2001))
    assert drawn[1000] == pytest.approx(0.2, rel=0.05)
    assert Latency(0.2).draw(rng) == 0.2


@pytest.mark.parametrize("form", ["none", "seconds", "milliseconds", "date", "body"])
async def test_a_limit_refuses_in_the_form_asked_for(form: str) -> None:
    quota = Quota(rpm=2, wait=form)  # type: ignore[arg-type] # a literal of the list above
    async with serve(Scenario(replies=["A"], quota=quota)) as simulator, _client() as client:
        responses = [await _ask(client, simulator) for _ in range(3)]
    assert [r.status_code for r in responses] == [200, 200, 429]
    refused = responses[2]
    assert ("retry-after" in refused.headers) == (form in ("seconds", "date"))
    assert ("retry-after-ms" in refused.headers) == (form == "milliseconds")
    assert ("retryDelay" in refused.text) == (form == "body")
    assert responses[0].headers["x-ratelimit-remaining-requests"] == "1"


async def test_more_than_the_capacity_at_once_is_turned_away() -> None:
    statuses: list[int] = []

    async def one() -> None:
        statuses.append((await _ask(client, simulator)).status_code)

    scenario = Scenario(replies=["A"], capacity=3, latency=Latency(0.1))
    async with serve(scenario) as simulator, _client() as client, anyio.create_task_group() as tasks:
        for _ in range(5):
            tasks.start_soon(one)
    assert sorted(statuses) == [200, 200, 200, 503, 503]


async def test_a_stall_ends_when_the_client_goes_and_is_logged() -> None:
    async with serve(Scenario(replies=[Broken("stall")])) as simulator:
        async with _client() as client:
            with anyio.move_on_after(0.05):
                await _ask(client, simulator)
        with anyio.fail_after(5):
            while not simulator.log:  # noqa: ASYNC110 -- the kernel tells the server, nobody tells us
                await anyio.sleep(0.005)
        assert simulator.log[0].status == 0


async def test_a_cut_breaks_the_response_in_the_middle() -> None:
    async with serve(Scenario(replies=[Broken("cut")])) as simulator, _client() as client:
        with pytest.raises(httpx.RemoteProtocolError):
            await _ask(client, simulator)


async def test_only_the_right_key_is_let_in() -> None:
    async with serve(Scenario(replies=["A"], key="k")) as simulator, _client() as client:
        assert (await _ask(client, simulator)).status_code == 401
        client.headers["authorization"] = "Bearer k"
        assert (await _ask(client, simulator)).status_code == 200


@pytest.mark.parametrize(
    "body",
    [
        b"not json",
        b"[]",
        b"{}",
        b'{"model":"m","messages":[]}',
        b'{"model":"m","messages":[{"content":"x"}]}',
        b'{"model":"m","messages":[{"role":"user","content":[{"type":"audio"}]}]}',
        b'{"model":"m","messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"http://x"}}]}]}',
        b'{"model":"m","messages":[{"role":"user","content":[{"type":"image_url","image_url":'
        b'{"url":"data:image/png;base64,@@@@"}}]}]}',
    ],
)
async def test_a_malformed_body_is_a_400(body: bytes) -> None:
    async with serve(Scenario(replies=["A"])) as simulator, _client() as client:
        response = await client.post(f"{simulator.url}/chat/completions", content=body)
    assert response.status_code == 400
    assert response.json()["error"]["code"] == "invalid_request"


@pytest.mark.parametrize(
    ("head", "status"),
    [
        (b"nonsense\r\n\r\n", 400),
        (b"POST / HTTP/1.1\r\ncontent-length: -1\r\n\r\n", 400),
        (b"POST / HTTP/1.1\r\ncontent-length: 999999999999\r\n\r\n", 413),
        (b"POST / HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n", 411),
        (b"GET / HTTP/1.1\r\nx: " + b"y" * 70_000, 431),
    ],
)
async def test_a_head_we_do_not_speak_is_answered_and_the_connection_closed(head: bytes, status: int) -> None:
    async with serve(Scenario(replies=["A"])) as simulator:
        port = httpx.URL(simulator.url).port
        assert port is not None
        async with await anyio.connect_tcp("127.0.0.1", port) as stream:
            await stream.send(head)
            answer = await stream.receive()
    assert answer.startswith(b"HTTP/1.1 %d " % status)


async def test_a_request_in_many_pieces_and_two_in_one_piece_are_both_read() -> None:
    body = json.dumps(_body()).encode()
    request = b"POST /v1/chat/completions HTTP/1.1\r\ncontent-length: %d\r\n\r\n%s" % (len(body), body)
    async with serve(Scenario(replies=["A"])) as simulator:
        port = httpx.URL(simulator.url).port
        assert port is not None
        async with await anyio.connect_tcp("127.0.0.1", port) as stream:
            for start in range(0, len(request), 40):
                await stream.send(request[start : start + 40])
                await anyio.lowlevel.checkpoint()
            await stream.send(request + request)
            received = b""
            with anyio.fail_after(5):
                while received.count(b"HTTP/1.1 200") < 3:
                    received += await stream.receive()
        assert len(simulator.log) == 3


async def test_it_is_served_to_this_machine_only() -> None:
    with pytest.raises(UsageError, match=r"0\.0\.0\.0"):
        async with serve(host="0.0.0.0"):
            raise AssertionError("it was served")


async def test_a_port_in_use_is_told() -> None:
    async with serve(Scenario(replies=["A"])) as simulator:
        port = httpx.URL(simulator.url).port
        assert port is not None
        with pytest.raises(UsageError, match=rf"Port {port} on 127\.0\.0\.1 cannot be used: Address already"):
            async with serve(port=port):
                raise AssertionError("it was served")


async def test_a_model_may_be_any_function() -> None:
    def count(asked: Asked) -> str:
        return f"{len(asked.text)} characters for {asked.model}"

    async with serve(Scenario(replies=count)) as simulator, _client() as client:
        assert _text(await _ask(client, simulator, "four")) == "4 characters for m"
