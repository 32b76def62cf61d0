"""The published scoring rule of MMStar, bug for bug, so that published numbers can be reproduced.

Source: `eval` scripts of github.com/MMStar-Benchmark/MMStar. The rule tests the gold letter against four
places of the lower-cased reply; it extracts nothing, so one reply can be right for more than one gold letter
("The answer is B" is right for T too, where a question has a T).
"""

from __future__ import annotations

from collections.abc import Mapping

from vlbench.scoring.readers.reader import Reader, credited
from vlbench.types import Answer, Reply

_PREFIXES = ("", "(", "option ", "the answer is ")


def _read(reply: Reply, options: Mapping[str, str]) -> Answer:
    text = reply.text.lower().strip().replace("\n", " ")
    places = {text[len(prefix) : len(prefix) + 1] for prefix in _PREFIXES if text.startswith(prefix)} - {""}
    return credited(reply, (label for label in options if label.lower().strip() in places), "official")


MMSTAR_OFFICIAL = Reader(
    name="mmstar-official",
    version=1,
    doc="The gold letter stands first, after '(', after 'option ' or after 'the answer is '.",
    function=_read,
)
