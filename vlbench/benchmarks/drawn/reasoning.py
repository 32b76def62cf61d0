"""Questions that need a rule beside the picture: logical reasoning, science & technology, math."""

from __future__ import annotations

from fractions import Fraction
from random import Random

from vlbench.benchmarks.drawn.posed import Posed, a_number, plural
from vlbench.benchmarks.drawn.scene import (
    BUSY,
    COLOURS,
    HEIGHT,
    KINDS,
    WIDTH,
    Box,
    Colour,
    Element,
    Figure,
    Line,
    Note,
    Scene,
    a_background,
    distinct_looks,
    scattered,
    tilt,
)

MIXTURES: dict[frozenset[Colour], Colour] = {
    frozenset({"red", "yellow"}): "orange",
    frozenset({"blue", "yellow"}): "green",
    frozenset({"red", "blue"}): "purple",
}
DEGREES = 50
# Rows by the number of different shapes, and what comes next.
PATTERNS = {2: (("ABABA", "B"), ("ABAABAAA", "B")), 3: (("ABCABC", "A"),)}


def pattern(rng: Random) -> Posed:
    """The next shape of a row.

    It repeats every two or three places, or one of two shapes comes in runs that grow.
    """
    looks = distinct_looks(rng, rng.choice((2, 3)))
    rule, following = rng.choice(PATTERNS[len(looks)])
    row = [looks["ABC".index(place)] for place in rule]
    kind, colour = looks["ABC".index(following)]
    step, y = 44 if len(row) < 7 else 35, HEIGHT / 2
    left = (WIDTH - step * len(row)) / 2
    figures = [Figure(k, c, left + step * i, y, 0.4 * step, tilt(rng)) for i, (k, c) in enumerate(row)]
    decoys = [look for look in looks if look != (kind, colour)]
    while len(decoys) < 3:
        look = (rng.choice(KINDS), colour) if rng.random() < 0.5 else (kind, rng.choice(COLOURS))
        if look != (kind, colour) and look not in decoys:
            decoys.append(look)
    scene = Scene((*figures, Note(left + step * len(row), y, "?", 34)), a_background(rng))
    question = rng.choice(
        (
            "Which shape continues the pattern at the question mark?",
            "The row follows a pattern. Which shape comes next?",
        )
    )
    return Posed(question, f"{colour} {kind}", tuple(f"{c} {k}" for k, c in decoys), scene)


def odd_one_out(rng: Random) -> Posed:
    """The shape that differs from all others in kind, or in colour.

    The options alone give it away whenever they hold one unlike the rest, as in many published sets.
    """
    if rng.random() < 0.5:
        odd, usual = rng.sample(KINDS, 2)
        first, *rest = rng.sample(COLOURS, 6)
        looks = [(odd, first), *((usual, colour) for colour in rest)]
    else:
        odd_colour, usual_colour = rng.sample(COLOURS, 2)
        only, *kinds = rng.sample(KINDS, 6)
        looks = [(only, odd_colour), *((kind, usual_colour) for kind in kinds)]
    figures = scattered(rng, looks, [rng.uniform(17, 24) for _ in looks], overlap=BUSY)
    right, *wrong = (f.name for f in figures[:4])
    question = rng.choice(("Which shape is the odd one out?", "Which shape does not belong with the others?"))
    return Posed(question, right, tuple(wrong), Scene(figures, a_background(rng)))


def sequence(rng: Random) -> Posed:
    """The next number of dots after three groups that grow by one or two."""
    first, step = rng.randint(1, 3), rng.randint(1, 2)
    counts = [first + step * i for i in range(3)]
    colour, top = rng.choice(COLOURS), rng.randint(40, 80)
    elements: list[Element] = []
    for column, count in enumerate(counts):
        left = 14 + 76 * column
        elements.append(Box(left, top, left + 64, top + 120, "paper", 1.5))
        for dot in range(count):
            x, y = left + 20 + 24 * (dot % 2), top + 20 + 26 * (dot // 2)
            elements.append(Figure("circle", colour, x, y, 9))
    elements += [Box(242, top, 306, top + 120, "paper", 1.5), Note(274, top + 60, "?", 34)]
    question = rng.choice(
        (
            "How many dots come next in the sequence of boxes?",
            "The boxes form a sequence. How many dots belong in the last box?",
        )
    )
    return a_number(rng, question, first + step * 3, Scene(tuple(elements), a_background(rng)), least=1)


def mixing(rng: Random) -> Posed:
    """The colour two paints make together (red, yellow and blue paint, as taught in schools)."""
    pair = rng.choice(sorted(MIXTURES, key=sorted))
    right = MIXTURES[pair]
    first, second = rng.sample(sorted(pair), 2)
    elements: list[Element] = []
    for x, colour in ((90, first), (230, second)):
        elements += [
            Line(x - 40, 84, x - 34, 170, width=4),
            Line(x + 40, 84, x + 34, 170, width=4),
            Line(x - 36, 170, x + 36, 170, width=4),
            Box(x - 34, rng.randint(98, 124), x + 34, 168, colour),
        ]
    elements.append(Note(160, 134, "+", 36))
    question = rng.choice(
        (
            "Which colour do the two paints make when they are mixed?",
            "What colour results from mixing the two paints?",
        )
    )
    wrong = [c for c in MIXTURES.values() if c != right] + [rng.choice(("pink", first))]
    return Posed(question, right, tuple(wrong), Scene(tuple(elements), a_background(rng)))


def balance(rng: Random) -> Posed:
    """The heavier of two blocks on a balance: the one that hangs lower."""
    left, right = rng.sample(COLOURS, 2)
    drop = rng.choice((-1, -1, 0, 1, 1)) * rng.uniform(9, 24)
    pivot = rng.randint(46, 64)
    pans = ((70, pivot + 50 - drop, left), (250, pivot + 50 + drop, right))
    elements: list[Element] = [
        Line(160, pivot, 160, 206, width=5),
        Line(115, 206, 205, 206, width=5),
        Line(70, pivot - drop, 250, pivot + drop, width=4),
    ]
    for x, y, colour in pans:
        elements += [
            Line(x, y - 50, x - 32, y + 24, width=1.5),
            Line(x, y - 50, x + 32, y + 24, width=1.5),
            Line(x - 38, y + 24, x + 38, y + 24, width=4),
            Box(x - 14, y - 6, x + 14, y + 22, colour),
        ]
    names = [f"the {left} block", f"the {right} block", "they weigh the same"]
    truth = 2 if drop == 0 else int(drop > 0)
    question = rng.choice(("Which block on the balance is heavier?", "Which of the two blocks weighs more?"))
    wrong = (*names[:truth], *names[truth + 1 :], "neither has any weight")
    return Posed(question, names[truth], wrong, Scene(tuple(elements), a_background(rng)))


def thermometer(rng: Random) -> Posed:
    """A temperature in steps of five degrees on a scale of 0 to 50; room temperature is the likeliest."""
    right = rng.choice((5, 10, 15, 20, 20, 20, 25, 30, 35, 40, 45))
    x, zero, top = rng.randint(100, 200), 190, 40
    per_degree = (zero - top) / DEGREES
    level = zero - right * per_degree
    elements: list[Element] = [
        Figure("circle", "red", x, 208, 16),
        Box(x - 9, 28, x + 9, 200, "paper", 1.5),
        Box(x - 5.5, level, x + 5.5, 204, "red"),
    ]
    for degrees in range(0, DEGREES + 1, 10):
        y = zero - degrees * per_degree
        elements += [Line(x + 12, y, x + 26, y, width=2), Note(x + 44, y, str(degrees), 14)]
    question = "The thermometer's marks run from 0 °C (lowest) to 50 °C (highest). " + rng.choice(
        ("Which temperature does it show?", "What temperature can be read off?")
    )
    low = max(0, right - 5 * rng.choice((0, 1, 1, 2, 2, 3)))
    wrong = tuple(f"{t} °C" for t in range(low, low + 20, 5) if t != right)
    return Posed(question, f"{right} °C", wrong, Scene(tuple(elements), a_background(rng)))


def sum_of_counts(rng: Random) -> Posed:
    """The shapes of two kinds together, or the difference of their numbers."""
    one, two, rest = rng.sample(KINDS, 3)
    more, fewer = rng.randint(3, 5), rng.randint(1, 3)
    kinds = [one] * more + [two] * fewer + [rest] * rng.randint(1, 2)
    looks = [(k, rng.choice(COLOURS)) for k in kinds]
    figures = scattered(rng, looks, [rng.uniform(14, 22) for _ in looks], overlap=BUSY)
    scene = Scene(tuple(rng.sample(figures, len(figures))), a_background(rng))
    if rng.random() < 0.5 or more <= fewer:
        question = f"How many {plural(one)} and {plural(two)} are there altogether?"
        return a_number(rng, question, more + fewer, scene, least=1)
    question = f"How many more {plural(one)} than {plural(two)} are there?"
    return a_number(rng, question, more - fewer, scene)


def bar_chart(rng: Random) -> Posed:
    """The height of a bar, or the difference of two, in units of the grid."""
    colours = rng.sample(COLOURS, 4)
    values = rng.sample(range(1, 9), 4)
    base, unit = 208, 22
    elements: list[Element] = [
        Line(34, base - unit * n, 304, base - unit * n, "faint", 1) for n in range(1, 9)
    ]
    elements += [Note(20, base - unit * n, str(n), 13) for n in range(0, 9, 2)]
    for i, (colour, value) in enumerate(zip(colours, values, strict=True)):
        left = 58 + 62 * i
        elements.append(Box(left, base - unit * value, left + 38, base, colour))
    elements += [Line(34, 22, 34, base), Line(34, base, 304, base)]
    scene = Scene(tuple(elements))
    (colour, value), (other, less) = zip(colours[:2], values[:2], strict=True)
    if rng.random() < 0.5:
        question = f"Each grid line of the chart is one unit. How many units tall is the {colour} bar?"
        return a_number(rng, question, value, scene, least=1)
    if value < less:
        colour, value, other, less = other, less, colour, value
    comparison = f"How many units taller is the {colour} bar than the {other} bar?"
    question = f"Each grid line of the chart is one unit. {comparison}"
    return a_number(rng, question, value - less, scene)


def fraction(rng: Random) -> Posed:
    """The coloured part of a rectangle of equal cells, in lowest terms; one half is the likeliest."""
    columns, rows = rng.choice(((4, 1), (4, 2), (3, 2), (5, 2), (4, 3)))
    cells = columns * rows
    filled = cells // 2 if rng.random() < 0.3 else rng.randint(1, cells - 1)
    colour = rng.choice(COLOURS)
    chosen = set(rng.sample(range(cells), filled))
    side = 48
    left, top = (WIDTH - columns * side) / 2, (HEIGHT - rows * side) / 2
    boxes = tuple(
        Box(x, y, x + side + 2, y + side + 2, colour if i in chosen else "paper", 2)
        for i in range(cells)
        for x, y in [(left + side * (i % columns), top + side * (i // columns))]
    )
    right = Fraction(filled, cells)
    choices = sorted({Fraction(n, cells) for n in range(1, cells)} | {Fraction(n, 8) for n in range(1, 8)})
    choices.sort(key=lambda f: (abs(f - right), f))
    wrong = tuple(str(f) for f in rng.sample(choices[1:6], 3))
    question = rng.choice(
        (f"What fraction of the rectangle is {colour}?", f"Which part of the cells is coloured {colour}?")
    )
    return Posed(question, str(right), wrong, Scene(boxes, a_background(rng)))
