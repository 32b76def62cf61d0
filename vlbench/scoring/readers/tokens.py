"""Words and marks of reduced text, and the class of each word."""

from __future__ import annotations

import re

from vlbench.scoring.readers.lexicon import Word, peel_end, peel_start, words

# Chinese, Japanese and Korean: scripts (mostly) written without blanks between words.
WIDE = "\u2e80-\u9fff\uac00-\ud7af\u3040-\u30ff"
# Signs of vowels and tones that stand on the letter before them, no letters by themselves.
_SIGNS = "\u0300-\u036f\u064b-\u065f\u0900-\u0903\u093a-\u094f\u0e31\u0e34-\u0e3a\u0e47-\u0e4e"
_LETTERS = rf"(?:[^\W\d_{WIDE}][{_SIGNS}]*)+"
TOKEN = re.compile(rf"[{WIDE}]+|{_LETTERS}(?:['-]{_LETTERS})*|\d+|\n+|[^\w\s]")
TICKS, CROSSES = "✓✔✅☑👍", "✗✘❌✕❎"
_IS_WIDE = re.compile(f"[{WIDE}]")


def is_wide(char: str) -> bool:
    """Whether `char` belongs to a script that sticks to the label beside it."""
    return _IS_WIDE.match(char) is not None


# Adverbs of opinion ("evidently B") are too many to list; "family" and the like are none.
_ADVERB = re.compile(
    r"(?!famil|final|last|first|second|initial|original|previous|assemb|anomal|butterf|supply|reply)(?:[a-z]{4,}ly|\w{4,}mente)"
)


def classes(token: str, *, backwards: bool) -> list[Word | None]:
    """The classes of one token, in the order a walk in this direction meets them; None is an unknown word."""
    if is_wide(token[-1] if backwards else token[0]):
        return peel_end(token) if backwards else peel_start(token)
    low, table = token.lower(), words()
    if low not in table and _ADVERB.fullmatch(low):
        return [Word.LINK]
    if low in table or "'" not in low:
        return [table.get(low)]
    before, _, after = low.rpartition("'")
    # "the answer's B"; French and Italian elide: "l'option".
    return [table.get(before if after == "s" else after)]
