"""From the mentions of one reply to the option it commits to, or the reason why there is none."""

from __future__ import annotations

import re
from dataclasses import dataclass

from vlbench.scoring.readers.choices import Choices
from vlbench.scoring.readers.left import is_denied
from vlbench.scoring.readers.lexicon import failure_in, refusal_in
from vlbench.scoring.readers.mention import Mention
from vlbench.scoring.readers.mentions import boxes, mentions
from vlbench.scoring.readers.reading import EDGES, Reading, whole_reading
from vlbench.scoring.readers.rule import Rank, Rule
from vlbench.scoring.readers.rules import rule_for

_RETRACTED = re.compile(
    r"\b(?:wait\b|hold on\b|scratch that|correction\b|on second thoughts?"
    r"|let me (?:reconsider|re-?check|re-?think|double.check)|actually,? (?:no|that|it|i)\b"
    r"|no,? (?:that|it) (?:is|was) (?:wrong|not)|that(?: is| was|'s) (?:wrong|incorrect|not right)"
    r"|i (?:was|am) wrong|(?:sorry,? )?i meant\b|i made an? (?:mistake|error))"
    r"|\bbut no[,:.!]|[.!?,\n—-] ?no, (?:wait|it|the|[A-Z]\b)|等等|不对[,，]|不對[,，]",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Commitment:
    """A mention with the rule that classified it."""

    mention: Mention
    rule: Rule

    @property
    def rank(self) -> Rank:
        return self.rule.rank


def _is_item(mention: Mention, listed_before: int) -> bool:
    """Whether a mention can be an item of a restated list of options: "A. Cat", "(A) Cat", "A: whiskers"."""
    if mention.form != "label" or len(mention.labels) != 1:
        return False
    left, right = mention.left, mention.right
    opens = left.kind in {"empty", "other"} or left.noun_only or left.by_noun
    if right.praise == "bad" or left.negated or not opens:
        return False
    if mention.with_text or mention.bracketed:
        return True
    if left.kind == "other" and left.edge != "comma" and right.kind == "stop":
        return False  # "compare it with B."
    if left.edge == "comma" and right.kind == "stop" and listed_before < 2:
        return False  # "A. No, B."
    return right.kind in {"colon", "stop", "dash", "bracket"}


def _listed(found: list[Mention], options: Choices) -> set[int]:
    """Indices of the labels of a restated list of options: in their order, from the first one on."""
    order, run, listed = options.labels, list[int](), set[int]()
    for index, mention in enumerate(found):
        if not _is_item(mention, len(run)):
            continue
        if mention.labels[0] == order[len(run)]:
            run.append(index)
        elif mention.labels[0] == order[0]:
            run = [index]
        if len(run) >= 2:
            listed.update(run)
        if len(run) == len(order):
            run = []
    return listed


_KEY_ENDS = re.compile(r"[\"'] ?:")


def _json_keys(text: str, found: list[Mention]) -> set[int]:
    """Indices of the labels that are keys of an object: `{"A": "…", "B": "…"}`; one alone is an answer."""
    if '":' not in text and "':" not in text:
        return set()
    keys = {index for index, mention in enumerate(found) if _KEY_ENDS.match(text, mention.end)}
    return keys if len(keys) > 1 else set()


_OUTSIDE_OPTIONS = frozenset({"declared", "boxed", "hedged", "alone", "opening"})


_SENTENCE_END = re.compile(r"[.!?;\n]")


def _goes_through(text: str, before: list[Mention], mention: Mention) -> bool:
    """Whether a sentence that goes through the options was cut off here: "A shows a cat, B a dog, C"."""
    last = next((other for other in reversed(before) if other.form == "label"), None)
    if last is None or mention.form != "label" or mention.left.edge != "comma" or mention.right.kind != "end":
        return False
    is_subject = last.right.kind == "word" and _is_discussed(last)
    return is_subject and _SENTENCE_END.search(text, last.end, mention.start) is None


def _commitments(text: str, found: list[Mention], options: Choices) -> list[Commitment]:
    """Every commitment in the order of the text, without those of restated lists."""
    keys = _json_keys(text, found)
    listed = _listed(found, options) | keys
    commitments = list[Commitment]()
    for index, mention in enumerate(found):
        rule = rule_for(mention)
        if rule is None or rule.rank is Rank.NONE:
            continue
        is_place = rule.rank < Rank.HEDGED or mention.left.by_noun or index in keys
        if index in listed and is_place and rule.name != "praised":
            continue
        if rule.name == "closing" and _goes_through(text, found[:index], mention):
            continue
        if mention.alias and mention.isolated and rule.rank < Rank.HEDGED:
            continue  # "1" for the first picture must be declared
        if mention.offered or rule.name in _OUTSIDE_OPTIONS:
            commitments.append(Commitment(mention, rule))
    return commitments


def _boxed(text: str, options: Choices) -> list[Mention]:
    """What the boxes of the text commit to; a box that holds no option is no commitment."""
    found = list[Mention]()
    for box in boxes(text):
        start, end, content = *box.span(1), box[1]
        bare = content.strip(EDGES)
        if not bare:
            continue
        reading = decide(content, options, cut=False)
        if reading.label is not None:
            found.append(Mention(start + reading.start, start + reading.end, (reading.label,), "box"))
        elif (
            options.letters
            and bare.isascii()
            and bare.isalpha()
            and bare.isupper()
            and len(bare) <= len(options.labels)
        ):
            found.append(Mention(start, end, tuple(dict.fromkeys(bare)), "box", offered=False))
        elif any(len(mention.labels) > 1 for mention in mentions(content, options)):
            found.append(Mention(start, end, options.labels, "box"))
    return found


def _chosen(commitments: list[Commitment]) -> Commitment | None:
    """The last one of the highest rank."""
    if not commitments:
        return None
    best = max(commitment.rank for commitment in commitments)
    return [commitment for commitment in commitments if commitment.rank == best][-1]


def _after_retraction(text: str, commitments: list[Commitment]) -> tuple[Commitment | None, bool]:
    """The deciding commitment, and whether one was withdrawn and none made since."""
    chosen = _chosen(commitments)
    while chosen is not None:
        withdrawn = list(_RETRACTED.finditer(text, chosen.mention.end))
        if not withdrawn:
            return chosen, False
        commitments = [c for c in commitments if c.mention.start >= withdrawn[-1].start()]
        chosen = _chosen(commitments)
    return None, True


def _in_question(text: str, mention: Mention) -> bool:
    end = _SENTENCE_END.search(text, mention.end)
    return end is not None and end[0] == "?" and mention.right.kind == "word"


def _sole_text(text: str, found: list[Mention]) -> Reading:
    """The only option whose text the reply states, when it discusses no label and declines nothing."""
    discussed = any(_is_discussed(m) for m in found)
    stated = [
        m
        for m in found
        if m.form == "text" and not m.isolated and rule_name(m) not in {"rejected", "supposed", "asked"}
    ]
    stated = [m for m in stated if m.right.kind != "or" and not is_denied(text, m.start)]
    stated = [m for m in stated if not _in_question(text, m)]
    direct = [m for m in stated if not m.alias] or stated
    labels = {label for m in direct for label in m.labels}
    if len(labels) != 1 or discussed:
        several = len(labels) > 1
        return Reading(
            reason="several options are named and none is chosen" if several else "no option is stated"
        )
    last = direct[-1]
    lowered = text.lower()
    refusal = refusal_in(lowered[: last.start] + " " * (last.end - last.start) + lowered[last.end :])
    if refusal or failure_in(lowered):
        return Reading(reason="an option is named in a refusal")
    return Reading(last.labels[0], "sole text", last.start, last.end)


def _is_discussed(mention: Mention) -> bool:
    """Whether a sentence goes on about the option itself: "Option A says …"."""
    if mention.form != "label" or not mention.offered or rule_for(mention) is not None:
        return False
    return mention.left.kind in {"empty", "filler"} and mention.right.kind in {"word", "colon"}


def rule_name(mention: Mention) -> str:
    """The name of the rule that fits, empty for none."""
    rule = rule_for(mention)
    return rule.name if rule else ""


def _reading(commitment: Commitment, commitments: list[Commitment], found: list[Mention]) -> Reading:
    mention = commitment.mention
    if commitment.rank is Rank.TENTATIVE:
        named = [m for m in found if m.form == "label" and rule_name(m) not in {"rejected", "supposed"}]
        considered = [*named, *(other.mention for other in commitments)]
        if len({label for other in considered for label in other.labels}) > 1:
            return Reading(reason="several options are considered and none is chosen")
    if mention.left.also or commitment.rank is Rank.HEDGED:
        others = {
            label for other in commitments if other.rank == commitment.rank for label in other.mention.labels
        }
        if len(others) > 1:
            return Reading(reason="several options are offered and none is chosen")
    if commitment.rule.name == "praised":
        rivals = {
            label for other in commitments if other.rule.name == "praised" for label in other.mention.labels
        }
        if len(rivals) > 1:
            return Reading(reason="several options are called right")
    if mention.right.kind == "or" and commitment.rank is not Rank.PLACE:
        return Reading(reason="another option is offered in the same breath")
    if len(mention.labels) > 1:
        return Reading(reason=f"{' and '.join(mention.labels[:4])} are named together")
    if not mention.labels or not mention.offered:
        return Reading(reason="the label named is not offered")
    label = mention.labels[0]
    if any(m.start >= mention.end and m.right.praise == "bad" and label in m.labels for m in found):
        return Reading(reason=f"{label} is named and then called wrong")
    return Reading(label, commitment.rule.name, mention.start, mention.end)


def decide(text: str, options: Choices, *, cut: bool) -> Reading:
    """The reading of reduced text; `cut` says that it was cut off, so a mere mention decides nothing."""
    if whole := whole_reading(text, options):
        return whole
    found = mentions(text, options)
    boxed = _boxed(text, options)
    if boxed:
        inside = [(m.start, m.end) for m in boxed]
        found = [m for m in found if not any(begin <= m.start < end for begin, end in inside)]
        found = sorted([*found, *boxed], key=lambda mention: mention.start)
    commitments = _commitments(text, found, options)
    chosen, withdrawn = _after_retraction(text, commitments)
    if chosen is not None:
        return _reading(chosen, commitments, found)
    if withdrawn and commitments:
        return Reading(reason="the answer is withdrawn and no other is given")
    if cut:
        return Reading(reason="no label is committed")
    return _sole_text(text, found)
