"""Two spellings of one address are one address."""

from __future__ import annotations

import pytest

from vlbench.catalog.urls import is_local, normalised, origin, problem_of


@pytest.mark.parametrize(
    ("url", "same"),
    [
        ("HTTP://Host.Example:80/v1/", "http://host.example/v1"),
        ("https://h.example:443", "https://h.example"),
        ("https://h.example:80/V1", "https://h.example:80/V1"),
        ("http://[::1]:8000/v1", "http://[::1]:8000/v1"),
    ],
)
def test_addresses_are_normalised(url: str, same: str) -> None:
    assert problem_of(url) is None
    assert normalised(url) == normalised(same) == same


def test_hosts_that_only_look_like_another_are_told_apart() -> None:
    assert origin("https://api.vendor.example.") == origin("https://API.vendor.example/x")
    assert not is_local("http://localhost.evil.example")
    assert problem_of("https://evil.example\\.vendor.example") is not None
    assert problem_of("https://h.example/a b") is not None
