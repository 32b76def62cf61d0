"""Small runs written through the store, whose every number can be counted by hand."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path

import pytest

from vlbench.scoring.readers.registry import reader
from vlbench.state.events import AnyEvent, AttemptFailed, ReplyArrived, RowPlan, RunEnded, RunStarted, to_line
from vlbench.store.journal import Journal
from vlbench.store.manifest import BenchmarkFacts, DataFacts, Manifest, PromptFacts
from vlbench.store.run_dir import RunDir, create
from vlbench.types import Condition, Decoding, Reply, Sample, Variant

OPTIONS = {"A": "Cat", "B": "Dog", "C": "Owl", "D": "Bee"}
IMAGE, TEXT = Condition(show="image"), Condition(show="text")
BASE = Condition(show="text", shots=2)

MakeRun = Callable[..., RunDir]


def samples_of(categories: Iterable[tuple[str, ...]]) -> tuple[Sample, ...]:
    """One sample with the gold A for each category path."""
    return tuple(
        Sample(id=f"s{number}", question="Which?", options=OPTIONS, gold="A", categories=path)
        for number, path in enumerate(categories)
    )


def variant(name: str, *, base: bool = False) -> Variant:
    return Variant(
        id=name,
        provider="local",
        model=f"{name}-model",
        lane="local",
        wire="chat",
        urls=("http://127.0.0.1:1/v1",),
        identity=f"{name}-weights",
        base=base,
    )


def answered(name: str, condition: Condition, sample: str, text: str) -> ReplyArrived:
    """A reply as the engine writes it, read by the official reader of MMStar."""
    reply = Reply(text=text, model=f"{name}-model")
    official = reader("mmstar-official")
    return ReplyArrived(
        variant=name,
        condition=condition.id,
        sample=sample,
        key="k",
        reply=reply,
        answer=official.read(reply, OPTIONS),
        reader=official.id,
    )


@pytest.fixture
def make_run(tmp_path: Path) -> MakeRun:
    """Writes a run: `replies` maps (variant, condition) to one text per sample, None for a failed request."""

    def make(
        replies: dict[tuple[str, Condition], list[str | None]],
        *,
        categories: list[tuple[str, ...]],
        base: str | None = None,
        name: str = "demo",
        ended: bool = True,
        extra: tuple[AnyEvent, ...] = (),
        problems: tuple[int, ...] = (),
        source: str = "/home/someone/data/mmstar.tsv",
        facts: Mapping[str, object] | None = None,
    ) -> RunDir:
        samples = [
            sample.model_copy(update={"problem": "its image is broken"}) if at in problems else sample
            for at, sample in enumerate(samples_of(categories))
        ]
        names = list(dict.fromkeys(one for one, _ in replies))
        manifest = Manifest(
            run=name,
            created=datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC),
            vlbench="0.1.0",
            python="3.11.0",
            benchmark=BenchmarkFacts(name="mmstar", version="mmstar-1", levels=("core", "axis")),
            data=DataFacts(source=source, sha256="ab" * 32, rows=len(samples)),
            prompt=PromptFacts(id="default", version="1", sha256="cd" * 32),
            variants=tuple(variant(one, base=one == base) for one in names),
            conditions=tuple(dict.fromkeys(condition for _, condition in replies)),
            decoding={names[0]: {"image": Decoding(temperature=0.0, max_output_tokens=64)}} if names else {},
            reader="mmstar-official",
        ).model_copy(update=facts)
        run = create(tmp_path / "runs", manifest, samples)
        rows = tuple(
            RowPlan(variant=one, condition=condition, base=one == base) for one, condition in replies
        )
        events: list[AnyEvent] = [
            RunStarted(
                run=name,
                benchmark="mmstar",
                samples=len(samples),
                repeats=1,
                rows=rows,
                pid=1,
                vlbench="0.1.0",
            )
        ]
        for (one, condition), texts in replies.items():
            for sample, text in zip(samples, texts, strict=False):
                if text is not None:
                    events.append(answered(one, condition, sample.id, text))
                elif sample.problem is None:
                    events.append(
                        AttemptFailed(
                            variant=one,
                            condition=condition.id,
                            sample=sample.id,
                            lane="local",
                            attempt=1,
                            kind="timeout",
                            message="no answer",
                            final=True,
                        )
                    )
        events += extra
        if ended:
            events.append(RunEnded(status="complete"))
        with Journal(run.journal_path, clock=lambda: 1_767_323_045.0) as log:
            for event in events:
                log.append(to_line(event))
        return run

    return make
