"""VLMEvalKit's matching without a judge model, from its described behaviour, for comparison.

A choice letter that is the only one among the words and stands among the last four; else a letter after
"answer is"; else the only option text contained in a reply of at most twice the options' length. Two things
are left out on purpose: the random letter when a judge fails, and the environment variable that changes
results.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from vlbench.scoring.readers.reader import Reader, credited, unread
from vlbench.types import Answer, Outcome, Reply

_FAILED = "Failed to obtain answer via API"
_REFUSALS = (
    "Sorry, I can't help with images of people yet.",
    "I can't process this file.",
    "I'm sorry, but without the image provided",
    "Cannot determine the answer",
)
_TO_SPACE = str.maketrans(dict.fromkeys(".()[],:;!*#{}", " "))
_ANSWER_IS = re.compile(r"answer\s+is\s+\**([ABCD])\**", re.IGNORECASE)
_NEAR_END = 5


def _by_letter(text: str, options: Mapping[str, str]) -> str | None:
    words = text.translate(_TO_SPACE).split()
    present = [label for label in options if label in words]
    if len(present) == 1 and words.index(present[0]) > len(words) - _NEAR_END:
        return present[0]
    stated = _ANSWER_IS.search(text)
    return stated[1].upper() if stated and stated[1].upper() in options else None


def _by_text(text: str, options: Mapping[str, str]) -> str | None:
    if len(text) > 2 * sum(map(len, options.values())):
        return None
    lowered = text.lower()
    contained = [label for label, option in options.items() if option.lower() in lowered]
    return contained[0] if len(contained) == 1 else None


def _read(reply: Reply, options: Mapping[str, str]) -> Answer:
    text = reply.text
    if _FAILED not in text:
        if any(phrase in text for phrase in _REFUSALS):
            without = unread(reply, "one of VLMEvalKit's refusal phrases")
            is_refusal = without.outcome is Outcome.UNPARSED
            return without.model_copy(update={"outcome": Outcome.REFUSED}) if is_refusal else without
        if label := _by_letter(text, options):
            return credited(reply, [label], "letter")
    label = _by_text(text, options)
    return credited(reply, [label] if label else [], "text")


VLMEVALKIT = Reader(
    name="vlmevalkit",
    version=1,
    doc="A single letter near the end, 'answer is X', or the only option text contained.",
    function=_read,
)
