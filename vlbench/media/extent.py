"""The extremes of many pictures: by them a whole data set is known to suit a provider, unlooked at."""

from __future__ import annotations

from collections.abc import Sequence

from vlbench.catalog.entry import ImageRules
from vlbench.types import ImageRef, Record


class Extent(Record):
    """The most that any picture has: bytes, pixels on a side, pixels; and any sample: pictures, bytes.

    `is_turned` says that some picture is to be turned as its EXIF says.
    """

    media_types: tuple[str, ...] = ()
    is_turned: bool = False
    bytes: int = 0
    side: int = 0
    pixels: int = 0
    count: int = 0
    total_bytes: int = 0

    def suits(self, rules: ImageRules) -> bool:
        """Whether every picture can be sent as it is, and all of every sample in one request."""
        limits = (
            (self.bytes, rules.max_bytes),
            (self.side, rules.max_side),
            (self.pixels, rules.max_pixels),
            (self.count, rules.max_count),
            (self.total_bytes, rules.max_total_bytes),
        )
        return (
            set(self.media_types) <= set(rules.media_types)
            and (rules.applies_orientation or not self.is_turned)
            and all(most is None or value <= most for value, most in limits)
        )

    def joined(self, images: Sequence[ImageRef]) -> Extent:
        """The extent of these and of one more sample's pictures; itself when they are no larger."""
        if not images:
            return self
        sizes = [image.size for image in images]
        sides = [max(image.width, image.height) for image in images]
        wider = Extent(
            media_types=tuple(sorted({*self.media_types, *(image.media_type for image in images)})),
            is_turned=self.is_turned or any(image.orientation != 1 for image in images),
            bytes=max(self.bytes, *sizes),
            side=max(self.side, *sides),
            pixels=max(self.pixels, *(image.width * image.height for image in images)),
            count=max(self.count, len(images)),
            total_bytes=max(self.total_bytes, sum(sizes)),
        )
        return self if wider == self else wider
