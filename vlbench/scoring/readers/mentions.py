"""Finds the places where a reply names an option: by its label, by its text, or in a box made for the answer."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal

from vlbench.scoring.readers.choices import Choices, OptionText, is_wide, lowered
from vlbench.scoring.readers.context import Left, Right, look_left, look_right
from vlbench.scoring.readers.lexicon import Word, words
from vlbench.scoring.readers.normalise import CLOSE, OPEN

MOST = 60  # mentions looked at from the end of the text; what stands before them cannot decide

Form = Literal["label", "text", "box"]

# A word character of a script with blanks between words; Chinese, Japanese and Korean stick to a label.
_WORD = "[^\\W\u2e80-\u9fff\uac00-\ud7af\u3040-\u30ff]"
_BEFORE = rf"(?<!{_WORD})(?<![&°@#+\u0300-\u036f])(?<!{_WORD}[-'])(?<![A-Za-z]\.)"
_AFTER = rf"(?!{_WORD}|[+#&°\u0300-\u036f]|'{_WORD}|-{_WORD}|\.[a-z]|\.[A-Z]\b)"
_LETTER = re.compile(f"{_BEFORE}([A-Za-z]){_AFTER}")
_NOT_APPLICABLE = re.compile(r"n/a(?!\w)", re.IGNORECASE)
_LOWER_STANDS_ALONE = re.compile(
    rf"\s*(?:[)\].,:;!?\"'}}\n{CLOSE}\u2e80-\u9fff\uac00-\ud7af\u3040-\u30ff]|$|because\b|since\b|(?:is|was) (?:correct|right|the)\b)"
)
_VALUE_BEFORE = re.compile(r"(?:[:=(\[]|\A)[\s\"'(\[]*\Z")
_OPTION_BEFORE = re.compile(r"\b(?:option|choice|letter) \Z", re.IGNORECASE)
_INITIALS = re.compile(r"\. ?[A-Z]\. ?[A-Z][a-z]")
_NAMED_LABEL = re.compile(r"\b(?:option|choice|answer|letter) \Z", re.IGNORECASE)
_ORDINAL_TAIL = re.compile(r" (?:image|picture|photo|photograph|one|figure|option|choice|scene|side)\b")
_ARTICLE_LIKE = frozenset("AEIOUY")
_NEXT_WORD = re.compile(r" ([^\W\d_]+)")
_VERB_AFTER_LABEL = frozenset(
    "is are was seems looks appears would must can cannot could should has does doesn't isn't or and vs versus but if not fits matches".split()
)
_JOIN = re.compile(
    r"[\s\"'()\[\]]*(?:,|->|→|=>|⇒|/|&|\+|\||;|、|,?\s?(?:and|or|nor|und|oder|noch|et|ou|y|o|e|и|или|ни|и/или|và|dan|atau|および|または|and/or|as well as|vs\.?|versus)\s"
    r"|和|或|或者|还是|或是|与|及|と|か|와|과|또는|やそれとも)?[\s\"'()\[\]]*(?:(?:option|choice|either|both|maybe|perhaps|possibly|even|also|an?|the)\s){0,2}[\"'()\[\]]*",
    re.IGNORECASE,
)
_SEPARATOR = re.compile(r"[\"')\]}>]{0,2}\s?[.):,\]=|—-]{0,2}\s?[\"'(\[<]{0,2}\s?(?:(?:an?|the)\s)?")


@dataclass(slots=True)
class Mention:
    """One place that names options. `labels` holds more than one when they are joined ("A or B"), and none
    when a letter was named that is no label here."""

    start: int
    end: int
    labels: tuple[str, ...]
    form: Form
    left: Left = field(default_factory=Left)
    right: Right = field(default_factory=Right)
    bracketed: bool = False
    with_text: bool = False
    isolated: bool = False
    alias: bool = False
    ends_line: bool = False
    offered: bool = True
    dangling: bool = False
    first_end: int = 0
    second: Mention | None = None

    @property
    def starts_line(self) -> bool:
        return self.left.kind == "empty" and self.left.edge in {"text", "line"}

    @property
    def alone(self) -> bool:
        """Whether the mention is all its line says."""
        return self.starts_line and self.ends_line


# --- option texts ---


def _stands_free(low: str, start: int, end: int) -> bool:
    """Whether the stretch is made of whole words and whole numbers."""
    before, after = low[start - 1 : start], low[end : end + 1]
    first, last = low[start], low[end - 1]
    if (
        before
        and first.isalnum()
        and (before.isalnum() or before == "_")
        and not (is_wide(first) or is_wide(before))
    ):
        return False
    if (
        after
        and last.isalnum()
        and (after.isalnum() or after == "_")
        and not (is_wide(last) or is_wide(after))
    ):
        return False
    if first.isdigit() and before and before in ".,-−/+:^" and _glued_to_number(low, start, before):
        return False
    return not (
        last.isdigit()
        and after
        and (after in "%°^" or (after in ".,/:" and low[end + 1 : end + 2].isdigit()))
    )


def _glued_to_number(low: str, start: int, before: str) -> bool:
    second = low[start - 2 : start - 1]
    if before in "-−+":
        return not second or not second.isalnum()
    return second.isdigit() or before in ".^" and not second.isalpha()


def _occurrences(low: str, text: str) -> Iterator[int]:
    position = low.find(text)
    while position >= 0:
        if _stands_free(low, position, position + len(text)):
            yield position
        position = low.find(text, position + len(text))


_IDIOMS = re.compile(
    r"(?:that's|that is|you're|you are|all) right[,.!]|right (?:now|away|answer|option|choice|one)|(?:the|this|that|which|another|each|no) one\b|\bone (?:of|by)\b|at first|first(?:ly)?,|first of all|what's left|(?:is|are) left\b"
)


def _in_compound(text: str, start: int, end: int) -> bool:
    """Whether a hyphen ties the stretch to another word ("cat-like")."""
    tied_after = text[end : end + 1] == "-" and text[end + 1 : end + 2].isalpha()
    return tied_after or (text[start - 1 : start] == "-" and text[start - 2 : start - 1].isalpha())


def _texts(text: str, low: str, options: Choices) -> list[Mention]:
    """Every option text in the reply, the longest first where they overlap."""
    taken, found = list[tuple[int, int]](), list[Mention]()
    idioms = (
        [match.span() for match in _IDIOMS.finditer(low)]
        if any(len(o.text) < 7 for o in options.texts)
        else []
    )
    for option in options.texts:
        for start in _occurrences(low, option.text):
            end = start + len(option.text)
            if any(start < stop and begin < end for begin, stop in taken) or _in_compound(text, start, end):
                continue
            if any(begin <= start and end <= stop for begin, stop in idioms):
                continue
            taken.append((start, end))
            found.append(_text_mention(text, start, end, option))
            if len(found) > MOST:
                return found
    return found


def _text_mention(text: str, start: int, end: int, option: OptionText) -> Mention:
    label = option.label_of(text[start:end])
    if option.alias and (tail := _ORDINAL_TAIL.match(text, end)):
        end = tail.end()
    labels = (label,) if label else option.labels
    return Mention(start, end, labels, "text", isolated=option.isolated, alias=option.alias)


# --- labels ---


@lru_cache(maxsize=256)
def _label_pattern(labels: tuple[str, ...]) -> re.Pattern[str]:
    names = "|".join(re.escape(label) for label in sorted(labels, key=len, reverse=True))
    return re.compile(f"{_BEFORE}({names}){_AFTER}(?!%|[.,]\\d)", re.IGNORECASE)


def _is_prose(text: str, start: int, end: int) -> bool:
    """Whether a lone letter is a word of the language here: an article, a pronoun, a conjunction."""
    letter = text[start:end]
    if letter.islower():
        if _LOWER_STANDS_ALONE.match(text, end) is None:
            return True
        # "it has a" was cut off before the noun.
        if letter != "a" or end < len(text) or _OPTION_BEFORE.search(text, max(0, start - 8), start):
            return False
        return _VALUE_BEFORE.search(text, max(0, start - 8), start) is None
    if _INITIALS.match(text, end):
        return True
    if letter not in _ARTICLE_LIKE or _NAMED_LABEL.search(text, max(0, start - 12), start):
        return False
    following = _NEXT_WORD.match(text, end)
    if not following or (letter != "I" and following[1].isupper() and len(following[1]) > 1):
        return False
    if following[1][0] > "\u024f" or (len(following[1]) == 1 and following[1].isupper()):
        return False
    word = following[1].lower()
    if letter == "I":
        return word not in {"is", "or", "and"}
    return not (
        word in _VERB_AFTER_LABEL or words().get(word) in {Word.REASON, Word.BAD, Word.NOT, Word.BUT, Word.SO}
    )


def _labels(text: str, low: str, options: Choices, taken: list[tuple[int, int]]) -> list[Mention]:
    pattern = _LETTER if options.letters else _label_pattern(options.labels)
    found, cursor = list[Mention](), 0
    for match in list(pattern.finditer(text))[-MOST * 3 :]:
        start, end = match.span()
        while cursor < len(taken) and taken[cursor][1] <= start:
            cursor += 1
        if cursor < len(taken) and taken[cursor][0] <= start:
            continue
        if not options.letters and _IDIOMS.match(low, start):
            continue
        if options.letters and _is_prose(text, start, end):
            continue
        if found and start < found[-1].end:
            continue
        if text[end : end + 1] == "/" and _NOT_APPLICABLE.search(text, max(0, start - 2), end + 2):
            continue
        if text[start - 1 : start] == "/" and _NOT_APPLICABLE.match(text, max(0, start - 2)):
            continue
        label = options.label(match[0])
        mention = Mention(start, end, (label,) if label else (), "label", offered=label is not None)
        mention.bracketed = text[start - 1 : start] in tuple("([{<\"'") and text[end : end + 1] in tuple(
            ")]}>\"'"
        )
        if options.letters:
            _join_text(mention, low, options)
        elif tail := _ORDINAL_TAIL.match(low, end):
            mention.end = tail.end()
        found.append(mention)
    return found[-MOST:]


def _join_text(mention: Mention, low: str, options: Choices) -> None:
    """Takes the option's own text into the mention when it follows the label."""
    if not mention.labels:
        return
    own = options.own[mention.labels[0]]
    gap = _SEPARATOR.match(low, mention.end)
    after = gap.end() if gap else mention.end
    if own and low.startswith(own, after) and _stands_free(low, after, after + len(own)):
        mention.end, mention.with_text = after + len(own), True


# --- boxes ---

_BOX = re.compile(f"{OPEN}([^{OPEN}{CLOSE}]{{0,400}}){CLOSE}")


def boxes(text: str) -> list[re.Match[str]]:
    """The places made for a final answer, with their content as the first group."""
    return list(_BOX.finditer(text))[-8:] if OPEN in text else []


# --- all together ---


def _joined(text: str, found: list[Mention]) -> list[Mention]:
    """Mentions of one form with nothing but a joining word between them, as one mention."""
    groups = list[Mention]()
    for mention in found:
        last = groups[-1] if groups else None
        if last is not None and last.form == mention.form and _joins(text, last, mention):
            last.second = mention if not last.second and len(last.labels) == 1 else None
            last.first_end = last.end if last.second else 0
            last.labels = tuple(dict.fromkeys(last.labels + mention.labels))
            last.end = mention.end
            last.offered = last.offered or mention.offered
            last.isolated = last.isolated and mention.isolated
            last.with_text = last.with_text and mention.with_text
        else:
            groups.append(mention)
    return groups


def _joins(text: str, last: Mention, mention: Mention) -> bool:
    between = text[last.end : mention.start]
    if len(between) > 24:
        return False
    if "\n" in between:
        is_column = (
            not between.strip() and _LINE_REST.match(text, mention.end) and _opens_line(text, last)
        )
        return last.form == "label" and bool(is_column) and not (last.with_text or mention.with_text)
    if not _JOIN.fullmatch(between):
        return False
    if between.strip() == "," and len(last.labels) > 1 and set(mention.labels) <= set(last.labels):
        return False  # "Between B and D, B"
    if last.form == "text" and not between.strip():
        return False
    if last.with_text or mention.with_text:
        return last.with_text == mention.with_text and any(
            sign in between for sign in (" or ", " and ", "/", "&")
        )
    return True


def _opens_line(text: str, mention: Mention) -> bool:
    return not text[text.rfind("\n", 0, mention.start) + 1 : mention.start].strip(" ([{\"'")


def _split(text: str, mention: Mention) -> list[Mention]:
    """ "Not A, B" rejects A alone; "not A, B or C" rejects all three."""
    second = mention.second
    if second is None or not mention.left.negated or text[mention.first_end : second.start].strip() != ",":
        return [mention]
    first = Mention(mention.start, mention.first_end, mention.labels[:1], mention.form, left=mention.left)
    second.left, second.right = look_left(text, second.start, letters=True), mention.right
    second.ends_line = mention.ends_line
    return [first, second]


def _unnamed(mention: Mention, low: str, options: Choices) -> None:
    """ "Image B: the cup changed" names a picture and then states a text, which may be that of option B."""
    if mention.left.named and mention.with_text:
        own = options.own[mention.labels[0]]
        mention.start = low.find(own, mention.start)
        mention.form, mention.with_text, mention.left = "text", False, Left(edge="comma")


def mentions(text: str, options: Choices) -> list[Mention]:
    """Every mention in the order of the text, with what stands around it."""
    low = lowered(text)
    texts = _texts(text, low, options)
    long_texts = sorted((m.start, m.end) for m in texts if m.end - m.start > 1)
    labels = _labels(text, low, options, long_texts)
    covered = [(m.start, m.end) for m in labels if m.with_text]
    free = [m for m in texts if not any(begin <= m.start and m.end <= end for begin, end in covered)]
    labels = [m for m in labels if not _is_article_of(text, m, free)]
    found = _joined(text, sorted(labels + free, key=lambda mention: mention.start))[-MOST:]
    for mention in found:
        mention.left = look_left(text, mention.start, letters=options.letters)
        mention.right = look_right(text, mention.end)
        mention.dangling = mention.end == len(text) and text[mention.start - 1 : mention.start] in ("(", '"', "[")
        mention.ends_line = _LINE_REST.match(text, mention.end) is not None
        _unnamed(mention, low, options)
    return [part for mention in found for part in _split(text, mention)]


_LINE_REST = re.compile(r"[ .,;:!?\"')\]}>]*(?:\n|$)")


def _is_article_of(text: str, mention: Mention, texts: list[Mention]) -> bool:
    """Whether an upper-case A is the article of an option text that follows."""
    if (
        mention.bracketed
        or text[mention.start : mention.end] not in {"A", "a"}
        or text[mention.end : mention.end + 1] != " "
    ):
        return False
    return any(other.start == mention.end + 1 for other in texts)
