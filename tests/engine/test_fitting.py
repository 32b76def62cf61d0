"""Every provider gets the pictures of a run as it takes them, or the run does not begin."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image

from vlbench.benchmarks.index import silent
from vlbench.catalog.entry import ImageRules, Limits, ProviderEntry
from vlbench.catalog.profile import PromptProfile, Wording
from vlbench.engine.fitting import FittedLanes, fitted, known_fits
from vlbench.engine.notes import notes_of
from vlbench.engine.plan import LanePlan, PlannedRow
from vlbench.errors import UsageError
from vlbench.media.extent import Extent
from vlbench.media.inspect import inspect
from vlbench.media.read import ImageReader
from vlbench.store.samples import SampleIndex, write_samples
from vlbench.types import Condition, Decoding, Fitted, ImageRef, Sample, Show, Span, Variant

PROFILE = PromptProfile(
    benchmark="b", name="default", version=1, title="", image=Wording(template="{question}")
)


class Pictures:
    """Pictures in one file, as a data set has them."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.extent = Extent()

    def add(self, image: Image.Image, form: str) -> ImageRef:
        out = BytesIO()
        image.save(out, form)
        data = out.getvalue()
        offset = self.path.stat().st_size if self.path.exists() else 0
        with self.path.open("ab") as file:
            file.write(data)
        found = inspect(data)
        return ImageRef(
            sha256=found.sha256,
            media_type=found.media_type,
            width=found.width,
            height=found.height,
            size=found.size,
            source=Span(path=str(self.path), offset=offset, length=len(data)),
        )


def lane(rules: ImageRules, name: str = "p", shows: tuple[Show, ...] = ("image", "text")) -> LanePlan:
    entry = ProviderEntry(id=name, name=name, wire="chat", images=rules, limits=Limits())
    variant = Variant(
        id=f"{name}:m", provider=name, model="m", lane=name, wire="chat", urls=(), identity=f"{name}/m"
    )
    rows = tuple(
        PlannedRow(variant, Condition(show=show), entry, PROFILE, Decoding(max_output_tokens=9))
        for show in shows
    )
    return LanePlan(id=name, entry=entry, urls=(), key=None, rows=rows)


class Bench:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.pictures = Pictures(folder / "data.bin")
        self.samples: list[Sample] = []

    def ask(self, *images: ImageRef, name: str | None = None) -> Sample:
        sample = Sample(
            id=name or str(len(self.samples)), question="?", options={"A": "a"}, gold="A", images=images
        )
        self.samples.append(sample)
        return sample

    @contextmanager
    def fit(self, *lanes: LanePlan) -> Iterator[FittedLanes]:
        path = self.folder / "samples.jsonl"
        write_samples(path, self.samples)
        extent = Extent()
        for sample in self.samples:
            extent = extent.joined(sample.images)
        chosen = range(len(self.samples))
        with (
            SampleIndex.open(path) as index,
            fitted(lanes, index, chosen, extent, self.folder / "fitted", silent) as made,
        ):
            yield made


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def test_what_is_taken_is_sent_as_it_is_and_nothing_is_looked_at(bench: Bench) -> None:
    sample = bench.ask(bench.pictures.add(Image.new("RGB", (9, 9)), "PNG"))
    bench.pictures.path.unlink()
    with bench.fit(lane(ImageRules())) as made:
        assert made.changed == ()
        assert made.lanes[0].rows[0].request(sample, 0).images == sample.images
    assert not (bench.folder / "fitted").exists()


def test_each_provider_gets_its_own_form_and_the_manifest_says_so(bench: Bench) -> None:
    sample = bench.ask(bench.pictures.add(Image.new("RGB", (20, 10), "red"), "BMP"))
    bench.ask(*sample.images)  # another question about the same picture
    bench.ask(bench.pictures.add(Image.new("RGB", (20, 10)), "PNG"))
    with bench.fit(lane(ImageRules()), lane(ImageRules(media_types=("image/jpeg",)), "q")) as made:
        first, second = (one.rows[0].request(sample, 0).images[0] for one in made.lanes)
        assert (first.media_type, second.media_type) == ("image/png", "image/jpeg")
        with ImageReader() as reader:
            data = reader.raw(first)
        assert hashlib.sha256(data).hexdigest() == first.sha256
        assert Image.open(BytesIO(data)).getpixel((3, 3)) == (255, 0, 0)
        assert [(one.provider, one.pictures, one.steps) for one in made.changed] == [
            ("p", 1, {"PNG": 1}),
            ("q", 2, {"JPEG": 2}),
        ]
        assert made.lanes[0].rows[1].request(sample, 0).images == ()
        told = [note.message for note in notes_of(made.lanes, made.changed)]
        assert told[0].startswith("1 picture is sent in another form than the data set has (PNG 1)")
        assert told[1].startswith("2 pictures are sent in another form")


def test_a_grey_picture_has_the_size_of_the_one_that_is_sent(bench: Bench) -> None:
    sample = bench.ask(bench.pictures.add(Image.new("RGB", (40, 20)), "PNG"))
    with bench.fit(lane(ImageRules(max_side=10), shows=("image", "grey"))) as made:
        for row in made.lanes[0].rows:
            (image,) = row.request(sample, 0).images
            assert (image.width, image.height) == (10, 5)


def test_pictures_are_made_once_and_known_to_whoever_explains_a_request(bench: Bench) -> None:
    sample = bench.ask(bench.pictures.add(Image.new("RGB", (9, 9)), "BMP"))
    plan = lane(ImageRules())
    with bench.fit(plan) as made:
        sent = made.lanes[0].rows[0].request(sample, 0).images
    bench.pictures.path.unlink()
    with bench.fit(plan) as again:
        assert again.lanes[0].rows[0].request(sample, 0).images == sent
        assert again.changed == made.changed
    with known_fits(plan.rows, bench.folder / "fitted") as rows:
        assert rows[0].request(sample, 0).images == sent
    assert isinstance(sent[0].source, Fitted)


def test_every_sample_that_cannot_be_sent_is_listed_before_anything_is(bench: Bench) -> None:
    noisy = Image.frombytes("RGB", (64, 64), hashlib.shake_128(b"x").digest(64 * 64 * 3))
    bench.ask(bench.pictures.add(Image.new("RGB", (9, 9)), "PNG"), name="fine")
    bench.ask(bench.pictures.add(noisy, "PNG"), name="large")
    small = bench.pictures.add(Image.new("RGB", (9, 9), "blue"), "PNG")
    bench.ask(small, small, small, name="many")
    rules = ImageRules(max_bytes=2000, max_count=2)
    with pytest.raises(UsageError) as told, bench.fit(lane(rules)):
        pass
    words = str(told.value)
    assert words.startswith("p cannot be shown 2 samples: sample large: it has 64 × 64 pixels and ")
    assert "sample many: it shows 3 pictures, and the provider takes 2 in a request" in words
    assert "Nothing was sent" in words
    assert "fine" not in words


def test_two_pictures_become_one_where_a_single_one_is_taken(bench: Bench) -> None:
    small = bench.pictures.add(Image.new("RGB", (9, 9), "blue"), "PNG")
    sample = bench.ask(small, small)
    with bench.fit(lane(ImageRules(max_count=1))) as made:
        assert len(made.lanes[0].rows[0].request(sample, 0).images) == 1


def test_pictures_that_are_too_many_bytes_together_are_told(bench: Bench) -> None:
    small = bench.pictures.add(Image.new("RGB", (9, 9), "blue"), "PNG")
    bench.ask(small, small)
    with (
        pytest.raises(UsageError, match=f"have {2 * small.size} bytes, and a request takes {small.size}"),
        bench.fit(lane(ImageRules(max_total_bytes=small.size))),
    ):
        pass


def test_rows_without_pictures_ask_for_nothing(bench: Bench) -> None:
    bench.ask(bench.pictures.add(Image.new("RGB", (9, 9)), "BMP"))
    bench.pictures.path.unlink()
    with bench.fit(lane(ImageRules(), shows=("text",))) as made:
        assert made.changed == ()


def test_what_is_asked_again_may_have_another_output_limit(bench: Bench) -> None:
    sample = bench.ask()
    row = replace(lane(ImageRules()).rows[0], again=Decoding(max_output_tokens=99))
    assert row.request(sample, 0).decoding.max_output_tokens == 9
    assert row.request(sample, 0, again=True).decoding.max_output_tokens == 99


def test_a_parameter_that_is_left_out_is_told_once(bench: Bench) -> None:
    plan = lane(ImageRules())
    entry = plan.entry.model_copy(update={"rejects": ("temperature",)})
    rows = tuple(
        replace(
            row,
            entry=entry,
            variant=row.variant.model_copy(update={"decoding": Decoding(temperature=0.5)}),
        )
        for row in plan.rows
    )
    (note,) = notes_of((replace(plan, rows=rows),), ())
    assert (note.subject, note.message) == (
        "p:m",
        "temperature=0.5 is not sent: this model's server refuses it",
    )
