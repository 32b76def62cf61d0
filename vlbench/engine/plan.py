"""What a run will ask, of whom: rows (a variant under a condition) grouped into lanes."""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import SecretStr

from vlbench.catalog.entry import ProviderEntry
from vlbench.catalog.profile import PromptProfile
from vlbench.media.grey import grey_of
from vlbench.prompting.messages import build
from vlbench.types import Condition, Decoding, Request, Sample, Variant


@dataclass(frozen=True, slots=True)
class PlannedRow:
    """A variant under a condition, with everything that turns a sample into its request."""

    variant: Variant
    condition: Condition
    entry: ProviderEntry
    profile: PromptProfile
    decoding: Decoding

    def request(self, sample: Sample, repeat: int) -> Request:
        """The complete request for one slot."""
        messages = build(
            self.profile, sample, self.condition, base=self.variant.base, entry=self.entry, grey=grey_of
        )
        return Request(self.variant.model, messages, self.decoding, repeat)


@dataclass(frozen=True, slots=True)
class LanePlan:
    """One provider account: its entry under the user's limits, addresses, key, and the rows that share it."""

    id: str
    entry: ProviderEntry
    urls: tuple[str, ...]
    key: SecretStr | None
    rows: tuple[PlannedRow, ...]
