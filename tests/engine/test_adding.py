"""A target that is added to a run that goes on is asked as one named at the start would be."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path

import anyio
import pytest
from PIL import Image

from tests.engine.conftest import MemoryCache, ScriptedAdapter
from vlbench.benchmarks.index import silent
from vlbench.engine.adding import FurtherTargets
from vlbench.engine.control_client import send_async
from vlbench.engine.options import RunOptions
from vlbench.engine.prepare import Prepared, Surroundings, open_directory, prepared
from vlbench.engine.session import session
from vlbench.errors import UsageError, VlbenchError
from vlbench.store.manifest import ChangedPictures
from vlbench.store.run_dir import RunDir
from vlbench.types import Completion, Price, Reply, Request

ENTRY = (
    'name = "{id}"\nwire = "chat"\nurls = ["http://127.0.0.1:1/v1"]\nkey_required = false\n'
    "[images]\nmedia_types = [{types}]\n"
)
SAMPLES = 6


@pytest.fixture
def around(tmp_path: Path) -> Surroundings:
    """A workspace with a data file of BMP pictures: `any` takes them, `png` as PNG, `tiny` in no form."""
    (tmp_path / "providers").mkdir()
    entries = {"any": '"image/bmp"', "png": '"image/png"', "tiny": '"image/png"]\nmax_bytes = 50 #'}
    for name, types in entries.items():
        text = ENTRY.format(id=name, types=types)
        (tmp_path / "providers" / f"{name}.toml").write_text(text, encoding="utf-8")
    lines = ["index\tquestion\tanswer\tcategory\tl2_category\tbench\timage"]
    for at in range(SAMPLES):
        out = BytesIO()
        Image.new("RGB", (9, 9 + at), "red").save(out, "BMP")
        question = f'"What? {at}\nOptions: A: x, B: y, C: z, D: w"'
        lines.append(f"{at}\t{question}\tA\tmath\tgeometry\tM\t{base64.b64encode(out.getvalue()).decode()}")
    (tmp_path / "data.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return Surroundings.of(tmp_path, {}, tmp_path / "cache")


@pytest.fixture
def options(tmp_path: Path) -> RunOptions:
    data = tmp_path / "data.tsv"
    return RunOptions(providers=("any:m",), data=data, conditions=("image",), name="r", concurrency=2)


@pytest.fixture
def ready(around: Surroundings, options: RunOptions) -> Iterator[Prepared]:
    with prepared("mmstar", options, around, silent) as made:
        yield made


@pytest.fixture
def directory(ready: Prepared, options: RunOptions, around: Surroundings) -> RunDir:
    return open_directory(ready, options, around.workspace.runs_dir)


def test_its_pictures_are_sent_as_its_provider_takes_them(
    directory: RunDir, options: RunOptions, around: Surroundings, ready: Prepared
) -> None:
    with FurtherTargets(directory, options, around) as further:
        addition = further.plan_for("png:n")
        (row,) = addition.plan.rows
        sample = ready.index.get(0)
        assert [image.media_type for image in sample.images] == ["image/bmp"]
        assert [image.media_type for image in row.request(sample, 0).images] == ["image/png"]
        assert [note.subject for note in addition.notes] == ["png"]
        assert addition.plan.entry.limits.concurrency == 2


def test_the_run_on_disk_is_widened_by_each_of_several(
    directory: RunDir, options: RunOptions, around: Surroundings
) -> None:
    with FurtherTargets(directory, options, around) as further:
        further.plan_for("png:n")
        assert further.plan_for("any:o").notes == ()
    manifest = directory.manifest()
    assert [variant.id for variant in manifest.variants] == ["any:m", "png:n", "any:o"]
    assert manifest.changed == (ChangedPictures(provider="png", pictures=SAMPLES, steps={"PNG": SAMPLES}),)
    resumed = RunOptions.model_validate(manifest.options)
    with prepared("mmstar", resumed, around, silent) as again:
        assert again.manifest.extends(manifest)


@pytest.mark.parametrize("target", ["nobody:x", "any:m", "png", "tiny:n"])
def test_one_that_cannot_be_asked_leaves_the_run_as_it_was(
    target: str, directory: RunDir, options: RunOptions, around: Surroundings
) -> None:
    before = directory.manifest()
    with FurtherTargets(directory, options, around) as further, pytest.raises(VlbenchError):
        further.plan_for(target)
    assert directory.manifest() == before


def test_one_without_a_price_is_not_added_under_a_limit_in_dollars(
    directory: RunDir, options: RunOptions, around: Surroundings
) -> None:
    priced = around.cwd / "providers" / "priced.toml"
    entry = ENTRY.format(id="priced", types='"image/bmp"')
    priced.write_text(f"{entry}[models.p]\nprice = {{ input = 1, output = 2 }}\n", encoding="utf-8")
    any_entry = around.cwd / "providers" / "any.toml"
    any_entry.write_text(
        any_entry.read_text(encoding="utf-8") + "[models.m]\nprice = { input = 1, output = 2 }\n",
        encoding="utf-8",
    )
    limited = options.model_copy(update={"max_cost": 1.0})
    with FurtherTargets(directory, limited, around) as further:
        with pytest.raises(UsageError, match="The price of any:o is not known"):
            further.plan_for("any:o")
        (row,) = further.plan_for("priced:p").plan.rows
    assert row.variant.price == Price(input=1, output=2)
    assert [one.price for one in directory.manifest().variants] == [Price(input=1, output=2)] * 2


def test_what_is_too_large_for_it_is_told_by_sample(
    directory: RunDir, options: RunOptions, around: Surroundings
) -> None:
    with (
        FurtherTargets(directory, options, around) as further,
        pytest.raises(UsageError, match=f"tiny cannot be shown {SAMPLES} samples: sample"),
    ):
        further.plan_for("tiny:n")


@pytest.mark.anyio
async def test_it_is_asked_beside_the_others(
    directory: RunDir, options: RunOptions, around: Surroundings, ready: Prepared
) -> None:
    added = anyio.Event()
    shown: dict[str, list[str]] = {}

    def script(request: Request) -> Completion:
        shown.setdefault(request.model, []).extend(image.media_type for image in request.images)
        return Completion(Reply(text="Answer: A"))

    adapter = ScriptedAdapter(script)
    original = adapter.complete

    async def waiting(request: Request) -> Completion:
        await added.wait()
        return await original(request)

    adapter.complete = waiting  # type: ignore[method-assign]  # holds the run until the target is there

    async def add() -> None:
        with anyio.fail_after(10):
            while not directory.socket_path.exists():  # noqa: ASYNC110  # made by the run under test
                await anyio.sleep(0.005)
            assert (await send_async(directory.socket_path, "add", target="png:n")).get("ok") is True
        added.set()

    make: Callable[[object], ScriptedAdapter] = lambda _: adapter  # noqa: E731  # one for both lanes
    with (
        FurtherTargets(directory, options, around) as further,
        session(
            directory, ready.lanes, options, cache=MemoryCache(), adapter_of=make, plan_for=further.plan_for
        ) as work,
    ):
        ended = await work.run(beside=add)
        state = work.work.state

    assert ended.status == "complete"
    assert shown == {"m": ["image/bmp"] * SAMPLES, "n": ["image/png"] * SAMPLES}
    assert state.rows["png:n", "image"].right == SAMPLES
    assert [warned.subject for warned in state.warnings] == ["png"]
