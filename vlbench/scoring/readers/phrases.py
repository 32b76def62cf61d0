"""Set phrases around a mention that say more than the classes of their words.

Two tables: what stands right before a mention, and what stands right after it. Each phrase has an effect,
which `left` and `right` carry out, and an example in which the mention is B; the examples are its tests.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

EffectBefore = Literal["denied", "in turn", "likewise", "former", "fits", "aside", "journey"]
EffectAfter = Literal["good", "bad", "end", "reason", "word", "idle"]


@dataclass(frozen=True, slots=True)
class Before:
    """A phrase that ends where a mention starts; `window` is how many characters it may take."""

    effect: EffectBefore
    example: str
    pattern: re.Pattern[str]
    window: int


@dataclass(frozen=True, slots=True)
class After:
    """A phrase that begins where a mention ends."""

    effect: EffectAfter
    example: str
    pattern: re.Pattern[str]


# What some idioms before a mention amount to; a negation may affirm ("none other than B").
_IDIOMS: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "surely",
        re.compile(
            r"\b(?:(?:no|without (?:an? |any )?|beyond (?:any )?) ?doubt(?: about (?:it|that))?"
            r"|(?:none|nothing|no one|no) (?:other|else)(?: (?:option|choice|answer))? (?:than|but)"
            r"|nothing (?:but|except)|no (?:option|choice|answer) (?:but|except))\b",
            re.IGNORECASE,
        ),
    ),
    (
        "choose",
        re.compile(r"\b(?:left with|put (?:my|our) (?:money|bet) on|put me down for)\b", re.IGNORECASE),
    ),
    ("is", re.compile(r"\b(?:turns out (?:that|to be)|(?:comes|boils) down to)\b", re.IGNORECASE)),
)
_IDIOMATIC = re.compile(
    r"doubt|but\b|than\b|except|left with|put m|put our|out t|down to|down for", re.IGNORECASE
)


def paraphrased(before: str) -> str:
    """The words before a mention with their idioms put plainly."""
    if _IDIOMATIC.search(before):
        for plainly, idiom in _IDIOMS:
            before = idiom.sub(plainly, before)
    return before


_NAME = r"(?:option |choice |an? |the )?[\"'(\[]?\Z"
_OPINE = "(?:think|say|expect|argue|assume|believe|suppose)"


def _before(effect: EffectBefore, window: int, example: str, pattern: str, end: str = _NAME) -> Before:
    return Before(effect, example, re.compile(rf"(?:{pattern}){end}", re.IGNORECASE), window)


BEFORE: tuple[Before, ...] = (
    _before("denied", 40, "Anything but B.", r"\b(?:any|every|all)(?:thing| (?:option|choice)s?)? but "),
    _before(
        "in turn",
        40,
        "Next, B.",
        r"(?:\A|[.!?\n] ?)(?:next|(?:first|second|third)(?:ly)?|then|as for|regarding|concerning),? ",
    ),
    _before(
        "in turn",
        40,
        "Let's consider B.",
        r"\b(?:consider|look at|compared? (?:it |them )?(?:with|to)|(?:moving )?on to|(?:what|how) about"
        r"|start(?:ing)? with|regarding|let me check|checking|take) ",
    ),
    _before("in turn", 40, "I discussed B.", r"\bi (?:mentioned|considered|discussed) "),
    _before("in turn", 40, "First I thought of B.", r"\bfirst,? i thought (?:of|about|it was) "),
    _before("in turn", 40, "I can't tell if it's B.", r"\b(?:tell|say|know) (?:whether|if) it(?:'s| is) "),
    _before(
        "in turn",
        60,
        "One might think B.",
        rf"\b(?:one|you|we) (?:might|may|could) (?:also |easily |well )?{_OPINE}\b[^.!?,;\n]{{0,16}}",
        r"\Z",
    ),
    _before(
        "in turn",
        60,
        "Some people would say B.",
        r"\b(?:many|some|most|people|others|users?|someone|anyone|nobody)(?: \w+)? "
        rf"(?:might|may|could|would|will) (?:also |easily |well )?(?:guess|answer|{_OPINE})\b"
        r"[^.!?,;\n]{0,16}",
        r"\Z",
    ),
    _before(
        "likewise",
        30,
        "A is wrong and so is B.",
        r"\b(?:so|neither|nor) (?:is|are|was|does|do|would|can|could) ",
    ),
    _before(
        "former",
        40,
        "I thought it was B.",
        r"\bthought (?:that )?(?:of|about|it (?:was|is|might be|could be)) ",
    ),
    _before(
        "fits",
        50,
        "The change is described in option B.",
        r"\b(?:described|represented|captured|reflected|given|shown|depicted|expressed|stated|found) "
        r"(?:in|by|as) (?:the )?(?:option|choice|statement|caption|sentence) ",
        r"[\"'(\[]?\Z",
    ),
    _before(
        "aside",
        30,
        "It has whiskers (option B).",
        r"(?<!\b(?:of|at|to|in|by|as|on))(?<!\bfor)(?<!\b(?:with|than|like))\w[\"'.]? \("
        r"(?:i\.?e\.?,? |that is,? |answer |choice )?(?:the )?(?:option |choice |letter )?",
        r"\Z",
    ),
    _before("journey", 16, "From (a) to (B), the cup changed.", r"\bfrom (?:\(?[a-z]\)? to )?", r"\(?\Z"),
)


_WIDEST = max(phrase.window for phrase in BEFORE)
# One of these is in every phrase of the table: most mentions need no look at each of them.
_LEADS_UP = re.compile(
    r"but |next|first|second|third|then|as for|regarding|concerning|consider|look at|compare|on to| about"
    r"|start|check|take|mentioned|discussed|whether|if it|might|may|could|would|will|so |nor |neither|thought"
    r"|option|choice|statement|caption|sentence|\(|from",
    re.IGNORECASE,
)


def effects_before(text: str, start: int) -> Iterator[EffectBefore]:
    """The effects of the phrases that lead up to `text[start:]`."""
    if not _LEADS_UP.search(text, max(0, start - _WIDEST), start):
        return
    for phrase in BEFORE:
        if phrase.pattern.search(text, max(0, start - phrase.window), start):
            yield phrase.effect


_CLOSERS = r"[\"')\]]{0,2}"
_STOP = r"(?= ?(?:[.!,;\n]|\Z))"


def _after(effect: EffectAfter, example: str, pattern: str) -> After:
    return After(effect, example, re.compile(rf"{_CLOSERS}(?:{pattern})", re.IGNORECASE))


AFTER: tuple[After, ...] = (
    _after("good", "B it is.", rf" it (?:is|must be){_STOP}"),
    _after("end", "B it isn't.", rf" it (?:isn't|is not){_STOP}"),
    _after("good", "Only B is left.", rf" is (?:the only (?:one|option) )?left{_STOP}"),
    _after(
        "good",
        "B is the only possibility.",
        r" is the only (?:possibility|possible|choice|option|answer|candidate|plausible|sensible)\b",
    ),
    _after(
        "good",
        "B is the one.",
        r" is the one(?= ?(?:[.!,;(\n—-]|\Z|because|due|since|as\b|given|based|for\b|here))",
    ),
    _after(
        "good",
        "B makes the most sense.",
        r" (?:would |will )?makes? (?:(?:the )?(?:most|more|best|better|perfect) )?sense\b",
    ),
    _after(
        "good",
        "B is what I see.",
        r" is (?:what (?:i|we|you)(?:'d| would)? (?:see|say|think|get|go)"
        r"|my (?:final |best )?(?:choice|pick|selection|vote))\b",
    ),
    _after(
        "bad",
        "B makes no sense.",
        r" (?:makes? (?:no|little) sense|(?:is|are) far from|needs? to be |deserves? "
        r"|(?:is|are|seems?) (?:clearly |simply )?out of the question)",
    ),
    _after("bad", "B is out.", rf" (?:is|are) (?:crossed )?out{_STOP}"),
    _after(
        "bad",
        "B is tempting.",
        r" (?:is|was|seems|looks) (?:very |quite |also |only |often )?(?:tempting|similar|mentioned"
        r"|discussed|close|my (?:first|initial)|a (?:common|popular|frequent|classic))",
    ),
    _after(
        "bad",
        "B describes an animal.",
        r" describes "
        r"(?!(?:the|this) (?:image|picture|photo|scene|change|difference|animal)|it\b|this\b|what\b)",
    ),
    _after(
        "bad",
        "Bは正解ではない。",
        r" ?(?:は|が)?(?:正解|正しい|答え)?(?:では|じゃ)(?:ない|ありません)"
        r"|(?:는|은|가|이)? ?(?:정답이 )?(?:아닙니다|아니다|아니에요)",
    ),
    _after("reason", "B and not C.", r",? and (?:definitely |certainly |clearly )?(?:not|never)\b"),
    _after("reason", "B, because of the snout.", r", (?:because|since|as|due|given)\b"),
    # "A: Sorry, ..." opens with an A for answer.
    _after(
        "word",
        "B: Sorry, I can't see it.",
        r": ?(?:i|i'm|sorry|unable|unfortunately|cannot|can't|don't know|do not know)\b",
    ),
    _after(
        "idle",
        "Looks like B to me.",
        r",? (?:to me|for me|for sure|on this one|in this (?:case|image|picture|photo|scene)|here|then|though"
        r"|overall|if you ask me|by elimination"
        rf"|i(?:'d| would)? (?:think|guess|believe|suppose|say)){_STOP}",
    ),
)


_MAY_OPEN = frozenset(" \"')],:はがでじ는은가이아")


def effect_after(text: str, end: int) -> tuple[EffectAfter, int] | None:
    """The effect of the first phrase that follows `text[:end]`, and where the phrase ends."""
    if text[end : end + 1] not in _MAY_OPEN:
        return None
    for phrase in AFTER:
        if match := phrase.pattern.match(text, end):
            return phrase.effect, match.end()
    return None
