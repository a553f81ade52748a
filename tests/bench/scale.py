"""How the cost of indexing grows with the length of the history: the recorded chain once, ten times, and longer.

Every length is indexed cold, by a process and into a data directory of its own, from the same server
(``tests.bench.history``), so that what the server costs is the same for each event.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.bench import workload
from tests.bench.history import START, first_repeated
from tests.bench.indexing import cold_index, expected_rows
from tests.bench.recording import Recording
from tests.bench.replay import Replay
from tests.bench.result import Result

REFERENCE_REPEATS = 2


@dataclass(frozen=True, slots=True)
class Length:
    """A history: its name, its laps of the recording, and what its cost an event may be, by that of the first."""

    name: str
    laps: int
    mark: str | None


ONCE = Length("360,000 events", 1, None)
LENGTHS = (Length("3.6 million events", 10, "<= 1.2"),)
LONGEST = Length("10 million events", 29, "<= 1.4")


@dataclass(frozen=True, slots=True)
class ScaleFigures:
    """Results, and for the pictures memory over the longest run, and microseconds an event by number of events."""

    results: list[Result]
    memory: list[tuple[float, str, float]]
    cost: list[tuple[float, float]]


def measure(directory: Path, transfers: int, progress: Callable[[str], None], *, longest: bool) -> ScaleFigures:
    """Index ever longer histories; ``longest`` adds the one of ten million events, which takes a minute or two."""
    recorded = workload.ensure(directory, transfers, progress)
    lengths = (*LENGTHS, LONGEST) if longest else LENGTHS
    with Replay(recorded.recording, long=True) as replay:
        chains_file = directory / "scale.toml"
        chains_file.write_text(recorded.chain_toml(replay.url).replace("start_block = 0", f"start_block = {START}"))

        def run(length: Length) -> dict[str, Any]:
            replay.control(reset=True, laps=length.laps)
            done = cold_index(directory, chains_file, replay, watch_memory=True)
            rate = done["events"] / done["seconds"]
            progress(f"{length.name}: {done['events']:,} in {done['seconds']:.2f} s, {rate:,.0f} a second")
            return done

        reference = min((run(ONCE) for _ in range(REFERENCE_REPEATS)), key=_seconds_an_event)
        runs = [run(length) for length in lengths]
    recording = Recording.load(recorded.recording)
    whole = expected_rows(recording.blocks)["held"]
    lap = expected_rows(recording.blocks[first_repeated(recording) :])["held"]
    results = []
    for length, done in zip(lengths, runs, strict=True):
        wrong = sum(abs(done["held"][table] - whole[table] - (length.laps - 1) * lap[table]) for table in whole)
        results += _results(length, done, reference, wrong)
    cost = [(float(done["events"]), 1e6 * _seconds_an_event(done)) for done in (reference, *runs)]
    return ScaleFigures(results, runs[-1]["samples"], cost)


def _seconds_an_event(done: dict[str, Any]) -> float:
    return float(done["seconds"] / done["events"])


def _results(length: Length, done: dict[str, Any], reference: dict[str, Any], wrong: int) -> list[Result]:
    name = f"scale, {length.name}"
    return [
        Result(
            f"{name}: seconds an event / those of {ONCE.name}",
            _seconds_an_event(done) / _seconds_an_event(reference),
            "ratio",
            length.mark,
        ),
        Result(f"{name}: events a second", done["events"] / done["seconds"], "1/s"),
        Result(f"{name}: rows missing or doubled", wrong, "rows", "== 0"),
        Result(f"{name}: peak memory of the indexer (PSS)", done["peaks_mb"]["indexer"], "MB", "<= 600"),
        Result(f"{name}: peak memory of the warehouse (PSS)", done["peaks_mb"].get("warehouse", 0.0), "MB"),
        Result(f"{name}: disk per million transfers", done["disk_bytes"] / done["held"]["fact_transfer"], "MB"),
    ]
