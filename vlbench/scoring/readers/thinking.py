"""Takes thinking out of a reply, stops at invented further turns, and bounds what is looked at."""

from __future__ import annotations

import re
from dataclasses import dataclass

HEAD, TAIL = 3_000, 6_000

_NAMES = (
    "think|thinking|thought|thoughts|reasoning|reflection|scratchpad|analysis|seed:think|internal_monologue"
)
_MARK = re.compile(
    rf"""
    (?P<open><(?:{_NAMES})>|◁think▷|\[THINK\]|<\|begin_of_thought\|>|<\|START_THINKING\|>
        |<\|channel\|>analysis<\|message\|>)
  | (?P<close></(?:{_NAMES})>|◁/think▷|\[/THINK\]|<\|end_of_thought\|>|<\|END_THINKING\|>)
  | (?P<harmony><\|channel\|>final<\|message\|>)
    """,
    re.VERBOSE | re.IGNORECASE,
)
_SIGNS = ("think", "thought", "reason", "reflection", "scratchpad", "analysis", "monologue", "<|channel|>")


@dataclass(frozen=True, slots=True)
class Visible:
    """The ranges of a reply outside its thinking; `open` says that the last thinking block never ends."""

    ranges: tuple[tuple[int, int], ...]
    open: bool
    thought: bool

    @property
    def length(self) -> int:
        """How many characters lie in the ranges."""
        return sum(end - start for start, end in self.ranges)


def visible(text: str) -> Visible:
    """Where `text` speaks to the reader, in linear time.

    A closing mark without an opening one ends thinking that a chat template opened before the reply.
    """
    low = text.lower()
    if not any(sign in low for sign in _SIGNS):
        return Visible(((0, len(text)),), open=False, thought=False)
    ranges, start, depth, thought = list[tuple[int, int]](), 0, 0, False
    for mark in _MARK.finditer(text):
        thought = True
        if mark["open"]:
            if depth == 0:
                ranges.append((start, mark.start()))
            depth += 1
        else:
            if depth == 0 or mark["harmony"]:
                ranges.clear()
            depth = 0
            start = mark.end()
    if depth == 0:
        ranges.append((start, len(text)))
    return Visible(tuple(r for r in ranges if r[0] < r[1]), open=depth > 0, thought=thought)


_RUN_ON = re.compile(
    r"\n\s{0,8}(?:[#*>]{1,6}\s?)?(?:<\|im_start\|>\s?user|<start_of_turn>\s?user|<\|user\|>|\[INST\]"
    r"|(?:next |new )?(?:question|problem|example) ?\d{1,3}[*]{0,2}\s?\n"
    r"|(?:(?:next |new )?question(?: \d{1,3})?|q ?\d{0,3}|user|human|instruction|input"
    r"|问题|題目|题目|質問|問題|질문|문제|frage|pregunta|pergunta|вопрос)[*]{0,2}\s?[:：])"
    r"|(?<=[:\s]\w[.!]) question\s?:",
    re.IGNORECASE,
)


def run_on(text: str) -> int | None:
    """Where a reply that has said something goes on with an invented next question; None when it does not."""
    for match in _RUN_ON.finditer(text):
        if text[: match.start()].strip():
            return match.start()
    return None
