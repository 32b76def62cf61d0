"""What cannot be asked is found before anything is sent."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from vlbench.benchmarks.quads import quad_samples
from vlbench.catalog.entry import ImageRules, ProviderEntry, Wire
from vlbench.catalog.profile import PromptProfile, Wording
from vlbench.engine.plan import LanePlan, PlannedRow
from vlbench.engine.rehearsal import rehearse
from vlbench.errors import CatalogError, UsageError
from vlbench.store.samples import SampleIndex, write_samples
from vlbench.types import Condition, Decoding, ImageRef, Sample, Show, Span, Variant

Lanes = Callable[..., Sequence[LanePlan]]


def picture(number: int) -> ImageRef:
    return ImageRef(
        sha256=hashlib.sha256(bytes([number])).hexdigest(),
        media_type="image/png",
        width=4,
        height=4,
        size=1,
        source=Span(path="pack", offset=number, length=1),
    )


@pytest.fixture
def index(tmp_path: Path) -> Iterator[SampleIndex]:
    """One broken sample, then a quad."""
    spans = tuple(Span(path="pack", offset=at, length=1) for at in (0, 1))
    rows = quad_samples(spans, ("a cat", "a dog"), "object", "1")
    quad = [
        row.sample.model_copy(update={"images": tuple(picture(span.offset) for span in row.pictures)})
        for row in rows
    ]
    broken = Sample(id="0", question="", options={}, gold="", role="text_0", problem="its image is broken")
    path = tmp_path / "samples.jsonl"
    write_samples(path, [broken, *quad])
    with SampleIndex.open(path) as opened:
        yield opened


@pytest.fixture
def lanes() -> Lanes:
    def make(
        template: str = "{caption}", *, wire: Wire = "chat", most: int | None = None, show: Show = "image"
    ) -> Sequence[LanePlan]:
        entry = ProviderEntry(id="p", name="P", wire=wire, images=ImageRules(max_count=most))
        profile = PromptProfile(
            benchmark="b",
            name="n",
            version=1,
            title="t",
            image=Wording(template="{question}", roles={"image": template}),
        )
        variant = Variant(id="p:m", provider="p", model="m", lane="p", wire=wire, urls=(), identity="m")
        row = PlannedRow(variant, Condition(show=show), entry, profile, Decoding())
        return [LanePlan(id="p", entry=entry, urls=(), key=None, rows=(row,))]

    return make


def test_what_can_be_asked_passes_whatever_rows_are_broken(index: SampleIndex, lanes: Lanes) -> None:
    assert rehearse(lanes(), index, range(len(index))) == {}
    assert rehearse(lanes(wire="embeddings"), index, range(len(index))) == {}


def test_who_gets_two_pictures_as_one_is_known(index: SampleIndex, lanes: Lanes) -> None:
    assert rehearse(lanes(most=1), index, range(len(index))) == {"p:m": "vertical"}
    assert rehearse(lanes(most=1, show="text"), index, range(len(index))) == {}


def test_a_wording_that_needs_a_text_the_set_lacks_is_refused(index: SampleIndex, lanes: Lanes) -> None:
    with pytest.raises(CatalogError, match="set_question"):
        rehearse(lanes("{set_question}"), index, range(len(index)))


def test_an_embedding_model_is_refused_without_pictures(index: SampleIndex, lanes: Lanes) -> None:
    with pytest.raises(UsageError, match="--conditions image"):
        rehearse(lanes(wire="embeddings", show="text"), index, range(len(index)))
