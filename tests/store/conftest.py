"""Requests, replies and manifests that the tests of the store share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path

import pytest

from vlbench.store.cache import CachedReply, DiskCache
from vlbench.store.cache_opening import open_cache
from vlbench.store.key import ingredients, request_key
from vlbench.store.manifest import BenchmarkFacts, DataFacts, Manifest, PromptFacts
from vlbench.types import (
    Condition,
    Decoding,
    ImagePart,
    ImageRef,
    Message,
    Reply,
    Request,
    Sample,
    Span,
    TextPart,
    Variant,
)

Entry = tuple[str, CachedReply]


@pytest.fixture
def variant() -> Variant:
    return Variant(
        id="gpt", provider="gpt", model="gpt-6", lane="gpt", wire="responses",
        urls=("https://api.example/v1",), identity="gpt/gpt-6",
    )  # fmt: skip


@pytest.fixture
def picture() -> ImageRef:
    return ImageRef(
        sha256="ab" * 32, media_type="image/png", width=640, height=480, size=9000,
        source=Span(path="data.tsv", offset=100, length=12000, encoding="base64"),
    )  # fmt: skip


@pytest.fixture
def request_(picture: ImageRef) -> Request:
    question = (ImagePart(picture), TextPart("How many wheels does the cart have?\nA. 2\nB. 3\nC. 4\nD. 5"))
    messages = (Message("system", (TextPart("Answer with one letter."),)), Message("user", question))
    return Request("gpt-6", messages, Decoding(max_output_tokens=4096, temperature=0))


@pytest.fixture
def make_entry(request_: Request, variant: Variant) -> Callable[[int], Entry]:
    """Entry number n, with its key."""

    def make(number: int) -> Entry:
        one = Request(request_.model, request_.messages, request_.decoding, repeat=number)
        parts = ingredients(one, variant)
        reply = Reply(text=f"The answer is B. ({number})")
        return request_key(parts), CachedReply(ingredients=parts, reply=reply, created=1e9, latency_s=0.5)

    return make


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Callable[[], DiskCache]]:
    """Opens the cache in `tmp_path`, as often as it is called; a warning fails the test."""
    with ExitStack() as stack:

        def open_one() -> DiskCache:
            ready = open_cache(tmp_path, on_warning=pytest.fail)
            assert ready.warnings == ()
            stack.callback(ready.cache.close)
            return ready.cache

        yield open_one


@pytest.fixture
def manifest(variant: Variant) -> Manifest:
    return Manifest(
        run="mmstar-20270102-030405-beef",
        created=datetime(2027, 1, 2, 3, 4, 5, tzinfo=UTC),
        vlbench="0.1.0",
        python="3.11.9",
        benchmark=BenchmarkFacts(name="mmstar", version="1", levels=("category", "detail")),
        data=DataFacts(source="MMStar.tsv", sha256="cd" * 32, rows=1500),
        prompt=PromptFacts(id="default", version="1", sha256="ef" * 32),
        variants=(variant,),
        conditions=(Condition(show="image"), Condition(show="text")),
        decoding={"gpt": {"image": Decoding(temperature=0), "text": Decoding(temperature=0)}},
    )


@pytest.fixture
def make_sample(picture: ImageRef) -> Callable[[int], Sample]:
    """Sample number n; every third shares its pictures, every fifth is broken."""

    def make(number: int) -> Sample:
        return Sample(
            id=f"row-{number}",
            question=f"Wie viele Räder? №{number}",
            options={"A": "2", "B": "3", "C": "4"},
            gold="ABC"[number % 3],
            images=(picture,),
            categories=("counting", f"wheels {number % 2}"),
            group="shared" if number % 3 == 0 else "",
            problem="the picture is cut off" if number % 5 == 4 else None,
        )

    return make
