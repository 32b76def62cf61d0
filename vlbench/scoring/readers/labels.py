"""Finds the places where a reply writes a label, and tells labels from words of the language."""

from __future__ import annotations

import re
from functools import lru_cache

from vlbench.scoring.readers.choices import Choices
from vlbench.scoring.readers.lexicon import Word, follows_label, words
from vlbench.scoring.readers.mention import Mention
from vlbench.scoring.readers.normalise import CLOSE
from vlbench.scoring.readers.option_texts import IDIOMS, ORDINAL_TAIL, stands_free
from vlbench.scoring.readers.tokens import WIDE

# A label decides at the head of a text or at its tail; of very many, those in between are left out.
HEAD, TAIL = 20, 60

_WORD = rf"[^\W{WIDE}]"  # a word character of a script with blanks between words
_BEFORE = rf"(?<!{_WORD})(?<![&°@#+%\\\u0300-\u036f])(?<!{_WORD}[-'])(?<![A-Za-z]\.)"
_AFTER = rf"(?!{_WORD}|[+#&°\u0300-\u036f]|'{_WORD}|-{_WORD}|\.[a-z]|\.[A-Z]\b)"
_LETTER = re.compile(f"{_BEFORE}([A-Za-z]){_AFTER}")
_OPENERS, _CLOSERS = frozenset("([{<\"'"), frozenset(")]}>\"'")
_SEPARATOR = re.compile(r"[\"')\]}>]{0,2}\s?[.):,\]=|/—-]{0,2}\s?[\"'(\[<]{0,2}\s?(?:(?:an?|the)\s)?")


@lru_cache(maxsize=256)
def _pattern(names: tuple[str, ...]) -> re.Pattern[str]:
    longest_first = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    return re.compile(f"{_BEFORE}({longest_first}){_AFTER}(?!%|[.,]\\d)", re.IGNORECASE)


# --- letters that are words ---

_ENDS_CLAUSE = re.compile(
    rf"\s*(?:[)\].,:;!?\"'}}\n{CLOSE}{WIDE}]|$|because\b|since\b|(?:is|was) (?:correct|right|the)\b)"
)
_AFTER_NOUN = re.compile(r"\b(?:option|choice|letter) \Z", re.IGNORECASE)
_AFTER_KEY = re.compile(r"\b(?:option|choice|letter|answer) \Z", re.IGNORECASE)
_AFTER_SIGN = re.compile(r"(?:[:=(\[]|\A)[\s\"'(\[]*\Z")
_INITIALS = re.compile(r"\. ?[A-Z]\. ?[A-Z][a-z]")
_LAST_INITIAL = re.compile(r"[A-Z]\. [A-Z]\. ?[A-Z][a-z]")
_NEXT_INITIAL = re.compile(r"\. ?([A-Z])\. ?")
_NEXT_WORD = re.compile(r"(?: |\n(?=[a-z]))([^\W\d_]+)")
_I_INTERRUPTED = re.compile(r", (?!because|since|as|given|the)[a-z]")  # "I, too, ..."
_I_ACTS = re.compile(
    r"(?:'[a-z]| (?:am|was|have|had|would|will|can|could|think|believe|see|choose|pick|say|get|give)\b)"
)
_ANSWER_BEFORE = re.compile(r"(?:\b(?:answer|ans|option|choice|letter)\W{1,4}|\A|\n)\Z", re.IGNORECASE)
_LAST_LATIN = "\u024f"
_ARTICLE_LIKE = frozenset("AEIOUY")  # words by themselves in the languages written with Latin letters
_AFTER_SUBJECT_CLASSES = frozenset({Word.REASON, Word.BAD, Word.NOT, Word.BUT, Word.SO})


def _names_own_text(text: str, end: int, options: Choices) -> bool:
    """Whether an option with its text follows, as in "C. A. Cat" and "A. Cat"."""
    name = _NEXT_INITIAL.match(text, end)
    label = options.label(name[1]) if name else None
    own = options.own[label] if label else ""
    if name and own and text[name.end() : name.end() + len(own)].lower() == own:
        return True
    return any(own and text[end + 2 : end + 2 + len(own)].lower() == own for own in options.own.values())


def _is_word(text: str, start: int, end: int, options: Choices) -> bool:
    """Whether a lone letter is an article, a pronoun or the like."""
    letter = text[start:end]
    if letter.islower():
        return _is_lower_word(text, start, end)
    is_initial = _INITIALS.match(text, end) or (start >= 3 and _LAST_INITIAL.match(text, start - 3))
    if is_initial and not _names_own_text(text, end, options):
        return True
    if letter == "I" and _I_ACTS.match(text, end):
        return True
    if letter not in _ARTICLE_LIKE or _AFTER_KEY.search(text, max(0, start - 12), start):
        return False
    if letter == "I" and _I_INTERRUPTED.match(text, end):
        return True
    following = _NEXT_WORD.match(text, end)
    if following is None or following[1][0] > _LAST_LATIN:
        return False
    if text[end] == "\n" and text[start - 1 : start] in {"", "\n"}:
        return False  # on a line of its own
    word = following[1].lower()
    if following[1].isupper() and (letter != "I" or len(word) == 1):
        return False
    if letter == "I":
        return word not in {"is", "or", "and"}
    return not (word in follows_label() or words().get(word) in _AFTER_SUBJECT_CLASSES)


def _is_lower_word(text: str, start: int, end: int) -> bool:
    """A lower-case letter is a label only where its clause ends; "-c" is a switch, "b'" a prefix."""
    before, after = text[start - 1 : start], text[end : end + 1]
    if _ENDS_CLAUSE.match(text, end) is None or before == "-":
        return True
    if after and after in "\"'" and before not in _OPENERS:
        return True
    if text[start] != "a":
        return False
    if after == "\n":  # a wrapped line, unless an answer stands here
        return _ANSWER_BEFORE.search(text, max(0, start - 12), start) is None
    if after or _AFTER_NOUN.search(text, max(0, start - 8), start):
        return False
    return _AFTER_SIGN.search(text, max(0, start - 8), start) is None  # "it has a" was cut off


def _is_not_applicable(text: str, start: int, end: int) -> bool:
    return text[max(0, start - 2) : end].lower() == "n/a" or text[start : end + 2].lower() == "n/a"


# --- labels ---


def _take_own_text(mention: Mention, low: str, options: Choices) -> None:
    """Takes the option's own text into the mention when it follows the label."""
    own = options.own[mention.labels[0]] if mention.labels else ""
    gap = _SEPARATOR.match(low, mention.end)
    after = gap.end() if gap else mention.end
    if own and low.startswith(own, after) and stands_free(low, after, after + len(own)):
        mention.end, mention.with_text = after + len(own), True


def labels(text: str, low: str, options: Choices, taken: list[tuple[int, int]]) -> list[Mention]:
    """Every label in `text` outside the sorted ranges `taken`; single letters not offered are marked so."""
    found, cursor = list[Mention](), 0
    pattern = _LETTER if options.letters else _pattern(options.labels)
    matches = list(pattern.finditer(text))
    if len(matches) > 4 * (HEAD + TAIL):
        matches = matches[: 4 * HEAD] + matches[-4 * TAIL :]
    for match in matches:
        start, end = match.span()
        while cursor < len(taken) and taken[cursor][1] <= start:
            cursor += 1
        if (cursor < len(taken) and taken[cursor][0] <= start) or (found and start < found[-1].end):
            continue
        is_word = (
            _is_word(text, start, end, options) if options.letters else IDIOMS.match(low, start) is not None
        )
        if is_word or _is_not_applicable(text, start, end):
            continue
        label = options.label(match[0])
        mention = Mention(start, end, (label,) if label else (), "label", offered=label is not None)
        mention.bracketed = text[start - 1 : start] in _OPENERS and text[end : end + 1] in _CLOSERS
        if options.letters:
            _take_own_text(mention, low, options)
        elif tail := ORDINAL_TAIL.match(low, end):
            mention.end = tail.end()
        found.append(mention)
    return found if len(found) <= HEAD + TAIL else found[:HEAD] + found[-TAIL:]
