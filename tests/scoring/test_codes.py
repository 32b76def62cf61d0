from __future__ import annotations

import pytest

from vlbench.scoring.accuracy import Counts
from vlbench.scoring.codes import Code, code_of, new_codes, outcome_of
from vlbench.types import Outcome


@pytest.mark.parametrize("outcome", Outcome)
@pytest.mark.parametrize("right", [True, False])
def test_every_outcome_has_a_code_that_leads_back_to_it(outcome: Outcome, right: bool) -> None:
    assert outcome_of(code_of(outcome, right)) is outcome


def test_only_an_answer_can_be_right() -> None:
    assert {o for o in Outcome if code_of(o, True) is Code.RIGHT} == {Outcome.ANSWERED}
    assert code_of(Outcome.ANSWERED, False) is Code.WRONG


def test_new_codes_are_pending() -> None:
    assert [outcome_of(code) for code in new_codes(3)] == [None, None, None]


def test_a_number_that_is_no_code_is_refused() -> None:
    with pytest.raises(ValueError, match="9"):
        outcome_of(9)


def test_counts_stand_in_the_order_of_the_codes() -> None:
    assert [field.upper() for field in Counts.__dataclass_fields__] == [code.name for code in Code]
