"""The view in a browser: on loopback only, and only for who knows the token in its address."""

from __future__ import annotations

import secrets
import shlex
import socket
import sys
from asyncio import Task, current_task
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final

from vlbench.cli.watching import say
from vlbench.errors import UsageError
from vlbench.store.run_dir import RunDir

if TYPE_CHECKING:
    from aiohttp.typedefs import Middleware
    from aiohttp.web import Application, Request, StreamResponse, WebSocketResponse
    from textual_serve.app_service import AppService
    from textual_serve.server import Server

    Handler = Callable[[Request], Awaitable[StreamResponse]]

HOST: Final = "127.0.0.1"
_PAGE: Final = Path(__file__).with_name("page")
"""Our own page around the terminal: that of textual-serve asks another host for a font and for a click."""

_POLICY: Final = (
    "default-src 'self'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data:; font-src 'self' data:; connect-src 'self' ws://{host}; frame-ancestors 'none'"
)


def serve(directory: RunDir, port: int, *, control: bool) -> int:
    """Serve the view until Ctrl-C. Raises UsageError when textual-serve is missing or the port is taken."""
    token = secrets.token_urlsafe(24)
    port = _free(port)
    server = make_server(directory, port, token, control=control)
    server.serve()
    return 0


def make_server(directory: RunDir, port: int, token: str, *, control: bool) -> Server:
    """A server that starts one view for each browser window that brings the token."""
    try:
        from textual_serve.server import Server
    except ImportError as error:
        raise UsageError("The view in a browser needs one more package: pip install textual-serve") from error

    url = f"http://{HOST}:{port}"
    open_views: set[Task[object]] = set()

    class GuardedServer(Server):
        async def _make_app(self) -> Application:
            app = await super()._make_app()
            app.router.add_static("/page", _PAGE)
            app.middlewares.append(_guard(port, token))
            return app

        async def _process_messages(self, websocket: WebSocketResponse, app_service: AppService) -> None:
            view = current_task()
            assert view is not None
            open_views.add(view)
            try:
                await super()._process_messages(websocket, app_service)
            finally:
                open_views.discard(view)

        async def on_shutdown(self, app: Application) -> None:
            """Close the views that are open: the server would wait a minute for somebody to leave them."""
            for view in open_views:
                view.cancel()

        async def on_startup(self, app: Application) -> None:
            """Say where it is, now that it is nearly there; not the banner, which would print the command."""
            say(f"The view of {directory.name} is at  {url}/?token={token}\nCtrl-C ends it.")

        def initialize_logging(self) -> None:
            """No log of requests: their addresses hold the token."""

    command = [sys.executable, "-P", "-m", "vlbench", "watch", str(directory.path), "--ui", "full"]
    if control:
        command.append("--control")
    title = f"vlbench {directory.name}"
    # No shell stays between: a view notices by its parent that the server is gone.
    return GuardedServer(f"exec {shlex.join(command)}", HOST, port, title, url, templates_path=_PAGE)


def _guard(port: int, token: str) -> Middleware:
    """Lets through who has the token: once in the address, from then on in a cookie.

    Another site's pages are kept out by the names they use for us (`Host`) and for themselves (`Origin`).
    """
    from aiohttp import web

    host, cookie = f"{HOST}:{port}", f"vlbench-{port}"

    @web.middleware
    async def guard(request: Request, handler: Handler) -> StreamResponse:
        origin = request.headers.get("Origin")
        if request.host != host or origin not in (None, f"http://{host}"):
            raise web.HTTPForbidden(text="This address is for this machine only.")
        if _same(request.query.get("token", ""), token):
            welcome = web.HTTPFound("/")
            welcome.set_cookie(cookie, token, httponly=True, samesite="Strict")
            raise welcome
        if not _same(request.cookies.get(cookie, ""), token):
            raise web.HTTPForbidden(text="Use the whole address that `vlbench watch --web` printed.")
        response = await handler(request)
        if not response.prepared:
            response.headers["Content-Security-Policy"] = _POLICY.format(host=host)
            response.headers["Referrer-Policy"] = "no-referrer"
        return response

    return guard


def _same(given: str, token: str) -> bool:
    return secrets.compare_digest(given.encode(errors="replace"), token.encode())


def _free(port: int) -> int:
    with socket.socket() as probe:
        # As the server does: a port whose last connections are still being forgotten is free.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError as error:
            raise UsageError(
                f"Port {port} is taken ({error.strerror}). Leave out --port for a free one."
            ) from error
        chosen: int = probe.getsockname()[1]
        return chosen
