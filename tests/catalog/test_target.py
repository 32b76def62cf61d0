"""What users type is taken apart as the grammar says, whatever characters model ids hold."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vlbench.catalog.target import Target, parse_target
from vlbench.errors import UsageError

LOCAL = "http://127.0.0.1:8000/v1"


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("gpt", Target("gpt")),
        ("gpt:gpt-6.1-sol+effort=low", Target("gpt", "gpt-6.1-sol", {"effort": "low"})),
        ("gpt+effort=low", Target("gpt", None, {"effort": "low"})),
        (
            f"local:Qwen3-VL-8B+tag=step-4000@{LOCAL}|http://127.0.0.1:8001/v1",
            Target("local", "Qwen3-VL-8B", {"tag": "step-4000"}, (LOCAL, "http://127.0.0.1:8001/v1")),
        ),
        (f"local@{LOCAL}/", Target("local", None, {}, (LOCAL,))),
        (f"local:a:b/c@d@{LOCAL}", Target("local", "a:b/c@d", {}, (LOCAL,))),
        ("local:m@http2", Target("local", "m@http2")),
        ("vertex-claude:claude@20250929", Target("vertex-claude", "claude@20250929")),
        ("local:@cf/meta/llama", Target("local", "@cf/meta/llama")),
        ("local:hf://org/model", Target("local", "hf://org/model")),
        ("local:c4ai+aya+top_k=1", Target("local", "c4ai+aya", {"top_k": "1"})),
        ("local:m+a.b=1+2+c==", Target("local", "m", {"a.b": "1+2", "c": "="})),
        ("openrouter:vendor/model:free", Target("openrouter", "vendor/model:free")),
    ],
)
def test_targets_are_taken_apart(text: str, target: Target) -> None:
    assert parse_target(text) == target


models = st.text("abcXYZ019:/@._- ", min_size=1, max_size=12).filter(
    lambda text: re.search(r"@$|@[^@/]*:\d\d|@\d[\d.]*", text) is None  # these look like an address
)
parameters = st.dictionaries(
    st.from_regex(r"[a-z][a-z0-9_.-]{0,8}", fullmatch=True),
    st.text("az09:/@. -", min_size=1, max_size=6),
    max_size=3,
)
urls = st.lists(
    st.builds(
        "{}://{}:{}/v1".format, st.sampled_from(["http", "https"]), st.just("h.example"), st.integers(1, 9999)
    ),
    max_size=3,
    unique=True,
)


@given(st.none() | models, parameters, urls)
def test_every_target_written_by_the_grammar_is_read_back(
    model: str | None, parameters: dict[str, str], urls: list[str]
) -> None:
    text = "prov" if model is None else f"prov:{model}"
    text += "".join(f"+{name}={value}" for name, value in parameters.items())
    text += f"@{'|'.join(urls)}" if urls else ""
    assert parse_target(text) == Target("prov", model, parameters, tuple(urls))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "names no provider"),
        (":model", "names no provider"),
        ("../gpt:m", "names no provider"),
        ("gpt:", "where the model should stand"),
        ("gpt+effort=", "'effort' of target 'gpt.effort=' has no value"),
        ("gpt+seed=1+seed=2", "'seed' twice"),
        ("local:m@ftp://h.example", "http:// or https://"),
        (f"local:m@{LOCAL}|", "http:// or https://"),
        ("local:m@http://", "no host"),
        ("local:m@127.0.0.1:8000/v1", "address of target 'local:m' lacks its beginning: write @http://"),
        ("local:m@localhost", "lacks its beginning"),
        ("gpt@gateway.example:8443/v1", "address of target 'gpt' lacks its beginning"),
        ("local:m@[::1]:8000", "lacks its beginning"),
        ("local:m@", "where the address should stand"),
        ("local:m@http://h.example:99999", "cannot be read"),
        ("local:m@http://h.example:80/v1|HTTP://H.example/v1/", "Target 'local:m' names one address twice"),
        ("local:m@http://h.example/v1?key=1", "without"),
        ("local:m\x1b[2J", "cannot be printed"),
    ],
)
def test_what_does_not_fit_is_refused_in_words(text: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        parse_target(text)


def test_a_password_in_an_address_is_refused_and_not_repeated() -> None:
    for begin in ("http://", ""):
        with pytest.raises(UsageError) as caught:
            parse_target(f"local:m@{begin}user:canary@127.0.0.1:8000/v1")
        assert "canary" not in str(caught.value)
    with pytest.raises(UsageError, match="must not hold credentials"):
        parse_target("local:m@http://user:canary@h.example/v1")
