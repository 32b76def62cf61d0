"""What a server of the user's own says of itself, without asking the model anything.

Read are the list of models every OpenAI-compatible server has, and the pages some have beside it: vLLM
`/version`, SGLang `/get_model_info` and `/get_server_info`, llama.cpp `/props`, Ollama `/api/version`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

import httpx
import orjson
from pydantic import JsonValue

from vlbench.adapters.base_urls import without_version
from vlbench.adapters.json_body import tables_in, text_of
from vlbench.catalog.urls import is_local
from vlbench.printable import printable

TIMEOUT_S: Final = 5.0
_LARGEST_BODY: Final = 4_000_000
_LONGEST_TEXT: Final = 500

State = Literal["ready", "loading", "unreachable", "refused"]


@dataclass(frozen=True, slots=True)
class Server:
    """One server as it was found.

    `loading` means that it answers 503, `refused` that it did not take the key; `detail` says in words what
    was wrong. `models` are the names it offers, `weights` the path behind the name that was looked for; what
    it does not say is empty.
    """

    url: str
    state: State
    detail: str = ""
    version: str = ""
    models: tuple[str, ...] = ()
    weights: str = ""


def probe(url: str, model: str, *, key: str | None, headers: Mapping[str, str]) -> Server:
    """Look at the server behind a base URL; blocks for a few seconds at most, and raises nothing."""
    sent = {"user-agent": "vlbench", "accept": "application/json", **headers}
    if key:
        sent["authorization"] = f"Bearer {key}"
    try:
        # No proxy can reach this machine for itself; certificates take long to load where none are needed.
        with httpx.Client(
            headers=sent,
            timeout=TIMEOUT_S,
            trust_env=not is_local(url),
            verify=url.startswith("https:"),
            follow_redirects=False,
        ) as client:
            return _look(client, url, model, key or "")
    except (httpx.HTTPError, httpx.InvalidURL, UnicodeEncodeError, ImportError, OSError) as error:
        return Server(url, "unreachable", printable(str(error)) or type(error).__name__)


def _look(client: httpx.Client, url: str, model: str, key: str) -> Server:
    status, listed = _get(client, f"{url}/models", key)
    if status in (502, 503):
        return Server(url, "loading", f"it answers {status}")
    if status in (401, 403):
        return Server(url, "refused", f"it answers {status}: the key is missing or wrong")
    root = without_version(url)
    offered = {text_of(one.get("id")): one for one in tables_in(listed.get("data"))}
    pages = [page for path in ("/version", "/get_model_info", "/get_server_info", "/props", "/api/version")
             if (page := _get(client, root + path, key)[1])]  # fmt: skip
    return Server(
        url=url,
        state="ready",
        version=_first(pages, ("version", "build_info")),
        models=tuple(printable(name, _LONGEST_TEXT) for name in offered if name),
        weights=_root(offered.get(model, {}), model) or _first(pages, ("model_path",)),
    )


def _root(card: Mapping[str, JsonValue], model: str) -> str:
    """The path in a model's card. Servers other than vLLM often repeat the model's name there."""
    root = text_of(card.get("root"))
    return printable(root, _LONGEST_TEXT) if root != model or card.get("owned_by") == "vllm" else ""


def _first(pages: list[dict[str, JsonValue]], names: tuple[str, ...]) -> str:
    texts = (text_of(page.get(name)) for page in pages for name in names)
    return printable(next((text for text in texts if text), ""), _LONGEST_TEXT)


def _get(client: httpx.Client, url: str, key: str) -> tuple[int, dict[str, JsonValue]]:
    """Status and object of a page; an empty object for anything else."""
    with client.stream("GET", url) as response:
        body = b""
        for piece in response.iter_bytes():
            body += piece
            if len(body) > _LARGEST_BODY:
                return response.status_code, {}
    if len(key) >= 6:
        body = body.replace(key.encode(), b"[key]")
    try:
        page = orjson.loads(body) if response.is_success else {}
    except orjson.JSONDecodeError:
        page = {}
    return response.status_code, page if isinstance(page, dict) else {}
