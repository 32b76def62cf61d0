from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from vlbench.store.cache import CachedReply, DiskCache
from vlbench.store.key import ingredients, request_key
from vlbench.store.why import why, why_missed
from vlbench.types import Decoding, ImagePart, Message, Reply, Request, TextPart, Variant

Open = Callable[[], DiskCache]


def keep(
    cache: DiskCache, request: Request, variant: Variant, created: float = 1e9, latency_s: float = 1.0
) -> str:
    parts = ingredients(request, variant)
    key = request_key(parts)
    cache.put(
        key, CachedReply(ingredients=parts, reply=Reply(text="B"), created=created, latency_s=latency_s)
    )
    return key


def asking(request: Request, text: str) -> Request:
    return replace(request, messages=(Message("user", (TextPart(text),)),))


def test_a_stored_request_is_a_hit(opened: Open, request_: Request, variant: Variant) -> None:
    cache = opened()
    key = keep(cache, request_, variant)
    found = why(cache, ingredients(request_, variant))
    assert (found.hit, found.nearest, found.differences) == (True, key, ())


def test_an_empty_cache_has_nothing_near(opened: Open, request_: Request, variant: Variant) -> None:
    found = why(opened(), ingredients(request_, variant))
    assert (found.hit, found.compared, found.nearest) == (False, 0, None)


def test_each_difference_is_named_with_both_values(opened: Open, request_: Request, variant: Variant) -> None:
    cache = opened()
    keep(cache, request_, variant)
    image = request_.images[0].model_copy(update={"sha256": "cc" * 32})
    parts = (ImagePart(image), request_.messages[1].parts[1])
    asked = replace(
        request_,
        messages=(request_.messages[0], Message("user", parts)),
        decoding=Decoding(temperature=1, seed=3),
    )
    shown = {str(difference) for difference in why(cache, ingredients(asked, variant)).differences}
    assert shown == {
        f'messages[1].parts[0].image: "{"ab" * 16}'.replace("ab" * 16, ("ab" * 30)[:59] + "…")
        + f'" -> "{("cc" * 30)[:59]}…"',
        "decoding.temperature: 0 -> 1",
        "decoding.seed: (not sent) -> 3",
        "decoding.max_output_tokens: 4096 -> (not sent)",
    }


def test_the_nearest_differs_in_the_fewest_ingredients(
    opened: Open, request_: Request, variant: Variant
) -> None:
    cache = opened()
    for n in range(20):
        keep(cache, asking(request_, f"Question {n}?"), variant.model_copy(update={"wire": "chat"}))
    near = keep(cache, asking(request_, "Question 7?"), variant)
    asked = replace(asking(request_, "Question 7?"), repeat=1)
    found = why(cache, ingredients(asked, variant))
    assert found.nearest == near
    assert [str(d) for d in found.differences] == ["repeat: 0 -> 1"]


def test_among_changed_texts_the_most_alike_is_nearest(
    opened: Open, request_: Request, variant: Variant
) -> None:
    cache = opened()
    texts = [
        f"{'Look closely at it. ' * 5}What is the {thing}?" for thing in ("colour", "size of it", "shape")
    ]
    keys = [keep(cache, asking(request_, text), variant) for text in texts]
    found = why(cache, ingredients(asking(request_, texts[1].replace("size", "Size")), variant))
    assert found.nearest == keys[1]
    assert str(found.differences[0]) == (
        'messages[0].parts[0].text: "…it. What is the size of it?" -> "…it. What is the Size of it?"'
    )


def test_true_is_not_one(opened: Open, request_: Request, variant: Variant) -> None:
    cache = opened()
    keep(cache, replace(request_, decoding=Decoding(extra={"flag": True})), variant)
    asked = replace(request_, decoding=Decoding(extra={"flag": 1}))
    differences = why(cache, ingredients(asked, variant)).differences
    assert [str(d) for d in differences] == ["decoding.extra.flag: true -> 1"]


# --- why a request whose reply is stored by now was not found when it was asked ---


def test_a_missed_request_is_compared_with_what_was_stored_before_it_was_sent(
    opened: Open, request_: Request, variant: Variant
) -> None:
    cache = opened()
    before = keep(cache, replace(asking(request_, "Which?"), repeat=3), variant, created=1000.0)
    # Nearer, but stored while the request was under way (it was sent at 1,090), and after it.
    keep(cache, replace(asking(request_, "Who?"), repeat=1), variant, created=1095.0)
    keep(cache, replace(asking(request_, "Who?"), repeat=2), variant, created=1090.0)
    own = keep(cache, asking(request_, "Who?"), variant, created=1100.0, latency_s=10.0)
    found = why_missed(cache, own)
    assert found is not None
    assert (found.hit, found.compared, found.nearest) == (False, 1, before)
    assert [one.path for one in found.differences] == ["messages[0].parts[0].text", "repeat"]
    assert str(found.differences[1]) == "repeat: 3 -> 0"


def test_a_missed_request_is_never_compared_with_itself(
    opened: Open, request_: Request, variant: Variant
) -> None:
    cache = opened()
    # A clock that was put back: its own entry seems to be older than the request.
    own = keep(cache, request_, variant, created=1000.0, latency_s=-5.0)
    found = why_missed(cache, own)
    assert found is not None
    assert (found.compared, found.nearest, found.differences) == (0, None, ())


def test_nothing_is_known_of_a_missed_request_whose_reply_is_gone(
    opened: Open, request_: Request, variant: Variant
) -> None:
    cache = opened()
    keep(cache, request_, variant)
    assert why_missed(cache, "0" * 64) is None
