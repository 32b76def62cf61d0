"""What the bodies of OpenAI's wire formats have in common, as the simulator speaks them."""

from __future__ import annotations

from collections.abc import Set

import orjson
import pybase64
from pydantic import JsonValue

from vlbench.simulator.exchange import Failed
from vlbench.simulator.wire import MalformedBody


def read_object(body: bytes) -> dict[str, JsonValue]:
    """The object in `body`, with a model. Raises `MalformedBody`."""
    try:
        parsed: JsonValue = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise MalformedBody(f"not JSON: {error}") from error
    if not isinstance(parsed, dict):
        raise MalformedBody("not an object")
    if not isinstance(parsed.get("model"), str):
        raise MalformedBody("a model is needed")
    return parsed


def fields_beside(parsed: dict[str, JsonValue], known: Set[str]) -> dict[str, JsonValue]:
    """Every field but those `known`."""
    return {name: value for name, value in parsed.items() if name not in known}


def read_picture(url: JsonValue, *, decode: bool) -> bytes:
    """The picture in a `data:` URL, still base64 without `decode`. Raises `MalformedBody`."""
    if not isinstance(url, str) or not url.startswith("data:image/"):
        raise MalformedBody("a picture must be a data: URL")
    head, _, data = url.partition(";base64,")
    if not data or len(head) > 40:
        raise MalformedBody("a picture must be base64")
    if not decode:
        return data.encode()
    try:
        return pybase64.b64decode(data, validate=True)
    except ValueError as error:
        raise MalformedBody(f"a picture is not base64: {error}") from error


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
