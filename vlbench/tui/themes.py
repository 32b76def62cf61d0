"""The colours of the view: calm, with enough contrast on dark and on light terminals."""

from __future__ import annotations

from textual.theme import Theme

DARK = Theme(
    name="vlbench-dark",
    primary="#6CA8D8",
    secondary="#5B7A99",
    accent="#D9B36C",
    warning="#E0A84E",
    error="#E0736E",
    success="#7DBE8A",
    foreground="#D9DEE5",
    background="#12161C",
    surface="#171C23",
    panel="#1E252E",
    dark=True,
    variables={"muted": "#8B95A1", "faint": "#4A5563"},
)
LIGHT = Theme(
    name="vlbench-light",
    primary="#1F6098",
    secondary="#50708F",
    accent="#8A5A00",
    warning="#9A6100",
    error="#B3312C",
    success="#2C7A3D",
    foreground="#1B232C",
    background="#FAFAF7",
    surface="#F1F1EC",
    panel="#E6E7E2",
    dark=False,
    variables={"muted": "#5C6670", "faint": "#B4B8BC"},
)

EITHER = {"muted": "#808890", "faint": "#707880"}
"""The same names for a theme of Textual's own, chosen in the command palette."""
