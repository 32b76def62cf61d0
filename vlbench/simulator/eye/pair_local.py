"""What differs in one place of two pictures: a patch that moved, turned, came, went, or became another."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from vlbench.simulator.eye.outline import DIRECTIONS, profile_of
from vlbench.simulator.eye.pair_text import read_line
from vlbench.simulator.eye.segment import Patch, Sight, extremes, lightness

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Mask = npt.NDArray[np.bool_]

# A step of 0..255 in any channel from which a pixel counts as changed.
CHANGED = 40
# Part of a patch that changes when the patch does.
CHANGED_PART = 0.03
FEWEST_PIXELS = 12
MOVED = 4.0
GROWN = 0.06
SMALLEST_TURN = 5.0
LONGEST_WORD_GAP = 12


@dataclass(frozen=True, slots=True)
class _Event:
    """What happened to one patch; `size` is the number of changed pixels it explains."""

    size: int
    words: tuple[str, ...]


def local_differences(one: Sight, other: Sight) -> list[str]:
    """What happened, in words, largest change first; the pictures are of equal size."""
    changed = extremes(abs(one.pixels - other.pixels))[0] > CHANGED
    if int(changed.sum()) < FEWEST_PIXELS:
        return []
    before = [p for p in one.patches if _is_hit(p, changed)]
    after = [p for p in other.patches if _is_hit(p, changed)]
    events: list[_Event] = []
    for old, new in _partners(before, after):
        size = sum(_hits(p, changed) for p in (old, new) if p is not None)
        events.append(_Event(size, _happened(old, new)))
    text = _reworded(one, other, changed)
    if text is not None:
        events.append(text)
    events.sort(key=lambda event: -event.size)
    return [words for event in events for words in event.words]


def _hits(patch: Patch, changed: Mask) -> int:
    box = changed[patch.top : patch.top + patch.height, patch.left : patch.left + patch.width]
    return int((box & patch.mask).sum())


def _is_hit(patch: Patch, changed: Mask) -> bool:
    return _hits(patch, changed) > CHANGED_PART * patch.area


def _partners(before: list[Patch], after: list[Patch]) -> list[tuple[Patch | None, Patch | None]]:
    """Patches of one colour that are nearest to each other, then those in one place, then the others."""
    pairs: list[tuple[Patch | None, Patch | None]] = []
    left, right = list(before), list(after)
    for same in (_same_look, _same_colour, _same_place):
        near = sorted(((_apart(a, b), i, j) for i, a in enumerate(left) for j, b in enumerate(right)))
        used_left: set[int] = set()
        used_right: set[int] = set()
        for _, i, j in near:
            if i not in used_left and j not in used_right and same(left[i], right[j]):
                pairs.append((left[i], right[j]))
                used_left.add(i)
                used_right.add(j)
        left = [p for i, p in enumerate(left) if i not in used_left]
        right = [p for j, p in enumerate(right) if j not in used_right]
    return [*pairs, *((p, None) for p in left), *((None, p) for p in right)]


def _same_look(one: Patch, other: Patch) -> bool:
    return one.name == other.name


def _same_colour(one: Patch, other: Patch) -> bool:
    return one.colour == other.colour and _apart(one, other) < max(one.extent, other.extent)


def _same_place(one: Patch, other: Patch) -> bool:
    return _apart(one, other) < 0.3 * max(one.extent, other.extent)


def _apart(one: Patch, other: Patch) -> float:
    return math.hypot(one.x - other.x, one.y - other.y)


def _happened(old: Patch | None, new: Patch | None) -> tuple[str, ...]:
    """What became of a patch, likeliest first."""
    if old is None or new is None:
        return (f"{new.name} appeared",) if new else (f"{old.name} disappeared",) if old else ()
    if old.colour != new.colour:
        return (f"{old.name} changed its colour to {new.colour}",)
    said = []
    dx, dy = new.x - old.x, new.y - old.y
    if math.hypot(dx, dy) > MOVED:
        way = ("left" if dx < 0 else "right") if abs(dx) > abs(dy) else ("up" if dy < 0 else "down")
        said.append(f"{old.name} moved {way}")
    if old.kind != new.kind:
        said.append(f"{old.name} replaced by a {new.name}")
    grown = math.log(new.area / old.area) / 2
    if abs(grown) > GROWN:
        said.append(f"{old.name} become {'larger' if grown > 0 else 'smaller'}")
    turn = _turn(old, new)
    if abs(turn) >= SMALLEST_TURN:
        said.append(f"{old.name} turned {'clockwise' if turn > 0 else 'anticlockwise'}")
    return tuple(said)


def _turn(old: Patch, new: Patch) -> float:
    """Degrees, clockwise, by which the outline fits best; the smaller turn where it has several."""
    import numpy as np

    before, after = profile_of(old.mask), profile_of(new.mask)
    before, after = before - before.mean(), after - after.mean()
    fits = np.fft.irfft(np.fft.rfft(after) * np.conj(np.fft.rfft(before)), DIRECTIONS)
    turns = (np.arange(DIRECTIONS) + DIRECTIONS // 2) % DIRECTIONS - DIRECTIONS // 2
    # Every turn that fits nearly as well as the best is as likely; the smallest is meant.
    good = turns[fits > 0.9 * fits.max()] if fits.max() > 0 else np.zeros(1, int)
    return float(good[abs(good).argmin()]) * 360 / DIRECTIONS


def _reworded(one: Sight, other: Sight, changed: Mask) -> _Event | None:
    """A line of dark print that changed, read in both pictures."""
    import numpy as np

    dark = one.dark | other.dark
    hit = dark & changed
    size = int(hit.sum())
    if size < FEWEST_PIXELS:
        return None
    rows, columns = np.nonzero(hit)
    top, bottom = max(int(rows.min()) - 1, 0), int(rows.max()) + 2
    inked = np.flatnonzero(dark[top:bottom].any(axis=0))
    left, right = _stretch(inked.tolist(), int(columns.min()), int(columns.max()), LONGEST_WORD_GAP)
    inked = np.flatnonzero(dark[:, left : right + 1].any(axis=1))
    top, bottom = _stretch(inked.tolist(), int(rows.min()), int(rows.max()), 1)
    texts = []
    for sight in (one, other):
        light = lightness(sight.pixels[top : bottom + 1, left : right + 1])
        darkness = (light.max() - light) / max(float(np.ptp(light)), 1.0)
        texts.append(read_line(darkness))
    return _Event(size, (f"text changed from {texts[0]} to {texts[1]}",))


def _stretch(inked: list[int], first: int, last: int, gap: int) -> tuple[int, int]:
    """The positions around `first`..`last` up to the next step that is wider than `gap` on either side."""
    for position in reversed([p for p in inked if p < first]):
        if first - position > gap:
            break
        first = position
    for position in (p for p in inked if p > last):
        if position - last > gap:
            break
        last = position
    return first, last
