"""What a server says of itself, and what it may not do with what it says."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

from vlbench.adapters.probe import Server, probe

Pages = dict[str, tuple[int, object]]
Serve = Callable[[Pages], str]


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Serves pages as JSON; everything else is 404."""
    servers: list[ThreadingHTTPServer] = []

    def start(pages: Pages) -> str:
        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                status, page = pages.get(self.path, (404, {}))
                body = page if isinstance(page, bytes) else json.dumps(page).encode()
                if page == "key":
                    body = json.dumps({"version": self.headers["authorization"]}).encode()
                self.send_response(status)
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: object) -> None: ...

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        servers.append(server)
        Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        return f"http://127.0.0.1:{server.server_port}/v1"

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


def look(url: str, model: str = "m", key: str | None = None) -> Server:
    return probe(url, model, key=key, headers={})


def test_vllm_tells_version_and_weights(serve: Serve) -> None:
    card = {"id": "m", "root": "/models/step-4000", "owned_by": "vllm"}
    url = serve({"/v1/models": (200, {"data": [card]}), "/version": (200, {"version": "0.12.1"})})
    assert look(url) == Server(url, "ready", "", "0.12.1", ("m",), "/models/step-4000")
    assert look(url, "other").weights == ""


def test_sglang_repeats_the_name_and_tells_the_path_elsewhere(serve: Serve) -> None:
    url = serve(
        {
            "/v1/models": (200, {"data": [{"id": "m", "root": "m", "owned_by": "sglang"}]}),
            "/get_model_info": (200, {"model_path": "/data/m"}),
            "/get_server_info": (200, {"version": "0.5.9"}),
        }
    )
    assert (look(url).weights, look(url).version) == ("/data/m", "0.5.9")


def test_llama_cpp_tells_the_file(serve: Serve) -> None:
    props = {"model_path": "/m/q8.gguf", "build_info": "b7000"}
    url = serve({"/v1/models": (200, {"data": [{"id": "m"}]}), "/props": (200, props)})
    assert (look(url).weights, look(url).version) == ("/m/q8.gguf", "b7000")


@pytest.mark.parametrize(("status", "state"), [(503, "loading"), (401, "refused"), (404, "ready")])
def test_the_state_is_read_from_the_list_of_models(serve: Serve, status: int, state: str) -> None:
    assert look(serve({"/v1/models": (status, {})})).state == state


def test_a_server_that_is_not_there_is_unreachable() -> None:
    found = look("http://127.0.0.1:9/v1")
    assert found.state == "unreachable"
    assert found.detail


@pytest.mark.parametrize(
    "page", [b"not json", b"[]", b'{"data": 7}', b'{"data": [7, {"id": 8}]}', b"x" * 5_000_000, b""]
)
def test_what_is_no_list_of_models_offers_none(serve: Serve, page: bytes) -> None:
    assert look(serve({"/v1/models": (200, page)})).models == ()


def test_names_cannot_draw_on_a_terminal(serve: Serve) -> None:
    card = {"id": "\x1b[31mm", "root": "/a\nb", "owned_by": "vllm"}
    found = look(serve({"/v1/models": (200, {"data": [card]})}), "\x1b[31mm")
    assert all(text.isprintable() for text in (*found.models, found.weights))


def test_a_key_that_comes_back_is_taken_out(serve: Serve) -> None:
    url = serve({"/v1/models": (200, {"data": []}), "/version": (200, "key")})
    assert look(url, key="sk-canary-123").version == "Bearer [key]"
