"""Prediction files of other tools become runs whose numbers can be counted by hand."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path

import pytest

from vlbench.engine.importing.formats import format_of
from vlbench.engine.importing.imported import ImportOptions, import_predictions, model_of
from vlbench.engine.importing.prediction import Prediction
from vlbench.errors import DatasetError, StoreError, UsageError
from vlbench.report.data import ReportData
from vlbench.report.report import open_report
from vlbench.store.run_dir import RunDir
from vlbench.types import Sample

HEADER = ("index", "question", "answer", "category", "l2_category", "bench", "prediction")
EMBEDDED = "Which?\nOptions: A: nan, B: a dog, or so, C: 7, D: an owl"
LINES = "Hint: choose.\nQuestion: Which?\nChoices:\n(A) 1\n(B) 2\n(C) 3"
ROWS: tuple[tuple[object, ...], ...] = (
    (0, EMBEDDED, "A", "coarse perception", "image emotion", "MMBench", "A"),
    (7, EMBEDDED, "B", "coarse perception", "image emotion", "MMBench", "A: nan"),
    (12, LINES, "C", "math", "geometry", "MathVista", "(C) 3"),
    (13, LINES, "A", "math", "geometry", "MathVista", None),
)


def workbook(path: Path, rows: Iterable[tuple[object, ...]], header: tuple[str, ...] = HEADER) -> Path:
    from openpyxl import Workbook

    book = Workbook(write_only=True)
    sheet = book.create_sheet()
    sheet.append(header)
    for row in rows:
        sheet.append(row)
    book.save(path)
    return path


def lines_of(path: Path, samples: Iterable[dict[str, object]]) -> Path:
    path.write_text("".join(json.dumps(sample) + "\n" for sample in samples), encoding="utf-8")
    return path


def imported(path: Path, runs: Path, **given: object) -> tuple[RunDir, ReportData]:
    options = ImportOptions(benchmark="mmstar", **given)  # type: ignore[arg-type]  # fields of ImportOptions
    run = import_predictions(path, options, runs)
    return run, open_report(run, "official")


@pytest.fixture
def xlsx(tmp_path: Path) -> Path:
    return workbook(tmp_path / "some_model_MMStar.xlsx", ROWS)


def test_a_workbook_with_options_in_the_question_is_scored_officially(xlsx: Path, tmp_path: Path) -> None:
    run, report = imported(xlsx, tmp_path / "runs")
    (row,) = report.rows
    assert (row.variant, row.overall.right, row.overall.total) == ("some_model", 2, 4)
    by_path = {one.path: one.accuracy.right for one in row.categories}
    assert by_path == {
        ("coarse perception",): 1,
        ("math",): 1,
        ("coarse perception", "image emotion"): 1,
        ("math", "geometry"): 1,
    }
    assert report.stage == "complete"
    assert report.levels == ("core", "axis")
    manifest = run.manifest()
    assert manifest.data.source == "some_model_MMStar.xlsx"
    assert manifest.conditions[0].id == "image"


def test_nan_stays_an_option_and_rows_have_no_pictures(xlsx: Path, tmp_path: Path) -> None:
    from vlbench.store.samples import SampleIndex

    run, _ = imported(xlsx, tmp_path / "runs")
    with SampleIndex.open(run.samples_path) as samples:
        first = samples.get(0)
    assert first.options == {"A": "nan", "B": "a dog, or so", "C": "7", "D": "an owl"}
    assert (first.id, first.images, first.source) == ("0", (), "MMBench")


def test_an_empty_prediction_is_an_empty_reply_not_a_failure(xlsx: Path, tmp_path: Path) -> None:
    _, report = imported(xlsx, tmp_path / "runs")
    assert report.rows[0].overall.counts.failed == 0
    assert report.rows[0].overall.counts.unparsed == 1


def test_a_tsv_with_options_in_columns(tmp_path: Path) -> None:
    path = tmp_path / "m_MMStar.tsv"
    path.write_text(
        "index\tquestion\tA\tB\tC\tanswer\tcategory\tl2_category\tprediction\n"
        '1\tWhich?\tNone\tcat\t\tA\tmath\tgeometry\t"A\nbecause ""so"""\n'
        "2\tWhich?\t1e5\t007\tx\tB\tmath\tgeometry\tB\n",
        encoding="utf-8",
    )
    run, report = imported(path, tmp_path / "runs")
    assert report.rows[0].overall.right == 2
    lines = [json.loads(line) for line in run.samples_path.read_text(encoding="utf-8").splitlines()]
    assert [line["options"] for line in lines] == [
        {"A": "None", "B": "cat"},
        {"A": "1e5", "B": "007", "C": "x"},
    ]
    assert lines[0]["options_in_question"] is False


def test_a_request_that_failed_elsewhere_is_no_answer(tmp_path: Path) -> None:
    row = (1, EMBEDDED, "A", "math", "geometry", "b", "Failed to obtain answer via API. ")
    _, report = imported(workbook(tmp_path / "m_MMStar.xlsx", [*ROWS[:1], row]), tmp_path / "runs")
    assert report.stage == "partial"
    assert report.rows[0].overall.counts.failed == 1
    assert report.failures == {"failed_elsewhere": 1}
    assert "same command" not in report.warnings[0].text


def test_a_model_may_quote_the_note_of_a_failed_request() -> None:
    sample = Sample(id="1", question="", options={}, gold="")
    assert not Prediction("row 2", sample, "B. 'Failed to obtain answer' is printed").is_failure
    assert Prediction("row 2", sample, "[LMMS_EVAL_REQUEST_FAILED after 3 retries]").is_failure


def test_a_row_that_cannot_be_scored_is_unusable(tmp_path: Path) -> None:
    bad = (2, "No options here", "A", "math", "geometry", "b", "A")
    _, report = imported(workbook(tmp_path / "m_MMStar.xlsx", [*ROWS, bad]), tmp_path / "runs")
    assert report.stage == "partial"
    assert report.rows[0].overall.counts.unusable == 1
    assert any("2: no options were found" in warning.text for warning in report.warnings)


def test_the_old_lmms_eval_log_without_the_row(tmp_path: Path) -> None:
    asked = EMBEDDED + "\nAnswer with the option's letter from the given choices directly"
    metric = {"question_id": 41, "l2_category": "geometry", "score": 1.0}
    path = lines_of(
        tmp_path / "20260102_samples_mmstar.jsonl",
        [
            {
                "doc_id": 0,
                "target": "D",
                "filtered_resps": ["D"],
                "math": metric,
                "average": metric,
                "input": asked,
                "doc_hash": "x",
            }
        ],
    )
    run, report = imported(path, tmp_path / "runs", model="m")
    (line,) = [json.loads(line) for line in run.samples_path.read_text(encoding="utf-8").splitlines()]
    assert line["id"] == "41"
    assert line["categories"] == ["math", "geometry"]
    assert line["options"]["D"] == "an owl"
    assert report.rows[0].overall.right == 1


def test_an_lmms_eval_log_with_the_row_and_raw_replies(tmp_path: Path) -> None:
    doc = {"index": 5, "question": EMBEDDED, "answer": "B", "category": "math", "l2_category": "geometry"}
    path = lines_of(
        tmp_path / "20260102_samples_mmstar.jsonl",
        [{"doc_id": 0, "doc": doc, "target": "B", "resps": [["B, a dog"]], "filtered_resps": ["X"]}],
    )
    run, report = imported(path, tmp_path / "runs")
    assert report.rows[0].variant == tmp_path.name
    assert report.rows[0].overall.right == 1
    assert b'"B, a dog"' in run.journal_path.read_bytes()


def test_the_benchmarks_own_file_supplies_what_predictions_lack(tmp_path: Path) -> None:
    data = tmp_path / "MMStar.tsv"
    rows = [f"{at}\tWhich?\tcat\tdog\tA\tmath\tgeometry\t{'aGk0' * 20}" for at in (1, 2, 3)]
    header = "index\tquestion\tA\tB\tanswer\tcategory\tl2_category\timage"
    data.write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
    path = workbook(tmp_path / "m_MMStar.xlsx", [(1, "A"), (3, "B")], ("index", "prediction"))
    _, report = imported(path, tmp_path / "runs", data=data)
    overall = report.rows[0].overall
    assert (overall.right, overall.total, overall.counts.failed) == (1, 3, 1)
    assert report.failures == {"not_predicted": 1}
    assert report.provenance.data == "MMStar.tsv"


def test_predictions_of_other_data_are_refused(tmp_path: Path) -> None:
    data = tmp_path / "MMStar.tsv"
    data.write_text(
        "index\tquestion\tA\tB\tanswer\tcategory\tl2_category\timage\n1\tQ\tx\ty\tA\tmath\tg\taGk=\n",
        encoding="utf-8",
    )
    path = workbook(tmp_path / "m_MMStar.xlsx", [(99, "A")], ("index", "prediction"))
    with pytest.raises(DatasetError, match="do not belong together: 1 of 1 predicted samples"):
        imported(path, tmp_path / "runs", data=data)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b"PK\x03\x04 no zip", "cannot be read as an Excel workbook"),
        (b"index\tquestion\n1\tQ\n", "lacks the column prediction"),
        (b"question\tprediction\nQ\tA\n", "lacks the column index"),
        (b"index\tquestion\tanswer\tprediction\n1\tQ\tA\tA\n", "row 2 \\(sample 1\\): no options .* --data"),
        (b"index\tprediction\n1\tA\n1\tB\n", "row 2 and row 3 are both of sample '1'"),
        (b"index\tprediction\n1\t\xff\n", "is not UTF-8"),
        (b'{"doc_id": 1}\n', "line 1 \\(doc_id 1\\) holds no reply"),
        (b'{"doc_id": 1, "resps": [["A"]]}\n{"doc_id', "line 2 is not JSON"),
        (b'{"x": 1}\n', "line 1 is no sample of lmms-eval"),
    ],
)
def test_a_bad_file_is_one_sentence_with_its_place(content: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / "predictions"
    path.write_bytes(content)
    with pytest.raises(DatasetError, match=message):
        imported(path, tmp_path / "runs")
    assert not (tmp_path / "runs").exists()


def test_a_workbook_with_broken_bytes_inside_is_one_sentence(xlsx: Path, tmp_path: Path) -> None:
    content = bytearray(xlsx.read_bytes())
    at = content.index(b"xl/worksheets/sheet1.xml") + 60
    content[at : at + 40] = b"\xff" * 40
    xlsx.write_bytes(content)
    with pytest.raises(DatasetError, match="cannot be read as an Excel workbook"):
        imported(xlsx, tmp_path / "runs")


def test_a_row_without_an_index_is_named_by_its_number(tmp_path: Path) -> None:
    path = workbook(tmp_path / "m_MMStar.xlsx", [(None, *ROWS[0][1:]), ROWS[1]])
    run, _ = imported(path, tmp_path / "runs")
    assert b'"id":"row-2"' in run.samples_path.read_bytes()


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match=r"nothing\.xlsx cannot be read"):
        imported(tmp_path / "nothing.xlsx", tmp_path / "runs")


def test_unknown_words_are_refused_before_anything_is_written(xlsx: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no benchmark 'nonsense'"):
        import_predictions(xlsx, ImportOptions(benchmark="nonsense"), tmp_path / "runs")
    with pytest.raises(UsageError, match="no answer reader"):
        imported(xlsx, tmp_path / "runs", reader="nonsense")
    assert not (tmp_path / "runs").exists()


def test_a_second_run_of_one_name_is_refused(xlsx: Path, tmp_path: Path) -> None:
    imported(xlsx, tmp_path / "runs", name="mine")
    with pytest.raises(StoreError, match="exists already"):
        imported(xlsx, tmp_path / "runs", name="mine")


@pytest.mark.parametrize(
    ("path", "model"),
    [
        ("llava_next_yi_34b_MMStar.xlsx", "llava_next_yi_34b"),
        ("GPT4o_MMStar_openai_result.xlsx", "GPT4o"),
        ("predictions.tsv", "predictions"),
        ("Qwen__Qwen3-VL/20260102_120000_samples_mmstar.jsonl", "Qwen__Qwen3-VL"),
    ],
)
def test_the_model_is_named_by_the_path(path: str, model: str) -> None:
    assert model_of(Path(path), "mmstar") == model


def test_the_tool_is_told_by_the_content(xlsx: Path, tmp_path: Path) -> None:
    renamed = tmp_path / "log.xlsx"
    renamed.write_bytes(b'\xef\xbb\xbf\n{"doc_id": 0}')
    assert (format_of(xlsx), format_of(renamed)) == ("vlmevalkit", "lmms-eval")


GOLDEN = os.environ.get("VLBENCH_GOLDEN")


if GOLDEN:

    def test_the_published_predictions_give_the_published_score(tmp_path: Path) -> None:
        folder = Path(GOLDEN or "")
        expected = json.loads((folder / "llava_next_expected.json").read_text(encoding="utf-8"))
        _, report = imported(folder / "llava_next_yi_34b_MMStar.xlsx", tmp_path / "runs")
        (row,) = report.rows
        assert (row.overall.right, row.overall.total) == (expected["hits"], expected["n"])
        cores = {one.path[0]: one.accuracy.right for one in row.categories if len(one.path) == 1}
        assert cores == expected["category_hits_of_250"]
        axes = {
            one.path[1]: [one.accuracy.right, one.accuracy.total]
            for one in row.categories
            if len(one.path) == 2
        }
        assert axes == expected["l2_hits"]
