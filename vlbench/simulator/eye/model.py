"""The built-in model: a classical one, without weights, that looks at pixels.

It finds coloured patches, names their shapes by their outlines, tells what differs between two pictures and
which caption fits one, and answers what it understands of the question. Without a picture, or with a plain
one, it guesses from the words. It never sees the right answer, it is often wrong where shapes cover each
other, and its answer depends on nothing but its input.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from vlbench.simulator.eye.pair import best_statement, differences
from vlbench.simulator.eye.prior import chance, guess, number_in
from vlbench.simulator.eye.quads import fit, read_caption
from vlbench.simulator.eye.read import Prompt, read_prompt, words_of
from vlbench.simulator.eye.segment import Sight, UnreadablePicture, look
from vlbench.simulator.eye.solve import solve

NAME = "shapes-eye-1"

# One question in so many is declined when there is nothing to see and no example shows how to guess.
DECLINES_ONE_IN = 20
# So many blind answers to what differs say that nothing does.
NOTHING_ONE_IN = 4
_FORMS = ("{label}", "The answer is {label}.", "Answer: {label}", "{label}. {option}")
# Where the prompt asks for a last line with "Answer:".
_LINE_FORMS = ("Answer: {label}", "The likeliest is: {option}\nAnswer: {label}")


def answer(text: str, images: Sequence[bytes], *, worked_examples: int = 0) -> str:
    """The model's reply to the last user turn, given as its text and its encoded pictures.

    `worked_examples` is the number of answered questions before it: after one, the model never declines.
    Only the first two pictures are looked at, and the second one where two are asked about.
    """
    prompt = read_prompt(text)
    sights = _seen(images[: 2 if prompt.caption or prompt.nothing else 1])
    is_blind = all(sight.is_plain_grey for sight in sights)
    if is_blind and (not prompt.options or (not worked_examples and _declines(text))):
        return "I'm sorry, but I cannot see the image, so I cannot answer this question."
    if not prompt.options:
        return solve(prompt, sights[0]) or _description(sights[0])
    return _phrased(prompt, _seen_label(prompt, sights) or _guess(prompt, text), text)


def _seen(images: Sequence[bytes]) -> tuple[Sight, ...]:
    """What the pictures show; nothing when one of them cannot be read."""
    try:
        return tuple(look(image) for image in images)
    except UnreadablePicture:
        return ()


def _declines(text: str) -> bool:
    return chance(f"decline {text}", DECLINES_ONE_IN) == 0


def _seen_label(prompt: Prompt, sights: tuple[Sight, ...]) -> str | None:
    """The label that what is seen speaks for; None when it speaks for none."""
    if prompt.nothing:
        if len(sights) < 2:
            return None
        # Two grey pictures are told apart as any others are: nothing differs.
        found = differences(*(reversed(sights) if prompt.is_reversed else sights))
        return best_statement(_statements(prompt), found) if found else prompt.nothing
    if not sights or sights[0].is_plain_grey:
        return None
    if prompt.caption:
        caption = read_caption(prompt.caption)
        names = list(prompt.options)[:: -1 if prompt.is_reversed else 1]
        return _only_best({k: fit(caption, sight) for k, sight in zip(names, sights, strict=False)})
    if prompt.has("caption", "depict", "match"):
        return _only_best({k: fit(read_caption(text), sights[0]) for k, text in prompt.options.items()})
    found_words = solve(prompt, sights[0])
    return _matching(prompt, found_words) if found_words else None


def _only_best(scores: Mapping[str, float]) -> str | None:
    """The label with the highest score, if no other has it too."""
    best = [label for label, score in scores.items() if score == max(scores.values())]
    return best[0] if len(best) == 1 else None


def _statements(prompt: Prompt) -> dict[str, str]:
    return {label: text for label, text in prompt.options.items() if label != prompt.nothing}


def _guess(prompt: Prompt, text: str) -> str:
    """A blind reader's choice. Where a difference is asked for, some say that there is none."""
    if prompt.nothing and len(prompt.options) > 1:
        if chance(f"nothing {text}", NOTHING_ONE_IN) == 0:
            return prompt.nothing
        prompt = replace(prompt, options=_statements(prompt))
    return guess(prompt, text)


def _phrased(prompt: Prompt, label: str, text: str) -> str:
    if not prompt.has_labels:
        return prompt.options[label]
    forms = _LINE_FORMS if '"Answer:"' in text else _FORMS
    form = forms[chance(f"form {text}", len(forms))]
    return form.format(label=label, option=prompt.options[label])


def _matching(prompt: Prompt, found: str) -> str | None:
    """The label of the option nearest to the words found: by value for numbers, else by shared words.

    None when no option shares a word.
    """
    value = number_in(found)
    if value is not None:
        numbers = [(label, number_in(option)) for label, option in prompt.options.items()]
        distances = [(abs(n - value), label) for label, n in numbers if n is not None]
        return min(distances)[1] if distances else None
    said = set(words_of(found))
    scores = {label: _likeness(said, set(words_of(option))) for label, option in prompt.options.items()}
    best = max(scores, key=lambda label: scores[label])
    return best if scores[best] > 0 else None


def _likeness(one: set[str], other: set[str]) -> float:
    return len(one & other) / len(one | other) if one | other else 0.0


def _description(sight: Sight) -> str:
    if not sight.patches:
        return f"I see a {sight.background} picture."
    return f"I see {', '.join(f'a {p.name}' for p in sight.patches)} on a {sight.background} background."
