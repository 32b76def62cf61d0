"""Base URLs as the vendors' clients want them: they add the API's version themselves."""

from __future__ import annotations

import re

_VERSION = re.compile(r"(?<!/)/v[0-9]+(?:(?:alpha|beta)[0-9]*)?/?\Z")


def without_version(url: str) -> str:
    """`url` without a version at its end: `https://host/v1` and `https://host` name the same API."""
    return _VERSION.sub("", url).rstrip("/")
