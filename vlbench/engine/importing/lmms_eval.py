"""Sample logs of lmms-eval (`--log_samples`): JSON lines with the prompt, the target and the reply.

Published logs leave the row itself (`doc`) out; what is needed of it then stands in the prompt (`input`), the
`target` and the metrics, one of which is named for the category of the sample.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

import orjson

from vlbench.benchmarks.embedded_options import read_options
from vlbench.engine.importing.prediction import Prediction, problem_of
from vlbench.errors import DatasetError
from vlbench.types import Sample

LABELS: Final = "ABCDEFGHIJ"
# The task's instruction behind the options would otherwise be read as part of the last one.
_INSTRUCTION: Final = re.compile(r"\n+\s*(?:Please )?(?:answer|select)\b[^\n]*\Z", re.IGNORECASE)

Fields = Mapping[str, object]


def read_predictions(path: Path) -> Iterator[Prediction]:
    """The predictions in the order of the file. Raises DatasetError naming file and line."""
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            if line.isspace():
                continue
            try:
                fields = orjson.loads(line)
            except orjson.JSONDecodeError as error:
                raise DatasetError(
                    f"{path}, line {number} is not JSON ({error}). Is the file complete? Copy it again."
                ) from error
            if not isinstance(fields, dict) or "doc_id" not in fields:
                raise DatasetError(
                    f"{path}, line {number} is no sample of lmms-eval: it has no doc_id. Give the file that "
                    "--log_samples writes, whose name has 'samples' in it, or name another --format."
                )
            yield _prediction(path, number, fields)


def _prediction(path: Path, number: int, fields: Fields) -> Prediction:
    text = _first_text(fields.get("resps"))
    text = _first_text(fields.get("filtered_resps")) if text is None else text
    if text is None:
        raise DatasetError(
            f"{path}, line {number} (doc_id {fields['doc_id']}) holds no reply: neither resps nor "
            "filtered_resps has a text in it. Run lmms-eval again with --log_samples."
        )
    row = _row(fields)
    question = _text(row.get("question")) or _prompt(fields)
    in_fields = {label: _text(row[label]) for label in LABELS if _text(row.get(label))}
    options = in_fields or read_options(question)
    gold = (_text(row.get("answer")) or _text(fields.get("target"))).strip()
    sample = Sample(
        id=_text(row.get("index")) or _text(row.get("question_id")) or _text(fields["doc_id"]),
        question=question,
        options=options,
        gold=gold,
        options_in_question=not in_fields,
        categories=tuple(name for level in ("category", "l2_category") if (name := _text(row.get(level)))),
        problem=problem_of(question, options, gold),
    )
    return Prediction(f"line {number}", sample, text)


def _row(fields: Fields) -> Fields:
    """The benchmark's row, or what the metrics repeat of it."""
    doc = fields.get("doc")
    if isinstance(doc, dict):
        return doc
    for name, metric in fields.items():
        if isinstance(metric, dict) and "l2_category" in metric and name != "average":
            return {"category": name, **metric}
    return {}


def _prompt(fields: Fields) -> str:
    asked = _first_text(fields.get("input")) or _first_text(fields.get("arguments")) or ""
    return _INSTRUCTION.sub("", asked)


def _first_text(value: object) -> str | None:
    """The first text in nested lists (one per request, one per repeat); None when there is none."""
    while isinstance(value, list) and value:
        value = value[0]
    return value if isinstance(value, str) else None


def _text(value: object) -> str:
    return str(value) if isinstance(value, str | int) and not isinstance(value, bool) else ""
