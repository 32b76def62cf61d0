"""How well a caption fits a picture: which of the things it names are there, as many, as large, as placed."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

from vlbench.simulator.eye.read import COLOURS, KINDS, words_of
from vlbench.simulator.eye.segment import Patch, Sight

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Mask = npt.NDArray[np.bool_]

NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
RELATIONS = ("left", "right", "above", "below")
SIZES = ("large", "small")
PATTERNS = ("striped", "plain")
# Part of an outline that is filled, from which a shape counts as plain.
PLAIN_FROM = 0.75


@dataclass(frozen=True, slots=True)
class Thing:
    """What a caption names: "two red stars", "a large circle". "" or None where it does not say."""

    kind: str
    colour: str = ""
    size: str = ""
    pattern: str = ""
    count: int | None = None

    def found_in(self, sight: Sight) -> list[Patch]:
        """The patches that look like that."""
        return [p for p in sight.patches if p.kind == self.kind and self.colour in ("", p.colour)]


@dataclass(frozen=True, slots=True)
class Caption:
    """The things a caption names in order, and where the first is as seen from the second ("" if unsaid)."""

    things: tuple[Thing, ...]
    relation: str = ""


def read_caption(text: str) -> Caption:
    """Reads a caption word by word; words it does not know are passed over."""
    things: list[Thing] = []
    said: dict[str, str] = {}
    count: int | None = None
    relation = ""
    for word in words_of(text):
        for name, known in (("colour", COLOURS), ("size", SIZES), ("pattern", PATTERNS)):
            if word in known:
                said[name] = word
        if word in NUMBERS or word.isdigit():
            count = NUMBERS.index(word) if word in NUMBERS else int(word)
        if word in RELATIONS:
            relation = word
        if word in KINDS:
            things.append(Thing(word, count=count, **said))
            said, count = {}, None
    return Caption(tuple(things), relation)


def fit(caption: Caption, sight: Sight) -> float:
    """How well a caption fits, 0..1: the mean over everything it claims."""
    claims = [claim for thing in caption.things for claim in _claims(thing, sight)]
    if caption.relation and len(caption.things) > 1:
        claims.append(_placed(caption, sight))
    return sum(claims) / len(claims) if claims else 0.0


def _claims(thing: Thing, sight: Sight) -> list[float]:
    found = thing.found_in(sight)
    claims = [1.0 if found else 0.0]
    if thing.count is not None:
        claims.append(1 - abs(len(found) - thing.count) / max(len(found), thing.count, 1))
    patch = _nearest(thing, sight)
    if thing.size:
        claims.append(_sized(thing.size, patch, sight))
    if thing.pattern:
        claims.append(_patterned(thing.pattern, patch))
    return claims


def _nearest(thing: Thing, sight: Sight) -> Patch | None:
    """A patch that looks like the thing, else the largest one of its colour."""
    candidates = thing.found_in(sight) or [p for p in sight.patches if p.colour == thing.colour]
    return max(candidates, key=lambda p: p.area, default=None)


def _sized(size: str, patch: Patch | None, sight: Sight) -> float:
    """By how much larger or smaller it is than the usual patch beside it."""
    others = [p.extent for p in sight.patches if p is not patch]
    if patch is None or not others:
        return 0.0
    larger = math.log(patch.extent / median(others))
    return min(max(0.5 + (larger if size == "large" else -larger), 0.0), 1.0)


def _patterned(pattern: str, patch: Patch | None) -> float:
    if patch is None:
        return 0.0
    return float((_filled(patch.mask) >= PLAIN_FROM) == (pattern == "plain"))


def _filled(mask: Mask) -> float:
    """The part of all rows between the first and the last pixel that the mask fills."""
    rows = mask[mask.any(axis=1)]
    first, last = rows.argmax(axis=1), rows.shape[1] - rows[:, ::-1].argmax(axis=1)
    return float(rows.sum() / (last - first).sum())


def _placed(caption: Caption, sight: Sight) -> float:
    seen, origin = (_nearest(thing, sight) for thing in caption.things[:2])
    if seen is None or origin is None:
        return 0.0
    dx, dy = seen.x - origin.x, seen.y - origin.y
    along = {"left": -dx, "right": dx, "above": -dy, "below": dy}[caption.relation]
    return float(along > 0)
