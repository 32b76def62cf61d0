"""What the bodies of OpenAI's wire formats have in common, as the simulator speaks them."""

from __future__ import annotations

from collections.abc import Mapping

import orjson
from pydantic import JsonValue

from vlbench.simulator.body import read_base64, read_table
from vlbench.simulator.exchange import Failed
from vlbench.simulator.wire import MalformedBody
from vlbench.types import Finish

FINISH_REASONS: Mapping[Finish, str] = {
    "stop": "stop",
    "length": "length",
    "refused": "stop",
    "blocked": "content_filter",
}
"""Of both Completions formats; neither has a reason for refusals."""


def read_object(body: bytes) -> dict[str, JsonValue]:
    """The object in `body`, with a model. Raises `MalformedBody`."""
    parsed = read_table(body)
    if not isinstance(parsed.get("model"), str):
        raise MalformedBody("a model is needed")
    return parsed


def read_data_url(url: JsonValue, *, decode: bool) -> bytes:
    """The picture in a `data:` URL, still base64 without `decode`. Raises `MalformedBody`."""
    if not isinstance(url, str) or not url.startswith("data:image/"):
        raise MalformedBody("a picture must be a data: URL")
    head, _, data = url.partition(";base64,")
    if not data or len(head) > 40:
        raise MalformedBody("a picture must be base64")
    return read_base64(data, decode=decode)


def write_error(failed: Failed) -> bytes:
    """The body of an error."""
    error: dict[str, JsonValue] = {
        "message": failed.message,
        "type": "invalid_request_error" if failed.status < 429 else "server_error",
        "param": failed.param,
        "code": failed.code,
    }
    if failed.retry_delay_s is not None:
        info: JsonValue = {
            "@type": "type.googleapis.com/google.rpc.RetryInfo",
            "retryDelay": f"{failed.retry_delay_s:.3f}s",
        }
        error["details"] = [info]
    return orjson.dumps({"error": error})
