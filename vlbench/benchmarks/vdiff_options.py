"""The four choices of a VDiff-Bench row: their labels, the gold among them, and the no-difference option."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

LABELS: Final = "ABCD"

_NOTHING: Final = re.compile(
    r"\bno (?:\w+ ){0,3}(?:difference|change)s?\b"
    r"|\b(?:are|look|appear|is) (?:\w+ ){0,2}(?:identical|the same)\b"
    r"|\bnothing (?:has )?(?:changed|differs)\b|\bidentical images\b|^(?:identical|none)$"
)
_MARKED: Final = re.compile(r"\s*\(?([A-D])[).:]\s+(\S.*)", re.DOTALL)
_LETTER: Final = re.compile(r"\(?([A-Da-d])[).:]?")


def labelled(choices: Sequence[str]) -> dict[str, str]:
    """The choices by label, without letters of their own that say the same.

    Raises ValueError when there are not four texts, or one is empty.
    """
    if len(choices) != len(LABELS):
        raise ValueError(f"it has {len(choices)} choices, not {len(LABELS)}")
    texts = [choice.strip() for choice in choices]
    marks = [_MARKED.fullmatch(text) for text in texts]
    if all(mark is not None and mark[1] == label for mark, label in zip(marks, LABELS, strict=True)):
        texts = [mark[2].strip() for mark in marks if mark]
    if not all(texts):
        raise ValueError("a choice is empty")
    return dict(zip(LABELS, texts, strict=True))


def gold_label(gold: str, options: dict[str, str]) -> str:
    """The label that `gold`, a choice's text or its letter, stands for.

    Raises ValueError when it is none of them, or could be two.
    """
    stripped = gold.strip()
    mark = _MARKED.fullmatch(stripped)
    wanted = {stripped, mark[2].strip()} if mark else {stripped}
    found = {label for label, text in options.items() if text in wanted}
    if letter := _LETTER.fullmatch(stripped):
        found.add(letter[1].upper())
    if len(found) == 1:
        return found.pop()
    shown = repr(stripped[:60])
    if not found:
        raise ValueError(f"its ground truth {shown} is none of its choices")
    raise ValueError(f"its ground truth {shown} stands for {' and '.join(sorted(found))}")


@dataclass(frozen=True, slots=True)
class NullOption:
    """Recognises the choice that says that nothing differs: the one text that (nearly) every row has."""

    texts: frozenset[str]

    @classmethod
    def of(cls, rows: Iterable[Iterable[str]]) -> NullOption:
        """Find it in the choices of all rows. Without one such text its meaning decides, row by row."""
        counts: Counter[str] = Counter()
        total = 0
        for choices in rows:
            counts.update({_plain(text) for text in choices})
            total += 1
        common = {text for text, count in counts.items() if 2 * count > total}
        if len(common) > 1:
            common = {text for text in common if _NOTHING.search(text)}
        return cls(frozenset(common if len(common) == 1 else ()))

    def label(self, options: dict[str, str]) -> str:
        """Its label in one row. Raises ValueError when the row has none, or several."""
        plain = {label: _plain(text) for label, text in options.items()}
        found = [label for label, text in plain.items() if text in self.texts]
        if not self.texts:
            found = [label for label, text in plain.items() if _NOTHING.search(text)]
        if len(found) == 1:
            return found[0]
        if not found:
            raise ValueError("none of its choices says that nothing differs")
        raise ValueError(f"its choices {' and '.join(found)} all say that nothing differs")


def _plain(text: str) -> str:
    return " ".join(text.lower().split()).strip(" .!")
