"""What the simulated Messages and generateContent take, and what they refuse as their vendors do."""

from __future__ import annotations

import orjson
import pytest
from pydantic import JsonValue

from vlbench.simulator.exchange import Failed, Said, Turn
from vlbench.simulator.gemini_wire import GeminiWire
from vlbench.simulator.messages_wire import MessagesWire
from vlbench.simulator.wire import MalformedBody

MESSAGES, GEMINI = MessagesWire(), GeminiWire()
PATH = "/v1/models/m:generateContent"


def _messages(*content: JsonValue, **fields: JsonValue) -> bytes:
    turn: JsonValue = {"role": "user", "content": list(content) or "Q"}
    return orjson.dumps({"model": "m", "max_tokens": 9, "messages": [turn], **fields})


def _gemini(*parts: JsonValue, role: str = "user", **fields: JsonValue) -> bytes:
    return orjson.dumps({"contents": [{"role": role, "parts": list(parts)}], **fields})


@pytest.mark.parametrize(
    "body",
    [
        b"{",
        b"[]",
        b"{}",
        _messages(max_tokens=None),
        _messages({"type": "text", "text": ""}),
        _messages({"type": "image_url"}),
        _messages({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "not!"}}),
        _messages({"type": "image", "source": {"type": "base64", "media_type": "text/html", "data": "AA=="}}),
        orjson.dumps({"model": "m", "max_tokens": 9, "messages": [{"role": "system", "content": "S"}]}),
    ],
)
def test_a_malformed_messages_body_is_refused(body: bytes) -> None:
    with pytest.raises(MalformedBody):
        MESSAGES.read("/v1/messages", body, decode_images=True)


@pytest.mark.parametrize(
    "body",
    [
        b"{",
        b"[]",
        b"{}",
        _gemini(),
        _gemini({"text": ""}),
        _gemini({"text": "Q"}, role="assistant"),
        _gemini({"inlineData": {"mimeType": "image/png", "data": "not!"}}),
        _gemini({"inlineData": {"data": "AA=="}}),
        _gemini("Q"),
    ],
)
def test_a_malformed_gemini_body_is_refused(body: bytes) -> None:
    with pytest.raises(MalformedBody):
        GEMINI.read(PATH, body, decode_images=True)


@pytest.mark.parametrize("data", ["-__-", "+//+"])
@pytest.mark.parametrize("blob", ["inlineData", "inline_data"])
def test_gemini_takes_both_alphabets_and_both_spellings(data: str, blob: str) -> None:
    mime_type = "mimeType" if blob == "inlineData" else "mime_type"
    body = _gemini({"text": "Q"}, {blob: {mime_type: "image/png", "data": data}})
    assert GEMINI.read(PATH, body, decode_images=True).turns == (Turn("user", ("Q", b"\xfb\xff\xfe")),)
    assert GEMINI.read(PATH, body, decode_images=False).images == [b"+//+"]


def test_gemini_parameters_are_told_by_their_protocol_names() -> None:
    body = _gemini(
        {"text": "Q"},
        generationConfig={"topP": 0.5, "maxOutputTokens": 9},
        systemInstruction={"parts": [{"text": "S"}]},
    )
    asked = GEMINI.read("/v1beta/models/a%20b:generateContent", body, decode_images=True)
    assert asked.model == "a b"
    assert asked.turns[0] == Turn("system", ("S",))
    assert asked.fields == {"top_p": 0.5, "max_output_tokens": 9}


@pytest.mark.parametrize(
    ("path", "model"),
    [
        ("/v1/messages", "m"),
        ("/model/anthropic.claude:0/invoke", "anthropic.claude:0"),
        ("/v1/projects/p/locations/l/publishers/anthropic/models/c%40d:rawPredict", "c@d"),
    ],
)
def test_claude_is_served_at_the_paths_of_clouds_too(path: str, model: str) -> None:
    assert MESSAGES.serves(path)
    assert MESSAGES.read(path, _messages(system="S"), decode_images=True).model == model


def test_a_quota_for_the_day_is_told_as_google_does() -> None:
    body = orjson.loads(GEMINI.write_error(Failed(429, "insufficient_quota", retry_delay_s=1.5)))
    quota, wait = body["error"]["details"]
    assert "PerDay" in quota["violations"][0]["quotaId"]
    assert wait["retryDelay"] == "1.500s"


def test_a_blocked_prompt_has_no_candidate_and_a_blocked_answer_one() -> None:
    asked = GEMINI.read(PATH, _gemini({"text": "Q"}), decode_images=True)
    assert "candidates" not in orjson.loads(GEMINI.write(Said("", finish="blocked"), asked, "1"))
    cut = orjson.loads(GEMINI.write(Said("The", finish="blocked"), asked, "1"))
    assert cut["candidates"][0]["finishReason"] == "SAFETY"
