"""Missed and competing changes, with both denominators, and everything else told of picture pairs."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from vlbench.scoring.arm import Arm
from vlbench.scoring.codes import Code
from vlbench.scoring.metrics import Ground
from vlbench.scoring.section import Section
from vlbench.scoring.vdiff import LOW_LEVEL, SEMANTIC, TEXT_CATEGORY, error_counts, pair_score, three_way
from vlbench.scoring.vdiff_sections import sections
from vlbench.types import Condition

IMAGE, GREY = Condition(show="image"), Condition(show="grey")
LABELS = ["", "A", "B", "C", "D"]
POSITION, TEXT, NOISE = (SEMANTIC, "position"), (SEMANTIC, TEXT_CATEGORY), (LOW_LEVEL, "noise/resolution")

# (category, pair, source, gold, no-difference label)
SAMPLES = [
    (POSITION, "p1", "spot", "A", "D"),
    (POSITION, "p1", "spot", "B", "D"),
    (TEXT, "p2", "ocr", "C", "A"),
    (NOISE, "p3", "ffhq", "A", "B"),
    (NOISE, "p4", "ffhq", "D", "B"),
    (NOISE, "p5", "ffhq", "C", "D"),
]


def arm_of(chosen: Sequence[str], condition: Condition = IMAGE) -> Arm:
    """What was chosen, a label each; "" for a reply that could not be read, "." for none yet."""
    golds = [sample[3] for sample in SAMPLES]
    codes = [
        Code.PENDING if label == "." else Code.UNPARSED if not label else Code(2 - (label == gold))
        for label, gold in zip(chosen, golds, strict=True)
    ]
    numbers = [LABELS.index(label) if label in LABELS else 0 for label in chosen]
    return Arm("v", condition, (bytes(codes),), chosen=(bytes(numbers),))


def ground(*arms: Arm) -> Ground:
    categories, pairs, sources, golds, nulls = zip(*SAMPLES, strict=True)
    return Ground(
        categories=categories,
        groups=pairs,
        golds=golds,
        options=[4] * len(SAMPLES),
        roles=[""] * len(SAMPLES),
        null_labels=nulls,
        sources=sources,
        labels=LABELS,
        arms=arms,
    )


# right, missed (D), competing (B), missed (B), unread, right
CHOSEN = ["A", "D", "B", "B", "", "C"]


def test_every_wrong_answer_is_missed_or_competing_and_an_unread_one_is_neither() -> None:
    arm = arm_of(CHOSEN)
    (counts,) = error_counts(ground(arm), arm, ground(arm).facts().levels[0]).values()
    assert (counts.total, counts.right, counts.missed, counts.competing, counts.silent) == (6, 2, 2, 1, 1)
    assert counts.wrong == 3


def test_rates_have_intervals_that_know_of_shared_pictures() -> None:
    arm = arm_of(CHOSEN)
    (counts,) = error_counts(ground(arm), arm, ground(arm).facts().levels[0]).values()
    assert counts.missed_of_all is not None
    assert counts.missed_of_wrong is not None
    assert counts.missed_of_all.method == "wilson-clustered"
    assert counts.missed_of_all.low < 2 / 6 < counts.missed_of_all.high
    assert counts.missed_of_wrong.low < 2 / 3 < counts.missed_of_wrong.high
    nothing_wrong = arm_of(["A", "B", "C", "A", "D", "C"])
    (none,) = error_counts(ground(), nothing_wrong, ground().facts().levels[0]).values()
    assert none.missed_of_wrong is None


def test_errors_by_group() -> None:
    arm = arm_of(CHOSEN)
    found = error_counts(ground(arm), arm, ground(arm).facts().levels[1])
    assert (found[SEMANTIC,].missed, found[SEMANTIC,].competing) == (1, 1)
    assert (found[LOW_LEVEL,].missed, found[LOW_LEVEL,].silent) == (1, 1)


def test_what_is_pending_is_in_no_denominator() -> None:
    arm = arm_of([".", "D", ".", ".", ".", "."])
    (counts,) = error_counts(ground(arm), arm, ground(arm).facts().levels[0]).values()
    assert (counts.total, counts.missed) == (1, 1)


def test_text_is_set_apart_in_the_three_way_split_alone() -> None:
    assert three_way(TEXT) == ("textual", TEXT_CATEGORY)
    assert three_way(POSITION) == POSITION
    assert three_way(NOISE) == NOISE


def test_a_pair_is_right_when_all_of_its_questions_are() -> None:
    assert pair_score(ground(), arm_of(["A", "B", "B", "A", "", "C"])).right == 3
    half = pair_score(ground(), arm_of(["A", "D", "C", ".", "D", "C"]))
    assert (half.size, half.right) == (4, 3)


@pytest.fixture
def found() -> dict[str, Section]:
    return {one.id: one for one in sections(ground(arm_of(CHOSEN), arm_of(["D"] * 6, GREY)))}


def figures(section: Section, condition: str, *names: str) -> list[float | None]:
    (line,) = [one for one in section.lines if (one.condition, *one.names) == (condition, *names)]
    return [None if one.value is None else round(one.value, 3) for one in line.figures]


def test_both_denominators_stand_side_by_side(found: dict[str, Section]) -> None:
    errors = found["errors-by-group"]
    assert errors.columns[2:6] == ("missed/wrong", "missed/all", "competing/wrong", "competing/all")
    assert figures(errors, "image", "all") == [6, 0.333, 0.667, 0.333, 0.333, 0.167, 1]
    assert figures(errors, "image", LOW_LEVEL) == [3, 0.333, 1.0, 0.333, 0.0, 0.0, 1]


def test_the_no_difference_rate_stands_beside_the_score_without_the_picture(
    found: dict[str, Section],
) -> None:
    errors = found["errors-by-group"]
    assert figures(errors, "grey", "all")[3] == 0.5
    assert any("never the gold" in note for note in errors.notes)


def test_micro_and_macro_of_both_splits(found: dict[str, Section]) -> None:
    groups = found["groups"]
    # Semantic: 1 of 3 questions; position 1/2 and text 0/1 give 1/4.
    assert figures(groups, "image", "two-way", SEMANTIC) == [3, 0.333, 0.25]
    assert figures(groups, "image", "three-way", SEMANTIC) == [2, 0.5, 0.5]
    assert figures(groups, "image", "three-way", "textual") == [1, 0.0, 0.0]


def test_sources_categories_and_positions_of_the_option(found: dict[str, Section]) -> None:
    assert figures(found["sources"], "image", "ffhq") == [3, 0.333]
    assert figures(found["errors-by-category"], "image", "noise/resolution")[0] == 3
    # D holds the no-difference option three times and is chosen once there.
    assert figures(found["null-positions"], "image", "D") == [3, 0.667, 0.333]


def test_labels_of_golds_and_choices(found: dict[str, Section]) -> None:
    labels = found["labels"]
    assert labels.columns == ("A", "B", "C", "D", "p")
    assert figures(labels, "image", "gold")[:4] == [0.4, 0.2, 0.4, 0.0]
    assert figures(labels, "image", "chosen")[:4] == [0.2, 0.4, 0.2, 0.2]
    assert figures(labels, "grey", "chosen")[3] == 1.0


def test_a_set_without_sources_has_no_table_of_them() -> None:
    plain = ground(arm_of(CHOSEN))
    bare = Ground(
        categories=plain.categories,
        groups=plain.groups,
        golds=plain.golds,
        options=plain.options,
        roles=plain.roles,
        null_labels=plain.null_labels,
        sources=[""] * plain.size,
        labels=plain.labels,
        arms=plain.arms,
    )
    assert "sources" not in {one.id for one in sections(bare)}
