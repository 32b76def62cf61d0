"""Where the numbers come from, as a table of two columns."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from vlbench.report.data import ModelFacts, Provenance, ReportData, Retried, Servers
from vlbench.report.layout import Column, Table


def provenance_block(report: ReportData) -> Table:
    """Everything needed to make the numbers again, from the data to the versions."""
    facts = report.provenance
    table = Table("Where these numbers come from", (Column("what"), Column("value")))
    table.add("run", f"{facts.run}, created {facts.created}")
    table.add("benchmark", f"{facts.benchmark}, version {facts.benchmark_version}")
    revision = f", revision {facts.data_revision}" if facts.data_revision else ""
    table.add("data", f"{facts.data}, {facts.data_rows:,} rows{revision}")
    table.add("data SHA-256", facts.data_sha256 or "—")
    table.add(
        "prompt", f"{facts.prompt}, version {facts.prompt_version} ({facts.prompt_sha256[:12] or 'no hash'})"
    )
    chosen = {name: value for name, value in facts.selection.items() if value not in (None, [])}
    table.add("selection", _listed(chosen))
    for model in facts.models:
        table.add(model.variant, "; ".join(_model(model)))
    for what, value in _differing(facts):
        table.add(what, value)
    table.add("readers", ", ".join(facts.readers) or "—")
    versions = {"vlbench": facts.vlbench, "python": facts.python} | facts.packages
    table.add("versions", ", ".join(f"{name} {version}" for name, version in versions.items()))
    if report.failures:
        table.add("failed attempts", ", ".join(f"{kind} {n:,}" for kind, n in report.failures.items()))
    return table


def _model(model: ModelFacts) -> Iterator[str]:
    yield f"{model.provider}, {model.model}" + (" (LLM base)" if model.base else "")
    if model.identity not in ("", model.model):
        yield f"identity {model.identity}"
    if model.reported and model.reported != (model.model,):
        yield f"the server says {', '.join(model.reported)}"
    for sent in model.sent:
        yield f"{sent.condition}: {_listed(sent.parameters) or 'no parameters'}"
    if model.adjustments:
        yield f"adjusted: {', '.join(model.adjustments)}"


def _differing(facts: Provenance) -> Iterator[tuple[str, str]]:
    """What a reader would not expect: servers of one's own, other pictures, replies asked for again."""
    for server in facts.servers:
        yield f"server of {server.model}", _server(server)
    if facts.image_max_side is not None:
        yield "longest side", f"at most {facts.image_max_side:,} pixels; larger pictures were made smaller"
    for changed in facts.changed:
        steps = ", ".join(f"{step} {count:,}" for step, count in changed.steps.items())
        yield f"pictures, {changed.provider}", f"{changed.pictures:,} sent in another form ({steps})"
    for retried in facts.retried:
        yield "asked again", _retried(retried)


def _server(server: Servers) -> str:
    weights = f"weights {server.weights}" if server.weights else "weights not told"
    replicas = [f"{server.replicas:,} replicas"] * (server.replicas > 1)
    return ", ".join([f"version {server.version or 'not told'}", weights, *replicas])


def _retried(retried: Retried) -> str:
    limit = retried.max_output_tokens
    with_limit = "" if limit is None else f", with an output limit of {limit:,} tokens"
    return f"{', '.join(retried.kinds)} replies{with_limit}"


def _listed(values: Mapping[str, object]) -> str:
    return ", ".join(
        f"{name} {value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)}"
        for name, value in values.items()
    )
