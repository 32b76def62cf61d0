"""A profile, an entry and samples to build messages from."""

from __future__ import annotations

import hashlib

import pytest

from vlbench.catalog.entry import ProviderEntry
from vlbench.catalog.load import Catalog
from vlbench.catalog.places import shipped_root
from vlbench.catalog.profile import Exemplar, PromptProfile, Wording
from vlbench.types import ImageRef, Sample, Span


@pytest.fixture
def entry() -> ProviderEntry:
    return ProviderEntry(id="vendor", name="Vendor", wire="chat", urls=("https://api.vendor.example/v1",))


@pytest.fixture
def profile() -> PromptProfile:
    return PromptProfile(
        benchmark="b",
        name="n",
        version=1,
        title="t",
        image=Wording(template="{question}\n{options}\nOne of {labels}.", few_shot_system="Guess."),
        exemplars=(Exemplar(user="{question}?", assistant="B"), Exemplar(user="Second?", assistant="D")),
    )


@pytest.fixture
def pictures() -> tuple[ImageRef, ...]:
    return tuple(
        ImageRef(
            sha256=hashlib.sha256(bytes([n])).hexdigest(),
            media_type="image/png",
            width=4 + n,
            height=3,
            size=9,
            source=Span(path="pack", offset=9 * n, length=9),
        )
        for n in range(2)
    )


@pytest.fixture
def sample(pictures: tuple[ImageRef, ...]) -> Sample:
    return Sample(
        id="7", question="What is it?", options={"A": "a cat", "B": "nan"}, gold="A", images=pictures[:1]
    )


@pytest.fixture
def official() -> PromptProfile:
    """The shipped profile with the authors' templates."""
    root = shipped_root()
    return Catalog.open(root, user=root / "no-such-directory").profile("mmstar", "official")
