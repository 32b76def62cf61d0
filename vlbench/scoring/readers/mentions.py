"""Every place where a reply names an option, joined where they belong together, with the words around it."""

from __future__ import annotations

import re

from vlbench.scoring.readers.choices import Choices, lowered
from vlbench.scoring.readers.labels import labels
from vlbench.scoring.readers.left import Left, is_denied, look_left
from vlbench.scoring.readers.mention import Mention
from vlbench.scoring.readers.normalise import CLOSE, OPEN
from vlbench.scoring.readers.option_texts import option_texts
from vlbench.scoring.readers.right import item_verdict, look_right

LONGEST_JOIN = 24
_BRACKETS = r"[\s\"'()\[\]]*"
_JOIN_WORDS = "and|or|nor|and/or|as well as|versus|soit|und|oder|noch|et|ou|y|o|e|и|или|ни|и/или|và|dan|atau"
_JOIN_WORDS += "|および|または"
_JOIN = re.compile(
    rf"{_BRACKETS}(?:(?:[?!…]|\.{{1,3}}) (?:or|oder|ou|o|или) "
    rf"|,|->|→|=>|⇒|/|&|\+|\||;|,?\s?(?:{_JOIN_WORDS}|vs\.?)\s"
    rf"|和|或|或者|还是|或是|与|及|と|か|와|과|또는)?{_BRACKETS}"
    r"(?:(?:option|choice|either|both|maybe|perhaps|possibly|even|also|an?|the)\s){0,2}[\"'()\[\]]*",
    re.IGNORECASE,
)
_LABELS_TO_THE_END = re.compile(r"(?:\b[A-Za-z]\b|and\b|or\b|[\s.,;&()\[\]\"'!?/-]){1,60}\Z")
_LINE_REST = re.compile(r"[ .,;:!?\"')\]}>]*(?:\n|$)")
_BOX = re.compile(f"{OPEN}([^{OPEN}{CLOSE}]{{0,400}}){CLOSE}")
MOST_BOXES = 8


def boxes(text: str) -> list[re.Match[str]]:
    """The last places made for a final answer, with their content as the first group."""
    return list(_BOX.finditer(text))[-MOST_BOXES:] if OPEN in text else []


# --- joining ---


def _opens_line(text: str, mention: Mention) -> bool:
    return not text[text.rfind("\n", 0, mention.start) + 1 : mention.start].strip(" ([{\"'")


def _is_column(text: str, last: Mention, mention: Mention) -> bool:
    """Whether two labels stand alone on lines that follow each other."""
    return _opens_line(text, last) and _LINE_REST.match(text, mention.end) is not None


def _joins(text: str, last: Mention, mention: Mention) -> bool:
    """Whether nothing but a joining word stands between two mentions of one form."""
    if last.form != mention.form or mention.start - last.end > LONGEST_JOIN:
        return False
    between = text[last.end : mention.start]
    bare = between.strip()
    with_text = last.with_text or mention.with_text
    if "\n" in between:
        return not bare and last.form == "label" and not with_text and _is_column(text, last, mention)
    if ";" in bare and not _LABELS_TO_THE_END.match(text, mention.start):
        return False  # "The answer is A; B and C are distractors."
    if bare in {">", "<"} or between == "—":
        return not with_text  # "A > B", "A–D"
    if not _JOIN.fullmatch(between) or (last.form == "text" and not bare):
        return False
    if bare in {"(", "[", '"', "'"}:
        return False  # "B (A is also possible)"
    if bare == "," and (last.ended or (len(last.labels) > 1 and set(mention.labels) <= set(last.labels))):
        return False  # "Between B and D, B", "having excluded A, C and D, B is left"
    if with_text:
        is_listed = not any(sign in between for sign in (" or ", " and ", "/", "&"))
        return last.with_text == mention.with_text and not is_listed
    return True


def _joined(text: str, found: list[Mention]) -> list[Mention]:
    groups = list[Mention]()
    for mention in found:
        last = groups[-1] if groups else None
        if last is None or not _joins(text, last, mention):
            groups.append(mention)
            continue
        last.second = mention if last.second is None and len(last.labels) == 1 else None
        last.first_end = last.end
        last.ended = last.ended or text[last.end : mention.start].strip(" ,").lower() in {
            "and",
            "or",
            "nor",
            "&",
        }
        last.labels = tuple(dict.fromkeys(last.labels + mention.labels))
        last.end = mention.end
        last.offered = last.offered or mention.offered
        last.isolated = last.isolated and mention.isolated
        last.with_text = last.with_text and mention.with_text
    return groups


_DENIES = re.compile(
    r"\b(?:not|never|no|isn't|kein|nicht|pas|não|no es|не) "
    r"(?:(?:the|an?|option|der|die|das|le|la|el|l') ?)?[\"'(\[]?\Z",
    re.IGNORECASE,
)


_COMMA = re.compile(r"[\s\"')\]]*[,;]\s*(?:(?:the|an?)\s)?[\"'(\[]*", re.IGNORECASE)


def _split(text: str, mention: Mention) -> list[Mention]:
    """'Not A, B' rejects A alone; 'not A, B or C' rejects all three."""
    second = mention.second
    if second is None or not _DENIES.search(text, max(0, mention.start - 16), mention.start):
        return [mention]
    if _COMMA.fullmatch(text, mention.first_end, second.start) is None:
        return [mention]
    first = Mention(mention.start, mention.first_end, mention.labels[:1], mention.form, left=mention.left)
    second.left, second.right = look_left(text, second.start, letters=True), mention.right
    second.ends_line = mention.ends_line
    return [first, second]


_OWN_LABEL = re.compile(r"[\"']?,? ?[(\[]\Z")


def _text_with_label(text: str, found: list[Mention]) -> list[Mention]:
    """The mentions with "cat (A)" as one."""
    kept = list[Mention]()
    for mention in found:
        last = kept[-1] if kept else None
        if (
            last is not None
            and (last.form, mention.form) == ("text", "label")
            and last.labels == mention.labels
            and mention.bracketed
            and _OWN_LABEL.fullmatch(text, last.end, mention.start)
        ):
            mention.start, mention.with_text, mention.text_first = last.start, True, True
            mention.bracketed = False
            kept[-1] = mention
            continue
        kept.append(mention)
    return kept


# --- contradictions ---

_LABEL_THEN_TEXT = re.compile(
    r"[\"')\]}>]{0,2}\s?[.):,=|/—-]{0,2}\s?[\"'(\[]{0,2}(?:(?:an?|the)\s)?", re.IGNORECASE
)
_OPEN_CLAUSES = frozenset({"empty", "filler", "key", "so"})


def _contradicts(text: str, last: Mention, mention: Mention, options: Choices) -> bool:
    """Whether a label and the text of another option stand together: "B. Cat", "Cat (B)"."""
    if len(last.labels) != 1 or len(mention.labels) != 1 or last.labels == mention.labels:
        return False
    if last.left.kind not in _OPEN_CLAUSES or last.left.negated or not mention.ends_line:
        return False
    between = text[last.end : mention.start]
    if last.form == "text":
        return mention.form == "label" and not mention.with_text and between.strip() in {"(", "["}
    if last.with_text or last.form != "label" or not _LABEL_THEN_TEXT.fullmatch(between):
        return False
    is_text = mention.form == "text" or options.own[last.labels[0]].upper() in options.labels
    return is_text and (bool(between.strip()) or "\n" in between)


def _contradictions_merged(text: str, found: list[Mention], options: Choices) -> list[Mention]:
    """The mentions with each contradiction as one that names both options."""
    kept = list[Mention]()
    for mention in found:
        last = kept[-1] if kept else None
        if last is None or not _contradicts(text, last, mention, options):
            kept.append(mention)
            continue
        last.labels += mention.labels
        last.end, last.right, last.ends_line = mention.end, mention.right, True
    return kept


# --- all together ---


def _is_article(text: str, mention: Mention, texts: list[Mention]) -> bool:
    """Whether a letter A is the article of an option text that follows."""
    if mention.bracketed or text[mention.start : mention.end] not in {"A", "a"}:
        return False
    is_spaced = text[mention.end : mention.end + 1] == " "
    return is_spaced and any(other.start == mention.end + 1 for other in texts)


def _leave_name(mention: Mention, low: str, options: Choices) -> None:
    """'Image B: the cup changed' names a picture and then states a text, be it that of option B."""
    if mention.left.named and mention.with_text:
        mention.start = low.find(options.own[mention.labels[0]], mention.start)
        mention.form, mention.with_text, mention.left = "text", False, Left(edge="comma")


def _look_around(text: str, mention: Mention, options: Choices) -> None:
    """Fills in what stands before and after a mention."""
    mention.left = look_left(text, mention.start, letters=options.letters)
    mention.right = right = look_right(text, mention.end)
    if mention.text_first and is_denied(text, mention.start):
        mention.left.negated = True
    if not right.praise and mention.form == "label" and _opens_line(text, mention):
        right.praise = item_verdict(text, mention.end)
    following = text[mention.end + 1 : mention.end + 2]
    if mention.isolated and right.kind == "line" and following.islower():
        right.kind = "word"  # a wrapped line
    opened = text[mention.start - 1 : mention.start] in {"(", '"', "["}
    mention.dangling = opened and mention.end == len(text)
    mention.ends_line = _LINE_REST.match(text, mention.end) is not None


def mentions(text: str, options: Choices) -> list[Mention]:
    """Every mention in the order of the text, with what stands around it."""
    low = lowered(text)
    texts = option_texts(text, low, options)
    taken = sorted((m.start, m.end) for m in texts if m.end - m.start > 1)
    found = labels(text, low, options, taken)
    covered = [(m.start, m.end) for m in found if m.with_text]
    texts = [m for m in texts if not any(begin <= m.start and m.end <= end for begin, end in covered)]
    found = [m for m in found if not _is_article(text, m, texts)]
    placed = sorted(found + texts, key=lambda mention: mention.start)
    groups = _joined(text, _text_with_label(text, placed))
    for index, mention in enumerate(groups):
        _look_around(text, mention, options)
        _leave_name(mention, low, options)
        if mention.left.likewise and index:
            mention.right.praise = groups[index - 1].right.praise
    parts = [part for mention in groups for part in _split(text, mention)]
    return _contradictions_merged(text, parts, options)
