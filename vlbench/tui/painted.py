"""A part of the screen that is only drawn again when what it shows has changed."""

from __future__ import annotations

from textual.content import Content
from textual.widgets import Static


class Painted(Static):
    """Shows one `Content`, never markup."""

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__("", markup=False, id=id, classes=classes)
        self._painted = Content("")
        self._wrapped = False

    def paint(self, content: Content) -> None:
        """Show `content`; nothing happens when it is shown already."""
        if content.is_same(self._painted):
            return
        wraps = max((line.cell_length for line in content.split("\n")), default=0) > self.width
        grew = content.plain.count("\n") != self._painted.plain.count("\n")
        layout = wraps or grew or self._wrapped
        self._painted, self._wrapped = content, wraps
        self.update(content, layout=layout)

    @property
    def painted(self) -> Content:
        """What is shown."""
        return self._painted

    @property
    def width(self) -> int:
        """Cells a line may have; the screen's before the first layout."""
        return self.content_region.width or max(20, self.app.size.width - 4)
