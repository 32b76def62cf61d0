"""What the words before and after a place in the text say about it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from vlbench.scoring.readers.choices import is_wide
from vlbench.scoring.readers.lexicon import Word, peel_end, peel_start, words

LEFT_WINDOW, RIGHT_WINDOW = 100, 70
_WIDE = "\u2e80-\u9fff\uac00-\ud7af\u3040-\u30ff"
_TOKEN = re.compile(rf"[{_WIDE}]+|[^\W\d_{_WIDE}]+(?:'[^\W\d_{_WIDE}]+)*|\d+|\n+|[^\w\s]")
_SENTENCE_ENDS = frozenset(".!?;…")
_LEADS_ON = frozenset(":=>→")
_TICKS, _CROSSES = frozenset("✓✔✅☑👍"), frozenset("✗✘❌✕❎")

Edge = Literal["text", "line", "sentence", "comma", "inside"]
LeftKind = Literal["key", "so", "filler", "empty", "other"]
RightKind = Literal[
    "or", "end", "line", "stop", "comma", "dash", "colon", "question", "reason", "bracket", "word"
]
Praise = Literal["good", "fits", "bad", ""]


@dataclass(slots=True)
class Left:
    """What leads up to a mention.

    `kind` is `key` when a word of answering governs it, `so` for a conclusion, `filler` when its clause says
    nothing else, `empty` when it opens its clause, `other` when unknown words stand before it. `edge` is where
    that clause begins.
    """

    kind: LeftKind = "empty"
    edge: Edge = "text"
    negated: bool = False
    hedged: bool = False
    conditional: bool = False
    named: bool = False
    noun_only: bool = False
    prepared: bool = False
    by_noun: bool = False
    fits: bool = False
    first: str = ""
    ticked: bool = False
    by_subject: bool = False


@dataclass(slots=True)
class Right:
    """What follows a mention: how its clause goes on, and whether it is praised or blamed."""

    kind: RightKind = "end"
    praise: Praise = ""
    hedged: bool = False
    last: bool = False


def _classes(token: str, *, backwards: bool) -> list[Word | None]:
    if is_wide(token[-1] if backwards else token[0]):
        return peel_end(token) if backwards else peel_start(token)
    low, table = token.lower(), words()
    if low in table or "'" not in low:
        return [table.get(low)]
    before, _, after = low.rpartition("'")
    return [table.get(before if after == "s" else after)]  # "the answer's B"; French and Italian elide: "l'option"


class _LeftScan:
    """Walks from a mention to the left until the clause begins or an unknown word stops it."""

    def __init__(self) -> None:
        self.left = Left()
        self.seen = 0
        self.linked = False
        self.crossed_line = False
        self.at_colon: Left | None = None
        self.at_subject: Left | None = None
        self.previous = ""

    def copy(self, edge: Edge) -> Left:
        left = self.left
        return Left(
            "filler" if self.seen else "empty",
            edge,
            left.negated,
            left.hedged,
            left.conditional,
            left.named,
            left.noun_only,
            left.prepared,
        )

    def finish(self, edge: Edge) -> Left:
        left = self.left
        if self.crossed_line and left.kind != "key":
            return Left(edge="line")
        if left.kind == "empty" and self.seen:
            left.kind = "filler"
        left.edge = edge
        return left

    def word(self, word: Word | None) -> bool:
        """Takes one word; False when the walk ends here."""
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
                left.noun_only = self.seen == 0 and word is Word.NOUN
            case Word.PREP:
                left.prepared = True
            case Word.NOT | Word.BAD:
                left.negated = True
            case Word.MAYBE:
                left.hedged = True
            case Word.IF:
                left.conditional = self.previous not in _GUESSERS
            case Word.SO:
                left.kind = "so" if left.kind != "key" else "key"
                self.seen += 1
                return False
            case Word.LINK | Word.REASON:
                self.linked = True
            case _:
                return False
        if word is not Word.NOUN:
            left.noun_only = False
        self.seen += 1
        return True


def _stopped(scan: _LeftScan, word: Word | None) -> Left:
    """The result when a word ended the walk."""
    if word is Word.SO or scan.left.kind == "key":
        return scan.finish("inside")
    if word in {Word.BUT, Word.DENIED}:
        return scan.finish("comma")
    if scan.crossed_line:
        return Left(edge="line")
    if scan.at_colon is not None:
        return scan.at_colon
    if scan.at_subject is not None and not (scan.left.prepared or scan.left.conditional or scan.left.negated):
        return scan.at_subject
    scan.left.named = word is Word.PICTURE and scan.seen == 0
    scan.left.kind = "other"
    scan.left.edge = "inside"
    return scan.left


_TITLE = re.compile(r"\b(?:mr|mrs|ms|dr|prof|st)\. ?\Z", re.IGNORECASE)
_TICKED = re.compile(r"(?:\A|\n) ?(?:(\[[xX✓✔]\]|[✓✔✅☑])|(\[ ?\]|[✗✘❌✕❎☐])) ?(?:option )?[\"'(\[]?\Z")
_TICK_AFTER = re.compile(r"[\"').:\] —-]{0,4}(?:([✓✔✅☑👍])|([✗✘❌✕❎]))")
_TICK_OPENS_LINE = re.compile(r" ?[✓✔✅☑✗✘❌✕❎]")
_SUPPOSING = re.compile(
    r"\s*(?:so |then |but |and )?(?:(?:if|when|assuming|suppose|unless)\b(?! (?:i|we|you|one|i'm|forced|pressed|asked|needed|necessary|required|so|had|you're)\b)"
    r"|(?:wenn|falls|si|se|если|إذا)\b(?! (?:ich|man|je|tuviera|tengo|tuviese|devo|tivesse|dovessi|бы)\b)|如果(?!要|必须|非)|若|もし|만약)",
    re.IGNORECASE,
)


_GUESSERS = frozenset(["i", "we", "you", "one", "i'm", "forced", "pressed", "asked", "had"])


def is_denied(text: str, start: int) -> bool:
    """Whether a word of negation stands before `start` in the same clause, unknown words between or not."""
    for token in reversed(_TOKEN.findall(text, max(0, start - LEFT_WINDOW), start)):
        if token in ",;.!?" or token[0] == "\n":
            return False
        for word in _classes(token, backwards=True) if token[0].isalpha() else ():
            if word is Word.NOT:
                return True
            if word in {Word.BUT, Word.SO, Word.REASON}:
                return False
    return False


def _supposed(text: str, start: int) -> bool:
    """Whether the sentence opens with a condition ("If it has wings, the answer is C"), not with a guess."""
    begin = max(0, start - 2 * LEFT_WINDOW)
    cut = max((text.rfind(end, begin, start) for end in ".!?;\n"), default=-1)
    return (
        _SUPPOSING.match(text, cut + 1 if cut >= 0 else begin) is not None
        if cut >= 0 or begin == 0
        else False
    )


def look_left(text: str, start: int, *, letters: bool) -> Left:
    """What leads up to `text[start:]`; `letters` says that a picture's name cannot be a label here."""
    if _TITLE.search(text, max(0, start - 7), start):
        return Left("other", "inside")
    left = _walk_left(text, start, letters=letters)
    if ticked := _TICKED.search(text, max(0, start - 14), start):
        left.ticked, left.negated, left.kind = ticked[1] is not None, ticked[2] is not None, "empty"
    if left.kind != "other" and not left.conditional and _supposed(text, start):
        left.conditional = True
    return left


def _walk_left(text: str, start: int, *, letters: bool) -> Left:
    begin = max(0, start - LEFT_WINDOW)
    scan = _LeftScan()
    tokens = _TOKEN.findall(text, begin, start)
    for index in range(len(tokens) - 1, -1, -1):
        token = tokens[index]
        if token[0] == "\n":
            if scan.left.kind == "key" or scan.seen:
                return scan.finish("line")
            scan.crossed_line = True
        elif token in _LEADS_ON:
            scan.linked = True
            if scan.at_colon is None and scan.left.kind != "key":
                scan.at_colon = scan.copy("comma")
        elif token in _SENTENCE_ENDS:
            return scan.finish("sentence")
        elif token in ",—-" and token:
            follows_so = index > 0 and words().get(tokens[index - 1].lower()) is Word.SO
            if scan.crossed_line or (follows_so and token == ","):
                continue
            return scan.finish("comma")
        elif token[0].isalpha():
            if len(token) == 1 and "A" <= token <= "Z" and token != "I":
                return _stopped(scan, None)
            scan.previous, scan.left.first = scan.left.first, token.lower()
            if scan.left.first in {"it", "it's", "that's"} and scan.at_subject is None and scan.left.kind == "empty":
                scan.at_subject = scan.copy("comma")
                scan.at_subject.kind, scan.at_subject.by_subject = "filler", True
            for word in _classes(token, backwards=True):
                if word is Word.PICTURE and not letters:
                    word = Word.NOUN
                if not scan.word(word):
                    return _stopped(scan, word)
        elif token[0].isdigit():
            if index == 0 or tokens[index - 1][0] == "\n":
                return scan.finish("line")  # the number of a list item
            return _stopped(scan, None)
    return scan.finish("text" if begin == 0 else "inside")


_CLOSERS = frozenset("\"')]}>*\ue001")
_AFTER: dict[str, RightKind] = {
    ".": "stop",
    "!": "stop",
    ";": "stop",
    "…": "stop",
    ",": "comma",
    "—": "dash",
    "-": "dash",
    ":": "colon",
    "=": "colon",
    "?": "question",
    "(": "bracket",
    "[": "bracket",
}


_OR = frozenset("or oder ou или 或 或者 还是 または または 또는".split())


class _RightScan:
    """Walks from a mention to the right until its clause ends or says something unknown."""

    def __init__(self) -> None:
        self.right = Right()
        self.kind: RightKind | None = None
        self.turned = False
        self.linked = False
        self.asked = False
        self.itemised = False
        self.trailing = False

    def settle(self, kind: RightKind) -> None:
        if self.kind is None:
            self.kind = kind

    def praise(self, praise: Praise) -> None:
        if self.turned:
            praise = "bad" if praise != "bad" else ""
        self.right.praise = praise

    def word(self, word: Word | None, token: str) -> bool:
        """Takes one word; False when the walk ends here."""
        if self.kind in {None, "comma"} and token.lower() in _OR:
            self.kind = "or"
            return False
        if word is not Word.LINK:
            closes = word in {Word.REASON, Word.BUT, Word.SO, Word.NOT}
            closes = closes or (token.lower() in {"for", "as"} and not self.trailing)
            if not (word is Word.NOUN and is_wide(token[0])):
                self.settle("reason" if closes else "word")
        elif not is_wide(token[0]):
            self.trailing = True
        if self.itemised and token.lower() in {"yes", "no"}:
            self.praise("good" if token.lower() == "yes" else "bad")
            return False
        if self.asked:
            self.praise(
                "good" if token.lower() in {"yes", "是", "是的"} else "bad" if token.lower() == "no" else ""
            )
            return False
        match word:
            case Word.GOOD:
                self.praise("good")
            case Word.FITS:
                self.praise("fits")
                return not self.turned
            case Word.BAD | Word.DENIED:
                self.praise("bad")
            case Word.KEY if self.linked:
                self.praise("good")
            case Word.NOT:
                self.turned = not self.turned
                return True
            case Word.MAYBE:
                self.right.hedged = True
                return True
            case Word.LINK:
                self.linked = True
                return True
            case Word.NOUN:
                return True
            case _:
                return False
        return False

    def mark(self, token: str) -> bool:
        """Takes one mark of punctuation; False when the walk ends here."""
        if token in _TICKS or token in _CROSSES:
            self.right.praise = "good" if token in _TICKS else "bad"
            return False
        if token in _CLOSERS:
            self.itemised = self.itemised or token == ")"
            return True
        kind = _AFTER.get(token, "word")
        # "D it is." ends its clause; "D is, as …" does not.
        self.settle(kind if not self.trailing or kind == "stop" else "word")
        if kind == "question" and not self.linked:
            self.asked = True
            return True
        self.itemised = self.itemised or kind in {"colon", "dash"}
        self.linked = self.linked or kind in {"colon", "dash"}
        return kind in {"colon", "dash", "bracket"}


def look_right(text: str, end: int) -> Right:
    """What follows `text[:end]`."""
    scan = _RightScan()
    tick = _TICK_AFTER.match(text, end)
    if tick and not _TICK_OPENS_LINE.match(text, text.rfind("\n", 0, end) + 1):
        return Right("line", "good" if tick[1] else "bad")
    for token in _TOKEN.findall(text, end, end + RIGHT_WINDOW):
        if token[0] == "\n":
            scan.settle("word" if scan.trailing else "line")
            break
        if token[0].isalpha():
            going = all(scan.word(word, token) for word in _classes(token, backwards=False))
        elif token[0].isdigit():
            scan.settle("word")
            going = False
        else:
            going = scan.mark(token)
        if not going:
            break
    scan.right.kind = scan.kind or ("word" if scan.trailing else "end")
    return scan.right
