"""Which proxy the environment asks for, and whether a host goes past it."""

from __future__ import annotations

import base64
import ipaddress
from collections.abc import Mapping

import httpx

from vlbench.errors import UsageError


def proxy_for(url: httpx.URL, environ: Mapping[str, str]) -> httpx.Proxy | None:
    """The proxy for `url` by HTTPS_PROXY, HTTP_PROXY, ALL_PROXY and NO_PROXY; None for a direct connection.

    Lower-case names win, as in curl. A loopback address is always reached directly: no proxy can reach the
    user's own machine for it. Raises `UsageError` for a proxy we cannot speak to (SOCKS).
    """
    if _is_loopback(url.host) or _is_exempt(url, _read("no_proxy", environ)):
        return None
    variable = f"{url.scheme}_proxy"
    value = _read(variable, environ)
    if not value:
        variable, value = "all_proxy", _read("all_proxy", environ)
    if not value:
        return None
    address = value if "://" in value else f"http://{value}"
    if address.split("://", 1)[0].lower() not in ("http", "https"):
        raise UsageError(
            f"The proxy named by {variable.upper()} is not an HTTP proxy. Only http:// and https:// proxies "
            f"can be used: set {variable.upper()} to one, or add {url.host} to NO_PROXY."
        )
    try:
        proxy = httpx.Proxy(address)
        if proxy.auth is None:
            return proxy
        # As a header, because the transport would hand them on in a way aiohttp deprecates. Under this name
        # aiohttp sends them to the proxy only: as Proxy-Authorization, with plain requests and tunnels alike.
        token = base64.b64encode(":".join(proxy.auth).encode()).decode()
        return httpx.Proxy(proxy.url, headers={"authorization": f"Basic {token}"})
    except (httpx.InvalidURL, ValueError) as error:
        # The value may hold a password, so it is not repeated.
        raise UsageError(
            f"{variable.upper()} is not a usable proxy address; expected http://user:password@host:port."
        ) from error


def _read(name: str, environ: Mapping[str, str]) -> str:
    return (environ.get(name) or environ.get(name.upper()) or "").strip()


def _is_loopback(host: str) -> bool:
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _is_exempt(url: httpx.URL, no_proxy: str) -> bool:
    port = url.port or (443 if url.scheme == "https" else 80)
    return any(
        _covers(item.strip().lower(), url.host.lower(), port) for item in no_proxy.split(",") if item.strip()
    )


def _covers(item: str, host: str, port: int) -> bool:
    """Whether one item of NO_PROXY names the host: `*`, an address or network, or a domain with all below."""
    if item == "*":
        return True
    try:
        return ipaddress.ip_address(host) in ipaddress.ip_network(item.strip("[]"), strict=False)
    except ValueError:
        pass
    name, colon, wanted_port = item.rpartition(":")
    if colon and wanted_port.isdigit() and ":" not in name.strip("[]"):
        if int(wanted_port) != port:
            return False
        item = name
    domain = item.strip("[]").removeprefix("*").removeprefix(".")
    return bool(domain) and (host == domain or host.endswith(f".{domain}"))
