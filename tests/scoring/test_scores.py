from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from random import Random

import pytest

from vlbench.scoring.arm import Arm
from vlbench.scoring.codes import Code
from vlbench.scoring.facts import Facts
from vlbench.scoring.scores import score
from vlbench.types import Condition

MakeArm = Callable[..., Arm]
MakeFacts = Callable[..., Facts]


def test_each_way_of_showing_no_picture_has_its_own_gain(arm: MakeArm, facts: MakeFacts) -> None:
    arms = [
        arm("RRRR"),
        arm("RWWW", show="text"),
        arm("RRWW", show="grey"),
        arm("RRRW", show="text", shots=2),
    ]
    gains = score(facts(4), arms).gains
    assert [(row.without.id, row.overall.mg) for row in gains] == [
        ("text", 0.75),
        ("grey", 0.5),
        ("text-2shot", 0.25),
    ]


def test_the_base_is_measured_but_gains_nothing_and_its_two_shot_run_is_preferred(
    arm: MakeArm, facts: MakeFacts
) -> None:
    arms = [
        arm("RRRR"),
        arm("RRWW", show="text"),
        arm("RWWW", variant="llm", show="text", shots=2),
        arm("WWWW", variant="llm", show="text"),
    ]
    scores = score(facts(4), arms, base="llm")
    assert [row.variant for row in scores.rows] == ["v", "v", "llm", "llm"]
    assert [(row.variant, row.base_condition) for row in scores.gains] == [
        ("v", Condition(show="text", shots=2))
    ]
    leakage = scores.gains[0].overall.leakage
    assert leakage is not None
    assert leakage.value == 0.25


def test_without_pictures_there_is_accuracy_but_no_gain(arm: MakeArm, facts: MakeFacts) -> None:
    scores = score(facts(2), [arm("RW", show="text")])
    assert scores.gains == ()
    assert scores.rows[0].overall.value == 0.5


def test_rows_and_gains_list_the_same_categories(arm: MakeArm, facts: MakeFacts) -> None:
    scores = score(facts([("b", "x"), ("a", "y"), ("b", "z")]), [arm("RWR"), arm("WWR", show="text")])
    assert scores.categories == (("a",), ("b",), ("a", "y"), ("b", "x"), ("b", "z"))
    assert tuple(c.path for c in scores.rows[0].categories) == scores.categories
    assert tuple(c.path for c in scores.gains[0].categories) == scores.categories
    assert tuple(b.path for b in scores.baselines.categories) == scores.categories


def test_warnings_name_what_failed_and_refusals_only_where_they_inflate_the_gain(
    arm: MakeArm, facts: MakeFacts
) -> None:
    scores = score(facts(4), [arm("RXF0"), arm("RXRR", show="text")])
    assert [(w.kind, w.condition.id) for w in scores.warnings] == [("partial", "image"), ("refusals", "text")]
    assert "1 of 4 requests failed" in scores.warnings[0].text
    assert scores.partial
    assert not scores.provisional


def test_one_arm_twice_is_refused(arm: MakeArm, facts: MakeFacts) -> None:
    with pytest.raises(ValueError, match="same variant and condition"):
        score(facts(1), [arm("R"), arm("W")])


def test_a_sample_without_a_category_is_in_the_whole_run_only() -> None:
    facts = Facts.of(
        categories=[("a",), ("b",), ()], groups=["g", "g", "3"], golds=["A", "B", ""], options=[2, 2, 0]
    )
    assert (facts.size, facts.shares_pictures, facts.options) == (3, True, (2, 2, 0))
    assert facts.levels[0].paths == ((),)
    assert facts.levels[1].paths == (("a",), ("b",))


def test_facts_of_uneven_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match="one value per sample"):
        Facts.of(categories=[()], groups=["1", "2"], golds=["A"], options=[4])


def test_importing_the_scores_does_not_import_numpy() -> None:
    code = "import sys, vlbench.scoring.scores, vlbench.scoring.comparison; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_large_live_run_is_scored_in_a_fraction_of_a_frame() -> None:
    size, random = 50_000, Random(1)
    facts = Facts.of(
        categories=[(f"core {at % 6}", f"axis {at % 18}") for at in range(size)],
        groups=[str(at) for at in range(size)],
        golds="ABCD" * (size // 4),
        options=[4] * size,
    )
    arms = [
        Arm(f"v{variant}", Condition(show=show), (bytes(random.choices(range(len(Code)), k=size)),))
        for variant in range(4)
        for show in ("image", "text")
    ]
    score(facts, arms)
    took = []
    for _ in range(5):
        start = time.perf_counter()
        score(facts, arms)
        took.append(time.perf_counter() - start)
    # Some 20 ms on one idle core; the bound leaves room for a busy machine.
    assert min(took) < 0.15
