"""Pictures a provider does not take: changed and told, or refused before anything is sent."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from subprocess import CompletedProcess
from typing import Protocol

import pytest
from PIL import Image

from vlbench.simulator.exchange import Asked
from vlbench.simulator.scenario import Scenario
from vlbench.simulator.server import Simulator
from vlbench.store.manifest import Manifest
from vlbench.store.run_dir import list_runs

Serve = Callable[[Scenario], Simulator]


class Command(Protocol):
    def __call__(self, *arguments: str) -> CompletedProcess[str]: ...


def encoded(image: Image.Image, form: str) -> bytes:
    out = BytesIO()
    image.save(out, form)
    return out.getvalue()


@pytest.fixture
def run(vlbench: Command, workspace: Path) -> Callable[..., CompletedProcess[str]]:
    """Runs two MMStar rows with the given pictures against a server that takes what `rules` say."""

    def go(url: str, pictures: list[bytes], rules: str, *words: str) -> CompletedProcess[str]:
        lines = ["index\tquestion\tanswer\tcategory\tl2_category\tbench\timage"]
        for at, picture in enumerate(pictures):
            question = f'"What? {at}\nOptions: A: x, B: y, C: z, D: w"'
            image = base64.b64encode(picture).decode()
            lines.append(f"{at}\t{question}\tA\tmath\tgeometry\tM\t{image}")
        (workspace / "data.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
        entry = f'name = "Own"\nwire = "chat"\nurls = ["{url}"]\nkey_required = false\nself_hosted = true\n'
        (workspace / "providers" / "own.toml").write_text(entry + rules, encoding="utf-8")
        return vlbench(
            "run", "mmstar", "--data", "data.tsv", "-p", "own:shapes-eye-1+tag=t", "--conditions", "image",
            "--ui", "none", *words,
        )  # fmt: skip

    return go


def test_a_format_that_is_not_taken_is_sent_as_png_and_told(
    run: Callable[..., CompletedProcess[str]], served: Serve, workspace: Path
) -> None:
    server = served(Scenario(replies=["Answer: A"]))
    plain = encoded(Image.new("RGB", (16, 16), "red"), "PNG")
    done = run(server.url, [plain, encoded(Image.new("CMYK", (16, 16)), "TIFF")], "")
    assert done.returncode == 0, done.stderr
    assert "1 picture is sent in another form than the data set has (PNG 1, channels 1)" in done.stderr
    sent = {entry.images[0] for entry in server.log}
    assert hashlib.sha256(plain).hexdigest() in sent
    (kept,) = list_runs(workspace / "runs")
    (changed,) = Manifest.load(kept.manifest_path).changed
    assert (changed.provider, changed.pictures) == ("own", 1)
    assert '"subject":"own","message":"1 picture is sent' in kept.journal_path.read_text(encoding="utf-8")


def test_smaller_pictures_are_another_run(
    run: Callable[..., CompletedProcess[str]], served: Serve, workspace: Path
) -> None:
    sizes: list[tuple[int, int]] = []

    def looking(asked: Asked) -> str:
        sizes.append(Image.open(BytesIO(asked.images[0])).size)
        return "Answer: A"

    server = served(Scenario(replies=looking))
    pictures = [encoded(Image.new("RGB", (64, 32), "red"), "PNG")]
    for words in ((), ("--image-max-side", "16"), ("--image-max-side", "16")):
        assert run(server.url, pictures, "", *words).returncode == 0
    assert sizes == [(64, 32), (16, 8)]
    assert len(list_runs(workspace / "runs")) == 2


def test_a_picture_too_large_for_the_server_is_named_before_anything_is_sent(
    run: Callable[..., CompletedProcess[str]], served: Serve
) -> None:
    server = served(Scenario(replies=["Answer: A"]))
    noise = Image.frombytes("RGB", (64, 64), hashlib.shake_128(b"x").digest(64 * 64 * 3))
    done = run(server.url, [encoded(noise, "PNG")], "[images]\nmax_bytes = 1000\n")
    assert done.returncode == 2
    assert "own cannot be shown 1 sample: sample 0: it has 64 × 64 pixels" in done.stderr
    assert "--image-max-side" in done.stderr
    assert len(server.log) == 0


def test_a_text_only_model_is_not_shown_pictures(
    run: Callable[..., CompletedProcess[str]], served: Serve
) -> None:
    server = served(Scenario(replies=["Answer: A"]))
    done = run(
        server.url,
        [encoded(Image.new("RGB", (9, 9)), "PNG")],
        '[models."shapes-eye-1"]\ntakes_images = false\n',
    )
    assert done.returncode == 2
    assert "takes no images" in done.stderr
    assert len(server.log) == 0
