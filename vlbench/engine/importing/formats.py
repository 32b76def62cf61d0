"""Which tool wrote a prediction file."""

from __future__ import annotations

from pathlib import Path
from typing import Final, Literal

from vlbench.engine.importing import lmms_eval, vlmevalkit
from vlbench.engine.importing.prediction import PredictionReader
from vlbench.errors import DatasetError

FormatName = Literal["vlmevalkit", "lmms-eval"]
READERS: Final[dict[FormatName, PredictionReader]] = {
    "vlmevalkit": vlmevalkit.read_predictions,
    "lmms-eval": lmms_eval.read_predictions,
}


def format_of(path: Path) -> FormatName:
    """The tool that wrote the file, told by its first bytes. Raises DatasetError when it cannot be read."""
    try:
        with path.open("rb") as file:
            start = file.read(64)
    except OSError as error:
        raise DatasetError(
            f"The prediction file {path} cannot be read ({error.strerror}). Check the path and its "
            "permissions."
        ) from error
    return "lmms-eval" if start.lstrip(b"\xef\xbb\xbf \r\n\t").startswith(b"{") else "vlmevalkit"
