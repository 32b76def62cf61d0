"""The built-in model: a classical one, without weights, that looks at pixels.

It finds coloured patches, names their shapes by their outlines, and answers what it understands of the
question. Without a picture, or with a plain one, it guesses from the words. It never sees the right answer,
it is often wrong where shapes cover each other, and its answer depends on nothing but its input.
"""

from __future__ import annotations

from collections.abc import Sequence

from vlbench.simulator.eye_prior import chance, guess, number_in
from vlbench.simulator.eye_read import Prompt, read_prompt, words_of
from vlbench.simulator.eye_segment import Sight, UnreadablePicture, look
from vlbench.simulator.eye_solve import solve

NAME = "shapes-eye-1"

# One question in so many is declined when there is nothing to see and no example shows how to guess.
DECLINES_ONE_IN = 20
_FORMS = ("{label}", "The answer is {label}.", "Answer: {label}", "{label}. {option}")
# Where the prompt asks for a last line with "Answer:".
_LINE_FORMS = ("Answer: {label}", "The likeliest is: {option}\nAnswer: {label}")


def answer(text: str, images: Sequence[bytes], *, worked_examples: int = 0) -> str:
    """The model's reply to the last user turn, given as its text and its encoded pictures.

    `worked_examples` is the number of answered questions before it: after one, the model never declines.
    Only the first picture is looked at.
    """
    prompt = read_prompt(text)
    sight = _first_sight(images)
    if sight is None:
        return _blind_reply(prompt, text, worked_examples)
    found = solve(prompt, sight)
    if not prompt.options:
        return found or _description(sight)
    label = _matching(prompt, found) if found else None
    return _phrased(prompt, label or guess(prompt, text), text)


def _first_sight(images: Sequence[bytes]) -> Sight | None:
    """What the first picture shows; None when it is plain grey, cannot be read, or there is none."""
    if not images:
        return None
    try:
        sight = look(images[0])
    except UnreadablePicture:
        return None
    return None if sight.empty and sight.background == "grey" else sight


def _blind_reply(prompt: Prompt, text: str, worked_examples: int) -> str:
    if not prompt.options or (not worked_examples and chance(f"decline {text}", DECLINES_ONE_IN) == 0):
        return "I'm sorry, but I cannot see the image, so I cannot answer this question."
    return _phrased(prompt, guess(prompt, text), text)


def _phrased(prompt: Prompt, label: str, text: str) -> str:
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
