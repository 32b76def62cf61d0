"""lmms-eval's multiple-choice extraction, from its described behaviour, for comparison.

Upper-case letters only. Places are tried from the most to the least telling; the last match of the first
place that matches wins. The least telling place is any occurrence at all, so "Failed to obtain answer via
API" is read as A.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from vlbench.scoring.readers.reader import Reader, credited
from vlbench.types import Answer, Reply

_PLACES = (
    r"\A\s*({label})(?![A-Za-z0-9])",
    r"(?<![A-Za-z0-9])({label})[\s.]*\Z",
    r"[Aa]nswer(?: is|:)\s*({label})(?![A-Za-z0-9])",
    r"\(({label})\)",
    r"(?<![A-Za-z0-9])({label})\.",
    r"(?<![A-Za-z0-9])({label}):",
    r"(?<![A-Za-z0-9])({label})\)",
    r"(?<![A-Za-z0-9])({label})\s",
    r"({label})",
)


@lru_cache(maxsize=256)
def _patterns(labels: tuple[str, ...]) -> tuple[re.Pattern[str], ...]:
    label = "|".join(map(re.escape, labels))
    return tuple(re.compile(place.replace("{label}", label)) for place in _PLACES)


def _read(reply: Reply, options: Mapping[str, str]) -> Answer:
    text = reply.text.strip()
    for pattern in _patterns(tuple(options)) if options else ():
        if found := pattern.findall(text):
            return credited(reply, [found[-1]], "last of the first place")
    return credited(reply, [], "any place")


LMMS_EVAL = Reader(
    name="lmms-eval",
    version=1,
    doc="The last upper-case letter of the most telling place.",
    function=_read,
)
