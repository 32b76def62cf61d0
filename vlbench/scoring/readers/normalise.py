"""Reduces a reply to plain text without losing where each character came from.

Typography is folded (full-width and circled letters, curly quotes, CJK punctuation), markup that says nothing
about the answer is dropped (markdown, LaTeX fonts, HTML, leaked turn tokens), and places that hold a final
answer by convention (`\\boxed{}`, `<answer>`) are put between `OPEN` and `CLOSE`.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass

from vlbench.scoring.readers.tokens import CROSSES, TICKS

OPEN, CLOSE = "\ue000", "\ue001"


@dataclass(frozen=True, slots=True)
class Edit:
    """A stretch of the new text and the stretch of the old one it stands for."""

    start: int
    end: int
    old_start: int
    old_end: int


@dataclass(frozen=True, slots=True)
class Plain:
    """Reduced text with the edits that led to it, oldest first."""

    text: str
    passes: tuple[tuple[Edit, ...], ...] = ()

    def origin(self, start: int, end: int) -> tuple[int, int]:
        """The range of the original text that `text[start:end]` stands for."""
        for edits in reversed(self.passes):
            start, end = _old(edits, start, first=True), _old(edits, end, first=False)
        return start, max(start, end)

    def rewrite(self, pattern: re.Pattern[str], replacement: Callable[[re.Match[str]], str]) -> Plain:
        """The text with every match replaced, and one more pass of edits."""
        pieces, edits, read, written = list[str](), list[Edit](), 0, 0
        for match in pattern.finditer(self.text):
            new = replacement(match)
            if new == match[0]:
                continue
            kept = self.text[read : match.start()]
            pieces += (kept, new)
            written += len(kept)
            edits.append(Edit(written, written + len(new), match.start(), match.end()))
            written += len(new)
            read = match.end()
        if not edits:
            return self
        pieces.append(self.text[read:])
        return Plain("".join(pieces), (*self.passes, tuple(edits)))

    def cut(self, start: int, end: int) -> Plain:
        """`text[start:end]` alone."""
        if start == 0:
            return Plain(self.text[:end], self.passes)
        return Plain(self.text[start:end], (*self.passes, (Edit(0, 0, 0, start),)))


def _old(edits: tuple[Edit, ...], position: int, *, first: bool) -> int:
    """Where a boundary of the new text lay in the old one; `first` for the start of a range.

    A boundary at a dropped stretch is put on the inner side, so that a range does not grow by it.
    """
    index = bisect_right(edits, position, key=lambda edit: edit.start) - 1
    if not first:
        while index >= 0 and edits[index].start == position and edits[index].start == edits[index].end:
            index -= 1
    if index < 0:
        return position
    edit = edits[index]
    if position < edit.end or (position == edit.end and not first):
        return edit.old_start if first else edit.old_end
    return edit.old_end + position - edit.end


# --- characters ---

_FOLDED = {
    **dict.fromkeys("“”„‟«»″「」『』〝〞", '"'),
    **dict.fromkeys("‘’‚‛′`´", "'"),
    **dict.fromkeys("【〔〖［", "["),
    **dict.fromkeys("】〕〗］", "]"),
    **dict.fromkeys("《〈‹⟨", "<"),
    **dict.fromkeys("》〉›⟩", ">"),
    **dict.fromkeys("‐‑−﹣", "-"),
    **dict.fromkeys("–—―", "—"),
    **dict.fromkeys("。．｡।۔", "."),
    **dict.fromkeys("、，､،", ","),
    "؟": "?",
    "‼": "!",
    "⁉": "!",
    "‽": "?",
    "؛": ";",
    OPEN: " ",
    CLOSE: " ",
    # Look-alikes whose place in their own alphabet names no other option.
    "А": "A",
    "С": "C",
    "Е": "E",
    "Α": "A",
    "Β": "B",
}
_LETTER_BLOCKS = ((0x1F150, 26), (0x1F170, 26), (0x1F1E6, 26))
_CYRILLIC = "АСЕ"
_PICTOGRAM = re.compile("[\u2600-\u27bf\u2b50\U0001f300-\U0001faff]")
_VERDICTS = f"{TICKS}{CROSSES}☐"


class _Folding(dict[int, str]):
    """A translation table that folds each character when it is first met."""

    def __missing__(self, code: int) -> str:
        self[code] = folded = _fold(chr(code))
        return folded


def _fold(char: str) -> str:
    if char in _FOLDED:
        return _FOLDED[char]
    for first, count in _LETTER_BLOCKS:
        if first <= ord(char) < first + count:
            return chr(ord("A") + ord(char) - first)
    if unicodedata.category(char) == "Zs":
        return " "
    if unicodedata.decomposition(char).startswith(("<super>", "<sub>")):
        return char
    if _PICTOGRAM.match(char) and char not in _VERDICTS:
        return " "
    compatible = unicodedata.normalize("NFKC", char)
    if len(compatible) == 3 and compatible[0] == "(" and compatible[2] == ")":
        return compatible[1]
    return compatible if len(compatible) == 1 else char


_FOLDING = _Folding()
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u180b-\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u20e3\ufe00-\ufe0f\ufeff]+"
)
_TIGHT_STOP = re.compile("[。．｡！？](?=[*_`]{0,3}[A-Za-z])")  # no blank follows these
_LONE_CYRILLIC = re.compile(r"(?<=\w)[АСЕ]|[АСЕ](?=\w)")


def _fold_characters(plain: Plain) -> Plain:
    text = plain.text
    if any(letter in text for letter in _CYRILLIC):
        # Inside a word these are Cyrillic letters like any other.
        plain = Plain(_LONE_CYRILLIC.sub(lambda match: match[0].lower(), text), plain.passes)
    plain = plain.rewrite(_TIGHT_STOP, lambda match: match[0] + " ")
    plain = Plain(plain.text.translate(_FOLDING), plain.passes)
    return plain.rewrite(_INVISIBLE, lambda _: "")


# --- markup ---

_ANSWER_TAGS = "answer|final_?answer|choice|final_?choice|selected_?option|selection|ans"
_BLOCK_TAGS = "br|p|div|li|ul|ol|h[1-6]|tr|td|th|table|tbody|thead|hr|pre"
_FONTS = (
    "text|textbf|textit|textrm|textsf|texttt|mathbf|mathrm|mathit|mathsf|mathtt|mathbb|mathcal|mathfrak|bm|boldsymbol|"
    "emph|underline|operatorname|mbox"
)
_FONT = re.compile(rf"\\(?:{_FONTS})\s{{0,3}}\{{([^{{}}]{{0,300}})\}}")
_FRACTION = re.compile(r"\\[dt]?frac\s?\{([^{}]{1,60})\}\s?\{([^{}]{1,60})\}")
_SHORT_FRACTION = re.compile(r"\\[dt]?frac\s?(\d)\s?(\d)")
_DEGREE = re.compile(r"\s?\^?\{?\s?\\(?:circ|degree)(?![a-z])\s?\}?")
_BOX = re.compile(r"\\f?box(?:ed)?\s{0,3}\{((?:[^{}]|\{(?:[^{}]|\{[^{}]{0,100}\}){0,100}\}){0,300})\}")
_SPECIAL = re.compile(
    rf"""
    (?P<open><(?:{_ANSWER_TAGS})>|<\|begin_of_box\|>)
  | (?P<close></(?:{_ANSWER_TAGS})>|<\|end_of_box\|>)
  | (?P<role><\|im_start\|>\s?assistant|<start_of_turn>\s?model
        |<\|start_header_id\|>assistant<\|end_header_id\|>)
  | (?P<line></?(?:{_BLOCK_TAGS})\s{{0,3}}/?>|<\|[^|<>\n]{{1,40}}\|>
        |</?(?:end|start)_of_(?:turn|text|sentence)>)
  | (?P<drop></?s>|</?(?:eos|bos|pad|unk|sep|cls|mask|image|img)\b[^<>\n]{{0,80}}>
        |\[/?(?:INST|SYS|OUT|CLS|SEP)\])
  | (?P<tag></?(?P<name>[a-z][\w:.-]{{1,30}})(?:\s[^<>\n]{{0,80}})?/?>)
  | (?P<font></[a-z]>|<[a-z]>(?=[^<>\n]{{0,80}}</[a-z]>))
  | (?P<entity>&(?:nbsp|lt|gt|amp|quot|apos|\#39|\#160);|\\n(?![a-z]))
  | (?P<struck>~~[^~\n]{{1,80}}~~)
  | (?P<fence>```(?:[a-z]{{0,10}}(?=\n))?)
  | (?P<mark>[*`]+|\$+|__+|(?<![^\W_])_(?=\w)|(?<=[^\W_])_(?![^\W_]))
  | (?P<rule>^[ ]?(?:[-=_*]{{3,}}|\|?[ ]?:?-{{2,}}[-|: ]{{0,80}})[ ]?$)
  | (?P<bar>[ \t]?\|[ \t]?)
  | (?P<lead>^[ \t]*(?:\#{{1,6}}[ \t]+|>+[ \t]?|[-+•‣◦▪][ \t]+)+)
  | (?P<space>\\[,;!: ]|\\(?:q?quad|left|right|displaystyle|,)(?![a-z])|\\[()\[\]])
    """,
    re.VERBOSE | re.MULTILINE | re.IGNORECASE,
)
_REPLACEMENT = {
    "open": f" {OPEN}",
    "close": f"{CLOSE} ",
    "line": "\n",
    "rule": "\n",
    "entity": " ",
    "space": " ",
    "role": "\n",
}
_SUSPICIOUS = re.compile(r"[*`_~$\\<>|#\[\]•‣◦▪&]|^[ \t]*[-+][ \t]|--", re.MULTILINE)
_BLANKS = re.compile(r"[ \t\r\f\v]{2,}|[\t\r\f\v]")


def _replace_special(match: re.Match[str]) -> str:
    kind = match.lastgroup or ""
    if kind == "tag" and not match[0].startswith("</") and f"</{match['name']}" not in match.string:
        return match[0]  # a text in angle brackets rather than an element
    if kind == "bar":
        before = match.string[match.start() - 1 : match.start()]
        after = match.string[match.end() : match.end() + 1]
        return "\n" if before in {"", "\n"} or after in {"", "\n"} else " | "
    return _REPLACEMENT.get(kind, "")


def plain(text: str) -> Plain:
    """`text` reduced to what a reader needs."""
    reduced = Plain(text)
    if not text.isascii():
        reduced = _fold_characters(reduced)
    if _SUSPICIOUS.search(reduced.text):
        if "\\" in reduced.text:
            reduced = reduced.rewrite(_FONT, lambda match: match[1]).rewrite(_FONT, lambda match: match[1])
            reduced = reduced.rewrite(_FRACTION, lambda match: f"{match[1]}/{match[2]}")
            reduced = reduced.rewrite(_SHORT_FRACTION, lambda match: f"{match[1]}/{match[2]}")
            reduced = reduced.rewrite(_DEGREE, lambda _: "°")
            reduced = reduced.rewrite(_BOX, lambda match: f" {OPEN}{match[1]}{CLOSE} ")
        reduced = reduced.rewrite(_SPECIAL, _replace_special)
    reduced = reduced.rewrite(_BLANKS, lambda _: " ")
    return reduced.cut(len(reduced.text) - len(reduced.text.lstrip()), len(reduced.text.rstrip()))
