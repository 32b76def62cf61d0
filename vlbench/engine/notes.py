"""What a user should know of a run before it begins: what is not sent as they might think."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from vlbench.catalog.resolve import rejections
from vlbench.engine.plan import LanePlan
from vlbench.state.events import Warned
from vlbench.store.manifest import ChangedPictures


def notes_of(lanes: Sequence[LanePlan], changed: Sequence[ChangedPictures]) -> tuple[Warned, ...]:
    """Pictures sent in another form, and parameters left out because a server refuses them."""
    return (*map(_pictures, changed), *dict.fromkeys(_left_out(lanes)))


def _pictures(changed: ChangedPictures) -> Warned:
    steps = ", ".join(f"{step} {count:,}" for step, count in changed.steps.items())
    one = changed.pictures == 1
    return Warned(
        subject=changed.provider,
        message=f"{changed.pictures:,} picture{' is' if one else 's are'} sent in another form than the data "
        f"set has ({steps}), because {changed.provider} does not take {'it' if one else 'them'} or you asked "
        "for smaller ones",
    )


def _left_out(lanes: Sequence[LanePlan]) -> Iterator[Warned]:
    for lane in lanes:
        for row in lane.rows:
            prescribed = row.profile.decoding_for(row.condition, base=row.variant.base)
            for left_out in rejections(row.variant, row.entry, prescribed):
                message = f"{left_out.name}={left_out.value} is not sent: this model's server refuses it"
                yield Warned(subject=row.variant.id, message=message)
