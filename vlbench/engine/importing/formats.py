"""Which form a prediction file has."""

from __future__ import annotations

from pathlib import Path
from typing import Final, Literal

from vlbench.engine.importing import lmms_eval, quad_predictions, vlmevalkit
from vlbench.engine.importing.prediction import PredictionReader
from vlbench.errors import DatasetError

FormatName = Literal["vlmevalkit", "lmms-eval", "vismin", "similarities"]
READERS: Final[dict[FormatName, PredictionReader]] = {
    "vlmevalkit": vlmevalkit.read_predictions,
    "lmms-eval": lmms_eval.read_predictions,
    "vismin": quad_predictions.read_answers,
    "similarities": quad_predictions.read_similarities,
}
# Columns that no other form has.
_TOLD_BY: Final[dict[bytes, FormatName]] = {b"Text_Q0": "vismin", b"text_0_image_0": "similarities"}


def format_of(path: Path) -> FormatName:
    """The form of the file, told by its first bytes. Raises DatasetError when it cannot be read."""
    try:
        with path.open("rb") as file:
            start = file.read(1024)
    except OSError as error:
        raise DatasetError(
            f"The prediction file {path} cannot be read ({error.strerror}). Check the path and its "
            "permissions."
        ) from error
    if start.lstrip(b"\xef\xbb\xbf \r\n\t").startswith(b"{"):
        return "lmms-eval"
    header = start.partition(b"\n")[0]
    return next((form for column, form in _TOLD_BY.items() if column in header), "vlmevalkit")
