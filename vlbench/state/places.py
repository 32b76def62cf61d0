"""Where in the journal the last word on every slot stands, so that a view reads only the lines it shows."""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field

from vlbench.state.fold import RowKey


@dataclass(slots=True)
class Places:
    """`rows[key][repeat][ordinal]` is 1 + the byte offset of a slot's last reply or final failure; or 0."""

    rows: dict[RowKey, list[array[int]]] = field(default_factory=dict)

    def note(self, key: RowKey, repeat: int, ordinal: int, offset: int) -> None:
        """Remember that the slot's last word stands at `offset`."""
        try:
            self.rows[key][repeat][ordinal] = offset + 1
        except (KeyError, IndexError):
            self._make_room(key, repeat, ordinal)
            self.rows[key][repeat][ordinal] = offset + 1

    def _make_room(self, key: RowKey, repeat: int, ordinal: int) -> None:
        repeats = self.rows.setdefault(key, [])
        while len(repeats) <= repeat:
            repeats.append(array("Q"))
        offsets = repeats[repeat]
        if len(offsets) <= ordinal:
            # Twice what is needed: slots arrive nearly in order, one growth per slot would be quadratic.
            offsets.extend(array("Q", bytes(8 * (2 * ordinal + 64 - len(offsets)))))

    def find(self, key: RowKey, repeat: int, ordinal: int) -> int | None:
        """The offset of the slot's last word; None while there is none."""
        repeats = self.rows.get(key, [])
        if repeat >= len(repeats) or ordinal >= len(repeats[repeat]):
            return None
        return repeats[repeat][ordinal] - 1 if repeats[repeat][ordinal] else None
