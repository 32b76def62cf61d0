"""What can be guessed from a question and its options alone; no picture comes near this file."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from fractions import Fraction

from vlbench.simulator.eye.read import Prompt, words_of

_NUMBER = re.compile(r"-?\d{1,9}(?:/[1-9]\d{0,8}|\.\d{1,9})?")


def chance(text: str, sides: int) -> int:
    """A throw of a die with that many sides, the same for the same text on every machine."""
    return int.from_bytes(hashlib.sha256(text.encode("utf-8", "replace")).digest()[:8], "big") % sides


def number_in(text: str) -> Fraction | None:
    """The first number in a text: whole, decimal or a fraction."""
    found = _NUMBER.search(text)
    return Fraction(found.group()) if found else None


def guess(prompt: Prompt, text: str) -> str:
    """The label a blind reader would choose: the usual answer, a middle number, or the odd text out."""
    usual = _usual(prompt)
    if usual is not None:
        return usual
    numbers = {label: number_in(option) for label, option in prompt.options.items()}
    ordered = sorted((n, label) for label, n in numbers.items() if n is not None)
    if len(ordered) == len(prompt.options) > 2:
        # Whoever writes wrong numbers puts them on both sides of the right one.
        middle = ordered[1:-1]
        return middle[chance(text, len(middle))][1]
    likely = _odd_labels(prompt) if prompt.has("odd", "belong") else _central_labels(prompt)
    return likely[chance(text, len(likely))]


def _usual(prompt: Prompt) -> str | None:
    """The answer that is commonest in the world, where there is one."""
    commonest = ""
    if prompt.has("background", "backdrop"):
        commonest = "white"
    elif prompt.has("thermometer", "temperature"):
        commonest = "20"
    elif prompt.has("fraction"):
        commonest = "1/2"
    return next((label for label, text in prompt.options.items() if commonest in words_of(text)), None)


def _central_labels(prompt: Prompt) -> list[str]:
    """The options that share most words with the others: wrong ones are often made from the right one."""
    return _extreme_labels(prompt, sign=1)


def _odd_labels(prompt: Prompt) -> list[str]:
    return _extreme_labels(prompt, sign=-1)


def _extreme_labels(prompt: Prompt, *, sign: int) -> list[str]:
    texts = {label: frozenset(words_of(option)) for label, option in prompt.options.items()}
    used = Counter(word for words in texts.values() for word in words)
    scores = {label: sign * sum(used[word] for word in words) for label, words in texts.items()}
    best = max(scores.values())
    return [label for label, score in scores.items() if score == best]
