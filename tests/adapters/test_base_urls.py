from __future__ import annotations

import pytest

from vlbench.adapters.base_urls import without_version


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://api.vendor.example", "https://api.vendor.example"),
        ("https://api.vendor.example/v1", "https://api.vendor.example"),
        ("https://api.vendor.example/v1/", "https://api.vendor.example"),
        ("https://gateway.example/gemini/v1beta", "https://gateway.example/gemini"),
        ("https://gateway.example/v1beta1/", "https://gateway.example"),
        ("https://gateway.example/v2alpha", "https://gateway.example"),
        ("https://gateway.example/v1/claude", "https://gateway.example/v1/claude"),
        ("https://gateway.example/vision", "https://gateway.example/vision"),
        ("https://gateway.example/v1x", "https://gateway.example/v1x"),
        ("https://v1", "https://v1"),
    ],
)
def test_only_a_version_at_the_end_of_the_path_is_taken_off(url: str, expected: str) -> None:
    assert without_version(url) == expected
