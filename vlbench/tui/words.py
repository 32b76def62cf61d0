"""The words and marks of the screen. Marks differ in shape and stand beside words, never in colour alone."""

from __future__ import annotations

from typing import Final

from textual.content import Content

from vlbench.scoring.codes import Code
from vlbench.state.fold import RunState
from vlbench.tui.watched import Watched

MARKS: Final = {
    Code.PENDING: ("·", "open", "$muted"),
    Code.RIGHT: ("✓", "right", "$text-success"),
    Code.WRONG: ("✗", "wrong", "$text-error"),
    Code.UNPARSED: ("?", "unparsed", "$text-warning"),
    Code.REFUSED: ("-", "refused", "$text-warning"),
    Code.BLOCKED: ("#", "blocked", "$text-warning"),
    Code.TRUNCATED: ("…", "truncated", "$text-warning"),
    Code.FAILED: ("!", "failed", "$text-error"),
    Code.UNUSABLE: ("0", "unusable", "$muted"),
}

HINTS: Final = {
    "rate_limited": "The account's limit was reached. The lane slows down by itself.",
    "overloaded": "The server is too busy for anyone. Fewer are sent, and it is asked again.",
    "server_failed": "The server failed on this request. It is asked again.",
    "timeout": "No reply in time. Fewer at once (-), or a longer --timeout, may help.",
    "network": "The connection failed. Look at the address, the proxy and the network.",
    "bad_request": "The server will never take this request. Look at the parameters and the picture's size.",
    "no_image_support": "This model takes no pictures. Ask another one, or only --conditions text.",
    "auth_failed": "The key is missing or wrong. Set it and resume the run; nothing is lost.",
    "no_such_model": "There is no such model or address. `vlbench list models` shows what there is.",
    "quota_gone": "The account has nothing left. Top it up and resume the run; nothing is lost.",
}

ENDINGS: Final = {
    "complete": ("✓ complete", "$text-success"),
    "partial": ("◐ partial", "$text-warning"),
    "budget": ("■ request limit reached", "$text-warning"),
    "interrupted": ("■ interrupted", "$text-warning"),
}


def outcome(code: Code) -> Content:
    """A code as mark and word."""
    mark, word, style = MARKS[code]
    return Content.styled(f"{mark} {word}", style)


def standing(watched: Watched) -> Content:
    """How the run stands, in a mark and a word or two."""
    state = watched.state
    if state.ended is not None:
        words, style = ENDINGS[state.ended.status]
        return Content.styled(words, style)
    if watched.standing == "starting":
        return Content.styled("… starting", "$muted")
    if watched.standing == "dead":
        return Content.styled("✗ stopped dead", "$text-error")
    if is_stopping(state):
        return Content.styled("■ stopping", "$text-warning")
    if state.paused:
        return Content.styled("‖ paused", "$text-warning")
    return Content.styled("▶ running", "$text-success")


def is_stopping(state: RunState) -> bool:
    """Whether somebody told the run to end since it was started."""
    since = state.started.seq if state.started else 0
    return any(one.action in ("drain", "cancel") and one.seq > since for one in state.controls)
