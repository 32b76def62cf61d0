"""The pictures of a run as each provider takes them, made before anything is sent."""

from __future__ import annotations

import os
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from vlbench.benchmarks.benchmark import Progress, Step
from vlbench.catalog.entry import ImageRules
from vlbench.engine.plan import LanePlan, PlannedRow
from vlbench.errors import UsageError
from vlbench.media.extent import Extent
from vlbench.media.fit import Refitted, UnfitPicture, is_taken, refitted
from vlbench.media.read import ImageReader
from vlbench.store.fitted import FittedPictures
from vlbench.store.manifest import ChangedPictures
from vlbench.store.samples import SampleIndex
from vlbench.types import Fitted, ImageRef, Sample

FITTED: Final = "fitted"
"""The folder of the cache directory where such pictures are kept."""

_MOST_LISTED: Final = 20
_SAMPLES_PER_STEP: Final = 200


@dataclass(frozen=True, slots=True)
class FittedLanes:
    """The lanes with rows that send what their provider takes, and what was changed for whom."""

    lanes: tuple[LanePlan, ...]
    changed: tuple[ChangedPictures, ...]


@contextmanager
def fitted(
    lanes: Sequence[LanePlan],
    index: SampleIndex,
    chosen: Sequence[int],
    extent: Extent,
    folder: Path,
    progress: Progress,
) -> Iterator[FittedLanes]:
    """Make, in `folder`, the pictures that some provider does not take as they are; lanes to ask with them.

    `extent` is of the whole data set: where it suits a provider nothing is looked at. Raises `UsageError`
    that lists every sample which cannot be sent to one.
    """
    with ExitStack() as stack:
        fits: dict[ImageRules, Fit] = {}
        changed = []
        for name, rules in _rules(lanes):
            if extent.suits(rules):
                continue
            if rules not in fits:
                fits[rules] = Fit(rules, stack.enter_context(FittedPictures(folder, rules)))
                _make(name, fits[rules], index, chosen, progress)
            if fits[rules].steps:
                changed.append(fits[rules].told(name))
        yield FittedLanes(tuple(_with_fits(lane, fits) for lane in lanes), tuple(changed))


@contextmanager
def known_fits(rows: Iterable[PlannedRow], folder: Path) -> Iterator[tuple[PlannedRow, ...]]:
    """The rows with the pictures that were made for them in `folder` before; nothing is made."""
    rows = tuple(rows)
    with ExitStack() as stack:
        fits = {
            rules: Fit(rules, stack.enter_context(FittedPictures(folder, rules)))
            for rules in {row.entry.images for row in rows}
        }
        yield tuple(_with_fit(row, fits[row.entry.images]) for row in rows)


class Fit:
    """Gives for each picture the one that is sent under `rules`: itself, or what was made of it."""

    def __init__(self, rules: ImageRules, made: FittedPictures) -> None:
        self.rules = rules
        self.made = made
        self.steps: Counter[str] = Counter()
        self._counted: set[bytes] = set()

    def told(self, provider: str) -> ChangedPictures:
        """What was counted, of one provider."""
        steps = dict(sorted(self.steps.items()))
        return ChangedPictures(provider=provider, pictures=len(self._counted), steps=steps)

    def __call__(self, image: ImageRef) -> ImageRef:
        if is_taken(image, self.rules):
            return image
        return self.made.get(image) or image

    def count(self, picture: ImageRef) -> None:
        """Count what was done to a picture, once for each."""
        assert isinstance(picture.source, Fitted)
        original = bytes.fromhex(picture.source.original)
        if original not in self._counted:
            self._counted.add(original)
            self.steps.update(step.partition(":")[0] for step in picture.source.steps)


def _rules(lanes: Sequence[LanePlan]) -> Iterator[tuple[str, ImageRules]]:
    """Every provider that is shown pictures, once, with its rules."""
    found = {
        (row.entry.id, row.entry.images): None for lane in lanes for row in lane.rows if row.shows_pictures
    }
    yield from found


def _with_fits(lane: LanePlan, fits: dict[ImageRules, Fit]) -> LanePlan:
    rows = tuple(_with_fit(row, fits.get(row.entry.images)) for row in lane.rows)
    return replace(lane, rows=rows)


def _with_fit(row: PlannedRow, fit: Fit | None) -> PlannedRow:
    return replace(row, fit=fit) if fit and row.shows_pictures else row


def _make(provider: str, fit: Fit, index: SampleIndex, chosen: Sequence[int], progress: Progress) -> None:
    problems: list[str] = []
    samples = (index.get(ordinal) for ordinal in chosen if ordinal not in index.problems)
    with ImageReader() as reader:
        for done, (sample, reasons) in enumerate(_worked_off(fit, samples, reader), start=1):
            problem = next(iter(reasons), None) or _too_much(sample, fit)
            if problem:
                problems.append(f"sample {sample.id}: {problem}")
            if done % _SAMPLES_PER_STEP == 0:
                progress(Step(f"pictures for {provider}", done, len(chosen)))
    if problems:
        raise _listed(provider, problems)


def _worked_off(
    fit: Fit, samples: Iterator[Sample], reader: ImageReader
) -> Iterator[tuple[Sample, list[str]]]:
    """Every sample in order with what keeps its pictures from being sent; some are worked on ahead."""
    workers = os.cpu_count() or 1
    ahead: deque[tuple[Sample, list[tuple[ImageRef, Future[Refitted]]]]] = deque()
    making: dict[str, Future[Refitted]] = {}
    with ThreadPoolExecutor(workers) as pool:
        for sample in samples:
            wanted = []
            for image in sample.images:
                if is_taken(image, fit.rules) or fit.made.get(image) is not None:
                    continue
                if image.sha256 not in making:
                    making[image.sha256] = pool.submit(_refitted, reader, image, fit.rules)
                wanted.append((image, making[image.sha256]))
            ahead.append((sample, wanted))
            # Decoded pictures are large: few of them wait at a time.
            while len(making) > 2 * workers or len(ahead) > _SAMPLES_PER_STEP:
                yield _kept(fit, making, *ahead.popleft())
        while ahead:
            yield _kept(fit, making, *ahead.popleft())


def _refitted(reader: ImageReader, image: ImageRef, rules: ImageRules) -> Refitted:
    return refitted(reader.raw(image), rules)


def _kept(
    fit: Fit,
    making: dict[str, Future[Refitted]],
    sample: Sample,
    wanted: list[tuple[ImageRef, Future[Refitted]]],
) -> tuple[Sample, list[str]]:
    """Keep what was made of one sample's pictures, and say what could not be made."""
    reasons = []
    for image, future in wanted:
        making.pop(image.sha256, None)
        if fit.made.get(image) is not None:
            continue  # a neighbour shows the same picture
        try:
            fit.made.add(image, future.result())
        except UnfitPicture as error:
            reasons.append(str(error))
    for image in sample.images:
        sent = fit(image)
        if isinstance(sent.source, Fitted):
            fit.count(sent)
    return sample, reasons


def _too_much(sample: Sample, fit: Fit) -> str | None:
    """Why the pictures of a sample cannot go into one request, each of which could."""
    rules, count = fit.rules, len(sample.images)
    # Two pictures are drawn as one for a server that takes a single one.
    if rules.max_count is not None and count > rules.max_count and (rules.max_count, count) != (1, 2):
        return f"it shows {count} pictures, and the provider takes {rules.max_count} in a request"
    if rules.max_total_bytes is not None:
        total = sum(fit(image).size for image in sample.images)
        if total > rules.max_total_bytes:
            return f"its pictures have {total:,} bytes, and a request takes {rules.max_total_bytes:,}"
    return None


def _listed(provider: str, problems: Sequence[str]) -> UsageError:
    shown = [*problems[:_MOST_LISTED]]
    if len(problems) > _MOST_LISTED:
        shown.append(f"and {len(problems) - _MOST_LISTED} more")
    one = len(problems) == 1
    return UsageError(
        f"{provider} cannot be shown {len(problems)} sample{'' if one else 's'}: {'; '.join(shown)}. Nothing "
        "was sent. Allow smaller copies with --image-max-side N, choose other samples, or correct [images] "
        f"of the entry {provider}."
    )
