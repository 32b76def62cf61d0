"""What a simulated provider does: replies, speed, limits and mischief. Everything random is seeded."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from vlbench.errors import UsageError
from vlbench.simulator.exchange import Broken, Failed, Model, Said, Step

FaultKind = Literal[
    "429",
    "500",
    "503",
    "529",
    "stall",
    "cut",
    "malformed",
    "error_in_200",
    "refusal",
    "content_filter",
    "length",
    "empty",
]
WhenFull = Literal["503", "429", "slow"]
WaitForm = Literal["none", "seconds", "milliseconds", "date", "body"]

_FAULTS: dict[FaultKind, Step] = {
    "429": Failed(429, "rate_limit_exceeded"),
    "500": Failed(500, "server_error"),
    "503": Failed(503, "service_unavailable"),
    "529": Failed(529, "overloaded_error"),
    "stall": Broken("stall"),
    "cut": Broken("cut"),
    "malformed": Failed(200, body=b'{"choices": [{"message": {"cont'),
    "error_in_200": Failed(200, body=b'{"choices":null,"error":{"code":429,"message":"simulated"}}'),
    "refusal": Said("I can't help with that.", finish="refused"),
    "content_filter": Said("", finish="blocked"),
    "length": Said("Let me think about every", finish="length"),
    "empty": Said(""),
}


@dataclass(frozen=True, slots=True)
class Latency:
    """Seconds until an answer: `median_s`, spread log-normally by `sigma` (0: always the median)."""

    median_s: float = 0.0
    sigma: float = 0.0

    def draw(self, rng: random.Random) -> float:
        """One latency."""
        return self.median_s * rng.lognormvariate(0.0, self.sigma) if self.sigma else self.median_s


@dataclass(frozen=True, slots=True)
class Quota:
    """Limits per minute, enforced over any `window_s` seconds, plus `burst` requests.

    With `window_s=1` sixty a minute means one in every second, as some vendors do it. `headers` tells what is
    left with every answer; `wait` is the form in which a refusal names its wait.
    """

    rpm: int | None = None
    tpm: int | None = None
    window_s: float = 60.0
    burst: int = 0
    headers: bool = True
    wait: WaitForm = "seconds"


@dataclass(frozen=True, slots=True)
class Scenario:
    """One simulated provider.

    `replies` is a model, a sequence (one step for each request in order of arrival, then from the start
    again), or a table from patterns (regular expressions, first match in the text wins) to steps; None is
    the built-in model that looks at the pictures. `faults` are rates between 0 and 1 by kind. `capacity` is
    how many requests may be in flight; those beyond it are answered as `when_full` says: with a
    503 or a 429 that names no wait, or they wait for their turn. `key` is the only one accepted, None takes
    any. `record=False` keeps no log and leaves pictures that no one looks at undecoded (for benchmarks).
    """

    replies: Model | Sequence[Step] | Mapping[str, Step] | None = None
    model: str = "shapes-eye-1"
    latency: Latency = Latency()
    quota: Quota | None = None
    faults: Mapping[FaultKind, float] = field(default_factory=dict)
    capacity: int | None = None
    when_full: WhenFull = "503"
    key: str | None = None
    seed: int = 0
    record: bool = True

    def __post_init__(self) -> None:
        if any(rate < 0 for rate in self.faults.values()) or sum(self.faults.values()) > 1:
            raise UsageError("Fault rates must not be negative and must not add up to more than 1.")
        if unknown := self.faults.keys() - _FAULTS.keys():
            raise UsageError(
                f"Unknown kind of fault {sorted(unknown)[0]!r}; there are: {', '.join(_FAULTS)}."
            )

    def draw_fault(self, rng: random.Random) -> Step | None:
        """The mischief for the next request, by the rates; None for an honest answer."""
        point = rng.random()
        for kind, rate in self.faults.items():
            if point < rate:
                return _FAULTS[kind]
            point -= rate
        return None
