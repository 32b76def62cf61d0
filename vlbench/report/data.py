"""What a report says, as plain named types. Renderers lay it out; none of them computes.

Proportions are fractions 0..1 (differences -1..1), None where they are undefined.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from pydantic import JsonValue

from vlbench.scoring.accuracy import Accuracy, Averages, CategoryAccuracy
from vlbench.scoring.baselines import Baselines
from vlbench.scoring.gain import GainRow
from vlbench.scoring.intervals import Interval
from vlbench.scoring.section import Section
from vlbench.state.rows import Tokens
from vlbench.types import Answer, Condition, Price

SCHEMA_VERSION: Final = 1
"""Of the JSON document; grows whenever a field is renamed, removed or changes its meaning."""

Stage = Literal["complete", "partial", "provisional"]
"""Whether every slot has a reply; whether some failed or are unusable; whether some are still open."""


@dataclass(frozen=True, slots=True)
class RuleCount:
    """How many replies of a row one rule of the reader decided."""

    rule: str
    replies: int


@dataclass(frozen=True, slots=True)
class ReportRow:
    """One variant under one condition. `cached` counts replies that came from the cache.

    `cost` is what the others cost in US dollars at the price of the run's manifest, None when not known.
    """

    variant: str
    condition: Condition
    base: bool
    repeats: int
    overall: Accuracy
    categories: tuple[CategoryAccuracy, ...]
    averages: Averages
    cached: int
    tokens: Tokens
    cost: float | None
    rules: tuple[RuleCount, ...]


@dataclass(frozen=True, slots=True)
class Difference:
    """One reply that two readers read differently; `reply` is its beginning.

    `answer` and `right` are of the report's own reader, the `other_` ones of the reader it is compared with.
    """

    variant: str
    condition: str
    sample: str
    repeat: int
    gold: str
    answer: Answer
    right: bool
    other_answer: Answer
    other_right: bool
    reply: str

    @property
    def changes_verdict(self) -> bool:
        """Whether exactly one of the two readings is right."""
        return self.right != self.other_right


@dataclass(frozen=True, slots=True)
class ComparedRow:
    """The accuracy of one row by the report's reader and by the other one.

    `only_first` counts replies right by the report's reader alone, `only_other` by the other one alone.
    """

    variant: str
    condition: str
    value: float | None
    other: float | None
    other_right: int
    total: int
    other_interval: Interval | None
    other_coverage: float | None
    only_first: int
    only_other: int


@dataclass(frozen=True, slots=True)
class ReaderComparison:
    """The report's reader against another one (`other`) on the same replies.

    `journalled` says that the other side is what the run wrote down when it was made. `differences` holds
    every reply with another label, outcome or verdict, those that change a verdict first.
    """

    other: str
    journalled: bool
    rows: tuple[ComparedRow, ...]
    verdict_changes: int
    differences: tuple[Difference, ...]


@dataclass(frozen=True, slots=True)
class ReportWarning:
    """What a reader of the numbers must know first."""

    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class SentParameters:
    """What was sent with every request of one condition; an empty mapping means the server's own defaults."""

    condition: str
    parameters: dict[str, JsonValue]


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """A variant as it was resolved. `reported` are the ids the servers gave in their replies.

    `adjustments` are parameters that were renamed or dropped because the server rejected them.
    `price` is what the run's manifest says its tokens cost.
    """

    variant: str
    provider: str
    model: str
    identity: str
    base: bool
    price: Price | None
    reported: tuple[str, ...]
    sent: tuple[SentParameters, ...]
    adjustments: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ChangedPictures:
    """How many different pictures a provider got in another form, and how often each step was taken."""

    provider: str
    pictures: int
    steps: dict[str, int]


@dataclass(frozen=True, slots=True)
class Retried:
    """Replies of these kinds were asked again, with this output limit (None: the run's own)."""

    kinds: tuple[str, ...]
    max_output_tokens: int | None


@dataclass(frozen=True, slots=True)
class Servers:
    """What the user's own servers of one model said of themselves; `replicas` of them said the same.

    `version` and `weights` (a path or a repository) are empty where a server does not tell. Addresses are
    in no report.
    """

    model: str
    version: str
    weights: str
    replicas: int


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where the numbers come from: everything needed to make them again.

    `image_max_side` is in pixels, None when larger pictures were sent as they are.
    """

    run: str
    created: str
    vlbench: str
    python: str
    packages: dict[str, str]
    benchmark: str
    benchmark_version: str
    data: str
    data_sha256: str
    data_revision: str
    data_rows: int
    prompt: str
    prompt_version: str
    prompt_sha256: str
    selection: dict[str, JsonValue]
    models: tuple[ModelFacts, ...]
    readers: tuple[str, ...]
    image_max_side: int | None
    changed: tuple[ChangedPictures, ...]
    retried: tuple[Retried, ...]
    servers: tuple[Servers, ...]


@dataclass(frozen=True, slots=True)
class ReportData:
    """One run, reported.

    `settled` of `slots` replies and failures are in. `reader` names the reader behind every number outside
    `comparisons`. `levels` name the levels of the category paths. `sections` are what the benchmark's own
    metrics say. `failures` counts failed attempts by kind.
    """

    run: str
    benchmark: str
    stage: Stage
    samples: int
    slots: int
    settled: int
    reader: str
    levels: tuple[str, ...]
    warnings: tuple[ReportWarning, ...]
    rows: tuple[ReportRow, ...]
    gains: tuple[GainRow, ...]
    baselines: Baselines
    sections: tuple[Section, ...]
    comparisons: tuple[ReaderComparison, ...]
    failures: dict[str, int]
    provenance: Provenance
