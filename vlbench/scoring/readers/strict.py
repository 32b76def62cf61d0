"""The default reader (first sketch)."""

from __future__ import annotations

import re
from collections.abc import Mapping

from vlbench.scoring.readers.reader import Reader, unread
from vlbench.types import Answer, Outcome, Reply


def _read(reply: Reply, options: Mapping[str, str]) -> Answer:
    by_lower = {label.lower(): label for label in options}
    text = re.sub(r"<think>.*?</think>", "", reply.text, flags=re.DOTALL)
    found = re.fullmatch(r"\W*(\w+)\W*", text) or re.match(r"\W*([A-Z])[.):]", text)
    found = found or re.search(r"answer(?: is)?[\s:(*]*(\w+)", text, re.IGNORECASE)
    if found and found[1].lower() in by_lower:
        return Answer(outcome=Outcome.ANSWERED, label=by_lower[found[1].lower()], rule="bare", cut=reply.finish == "length")
    return unread(reply, "no label is stated")


STRICT = Reader(name="strict", version=1, doc="The last commitment wins; nothing is guessed.", function=_read)
