"""Everything but a kill at a random moment that happens to runs, and what must be true afterwards.

Each mishap gets an empty folder and raises AssertionError when something was lost, paid for twice, or needs
a hand to be repaired; `CannotMount` where it cannot be tried.
"""

from __future__ import annotations

import random
import signal
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

from tests.soak.arena import CONCURRENCY, Arena, arena, slot_of
from tests.soak.disks import small_disk
from tests.soak.ledger import Life, check, check_cache, check_sequence, verdicts

KILL_POINTS = (
    "torn:40",
    "before:diskcache.core.Cache.set:1",
    "before:diskcache.core.Cache.set:30",
    "after:diskcache.core.Cache.set:45",
    "before:vlbench.store.cache.DiskCache._next_batch:3",
    "before:vlbench.store.cache_opening._open:1",
    "after:vlbench.store.cache_opening._open:1",
    "before:os.replace:1",
    "after:os.replace:1",
    "before:vlbench.store.manifest.Manifest.save:1",
    "before:vlbench.benchmarks.index._replace:1",
    "before:vlbench.store.journal.Journal.close:1",
)
WIDENING_POINTS = (
    "before:vlbench.store.samples._line:45",
    "after:vlbench.store.run_dir.append_samples:1",
    "before:os.replace:1",
    "after:os.replace:1",
    "after:vlbench.store.manifest.Manifest.save:1",
)

BATCH_WITHIN_S = 1.0
"""The cache's writer takes 50 ms; a busy machine longer."""


def killed_at_exact_points(folder: Path) -> None:
    """In the middle of a line, of a batch of the cache, of making the directory, and at other seams."""
    for number, point in enumerate(KILL_POINTS):
        with arena(folder / str(number), samples=40, fault_rate=0) as place:
            lives = [killed(place, mishap=point)]
            lives.append(Life(time.time(), killed=False))
            place.finish()
            check(place, lives)
            assert place.answered() == place.slots
            check_cache(place)


def killed_while_widened(folder: Path) -> None:
    """Between the samples that are added to a run and the manifest that says so."""
    for number, point in enumerate(WIDENING_POINTS):
        with arena(folder / str(number), samples=90, fault_rate=0) as place:
            lives = [Life(time.time(), killed=False)]
            place.finish("--limit", "20")
            before = verdicts(place)
            lives.append(killed(place, mishap=point))
            lives.append(Life(time.time(), killed=False))
            place.finish()
            check(place, lives)
            assert place.answered() == place.slots
            assert before.items() <= verdicts(place).items()


def journal_on_a_full_disk(folder: Path) -> None:
    """The run ends with a sentence; what was in flight then comes from the cache when it goes on."""
    with arena(folder, fault_rate=0) as place, small_disk(folder / "disk") as disk:
        place = place.moved(home=disk.path)
        with place.start() as process:
            place.wait(process, lambda: len(place.answered()) >= 30)
            disk.leave(8_192)
            _, said = process.communicate(timeout=60)
        assert process.returncode == 3, said
        assert "Cannot write the journal" in said, said
        assert "Free some space" in said, said
        paid = len(place.asked())
        disk.leave(16_000_000)
        place.finish()
        check_sequence(place.events())
        assert place.answered() == place.slots
        # All that had been paid for was kept, in the journal or in the cache.
        assert len(place.asked()) == len(place.slots), f"{paid} before, {len(place.asked())} in all"


def cache_on_a_full_disk(folder: Path) -> None:
    """The run goes on without the cache, says so, and has every reply."""
    with arena(folder, fault_rate=0) as place, small_disk(folder / "disk") as disk:
        place = place.moved(cache=disk.path)
        life = Life(time.time(), killed=False)
        with place.start() as process:
            place.wait(process, lambda: len(place.answered()) >= 30)
            disk.leave(4_096)
            _, said = process.communicate(timeout=60)
        assert process.returncode == 0, said
        assert said.count("is off for the rest of this run") == 1, said
        check(place, [life])
        disk.leave(16_000_000)
        place.finish()  # what the cache could not take is put back from the journal
        check_cache(place)
        asked = len(place.asked())
        place.named("other").finish()
        assert len(place.asked()) == asked == len(place.slots)


def read_only_run_directory(folder: Path) -> None:
    """Nothing is sent, the words say what to do, and what is there can still be looked at."""
    with arena(folder, fault_rate=0) as place, small_disk(folder / "disk") as disk:
        place = place.moved(home=disk.path)
        lives = [killed(place, after=60)]
        asked = len(place.asked())
        disk.read_only(True)
        done = place.go()
        assert done.code == 2, done.said
        assert "Read-only" in done.said, done.said
        assert "writable" in done.said, done.said
        assert len(place.asked()) == asked
        disk.read_only(False)
        lives.append(Life(time.time(), killed=False))
        place.finish()
        check(place, lives)
        assert place.answered() == place.slots


def damaged_cache(folder: Path) -> None:
    """Garbage, half a file, bytes turned over: the journal's replies stay, and none is read wrongly."""
    chance = random.Random(11)
    with arena(folder, samples=60, fault_rate=0) as place:
        place.finish()
        truth = verdicts(place)
        file = place.cache / "replies" / "cache.db"
        whole = file.read_bytes()
        damages = [b"no database at all" * 4000, whole[: len(whole) // 2], whole[:100], b""]
        damages += [_turned_over(whole, chance, bytes_turned) for bytes_turned in (1, 3, 10, 50, 200, 2000)]
        for number, damage in enumerate(damages):
            for old in file.parent.glob("cache.db*"):
                old.unlink()
            file.write_bytes(damage)
            asked = len(place.asked())
            place.finish()  # complete already: nothing may be asked, whatever the cache says
            assert len(place.asked()) == asked, "asked again although answered"
            other = place.named(f"other-{number}")
            other.finish()
            wrong = {slot for slot, found in verdicts(other).items() if found != truth[slot]}
            assert not wrong, f"read wrongly from a damaged cache: {sorted(wrong)[:3]}"
            place.named(f"third-{number}").finish()
        check_cache(place, whole=False)


def _turned_over(whole: bytes, chance: random.Random, count: int) -> bytes:
    damaged = bytearray(whole)
    for at in chance.sample(range(len(damaged)), min(count, len(damaged))):
        damaged[at] ^= 1 << chance.randrange(8)
    return bytes(damaged)


def damaged_journal(folder: Path) -> None:
    """A last line that was cut, and lines in the middle that are none: gone on with by the same command."""
    with arena(folder, fault_rate=0) as place:
        lives = [killed(place, after=60)]
        lines = place.journal.read_bytes().splitlines(keepends=True)
        hit = [n for n, line in enumerate(lines) if b'"event":"reply"' in line][10:13]
        damaged = b"".join(lines[hit[0] : hit[-1] + 1])
        for number, junk in zip(
            hit, (b"\xff" * 50 + b"\n", lines[hit[1]][:40] + b"\n", b"[]\n"), strict=True
        ):
            lines[number] = junk
        last = lines.pop()
        place.journal.write_bytes(b"".join(lines) + last[: len(last) // 2])
        asked = len(place.asked())
        lives.append(Life(time.time(), killed=False))
        place.finish()
        assert place.answered() == place.slots
        # The replies of those lines come from the cache. That of the last one may not have got there.
        assert len(place.asked()) <= len(place.slots) + CONCURRENCY + 1, (asked, len(place.asked()))
        assert len(place.journal.with_name("journal.jsonl.damaged").read_bytes().splitlines()) == 3
        warned = [event["message"] for event in place.events() if event["event"] == "warning"]
        assert any("set aside" in message for message in warned), warned
        assert damaged.count(b"\n") >= 3


def two_runs_on_one_cache(folder: Path) -> None:
    """Two runs of the same questions at once, one a little ahead: both complete, the cache is sound.

    What one run has answered the other finds in the cache a moment later.
    """
    with arena(folder, samples=200, fault_rate=0) as place:
        other = place.named("other")
        with place.start() as first:
            place.wait(first, lambda: len(place.answered()) >= 20)
            with other.start() as second:
                words = [process.communicate(timeout=120)[1] for process in (first, second)]
        assert [first.returncode, second.returncode] == [0, 0], words
        assert verdicts(place) == verdicts(other)
        check_cache(place)
        known = {slot_of(event): event["time"] for event in (*other.replies(), *place.replies())}
        late = [one for one in place.asked() if one.time > known[one.slot] + BATCH_WITHIN_S]
        assert not late, f"asked although the other run had the reply: {late[:3]}"
        third, asked = place.named("third"), len(place.asked())
        third.finish()
        assert len(place.asked()) == asked, "the third run must be paid by the cache"


def one_run_twice_at_once(folder: Path) -> None:
    """The same command in two terminals, at the same moment or a little later: one runs, one says so."""
    for number, name in enumerate(("soak", "", "")):
        with arena(folder / str(number), samples=200, fault_rate=0) as place:
            place = place.named(name)
            with place.start() as first:
                time.sleep(0.25 * number)
                with place.start() as second:
                    words = [process.communicate(timeout=120)[1] for process in (first, second)]
            assert sorted([first.returncode, second.returncode]) == [0, 2], words
            refused = words[0] if first.returncode else words[1]
            assert "running already" in refused, refused
            assert "vlbench watch" in refused, refused
            (directory,) = (path for path in (place.home / "vlbench" / "runs").iterdir() if path.is_dir())
            place = place.named(directory.name)
            assert place.answered() == place.slots
            check(place, [Life(0.0, killed=False)])


def clock_turned_back(folder: Path) -> None:
    """The clock of the day jumps back by an hour, in a run that is then killed and goes on."""
    with arena(folder, samples=60, fault_rate=0.05) as place:
        with place.start(mishap="back:3600:30") as process:
            place.wait(process, lambda: len(place.answered()) >= 60)
            process.send_signal(signal.SIGKILL)
            process.communicate()
        answered = place.answered()
        place.finish()
        events = place.events()
        check_sequence(events)
        times = [event["time"] for event in events]
        assert min(after - before for before, after in pairwise(times)) < -3000, "the clock did not jump"
        assert answered <= place.answered() == place.slots
        paid = sum(one.status == 200 for one in place.asked())
        assert paid <= len(place.slots) * 1.1 + CONCURRENCY


def cache_on_a_network_disk(folder: Path) -> None:
    """Said, and a local directory is used in its place."""
    with arena(folder, samples=30, fault_rate=0) as place:
        table = folder / "mounts"
        table.write_text(
            f"/dev/sda1 / ext4 rw 0 0\nserver:/home {place.cache} nfs4 rw 0 0\n", encoding="utf-8"
        )
        done = place.go(mishap=f"mounts:{table}")
        assert done.code == 0, done.said
        assert "network file system (nfs4)" in done.said, done.said
        assert not (place.cache / "replies").exists()
        check(place, [Life(0.0, killed=False)])
        asked = len(place.asked())
        assert place.named("other").go(mishap=f"mounts:{table}").code == 0
        assert len(place.asked()) == asked


def killed(place: Arena, *words: str, mishap: str = "", after: int = 0) -> Life:
    """A life that `mishap` ends, or a kill when so many slots are answered."""
    began = time.time()
    with place.start(*words, mishap=mishap) as process:
        if not mishap:
            place.wait(process, lambda: len(place.answered()) >= after)
            process.send_signal(signal.SIGKILL)
        _, said = process.communicate(timeout=60)
    assert process.returncode == -signal.SIGKILL, f"{mishap or 'a kill'} did not come: {said}"
    return Life(began, killed=True)


MISHAPS: tuple[Callable[[Path], None], ...] = (
    killed_at_exact_points,
    killed_while_widened,
    journal_on_a_full_disk,
    cache_on_a_full_disk,
    read_only_run_directory,
    damaged_cache,
    damaged_journal,
    two_runs_on_one_cache,
    one_run_twice_at_once,
    clock_turned_back,
    cache_on_a_network_disk,
)
