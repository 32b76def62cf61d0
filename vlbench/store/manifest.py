"""What a run was asked, frozen when it starts: enough to continue it, and to report it years later."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Literal

from pydantic import AwareDatetime, Field, JsonValue, ValidationError

from vlbench.errors import StoreError
from vlbench.store.atomic import write_atomically
from vlbench.store.canonical import canonical, json_bytes
from vlbench.store.ordinary import open_ordinary
from vlbench.types import Condition, Decoding, Layout, Record, Variant


class BenchmarkFacts(Record):
    """Which benchmark; `version` is its evaluation version, `levels` name its category levels.

    `metrics` are the further metrics that are reported of it.
    """

    name: str
    version: str
    levels: tuple[str, ...] = ()
    metrics: tuple[str, ...] = ()


class DataFacts(Record):
    """Which data: a path or repository, the SHA-256 of the file, the revision, the number of rows."""

    source: str
    sha256: str
    revision: str = ""
    rows: int = Field(ge=0)


class PromptFacts(Record):
    """Which wording; `sha256` is of the profile as it was used."""

    id: str
    version: str
    sha256: str


class Selection(Record):
    """Which samples, in which order.

    `limit` None means all; `order` names how they are put in order from `seed`. `skipped` are the ids of
    broken rows the user chose to go on without. `shuffle` is the seed options were shuffled by, `circular`
    says that every question is asked in all rotations of its options.
    """

    limit: int | None = Field(default=None, gt=0)
    ids: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    order: str = "stratified"
    seed: int = 0
    skipped: tuple[str, ...] = ()
    shuffle: int | None = None
    circular: bool = False


class ChangedPictures(Record):
    """How many different pictures a provider got in another form, and how often each step was taken."""

    provider: str
    pictures: int = Field(ge=0)
    steps: dict[str, int] = Field(default_factory=dict)


class Retried(Record):
    """Replies of these kinds were asked again, with this output limit (None: the run's own)."""

    kinds: tuple[str, ...]
    max_output_tokens: int | None = Field(default=None, gt=0)


class ServerFacts(Record):
    """What a server of the user's own said of itself: its version, and the weights behind a model's name."""

    url: str
    model: str
    version: str = ""
    weights: str = ""


class Manifest(Record):
    """The configuration of one run, as resolved.

    `conditions` are shown to every subject, `base_conditions` to the LLM base. `decoding` maps a variant's
    id and a condition's id to what is sent. `combined` maps variants that take one picture a request to how
    the two pictures of a question became one. `reader` is the answer reader shown by default. `packages` are
    the versions of the SDKs in use.
    """

    schema_version: Literal[1] = 1
    run: str
    created: AwareDatetime
    vlbench: str
    python: str
    benchmark: BenchmarkFacts
    data: DataFacts
    prompt: PromptFacts
    variants: tuple[Variant, ...]
    conditions: tuple[Condition, ...]
    base_conditions: tuple[Condition, ...] = ()
    decoding: dict[str, dict[str, Decoding]] = Field(default_factory=dict)
    combined: dict[str, Layout] = Field(default_factory=dict)
    repeats: int = Field(default=1, gt=0)
    selection: Selection = Selection()
    reader: str = "strict"
    packages: dict[str, str] = Field(default_factory=dict)
    image_max_side: int | None = Field(default=None, gt=0)
    changed: tuple[ChangedPictures, ...] = ()
    retried: tuple[Retried, ...] = ()
    servers: tuple[ServerFacts, ...] = ()
    options: dict[str, JsonValue] = Field(default_factory=dict)

    def question(self) -> dict[str, JsonValue]:
        """What must be equal for a run to be continued, by names a user knows.

        Variants, repeats and limit are not in it: they may grow. Limits, URLs and the reader are not part
        of what is asked.
        """
        selection = self.selection
        return {
            "benchmark": f"{self.benchmark.name} {self.benchmark.version}",
            "data": self.data.sha256,
            "prompt": f"{self.prompt.id} {self.prompt.version} {self.prompt.sha256}",
            "conditions": _sorted(condition.id for condition in self.conditions),
            "base conditions": _sorted(condition.id for condition in self.base_conditions),
            "ids": _sorted(selection.ids),
            "categories": _sorted(selection.categories),
            "order": selection.order,
            "seed": selection.seed,
            "image size": self.image_max_side,
            "shuffled options": "" if selection.shuffle is None else str(selection.shuffle),
            "circular evaluation": selection.circular,
        }

    def conflicts(self, earlier: Manifest) -> tuple[str, ...]:
        """What keeps this from continuing `earlier`, one short phrase each; empty when nothing does."""
        mine, theirs = self.question(), earlier.question()
        found = [f"{name} differ" if name.endswith("s") else f"{name} differs"
                 for name in mine if mine[name] != theirs[name]]  # fmt: skip
        if _number(self.selection.limit) < _number(earlier.selection.limit):
            found.append("fewer samples are asked for")
        if self.repeats < earlier.repeats:
            found.append("fewer repeats are asked for")
        asked = {variant.id: variant for variant in self.variants}
        for variant in earlier.variants:
            if variant.id not in asked:
                found.append(f"{variant.id} is no longer asked")
            elif self._row(asked[variant.id]) != earlier._row(variant):
                found.append(f"{variant.id} has another model or other parameters")
        return tuple(found)

    def extends(self, earlier: Manifest) -> bool:
        """Whether this can continue a run of `earlier`: all it asked is asked here, in the same way."""
        return not self.conflicts(earlier)

    def priced_as(self, earlier: Manifest) -> tuple[Variant, ...]:
        """The variants at the prices `earlier` has; see `at_price`."""
        return tuple(map(earlier.at_price, self.variants))

    def at_price(self, variant: Variant) -> Variant:
        """`variant` at the price this has: what a report says does not change with a list of prices.

        A price that was unknown, or stands in the provider's entry now, is kept as `variant` has it.
        """
        if variant.price is not None and not variant.price.listed:
            return variant
        known = (one.price for one in self.variants if one.id == variant.id and one.price is not None)
        return variant.model_copy(update={"price": next(known, variant.price)})

    def save(self, path: Path) -> None:
        """Write the manifest whole or not at all. Raises StoreError when it cannot be written."""
        write_atomically(path, [self.model_dump_json(indent=2).encode(), b"\n"])

    @classmethod
    def load(cls, path: Path) -> Manifest:
        """Read a manifest. Raises StoreError when it is missing, damaged or of a newer vlbench."""
        try:
            with open_ordinary(path) as file:
                return cls.model_validate_json(file.read())
        except OSError as error:
            raise StoreError(f"Cannot read {path}: {error.strerror or error}.") from error
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(map(str, first["loc"])) or "the file"
            raise StoreError(
                f"{path} is damaged or was written by another version of vlbench ({where}: {first['msg']}). "
                "Start the run anew with --fresh."
            ) from error

    def _row(self, variant: Variant) -> bytes:
        """What must stay equal of one variant: not its URLs or lane, which say where it is served today."""
        sent = self.decoding.get(variant.id, {})
        fixed = variant.model_dump(mode="json", include={"provider", "model", "wire", "identity", "base"})
        plain: JsonValue = {
            name: canonical(one.model_dump(mode="json")) for name, one in sorted(sent.items())
        }
        return json_bytes([fixed, plain, canonical(variant.decoding.model_dump(mode="json"))])


def _sorted(names: Iterable[str]) -> list[JsonValue]:
    return [*sorted(names)]


def _number(limit: int | None) -> float:
    return float("inf") if limit is None else limit
