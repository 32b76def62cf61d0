"""Options that stand inside the question's text, read for the answer reader; the text itself stays verbatim.

MMStar's own files put them there in three ways:

* `Options: A: x, B: y, C: z, D: w`, whose texts may hold commas, line breaks and even `, B: `;
* `Choices:` and then a line `(A) x` for each;
* the `(A) x` lines without a header.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

# Hostile texts can be split in very many ways: so many labels, blocks and ways are looked at.
_MOST_MARKS = 100
_MOST_BLOCKS = 20
_MOST_SPLITS = 2000


@dataclass(frozen=True, slots=True)
class _Mark:
    """A label as it may begin an option: which one, where the mark begins, where its text does."""

    label: str
    start: int
    end: int


def read_options(question: str, labels: str = "ABCD") -> dict[str, str]:
    """The options by label, in order; {} when the question lists none.

    `labels` are the ones the benchmark can have: at least the first two must be there, without a gap.
    """
    headers = list(re.finditer(r"^[ \t]*(Options|Choices):", question, re.MULTILINE))
    for header in headers[: -_MOST_BLOCKS - 1 : -1]:
        block = question[header.end() :]
        found = _in_one_line(block, labels) if header[1] == "Options" else _in_lines(block, labels)
        if found:
            return found
    # Without a header the last block counts: whatever looks like one before it belongs to the question.
    starts = [match.start() for match in re.finditer(r"^[ \t]*\(A\)", question, re.MULTILINE)]
    blocks = (_in_lines(question[start:], labels) for start in starts[: -_MOST_BLOCKS - 1 : -1])
    return next((found for found in blocks if found), {})


def _in_one_line(block: str, labels: str) -> dict[str, str]:
    return _best_split(block.strip(), rf"(?:^|,\s*)([{labels}]):(?:\s+|(?=,)|$)", labels)


def _in_lines(block: str, labels: str) -> dict[str, str]:
    return _best_split(block.strip(), rf"(?m:^)[ \t]*\(([{labels}])\)[ \t]*", labels)


def _best_split(text: str, pattern: str, labels: str) -> dict[str, str]:
    """Split a text that begins with the first label at marks of `pattern`; {} when that cannot be done.

    The split with the most labels counts, and of several the one whose options are most alike: options of
    one question have the same form, so a right split leaves the same number of marks inside each text, and
    even lengths after that. `A: x: 1, B: 2, B: x: 3, B: 4` is two pairs.
    """
    marks = [
        _Mark(match[1], match.start(), match.end())
        for match in islice(re.finditer(pattern, text), _MOST_MARKS)
    ]
    if not marks or marks[0].start != 0 or marks[0].label != labels[0]:
        return {}
    for count in range(len(labels), 1, -1):
        last = _last_places(marks, labels[:count])
        splits = list(islice(_splits(marks, [0], labels[:count], last), _MOST_SPLITS)) if last else []
        if splits:
            chosen = min(splits, key=lambda split: _unevenness(text, marks, split))
            return dict(zip(labels, _texts(text, chosen), strict=False))
    return {}


def _last_places(marks: list[_Mark], labels: str) -> list[int]:
    """For each label the last mark after which all labels behind it are still to come; [] if none is."""
    places: list[int] = []
    end = len(marks)
    for label in reversed(labels):
        end = next((place for place in range(end - 1, -1, -1) if marks[place].label == label), -1)
        if end < 0:
            return []
        places.append(end)
    return places[::-1]


def _splits(marks: list[_Mark], chosen: list[int], labels: str, last: list[int]) -> Iterator[list[_Mark]]:
    """Every way to find `labels` in order among `marks`, behind the `chosen` ones; earliest marks first.

    No way is begun that cannot be finished (`last`): hostile texts would else have too many of those.
    """
    if len(chosen) == len(labels):
        yield [marks[place] for place in chosen]
        return
    for place in range(chosen[-1] + 1, last[len(chosen)] + 1):
        if marks[place].label == labels[len(chosen)]:
            yield from _splits(marks, [*chosen, place], labels, last)


def _texts(text: str, split: list[_Mark]) -> list[str]:
    ends = [mark.start for mark in split[1:]] + [len(text)]
    return [text[mark.end : end].strip() for mark, end in zip(split, ends, strict=True)]


def _unevenness(text: str, marks: list[_Mark], split: list[_Mark]) -> tuple[int, int]:
    """How much the options differ in the marks inside them, and in length."""
    ends = [mark.start for mark in split[1:]] + [len(text)]
    inside = [
        sum(mark.end <= other.start < end for other in marks) for mark, end in zip(split, ends, strict=True)
    ]
    lengths = [len(option) for option in _texts(text, split)]
    return max(inside) - min(inside), max(lengths) - min(lengths)
