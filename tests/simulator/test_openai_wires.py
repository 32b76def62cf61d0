"""The formats of OpenAI as the simulator reads them: what is wrong is told, never guessed at."""

from __future__ import annotations

import orjson
import pytest
from pydantic import JsonValue

from vlbench.simulator.chat_wire import ChatWire
from vlbench.simulator.completions_wire import CompletionsWire
from vlbench.simulator.exchange import Turn
from vlbench.simulator.responses_wire import ResponsesWire
from vlbench.simulator.server import WIRES
from vlbench.simulator.wire import MalformedBody, Wire


def _picture(url: JsonValue) -> JsonValue:
    return {"model": "m", "input": [{"role": "user", "content": [{"type": "input_image", "image_url": url}]}]}


@pytest.mark.parametrize(
    ("path", "wire"),
    [
        ("/v1/chat/completions", ChatWire),
        ("/v1/completions", CompletionsWire),
        ("/v1/responses", ResponsesWire),
    ],
)
def test_each_address_is_served_by_one_format(path: str, wire: type[Wire]) -> None:
    assert [type(w) for w in WIRES if w.serves(path)] == [wire]


@pytest.mark.parametrize(
    ("wire", "body"),
    [
        (ResponsesWire(), {"model": "m", "input": []}),
        (ResponsesWire(), {"input": "q"}),
        (ResponsesWire(), {"model": "m", "input": [{"content": "q"}]}),
        (ResponsesWire(), {"model": "m", "input": [{"role": "user", "content": 1}]}),
        (
            ResponsesWire(),
            {"model": "m", "input": [{"role": "user", "content": [{"type": "text", "text": "q"}]}]},
        ),
        (ResponsesWire(), _picture("https://example.org/a.png")),
        (ResponsesWire(), _picture("data:image/png;base64,!!!!")),
        (ResponsesWire(), _picture("data:image/png;base64,")),
        (CompletionsWire(), {"model": "m", "prompt": ["q"]}),
        (CompletionsWire(), {"prompt": "q"}),
        (CompletionsWire(), []),
    ],
)
def test_a_body_that_breaks_the_format_is_malformed(wire: Wire, body: JsonValue) -> None:
    with pytest.raises(MalformedBody):
        wire.read("/", orjson.dumps(body), decode_images=True)


def test_a_question_alone_may_be_a_plain_text() -> None:
    asked = ResponsesWire().read("/", b'{"model":"m","input":"q","top_p":1}', decode_images=True)
    assert (asked.turns, asked.fields) == ((Turn("user", ("q",)),), {"top_p": 1})
