"""What a run will ask, of whom: rows (a variant under a condition) grouped into lanes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pydantic import SecretStr

from vlbench.catalog.entry import ProviderEntry
from vlbench.catalog.profile import PromptProfile
from vlbench.media.grey import grey_of
from vlbench.prompting.messages import build
from vlbench.prompting.similarity import build_similarity
from vlbench.types import Condition, Decoding, ImageRef, Request, Sample, Variant


@dataclass(frozen=True, slots=True)
class PlannedRow:
    """A variant under a condition, with everything that turns a sample into its request.

    `fit` gives the picture that is sent for one the provider does not take; None where it takes all.
    `again` is the decoding of what is asked again because its reply was not good enough, when the user gave
    another one.
    """

    variant: Variant
    condition: Condition
    entry: ProviderEntry
    profile: PromptProfile
    decoding: Decoding
    fit: Callable[[ImageRef], ImageRef] | None = None
    again: Decoding | None = None

    @property
    def shows_pictures(self) -> bool:
        """Whether requests of this row hold pictures, grey ones included."""
        return not self.variant.base and self.condition.show != "text"

    def request(self, sample: Sample, repeat: int, *, again: bool = False) -> Request:
        """The complete request for one slot, or for asking it `again`."""
        if self.fit is not None:
            sample = sample.model_copy(update={"images": tuple(map(self.fit, sample.images))})
        if self.entry.wire == "embeddings":
            messages = build_similarity(sample, self.condition)
        else:
            messages = build(
                self.profile, sample, self.condition, base=self.variant.base, entry=self.entry, grey=grey_of
            )
        decoding = self.again if again and self.again else self.decoding
        return Request(self.variant.model, messages, decoding, repeat)


@dataclass(frozen=True, slots=True)
class LanePlan:
    """One provider account: its entry under the user's limits, addresses, key, and the rows that share it."""

    id: str
    entry: ProviderEntry
    urls: tuple[str, ...]
    key: SecretStr | None
    rows: tuple[PlannedRow, ...]
