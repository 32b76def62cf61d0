from __future__ import annotations

import httpx
import pytest

from vlbench.adapters.proxy import proxy_for
from vlbench.errors import UsageError

API = httpx.URL("https://api.example.com/v1")


def _address(url: str, **environ: str) -> str | None:
    proxy = proxy_for(httpx.URL(url), environ)
    return None if proxy is None else str(proxy.url)


def test_the_variable_of_the_scheme_wins_over_the_one_for_all() -> None:
    environ = {"HTTPS_PROXY": "http://s:1", "HTTP_PROXY": "http://p:2", "ALL_PROXY": "http://a:3"}
    assert _address("https://x.org", **environ) == "http://s:1"
    assert _address("http://x.org", **environ) == "http://p:2"
    assert _address("http://x.org", ALL_PROXY="http://a:3") == "http://a:3"
    assert _address("https://x.org", HTTP_PROXY="http://p:2") is None


def test_lower_case_wins_and_a_scheme_may_be_missing() -> None:
    assert _address("https://x.org", HTTPS_PROXY="http://upper:1", https_proxy="lower:2") == "http://lower:2"


def test_credentials_are_taken_out_of_the_address() -> None:
    proxy = proxy_for(API, {"HTTPS_PROXY": "http://user:p%40ss@proxy:8080"})
    assert proxy is not None
    assert proxy.headers["authorization"] == "Basic dXNlcjpwQHNz"
    assert proxy.auth is None
    assert str(proxy.url) == "http://proxy:8080"


@pytest.mark.parametrize("url", ["http://127.0.0.1:8000/v1", "http://localhost:8000", "http://[::1]:8000"])
def test_the_own_machine_is_never_behind_a_proxy(url: str) -> None:
    assert _address(url, HTTP_PROXY="http://p:2", ALL_PROXY="http://p:2") is None


@pytest.mark.parametrize(
    ("no_proxy", "url", "direct"),
    [
        ("*", "https://api.example.com", True),
        ("example.com", "https://api.example.com", True),
        (".example.com", "https://api.example.com", True),
        ("*.example.com", "https://api.example.com", True),
        ("EXAMPLE.com , other", "https://example.com", True),
        ("ample.com", "https://example.com", False),
        ("example.com.evil", "https://example.com", False),
        ("example.com:443", "https://example.com", True),
        ("example.com:8443", "https://example.com", False),
        ("10.0.0.0/8", "https://10.1.2.3", True),
        ("10.0.0.0/8", "https://11.1.2.3", False),
        ("10.1.2.3", "https://10.1.2.3:9000", True),
        ("10.1.2.3:9000", "https://10.1.2.3:9000", True),
        ("fd00::/8", "https://[fd00::1]", True),
        ("", "https://example.com", False),
        (",", "https://example.com", False),
    ],
)
def test_no_proxy_names_hosts_domains_networks_and_ports(no_proxy: str, url: str, direct: bool) -> None:
    assert (_address(url, HTTPS_PROXY="http://p:2", NO_PROXY=no_proxy) is None) == direct


@pytest.mark.parametrize("value", ["socks5://user:secret@host:1", "http://user:secret@host:notaport"])
def test_an_unusable_proxy_is_refused_without_showing_its_password(value: str) -> None:
    with pytest.raises(UsageError, match="HTTPS_PROXY") as caught:
        proxy_for(API, {"HTTPS_PROXY": value})
    assert "secret" not in str(caught.value)
