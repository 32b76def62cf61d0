"""What the words before a mention say about it."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Literal

from vlbench.scoring.readers.lexicon import Word, words
from vlbench.scoring.readers.phrases import EffectBefore, effects_before, paraphrased
from vlbench.scoring.readers.tokens import CROSSES, TICKS, TOKEN, classes

WINDOW = 100  # characters before a mention that are looked at

Edge = Literal["text", "line", "sentence", "comma", "inside"]
LeftKind = Literal["key", "so", "filler", "empty", "other"]


@dataclass(slots=True)
class Left:
    """What leads up to a mention.

    `kind` is `key` when a word of answering governs it, `so` for a conclusion, `filler` when its clause says
    nothing else, `empty` when it opens its clause, `other` when unknown words stand before it. `edge` is
    where that clause begins.
    """

    kind: LeftKind = "empty"
    edge: Edge = "text"
    negated: bool = False
    hedged: bool = False
    conditional: bool = False  # behind "if"
    named: bool = False  # "image B": the letter is the name of something else
    noun_only: bool = False  # "option B" and nothing more
    by_noun: bool = False  # the key is such a noun: "option: B"
    by_subject: bool = False  # the clause begins with "it" in the middle of a sentence
    prepared: bool = False  # behind a preposition
    fits: bool = False  # behind "matches" or "fits"
    copula: bool = False  # "the metal is B"
    former: bool = False  # "my first guess was B"
    likewise: bool = False  # "and so is B"
    in_turn: bool = False  # "next, option B", "consider B"
    aside: bool = False  # in brackets of its own behind other words: "has whiskers (option A)"
    ticked: bool = False
    also: bool = False  # "it is also B"
    first: str = ""  # the leftmost word looked at


_LEADS_ON = ":=>→|"
_SENTENCE_ENDS = ".!?;…"
_PAUSES = ",—-"
_SUBJECTS = frozenset({"it", "it's", "that's"})
_ARTICLES = frozenset({"the", "a", "an", "la", "le", "el", "die", "der", "das"})
_COPULAS = frozenset({"is", "are", "was", "ist", "est", "es", "é", "è", "это"})
_FORMER = frozenset(
    {"first", "initial", "initially", "original", "originally", "previous", "previously", "earlier"}
)
_MODALS = frozenset({"would", "might", "could", "may", "will"})
_ALSO = frozenset({"also", "auch", "aussi", "également", "también", "também", "anche", "также"})
_SEEMS = frozenset({"looks", "look", "seems", "seem", "sounds", "appears"})
_GUESSERS = frozenset({"i", "we", "you", "one", "i'm", "forced", "pressed", "asked", "had"})


class _Walk:
    """A walk from a mention to the left, until its clause begins or an unknown word stops it."""

    def __init__(self, *, letters: bool) -> None:
        self.left = Left()
        self.letters = letters
        self.seen = 0
        self.linked = False
        self.crossed_line = False
        self.after_copula = False
        self.at_colon: Left | None = None
        self.at_subject: Left | None = None
        self.previous = ""

    def begins(self, edge: Edge) -> Left:
        """The result when the clause begins here."""
        if self.crossed_line and self.left.kind != "key":
            return Left(edge="line")
        if self.left.kind == "empty" and self.seen:
            self.left.kind = "filler"
        self.left.edge = edge
        return self.left

    def stops(self, word: Word | None) -> Left:
        """The result when `word` says something of its own."""
        left = self.left
        if left.kind == "key" and word is None and self.previous in _MODALS:
            left.kind, left.edge, left.in_turn = "other", "inside", True  # "some people would choose B"
            return left
        if word is Word.SO or left.kind == "key":
            return self.begins("inside")
        if word in {Word.BUT, Word.DENIED}:
            return self.begins("comma")
        if self.crossed_line:
            return Left(edge="line")
        if self.at_colon is not None:
            return self.at_colon
        if self.at_subject is not None and not (left.prepared or left.conditional or left.negated):
            self.at_subject.hedged = left.hedged
            return self.at_subject
        left.named = word is Word.PICTURE and self.seen == 0
        left.kind, left.edge, left.copula = "other", "inside", self.after_copula
        return left

    def colon(self) -> None:
        """Passes a colon: it leads on from a key, and else begins the clause."""
        self.linked = True
        if self.at_colon is None and self.left.kind != "key":
            self.at_colon = replace(self.left, kind="filler" if self.seen else "empty", edge="comma")

    def token(self, token: str) -> Left | None:
        """Takes a token of letters; the result when the walk ends at it."""
        if len(token) == 1 and "A" <= token <= "Z" and token != "I":
            return self.stops(None)
        low, previous = token.lower(), self.left.first
        self.previous = previous
        is_named = previous in _ARTICLES or self.left.noun_only
        if not self.after_copula and (self.seen == 0 or is_named):
            self.after_copula = low in _COPULAS
        self.left.also = self.left.also or low in _ALSO
        if previous == "like" and low in _SEEMS:
            self.left.prepared = False
        self.left.former = self.left.former or (low in _FORMER and self.left.kind == "key")
        self.left.first = low
        is_subject = low in _SUBJECTS and (self.seen > 0 or "'" in low)
        if is_subject and self.at_subject is None and self.left.kind == "empty":
            self.at_subject = replace(self.left, kind="filler", edge="comma", by_subject=True)
        for word in classes(token, backwards=True):
            if word is Word.IF:
                self.left.conditional = previous not in _GUESSERS
            known = Word.NOUN if word is Word.PICTURE and not self.letters else word
            if not self.word(known):
                return self.stops(known)
        return None

    def word(self, word: Word | None) -> bool:
        """Takes one word; False when it ends the walk."""
        left = self.left
        match word:
            case Word.KEY:
                left.kind, left.by_noun = "key", False
            case Word.NOUN if self.crossed_line:
                return False
            case Word.NOUN if self.linked and left.kind == "empty":
                left.kind, left.by_noun = "key", True
            case Word.NOUN | Word.GOOD | Word.FITS:
                left.fits = left.fits or word is Word.FITS
                left.by_noun = left.by_noun and word is not Word.GOOD  # "the correct option is"
                left.noun_only = self.seen == 0 and word is Word.NOUN
            case Word.HINT:
                left.fits = True
            case Word.PREP:
                left.prepared = True
            case Word.NOT | Word.BAD:
                left.negated = True
            case Word.MAYBE:
                left.hedged = True
            case Word.SO:
                left.kind = "key" if left.kind == "key" else "so"
                self.seen += 1
                return False
            case Word.LINK | Word.REASON:
                self.linked = True
            case Word.IF:
                pass
            case _:
                return False
        left.noun_only = left.noun_only and word is Word.NOUN
        self.seen += 1
        return True


def _walk(text: str, start: int, *, letters: bool) -> Left:
    begin = max(0, start - WINDOW)
    walk, tokens = _Walk(letters=letters), TOKEN.findall(paraphrased(text[begin:start]))
    for index in range(len(tokens) - 1, -1, -1):
        token = tokens[index]
        if token[0] == "\n":
            if walk.seen:
                return walk.begins("line")
            walk.crossed_line = True
        elif token in _LEADS_ON:
            walk.colon()
        elif token in _SENTENCE_ENDS:
            return walk.begins("sentence")
        elif token in _PAUSES:
            after_so = index > 0 and words().get(tokens[index - 1].lower()) is Word.SO
            if not (walk.crossed_line or (token == "," and after_so)):
                return walk.begins("comma")
        elif token[0].isalpha():
            if (stopped := walk.token(token)) is not None:
                return stopped
        elif token[0].isdigit():
            opens_item = index == 0 or tokens[index - 1][0] == "\n"
            return walk.begins("line") if opens_item else walk.stops(None)
    return walk.begins("text" if begin == 0 else "inside")


_TITLE = re.compile(r"\b(?:mr|mrs|ms|dr|prof|st)\. ?\Z", re.IGNORECASE)
_TICKED = re.compile(
    rf"(?:\A|\n) ?(?:([(\[][xX✓✔][)\]]|[{TICKS}])|([(\[] ?[)\]]|[{CROSSES}☐])) ?(?:option )?[\"'(\[]?\Z"
)
# "If I had to guess" is the opposite of a condition.
_SUPPOSING = re.compile(
    r"\s*(?:so |then |but |and )?(?:"
    r"(?:let's )?(?:if|when|assum(?:e|ing)|suppos(?:e|ing)|imagine|unless|in case)\b"
    r"(?! (?:i|we|you|one|i'm|you're|forced|pressed|asked|needed|necessary|required|so|had)\b)"
    r"|(?:wenn|falls|si|se|если|إذا)\b(?! (?:ich|man|je|tuviera|tengo|tuviese|devo|tivesse|dovessi|бы)\b)"
    r"|如果(?!要|必须|非)|若|もし|만약)",
    re.IGNORECASE,
)


def _clause_start(text: str, begin: int, start: int) -> int:
    """Where the sentence around `start` opens; 0 when no end of another was found after `begin`."""
    stop, line = text.rfind(".", begin, start), text.rfind("\n", begin, start)
    other = max(text.rfind("!", begin, start), text.rfind("?", begin, start), text.rfind(";", begin, start))
    return max(stop, line, other) + 1


def _is_supposed(text: str, start: int) -> bool:
    """Whether the sentence opens with a condition: "If it has wings, the answer is C"."""
    begin = max(0, start - 2 * WINDOW)
    opened = _clause_start(text, begin, start)
    if not opened and begin:
        return False
    return _SUPPOSING.match(text, opened) is not None


def _take_effect(left: Left, effect: EffectBefore, text: str, start: int) -> None:
    match effect:
        case "denied":
            left.negated = True
        case "in turn":
            left.kind, left.in_turn = "other", True
        case "likewise":
            left.kind, left.likewise = "other", True
        case "former":
            left.former = True
        case "fits":
            left.fits = True
        case "aside" if left.kind != "key":
            left.aside, left.negated = True, left.negated or is_denied(text, start)
        case "journey" if left.kind != "key":
            left.named = True


def look_left(text: str, start: int, *, letters: bool) -> Left:
    """What leads up to `text[start:]`; `letters` says that a picture's name cannot be a label here."""
    if _TITLE.search(text, max(0, start - 7), start):
        return Left("other", "inside")
    left = _walk(text, start, letters=letters)
    if ticked := _TICKED.search(text, max(0, start - 14), start):
        left.ticked, left.negated, left.kind = ticked[1] is not None, ticked[2] is not None, "empty"
    if left.by_subject and is_denied(text, start):
        left.negated = True  # "there is no way it's B"
    for effect in effects_before(text, start):
        _take_effect(left, effect, text, start)
    if _is_supposed(text, start):
        left.conditional = True
    return left


# Written without blanks, a negation is found amid unknown words.
_DENIED_WIDE = re.compile("没有?|沒有?|不是|并非|不存在|不可能|不像|不属于|看不到|看不见")


def is_denied(text: str, start: int) -> bool:
    """Whether a negation stands before `start` in its clause, whatever words stand between."""
    for token in reversed(TOKEN.findall(text, max(0, start - WINDOW), start)):
        if token in ",;.!?" or token[0] == "\n":
            return False
        if _DENIED_WIDE.search(token):
            return True
        for word in classes(token, backwards=True) if token[0].isalpha() else ():
            if word is Word.NOT:
                return True
            if word in {Word.BUT, Word.SO, Word.REASON}:
                return False
    return False
