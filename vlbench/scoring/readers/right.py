"""What the words after a mention say about it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from vlbench.scoring.readers.lexicon import Word
from vlbench.scoring.readers.phrases import effect_after
from vlbench.scoring.readers.tokens import CROSSES, TICKS, TOKEN, classes, is_wide

WINDOW = 70  # characters after a mention that are looked at

RightKind = Literal[
    "end", "line", "stop", "comma", "dash", "colon", "bracket", "question", "reason", "or", "word"
]
Praise = Literal["good", "fits", "bad", ""]


@dataclass(slots=True)
class Right:
    """What follows a mention.

    `kind` is how its clause ends or goes on (`reason`: with a because or a but; `word`: with anything else).
    `praise` says whether the mention is called right, merely fitting, or wrong.
    """

    kind: RightKind = "end"
    praise: Praise = ""
    denied: bool = False  # something is denied of it: "B is not what I see"
    hedged: bool = False


_CLOSERS = frozenset("\"')]}>*\ue001")
_MARKS: dict[str, RightKind] = {
    **dict.fromkeys(".!;…", "stop"),
    **dict.fromkeys("—-", "dash"),
    **dict.fromkeys(":=|", "colon"),
    **dict.fromkeys("([", "bracket"),
    ",": "comma",
    "?": "question",
}
_OR = frozenset({"or", "oder", "ou", "или", "或", "或者", "还是", "または", "또는"})
_ONLY = frozenset({"only", "just", "merely"})
_YES, _NO = frozenset({"yes", "是", "是的"}), frozenset({"no"})
_CLAUSE_WORDS = frozenset({Word.REASON, Word.BUT, Word.SO, Word.NOT})


class _Walk:
    """A walk from a mention to the right, until its clause ends or says something unknown."""

    def __init__(self) -> None:
        self.right = Right()
        self.kind: RightKind | None = None
        self.turned = False
        self.linked = False
        self.asked = False
        self.itemised = False
        self.trailing = False
        self.compared = False
        self.denying = False

    def settle(self, kind: RightKind) -> None:
        """The first thing that says how the clause goes on decides."""
        self.kind = self.kind or kind

    def praise(self, praise: Praise) -> bool:
        """Ends the walk with praise, turned round by a negation before it."""
        if self.turned:
            praise = "bad" if praise != "bad" else ""
        self.right.praise = praise
        return False

    def end(self) -> Right:
        """The result; "A is" without anything after it was cut off."""
        self.right.denied = self.denying and self.turned and not self.right.praise
        self.right.kind = self.kind or ("word" if self.trailing else "end")
        return self.right

    def token(self, token: str) -> bool:
        """Takes a token of letters; False when the walk ends at it."""
        low = token.lower()
        if low in _ONLY:
            self.denying = False  # "is not only ..."
        if self.kind in {None, "comma"} and low in _OR:
            self.kind = "or"
            return False
        if (self.asked or self.itemised) and low in _YES | _NO:
            self.settle("word")
            return self.praise("good" if low in _YES else "bad")
        return all(self.word(word, low) for word in classes(token, backwards=False))

    def word(self, word: Word | None, low: str) -> bool:
        """Takes one word; False when the walk ends here."""
        if word is Word.LINK and low != "given":
            self.trailing = self.trailing or not is_wide(low[0])
        elif not (word is Word.NOUN and is_wide(low[0])):
            goes_on = (word in _CLAUSE_WORDS and low != "and") or (
                low in {"for", "as", "given"} and not self.trailing
            )
            self.settle("reason" if goes_on else "word")
        if self.asked:
            return False
        match word:
            case Word.GOOD:
                return self.praise("good")
            case Word.BAD | Word.DENIED:
                return self.praise("bad")
            case Word.KEY if self.linked or self.turned:
                return self.praise("good")
            case Word.FITS if self.compared:
                return self.praise("good")
            case Word.FITS:
                self.praise("fits")
                return not self.turned
            case Word.NOT if self.right.praise == "fits":
                return self.praise("bad")  # "passt nicht"
            case Word.NOT:
                self.turned = not self.turned
                self.denying = self.linked or low.endswith(("n't", "cannot"))
            case Word.MAYBE:
                self.right.hedged = True
            case Word.LINK:
                self.linked = True
                self.compared = self.compared or low in {"more", "most"}
            case Word.NOUN:
                pass
            case Word.PREP if self.linked and low in {"like", "to"}:
                pass  # "looks like the right one"
            case _:
                return False
        return True

    def mark(self, token: str) -> bool:
        """Takes one mark of punctuation; False when the walk ends here."""
        if token in _CLOSERS:
            self.itemised = self.itemised or token == ")"
            return True
        kind = _MARKS.get(token, "word")
        # "D it is." ends its clause; "D is, as …" does not.
        self.settle(kind if not self.trailing or kind == "stop" else "word")
        if kind == "question" and not self.linked:
            self.asked = True
            return True
        if kind in {"colon", "dash"}:
            self.itemised = self.linked = True
        return kind in {"colon", "dash", "bracket"}


_TICK = re.compile(rf"[\"').:\] —-]{{0,4}}(?:([{TICKS}])|[{CROSSES}])")
_TICK_OPENS_LINE = re.compile(f" ?[{TICKS}{CROSSES}]")


_VERDICT = re.compile(r"[.)\]:] ?([^\W\d_]+)(?= ?(?:[.,;:!\n—-]|\Z))")


def item_verdict(text: str, end: int) -> Praise:
    """The word of praise or blame that is all an item of a list says: "A. Wrong"."""
    said = _VERDICT.match(text, end)
    found = classes(said[1], backwards=False) if said else [None]
    if len(found) != 1:
        return ""
    return "good" if found[0] is Word.GOOD else "bad" if found[0] is Word.BAD else ""


def look_right(text: str, end: int) -> Right:
    """What follows `text[:end]`."""
    tick = _TICK.match(text, end)
    if tick and not _TICK_OPENS_LINE.match(text, text.rfind("\n", 0, end) + 1):
        return Right("line", "good" if tick[1] else "bad")
    effect, after = effect_after(text, end) or (None, end)
    match effect:
        case "good" | "bad":
            return Right("word", effect)
        case "end" | "reason" | "word":
            return Right(effect)
        case "idle":
            end = after
    walk = _Walk()
    for token in TOKEN.findall(text, end, end + WINDOW):
        if token[0] == "\n":
            walk.settle("word" if walk.trailing else "line")
            break
        if token[0].isalpha():
            going = walk.token(token)
        elif token[0].isdigit():
            walk.settle("word")
            going = False
        else:
            going = walk.mark(token)
        if not going:
            break
    return walk.end()
