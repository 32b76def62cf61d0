"""The readers by name."""

from __future__ import annotations

from vlbench.errors import UsageError
from vlbench.scoring.readers.lmms_eval import LMMS_EVAL
from vlbench.scoring.readers.mmstar_official import MMSTAR_OFFICIAL
from vlbench.scoring.readers.reader import Reader
from vlbench.scoring.readers.strict import STRICT
from vlbench.scoring.readers.vismin_official import VISMIN_OFFICIAL
from vlbench.scoring.readers.vlmevalkit import VLMEVALKIT

READERS = {
    reader.name: reader for reader in (STRICT, MMSTAR_OFFICIAL, VISMIN_OFFICIAL, VLMEVALKIT, LMMS_EVAL)
}
OFFICIAL = "official"
DEFAULT = STRICT.name

_OFFICIAL = {
    "mmstar": "mmstar-official",
    "vismin": "vismin-official",
    "vismin-counterbalanced": "vismin-official",
}


def reader(name: str) -> Reader:
    """The reader called `name`. Raises `UsageError` naming the known ones."""
    try:
        return READERS[name]
    except KeyError:
        known = ", ".join(READERS)
        raise UsageError(f"There is no answer reader called {name!r}. Known readers: {known}.") from None


def reader_for(benchmark: str, name: str) -> Reader:
    """The reader of that name, where `official` stands for the one that `official_for` names."""
    return reader(official_for(benchmark) if name == OFFICIAL else name)


def official_for(benchmark: str) -> str:
    """The name of the reader that reproduces the published scores of `benchmark`; `strict` if it has none."""
    return _OFFICIAL.get(benchmark, DEFAULT)
