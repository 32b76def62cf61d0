"""The ten change categories of VDiff-Bench, their two groups, and the ways they are spelled."""

from __future__ import annotations

import re
from typing import Final

from vlbench.scoring.vdiff import LOW_LEVEL, SEMANTIC, TEXT_CATEGORY

OTHER: Final = "other"
"""The group of a category that is none of the ten; it keeps the name it has in the data."""

_SPELLINGS: Final = {
    (SEMANTIC, "position"): ("position", "position change", "location", "spatial position"),
    (SEMANTIC, "motion"): ("motion", "motion change", "movement", "pose", "action"),
    (SEMANTIC, "regional image color"): (
        "regional image color",
        "regional color",
        "region color",
        "local color",
        "local image color",
        "object color",
        "color regional",
        "color",
    ),
    (SEMANTIC, "appearance/disappearance"): (
        "appearance disappearance",
        "appear disappear",
        "appearance and disappearance",
        "addition removal",
        "add remove",
    ),
    (SEMANTIC, "substitution/size"): (
        "substitution size",
        "substitution and size",
        "substitution",
        "size",
        "replacement size",
    ),
    (SEMANTIC, TEXT_CATEGORY): ("ocr text", "ocr", "text", "text ocr", "ocr and text"),
    (LOW_LEVEL, "overall image color"): (
        "overall image color",
        "overall color",
        "whole image color",
        "whole color",
        "global color",
        "global image color",
        "color overall",
        "color whole",
    ),
    (LOW_LEVEL, "noise/resolution"): ("noise resolution", "noise", "resolution", "noise and resolution"),
    (LOW_LEVEL, "texture"): ("texture", "texture change", "smoothness"),
    (LOW_LEVEL, "illumination"): ("illumination", "illumination change", "lighting", "brightness"),
}
_PATHS: Final = {spelling: path for path, spellings in _SPELLINGS.items() for spelling in spellings}


def category_path(name: str) -> tuple[str, str]:
    """(group, category) of a change category, however it is spelled; ("other", its own name) if unknown."""
    plain = re.sub(r"[^a-z]+", " ", name.lower().replace("colour", "color")).strip()
    path = _PATHS.get(plain) or _PATHS.get(plain.removesuffix(" change").removesuffix(" difference"))
    return path or (OTHER, name.strip())
