"""Finds the places where a reply says an option's text."""

from __future__ import annotations

import re
from collections.abc import Iterator

from vlbench.scoring.readers.choices import Choices, OptionText
from vlbench.scoring.readers.mention import Mention
from vlbench.scoring.readers.tokens import is_wide

MOST = 60
ORDINAL_TAIL = re.compile(r" (?:image|picture|photo|photograph|one|figure|option|choice|scene|side)\b")
# Set phrases in which "right", "left", "first" and "one" name no option.
IDIOMS = re.compile(
    r"(?:that's|that is|you're|you are|all) right[,.!]|\Aright, (?:so|then|now|okay|ok|let)\b"
    r"|right (?:now|away|answer|option|choice|one)|at first"
    r"|first(?:ly)?,(?! (?:because|since|as))|first of all|no (?:doubt|problem|idea|way)"
    r"|what's left|(?<!answer )(?:is|are) left\b"
)
_LONGEST_IN_IDIOM = len("first")
_PRONOUN_ONE = re.compile(
    r"(?<![\w'])(?!(?:is|are|be|only|just|exactly|see|answer|count|has|have|there's|shows?) )\w+ \Z"
)


def _continues(inner: str, outer: str) -> bool:
    """Whether `outer`, just outside a stretch, belongs to the word or number that `inner` ends."""
    if not outer or not inner.isalnum() or is_wide(inner) or is_wide(outer):
        return False
    return outer.isalnum() or outer == "_"


def _continues_number(low: str, start: int, end: int) -> bool:
    """Whether signs, points or units make the digits at either end part of another number."""
    before, second = low[start - 1 : start], low[start - 2 : start - 1]
    if low[start].isdigit() and before and before in "-−+":
        is_part = not second.isalnum()
    elif low[start].isdigit() and before and before in ".,/:^":
        is_part = second.isdigit() or (before in ".^" and not second.isalpha())
    else:
        is_part = False
    after = low[end : end + 1]
    if is_part or not after or not low[end - 1].isdigit():
        return is_part
    return after in "%°^" or (after in ".,/:" and low[end + 1 : end + 2].isdigit())


def stands_free(low: str, start: int, end: int) -> bool:
    """Whether `low[start:end]` is made of whole words and whole numbers."""
    if _continues(low[start], low[start - 1 : start]) or _continues(low[end - 1], low[end : end + 1]):
        return False
    return not _continues_number(low, start, end)


def _occurrences(low: str, text: str) -> Iterator[int]:
    position = low.find(text)
    while position >= 0:
        if stands_free(low, position, position + len(text)):
            yield position
        position = low.find(text, position + len(text))


def _in_compound(text: str, start: int, end: int) -> bool:
    """Whether a hyphen ties the stretch to another word ("cat-like")."""
    tied_after = text[end : end + 1] == "-" and text[end + 1 : end + 2].isalpha()
    return tied_after or (text[start - 1 : start] == "-" and text[start - 2 : start - 1].isalpha())


_ENUMERATION = re.compile(r"(?:\A|\n)1[.)] [^\n]{0,400}\n(?:[^\n]{0,400}\n){0,3}?2[.)] ")
_ITEM_NUMBER = re.compile(r"\d{1,2}[.)] \Z")
_NUMBERED = re.compile(
    r"\b(?:step|page|question|example|chapter|part|phase|round|attempt|task|problem|#|no\.) ?\Z"
)


_OPERATOR_AFTER = re.compile(r" ?[+×*÷^] ?\d| - \d")
_OPERATOR_BEFORE = re.compile(
    r"(?:\d ?[+×*÷^] ?|\d - |\b(?:minus|negative|more than|less than|fewer than|over) )\Z"
)


def _is_operand(low: str, start: int, end: int) -> bool:
    """Whether a number is part of a sum or bounds another: "1 + 1", "more than 4"."""
    return (
        _OPERATOR_AFTER.match(low, end) is not None
        or _OPERATOR_BEFORE.search(low, max(0, start - 12), start) is not None
    )


def _is_pronoun(low: str, start: int, end: int) -> bool:
    """Whether "one" stands for something else here: "this one", "one of"."""
    return low.startswith(" of", end) or _PRONOUN_ONE.search(low, max(0, start - 14), start) is not None


def _mention(text: str, start: int, end: int, option: OptionText) -> Mention:
    label = option.label_of(text[start:end])
    if option.alias and (tail := ORDINAL_TAIL.match(text, end)):
        end = tail.end()
    labels = (label,) if label else option.labels
    return Mention(start, end, labels, "text", isolated=option.isolated, alias=option.alias)


def option_texts(text: str, low: str, options: Choices) -> list[Mention]:
    """Every option text in `text` (`low` is its lower case), the longest first where they overlap."""
    taken, found, idioms = list[tuple[int, int]](), list[Mention](), list[tuple[int, int]]()
    if any(len(option.text) <= _LONGEST_IN_IDIOM for option in options.texts):
        idioms = [match.span() for match in IDIOMS.finditer(low)]
    enumerates = "\n2" in low and _ENUMERATION.search(low) is not None
    for option in options.texts:
        for start in _occurrences(low, option.text):
            end = start + len(option.text)
            if any(start < stop and begin < end for begin, stop in taken) or _in_compound(text, start, end):
                continue
            if any(begin <= start and end <= stop for begin, stop in idioms):
                continue
            if enumerates and _ITEM_NUMBER.match(low, low.rfind("\n", 0, start) + 1, end + 2):
                continue
            if option.text.isdecimal() and _NUMBERED.search(low, max(0, start - 9), start):
                continue
            if option.text.isdecimal() and _is_operand(low, start, end):
                continue
            if option.text == "one" and _is_pronoun(low, start, end):
                continue
            taken.append((start, end))
            found.append(_mention(text, start, end, option))
            if len(found) > MOST:
                return found
    return found
