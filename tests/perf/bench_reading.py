"""How fast the strict reader reads: typical replies, and hostile ones of one megabyte.

Run as a script; times are of the processor, so that a busy machine does not matter. Targets: 20,000 typical
replies a second on one core, under 200 ms for any hostile reply.
"""

from __future__ import annotations

import sys
import time

from vlbench.scoring.readers.registry import reader
from vlbench.types import Reply

OPTIONS = {
    "A": "The lamp was removed",
    "B": "A cup changed color",
    "C": "The chair moved left",
    "D": "No difference",
}
TYPICAL = (
    "B",
    "C.",
    "(D)",
    "**A**",
    "B. A cup changed color",
    "The answer is C.",
    "The correct answer is **B. A cup changed color**.",
    "Answer: D\n\nThe two pictures are the same in every respect I can see.",
    "I'm sorry, but I can't see any image in our conversation.",
    "The chair moved left",
    "<think>The lamp is there in both, the cup is red in one and blue in the other.</think>\n\nB",
    "Comparing the two images, the lamp stands in the same place, while the chair is closer to the window "
    "in the second one. None of the other changes can be seen. Therefore, the correct answer is C.",
)
MEGABYTE = 1_000_000
HOSTILE = {
    "A": "A" * MEGABYTE,
    "A ": "A " * (MEGABYTE // 2),
    "(": "(" * MEGABYTE,
    "[(": "[(" * (MEGABYTE // 2),
    "**": "*" * MEGABYTE,
    "\\boxed{": "\\boxed{" * (MEGABYTE // 7),
    "{}": "{" * (MEGABYTE // 2) + "}" * (MEGABYTE // 2),
    "<think>": "<think>" * (MEGABYTE // 7),
    "<": "<" * MEGABYTE,
    "<a ": "<a " * (MEGABYTE // 3),
    "blank": " " * MEGABYTE,
    "newline": "\n" * MEGABYTE,
    "newline Q": "\nQuestion:" * (MEGABYTE // 10),
    "not": "not " * (MEGABYTE // 4),
    "is": "the answer is " * (MEGABYTE // 14),
    "can't": "can't " * (MEGABYTE // 6),
    "text": "no difference " * (MEGABYTE // 14),
    "wide": "答案是" * (MEGABYTE // 9),
    "combining": "A\u0301" * (MEGABYTE // 3),
    "pipe": "|" * MEGABYTE,
    "pipe line": "| A |\n" * (MEGABYTE // 6),
    "wait": "The answer is A. Wait, " * (MEGABYTE // 23),
    "or": "A or B or " * (MEGABYTE // 10),
    "underscore": "_a" * (MEGABYTE // 2),
    "dash": "-" * MEGABYTE,
    "cyrillic": "А" * (MEGABYTE // 2),
    "font": "\\text{" * (MEGABYTE // 6),
    "~~": "~~a" * (MEGABYTE // 3),
    "random": "".join(chr(33 + (i * 7919) % 93) for i in range(MEGABYTE)),
}


def readings_per_second(seconds: float = 1.0) -> float:
    """Readings of typical replies a second, each against its own options object as in a run."""
    read = reader("strict").read
    replies = [Reply(text=text) for text in TYPICAL]
    count, start = 0, time.process_time()
    while (elapsed := time.process_time() - start) < seconds:
        for reply in replies:
            read(reply, OPTIONS)
        count += len(replies)
    return count / elapsed


def hostile_milliseconds(name: str = "strict") -> dict[str, float]:
    """Milliseconds for each hostile reply of one megabyte."""
    read, taken = reader(name).read, dict[str, float]()
    for kind, text in HOSTILE.items():
        reply = Reply(text=text)
        start = time.process_time()
        read(reply, OPTIONS)
        taken[kind] = (time.process_time() - start) * 1000
    return taken


def main() -> None:
    reader("strict").read(Reply(text="A cat, I'm sorry."), OPTIONS)
    sys.stdout.write(f"typical replies: {readings_per_second():,.0f} readings a second\n")
    for kind, milliseconds in hostile_milliseconds().items():
        sys.stdout.write(f"hostile {kind!r}: {milliseconds:.1f} ms\n")


if __name__ == "__main__":
    main()
