"""`vlbench init`: a small workspace to begin from."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import click

from vlbench.errors import UsageError

_SEED = 11
# One of each kind of question that is quickly checked by eye.
_QUESTIONS = 4
_RUN = """\
# vlbench run run.toml
# Options typed beside it win over what stands here; `vlbench run --help` explains each.
benchmarks = ["own.jsonl"]
providers = ["builtin"]
conditions = ["image", "text"]
"""
_PROVIDER = """\
# A server of your own that speaks the OpenAI chat API (vLLM, SGLang, llama.cpp, …). Ask it with
#   vlbench run own.jsonl --providers my-server:MODEL
name = "My server"
wire = "chat"
urls = ["http://127.0.0.1:8000/v1"]
key_variables = ["MY_SERVER_API_KEY"]
key_required = false
self_hosted = true
status = "untested"

[decoding]
max_output_tokens = 4096
temperature = 0.0
"""
_README = """\
# A vlbench workspace

    vlbench validate own.jsonl     everything wrong with the set, line by line
    vlbench run run.toml           ask the built-in model, with and without the picture
    vlbench report                 the result again

- `own.jsonl` holds one question a line: `question`, `options` (a list), `answer` (a letter or the option's
  text), `image` (a path from this folder, base64 text, or a list of either) and, if you like, `id` and
  `category` (a text, or a list from coarse to fine). `<image 1>` in a question puts the picture there.
- `pictures/` holds the pictures.
- `providers/` describes servers that vlbench does not know; replies are kept in `cache/`, results in `runs/`.
- `run.toml` holds the options of a run. Keys are read from the environment or from a file `.env`.
"""


@click.command(short_help="Make a small workspace that runs.")
@click.argument("name", type=click.Path(file_okay=False), metavar="DIRECTORY")
def init(name: str) -> None:
    """Make DIRECTORY a workspace: a set of four drawn pictures, a run file, a provider to fill in, a README.

    Nothing that exists is overwritten.
    """
    if not name.strip():
        raise UsageError("The directory has no name. Write one, such as: vlbench init my-workspace")
    directory = Path(name)
    files = dict(_files())
    taken = [path for path in files if (directory / path).exists()]
    if taken:
        raise UsageError(f"{directory} has {', '.join(taken)} already. Choose another directory.")
    try:
        for path, content in files.items():
            (directory / path).parent.mkdir(parents=True, exist_ok=True)
            (directory / path).write_bytes(content)
    except OSError as error:
        raise UsageError(f"{directory} cannot be written ({error.strerror}). Choose another one.") from error
    click.echo(f"{directory} holds {', '.join(files)}.")
    click.echo(f"Try it:  cd {directory} && vlbench validate own.jsonl && vlbench run run.toml")


def _files() -> Iterator[tuple[str, bytes]]:
    """Every file of the workspace by its path, pictures first."""
    from vlbench.benchmarks.drawn.draw import png
    from vlbench.benchmarks.drawn.questions import question

    lines = []
    for number in range(1, _QUESTIONS + 1):
        drawn = question(number, _SEED)
        picture = f"pictures/{number}.png"
        yield picture, png(drawn.scene)
        row = {
            "id": f"q{number}",
            "question": drawn.question,
            "options": list(drawn.options.values()),
            "answer": drawn.gold,
            "image": picture,
            "category": [drawn.category, drawn.axis],
        }
        lines.append(json.dumps(row, ensure_ascii=False) + "\n")
    yield "own.jsonl", "".join(lines).encode()
    yield "run.toml", _RUN.encode()
    yield "providers/my-server.toml", _PROVIDER.encode()
    yield "README.md", _README.encode()
