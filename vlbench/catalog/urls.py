"""Addresses of servers: which are accepted, and when two are the same. No I/O."""

from __future__ import annotations

from urllib.parse import SplitResult, urlsplit

_DEFAULT_PORTS = {"http": 80, "https": 443}
_LOCAL_HOSTS = frozenset({"localhost", "127.0.0.1", "::1"})


def problem_of(url: str) -> str | None:
    """Why `url` cannot be the base address of a server; None when it can.

    The sentence never repeats the address, which may hold a password.
    """
    if any(c.isspace() or not c.isprintable() or c == "\\" for c in url):
        return "an address must not contain spaces, backslashes or control characters"
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return "the address cannot be read (host or port)"
    if parts.scheme not in _DEFAULT_PORTS:
        return "an address begins with http:// or https://"
    if "@" in parts.netloc:
        return "an address must not hold credentials; keys come from environment variables"
    if not parts.hostname or port == 0:
        return "the address names no host or a port that does not exist"
    if parts.query or parts.fragment or "?" in url or "#" in url:
        return 'a base address ends with its path, without "?" or "#"'
    return None


def normalised(url: str) -> str:
    """`url` with lower-case scheme and host, without its scheme's own port and a slash at the end."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{_host_and_port(parts)}{parts.path.rstrip('/')}"


def origin(url: str) -> tuple[str, str]:
    """Scheme and host: who receives what is sent there, and whether others can read it on the way."""
    parts = urlsplit(url)
    return parts.scheme, (parts.hostname or "").rstrip(".")


def is_local(url: str) -> bool:
    """Whether the address is this machine's own."""
    return urlsplit(url).hostname in _LOCAL_HOSTS


def _host_and_port(parts: SplitResult) -> str:
    host = parts.hostname or ""
    host = f"[{host}]" if ":" in host else host
    return host if parts.port in (None, _DEFAULT_PORTS[parts.scheme]) else f"{host}:{parts.port}"
