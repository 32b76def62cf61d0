"""All broken rows are told at once, with the way on."""

from __future__ import annotations

from vlbench.benchmarks.problems import Problem, listed


def test_every_row_is_listed_with_its_reason() -> None:
    message = str(listed([Problem(id="3", reason="its image is empty")], "data.tsv"))
    assert message == (
        "data.tsv has 1 broken row (row 3: its image is empty). Repair the file, or run with --skip-bad to "
        "count it as unusable and ask the others."
    )


def test_beyond_twenty_rows_only_the_number_is_told() -> None:
    message = str(listed([Problem(id=str(n), reason="bad") for n in range(57)], "data.tsv"))
    assert "57 broken rows (row 0: bad;" in message
    assert "row 19: bad; and 37 more)" in message
    assert "row 20" not in message
