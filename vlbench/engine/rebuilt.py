"""The rows of a run, rebuilt from its manifest and the catalog: to explain requests without making any."""

from __future__ import annotations

from collections.abc import Iterator

from vlbench.catalog.load import Catalog
from vlbench.engine.asked import within, worded
from vlbench.engine.options import RunOptions
from vlbench.engine.plan import PlannedRow
from vlbench.errors import UsageError
from vlbench.prompting.fingerprint import profile_hash
from vlbench.store.manifest import Manifest


def rows_of(manifest: Manifest, catalog: Catalog) -> Iterator[PlannedRow]:
    """Every row with the wording of today's catalog.

    Raises `UsageError` when that is no longer what the run used, or when the run was never asked by vlbench.
    """
    if not manifest.options:
        raise UsageError(f"{manifest.run} holds predictions of another tool, so it made no requests.")
    profile = catalog.profile_with_id(manifest.prompt.id)
    options = RunOptions.model_validate(manifest.options)
    profile = worded(profile, options)
    if profile_hash(profile) != manifest.prompt.sha256:
        raise UsageError(
            f"The prompt profile {manifest.prompt.id} has changed since {manifest.run} was made "
            f"(version {manifest.prompt.version} then, {profile.version} now): it cannot be rebuilt."
        )
    for variant in manifest.variants:
        entry = within(catalog.provider(variant.provider), options)
        for condition in manifest.base_conditions if variant.base else manifest.conditions:
            decoding = manifest.decoding[variant.id].get(condition.id)
            if decoding is not None:
                yield PlannedRow(variant, condition, entry, profile, decoding)
