"""Runs for the view's tests, written straight to disk: no engine, no provider, a clock of their own."""

from __future__ import annotations

import base64
import io
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from vlbench.state.events import (
    AnyEvent,
    AttemptFailed,
    LaneState,
    ReplyArrived,
    RowPlan,
    RunEnded,
    RunStarted,
    RunStatus,
    to_line,
)
from vlbench.store.journal import Journal
from vlbench.store.manifest import BenchmarkFacts, DataFacts, Manifest, PromptFacts
from vlbench.store.run_dir import RunDir, create
from vlbench.types import (
    Answer,
    Condition,
    ImageRef,
    Outcome,
    Reply,
    Sample,
    Span,
    Usage,
    Variant,
)

STARTED_AT = 1_800_000_000.0
IMAGE, TEXT = Condition(show="image"), Condition(show="text")
CORES = (("perception", "colour"), ("perception", "shape"), ("reasoning", "count"), ("reasoning", "order"))


def variant(name: str = "gemini:flash", *, base: bool = False) -> Variant:
    provider, _, model = name.partition(":")
    return Variant(
        id=name,
        provider=provider,
        model=model,
        lane=provider,
        wire="chat",
        urls=(),
        identity=name,
        base=base,
    )


def picture(path: Path) -> ImageRef:
    """A small picture in a file: the left half red, the right half blue."""
    import hashlib

    from PIL import Image

    drawn = Image.new("RGB", (32, 16), (200, 30, 30))
    drawn.paste((30, 30, 200), (16, 0, 32, 16))
    buffer = io.BytesIO()
    drawn.save(buffer, "PNG")
    data = buffer.getvalue()
    path.write_bytes(base64.b64encode(data))
    return ImageRef(
        sha256=hashlib.sha256(data).hexdigest(),
        media_type="image/png",
        width=32,
        height=16,
        size=len(data),
        source=Span(path=str(path), offset=0, length=path.stat().st_size, encoding="base64"),
    )


def samples(count: int, image: ImageRef | None = None) -> list[Sample]:
    return [
        Sample(
            id=f"s{number:05}",
            question=f"What is shown in picture {number}?",
            options={"A": "a cat", "B": "a dog", "C": "a bird", "D": "a fish"},
            gold="ABCD"[number % 4],
            images=(image,) if image else (),
            categories=CORES[number % 4],
        )
        for number in range(count)
    ]


@dataclass
class FakeRun:
    """One run directory that events are appended to; every event comes a tenth of a second later."""

    directory: RunDir
    journal: Journal
    samples: list[Sample]
    variants: tuple[Variant, ...]
    conditions: tuple[Condition, ...]
    now: list[float] = field(default_factory=lambda: [STARTED_AT])

    def write(self, event: AnyEvent) -> None:
        self.now[0] = round(self.now[0] + 0.1, 3)
        self.journal.append(to_line(event))

    def start(self, repeats: int = 1) -> None:
        rows = tuple(
            RowPlan(variant=one.id, condition=condition, base=one.base)
            for one in self.variants
            for condition in (self.conditions if not one.base else (TEXT,))
        )
        self.write(
            RunStarted(
                run=self.directory.name,
                benchmark="shapes",
                samples=len(self.samples),
                repeats=repeats,
                rows=rows,
                pid=1,
                vlbench="0",
            )
        )

    def reply(
        self,
        number: int,
        *,
        who: int = 0,
        condition: Condition = IMAGE,
        label: str | None = None,
        outcome: Outcome = Outcome.ANSWERED,
        text: str | None = None,
        cached: bool = False,
        repeat: int = 0,
    ) -> None:
        """A reply to one sample: right unless another `label` or `outcome` is given."""
        sample = self.samples[number]
        chosen = (label or sample.gold) if outcome is Outcome.ANSWERED else None
        said = f"I think it is\nAnswer: {chosen}" if text is None else text
        span = (len(said) - 1, len(said)) if chosen and text is None else None
        self.write(
            ReplyArrived(
                variant=self.variants[who].id,
                condition=condition.id,
                sample=sample.id,
                repeat=repeat,
                key="ab" * 32,
                cached=cached,
                reply=Reply(text=said, usage=Usage(input_tokens=100, output_tokens=10)),
                answer=Answer(outcome=outcome, label=chosen, rule="declared" if chosen else "", span=span),
                reader="strict@1",
                latency_s=1.25,
            )
        )

    def fail(
        self,
        number: int,
        *,
        who: int = 0,
        condition: Condition = IMAGE,
        final: bool = True,
        message: str = "the server is too busy",
        kind: str = "overloaded",
        status: int | None = 503,
    ) -> None:
        self.write(
            AttemptFailed(
                variant=self.variants[who].id,
                condition=condition.id,
                sample=self.samples[number].id,
                lane=self.variants[who].lane,
                attempt=1,
                kind=kind,
                message=message,
                status=status,
                final=final,
                retry_in_s=None if final else 2.0,
            )
        )

    def lane(self, who: int = 0, in_flight: int = 5, waiting_s: float = 0.0) -> None:
        self.write(
            LaneState(
                lane=self.variants[who].lane,
                in_flight=in_flight,
                concurrency=16,
                sent=120,
                requests_per_min=600,
                tokens_per_min=66_000,
                rpm=1000,
                tpm=200_000,
                waiting_s=waiting_s,
                p50_s=1.2,
                p95_s=4.0,
            )
        )

    def end(self, status: RunStatus = "complete") -> None:
        self.write(RunEnded(status=status, message="every sample has a reply", requests=10))


@contextmanager
def fake_run(
    runs_dir: Path,
    *,
    count: int = 8,
    variants: tuple[Variant, ...] = (variant(),),
    conditions: tuple[Condition, ...] = (IMAGE, TEXT),
    chosen: list[Sample] | None = None,
    name: str = "run-1",
) -> Iterator[FakeRun]:
    """A new run in `runs_dir` with nothing in its journal yet."""
    kept = chosen if chosen is not None else samples(count)
    manifest = Manifest(
        run=name,
        created=datetime.fromtimestamp(STARTED_AT, UTC),
        vlbench="0",
        python="3",
        benchmark=BenchmarkFacts(name="shapes", version="1", levels=("core", "axis")),
        data=DataFacts(source="made up", sha256="0" * 64, rows=len(kept)),
        prompt=PromptFacts(id="default", version="1", sha256="0" * 64),
        variants=variants,
        conditions=conditions,
        options={"benchmarks": ["shapes"]},
    )
    directory = create(runs_dir, manifest, kept)
    now = [STARTED_AT]
    with Journal(directory.journal_path, clock=lambda: now[0]) as journal:
        yield FakeRun(directory, journal, kept, variants, conditions, now)
