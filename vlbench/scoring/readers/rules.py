"""The grammar of commitments: one ordered table.

Every mention of an option is classified by the first rule that fits it. A rule either commits the reply to
what is mentioned, with a rank, or says that the mention is none. The last commitment of the highest rank
decides. The examples of each rule are its tests; their options are `EXAMPLE_OPTIONS`.
"""

from __future__ import annotations

from vlbench.scoring.readers.mention import Mention
from vlbench.scoring.readers.rule import Rank, Rule

EXAMPLE_OPTIONS = {"A": "Cat", "B": "Dog", "C": "Bird", "D": "Fish"}

_QUESTION_OPENERS = frozenset(
    {"is", "are", "was", "could", "would", "can", "might", "should", "does", "do", "did", "will", "may"}
    | {"what", "why", "how", "which", "whether", "ist", "est", "es", "é", "это"}
)
_WH = frozenset({"what", "why", "how", "whether"})
_CLOSED = frozenset({"end", "line", "stop", "reason", "dash", "bracket"})


def _rejected(mention: Mention) -> bool:
    return mention.left.negated or mention.right.denied or mention.right.praise == "bad"


def _supposed(mention: Mention) -> bool:
    return mention.left.conditional or mention.left.named or mention.left.in_turn


def _questioned(mention: Mention) -> bool:
    return mention.right.kind == "question" and not mention.right.praise and mention.left.kind != "other"


def _asked(mention: Mention) -> bool:
    return _questioned(mention) and mention.left.first in _QUESTION_OPENERS


def _former(mention: Mention) -> bool:
    return mention.left.former


def _boxed(mention: Mention) -> bool:
    return mention.form == "box"


def _hedged(mention: Mention) -> bool:
    return (mention.left.hedged and mention.left.kind == "key") or (
        mention.right.hedged and mention.right.praise == "good"
    )


def _declared(mention: Mention) -> bool:
    if mention.left.kind != "key":
        return False
    return mention.form == "label" or not mention.left.by_noun or mention.right.kind in _CLOSED


def _praised(mention: Mention) -> bool:
    return mention.right.praise == "good" or mention.left.ticked


def _closed(mention: Mention) -> bool:
    is_text = mention.with_text or (mention.form == "text" and not mention.isolated)
    return is_text or mention.right.kind in _CLOSED


def _concluded(mention: Mention) -> bool:
    return (
        mention.left.kind == "so"
        and not mention.left.hedged
        and (_closed(mention) or mention.right.kind == "comma")
    )


def _clause(mention: Mention) -> bool:
    left, right = mention.left, mention.right
    if left.kind != "filler" or left.hedged or left.prepared or (left.by_subject and mention.form == "text"):
        return False
    if left.first in _WH:
        return False
    if not left.noun_only:
        return _closed(mention) or right.kind == "comma"
    if right.kind == "word":
        return False  # "Option B: Dog has …"
    # "… a tail. Option B" without a full stop was cut off before it said anything about B.
    return _closed(mention) and not (left.edge in {"sentence", "inside"} and right.kind == "end")


def _alone(mention: Mention) -> bool:
    return mention.alone


def _opening(mention: Mention) -> bool:
    if mention.left.kind != "empty" or mention.left.edge != "text":
        return False
    if mention.form == "text":
        return mention.right.kind in {"stop", "comma", "line", "dash", "end"}
    return _closed(mention) or mention.right.kind in {"comma", "colon"}


def _closing(mention: Mention) -> bool:
    left, right = mention.left, mention.right
    if left.kind == "empty" and left.edge in {"comma", "sentence"}:
        return right.kind in {"end", "line", "stop"} and not mention.dangling and len(mention.labels) == 1
    return left.kind == "filler" and left.prepared and left.edge == "text" and right.kind == "end"


def _bracket_ends(mention: Mention) -> bool:
    return mention.form == "label" and mention.right.kind in {"end", "line", "stop"}


def _tentative(mention: Mention) -> bool:
    left, right = mention.left, mention.right
    hedged = left.hedged and left.kind in {"filler", "so"} and (_closed(mention) or right.kind == "comma")
    named = left.copula and mention.form == "label" and right.kind in {"end", "line", "stop"}
    aside = (
        (left.aside or mention.text_first)
        and left.kind in {"other", "filler", "empty"}
        and _bracket_ends(mention)
    )
    return hedged or named or aside or right.praise == "fits" or (left.fits and _closed(mention))


RULES: tuple[Rule, ...] = (
    Rule(
        "rejected",
        Rank.NONE,
        "A mention that is negated, ruled out or called wrong commits to nothing.",
        _rejected,
        (("The answer can't be B.", None), ("A and B are wrong, so C.", "C"), ("It is not a bird.", None)),
    ),
    Rule(
        "supposed",
        Rank.NONE,
        "A mention behind 'if' or 'consider', or the name of a picture or a vitamin, commits to nothing.",
        _supposed,
        (("If the answer is A then it has fur.", None), ("Vitamin A is good for the eyes.", None)),
    ),
    Rule(
        "boxed",
        Rank.STATED,
        "What stands in \\boxed{} or <answer></answer>, when it is an option.",
        _boxed,
        (
            ("\\boxed{B}", "B"),
            ("<answer>Dog</answer>", "B"),
            ("\\boxed{AB}", None),
            ("Hm. \\boxed{E = mc^2}", None),
        ),
    ),
    Rule(
        "asked",
        Rank.NONE,
        "A question about an option is no answer, unless a yes or a no follows.",
        _asked,
        (("Is it A? No. Is it B? Yes.", "B"), ("Could it be B?", None)),
    ),
    Rule(
        "questioned",
        Rank.TENTATIVE,
        "A mention with a question mark; it must be the only one.",
        _questioned,
        (("Hmm, B?", "B"), ("A? B? C?", None)),
    ),
    Rule(
        "former",
        Rank.TENTATIVE,
        "An answer called the first or the initial one; it must be the only one.",
        _former,
        (("My first guess is B.", "B"), ("My initial answer was B, but now I believe it is A.", "A")),
    ),
    Rule(
        "hedged",
        Rank.HEDGED,
        "A declared answer behind 'might be' or 'could be'.",
        _hedged,
        (
            ("The answer might be B.", "B"),
            ("The answer could be A. Having looked again, the answer is C.", "C"),
        ),
    ),
    Rule(
        "declared",
        Rank.STATED,
        "A word of answering leads to the mention through joining words only, in any of the languages known.",
        _declared,
        (
            ("Answer: B", "B"),
            ("I would go with D.", "D"),
            ("La respuesta correcta es la C.", "C"),
            ("故选（A）", "A"),
            ("The answer is A or B", None),
            ("The answer is E.", None),
        ),
    ),
    Rule(
        "praised",
        Rank.STATED,
        "The mention is called right, true or the answer.",
        _praised,
        (("D is the right choice here.", "D"), ("A: incorrect. B: correct.", "B"), ("B选项正确", "B")),
    ),
    Rule(
        "concluded",
        Rank.STATED,
        "'so', 'therefore', 'hence' and their like lead to the mention.",
        _concluded,
        (("It has a snout, so B.", "B"), ("Therefore, A.", "A")),
    ),
    Rule(
        "clause",
        Rank.CLAUSE,
        "A clause that says nothing but the mention: 'I think it is B', 'option c', 'È la A'.",
        _clause,
        (
            ("I think B", "B"),
            ("It must be (C).", "C"),
            ("Fur and a tail. Option B", None),
            ("It's a dog", "B"),
        ),
    ),
    Rule(
        "alone",
        Rank.PLACE,
        "A line that holds nothing else.",
        _alone,
        (("The ears hang down.\n\nB", "B"), ("C\nC", "C"), ("**B.** Dog", "B")),
    ),
    Rule(
        "opening",
        Rank.PLACE,
        "The reply opens with the mention and then explains.",
        _opening,
        (
            ("C. The wings are clearly visible.", "C"),
            ("B because of the snout", "B"),
            ("A person walks a horse.", None),
        ),
    ),
    Rule(
        "closing",
        Rank.PLACE,
        "A clause of its own at the end of a sentence.",
        _closing,
        (("Based on the image, D", "D"), ("I cannot see the image, but if I had to guess, B.", "B")),
    ),
    Rule(
        "tentative",
        Rank.TENTATIVE,
        "A hedged clause, weak praise ('fits'), 'the metal is E', '… (option A)'; it must be the only one.",
        _tentative,
        (
            ("Maybe C", "C"),
            ("The highest point is D.", "D"),
            ("It has whiskers (A).", "A"),
            ("Maybe it is A. Maybe it is B.", None),
        ),
    ),
)


STATING = frozenset(rule.name for rule in RULES if rule.rank is Rank.STATED)

# What follows the name of a rule when the middle of a long reply was not read.
WINDOWED = ", head and tail"
_WINDOWED_DOC = " Only the head and the tail of the reply were read, for it is long."

_WHOLE_REPLY = {
    "bare": "The whole reply is one label.",
    "whole text": "The whole reply is one option's text.",
    "sole text": "Nothing is committed, but the reply states exactly one option's text and does not deny it.",
}


def rule_for(mention: Mention) -> Rule | None:
    """The first rule that fits, None when the mention is merely a mention."""
    return next((rule for rule in RULES if rule.fits(mention)), None)


def doc_of(name: str) -> str:
    """What the rule called `name` in an answer says; empty for a name of another reader."""
    own = name.removesuffix(WINDOWED)
    doc = _WHOLE_REPLY.get(own) or next((rule.doc for rule in RULES if rule.name == own), "")
    return doc + _WINDOWED_DOC if doc and own != name else doc
