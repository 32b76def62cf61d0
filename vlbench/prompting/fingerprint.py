"""What tells two versions of a prompt profile apart."""

from __future__ import annotations

import hashlib
import json

from vlbench.catalog.profile import PromptProfile

_ABOUT = {"title", "source", "checked"}


def profile_hash(profile: PromptProfile) -> str:
    """SHA-256, in hex, of all of a profile that can change a request; its title and source cannot."""
    # Fields that are not set do not count: a field added to profiles later must not change old hashes.
    content = profile.model_dump(mode="json", exclude=_ABOUT, exclude_none=True)
    canonical = json.dumps(content, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()
