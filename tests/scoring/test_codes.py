from __future__ import annotations

import pytest

from vlbench.scoring.accuracy import Counts
from vlbench.scoring.codes import Code, code_of, new_codes
from vlbench.types import Outcome


@pytest.mark.parametrize("right", [True, False])
def test_every_outcome_has_a_code_of_its_own(right: bool) -> None:
    codes = [code_of(outcome, right) for outcome in Outcome]
    assert len(set(codes)) == len(Outcome)
    assert [code.name.lower() for code in codes[1:]] == [str(outcome) for outcome in list(Outcome)[1:]]


def test_only_an_answer_can_be_right() -> None:
    assert {o for o in Outcome if code_of(o, True) is Code.RIGHT} == {Outcome.ANSWERED}
    assert code_of(Outcome.ANSWERED, False) is Code.WRONG


def test_new_codes_are_pending() -> None:
    assert [Code(code) for code in new_codes(3)] == [Code.PENDING] * 3


def test_counts_stand_in_the_order_of_the_codes() -> None:
    assert [field.upper() for field in Counts.__dataclass_fields__] == [code.name for code in Code]
