"""Where the time of a cold index goes: seconds and CPU seconds a stage and a process, as a table.

Stages are functions of the indexer, wrapped while this runs and counted without what other stages in them take; so
the indexer itself carries no measuring. Stages of several threads overlap: CPU seconds can be added up and compared
with the machine's, seconds of waiting cannot.
"""

import functools
import importlib
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import psutil

from tests.bench.processes import cpu_seconds
from warehouse.clickhouse import Warehouse

# Stage, module and function as its caller finds it. The order is that of a log's way.
STAGES: tuple[tuple[str, str, str], ...] = (
    ("node: request, wait, receive", "indexer.chains.evm.rpc", "EvmClient._roundtrip"),
    ("headers: parse", "indexer.chains.evm.headers", "_read"),
    ("headers: columns", "indexer.chains.evm.headers", "_columns"),
    ("creations: read traces", "indexer.chains.evm.creations", "_from_traces"),
    ("logs: find fields", "indexer.chains.evm.fetch", "parse_logs"),
    ("logs: audit", "indexer.chains.evm.fetch", "expected_counts"),
    ("logs: decode", "indexer.chains.evm.fetch", "decode_logs"),
    ("assemble: pools, tokens, changes", "indexer.chains.evm.source", "assemble_unit"),
    ("assemble: ask what tokens are", "indexer.chains.evm.assemble", "read_touched"),
    ("write: encode", "indexer.write", "encode_rows"),
    ("write: send and wait", "warehouse.clickhouse", "Warehouse.insert_native"),
    ("write: sums", "indexer.publish", "add_sums"),
    ("checkpoint: begin", "indexer.publish", "begin_unit"),
    ("checkpoint: facts are in", "indexer.publish", "set_pending"),
    ("checkpoint: publish", "indexer.publish", "publish_unit"),
)


@dataclass(slots=True)
class Spent:
    """What one stage took, over all threads."""

    calls: int = 0
    seconds: float = 0.0
    cpu_seconds: float = 0.0


@dataclass(slots=True)
class Profile:
    """Stages of the indexer, inserts by table, CPU of every process; ``others`` are processes to watch besides."""

    others: Mapping[str, psutil.Process] = field(default_factory=dict)
    stages: dict[str, Spent] = field(default_factory=dict)
    inserts: dict[str, Spent] = field(default_factory=dict)
    processes: dict[str, float] = field(default_factory=dict)
    engine: dict[str, float] = field(default_factory=dict)
    wall_seconds: float = 0.0
    _guard: threading.Lock = field(default_factory=threading.Lock)
    _running: threading.local = field(default_factory=threading.local)

    def add(self, table: dict[str, Spent], name: str, seconds: float, cpu_seconds: float) -> None:
        """Count one call."""
        with self._guard:
            spent = table.setdefault(name, Spent())
            spent.calls += 1
            spent.seconds += seconds
            spent.cpu_seconds += cpu_seconds

    def wrapped(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """``function``, counted as a stage without what stages in it take."""

        @functools.wraps(function)
        def counted(*args: Any, **kwargs: Any) -> Any:
            stack: list[list[float]] = self._running.__dict__.setdefault("stack", [])
            inner = [0.0, 0.0]
            stack.append(inner)
            began, cpu_began = time.perf_counter(), time.thread_time()
            try:
                return function(*args, **kwargs)
            finally:
                seconds, cpu_seconds = time.perf_counter() - began, time.thread_time() - cpu_began
                stack.pop()
                if stack:
                    stack[-1][0] += seconds
                    stack[-1][1] += cpu_seconds
                self.add(self.stages, name, seconds - inner[0], cpu_seconds - inner[1])
                if function.__name__ == "insert_native":
                    self.add(self.inserts, args[1], seconds, cpu_seconds)

        return counted

    @contextmanager
    def watching(self, warehouse: Warehouse, processes: Mapping[str, psutil.Process]) -> Iterator[None]:
        """Count everything that happens in the block."""
        replaced = []
        for name, module, path in STAGES:
            holder: Any = importlib.import_module(module)
            *owners, last = path.split(".")
            for owner in owners:
                holder = getattr(holder, owner)
            replaced.append((holder, last, getattr(holder, last)))
            setattr(holder, last, self.wrapped(name, getattr(holder, last)))
        processes = {**processes, **self.others}
        events = _engine_events(warehouse)
        cpu = {name: cpu_seconds(process) for name, process in processes.items()}
        began = time.perf_counter()
        try:
            yield
        finally:
            self.wall_seconds = time.perf_counter() - began
            self.processes = {name: cpu_seconds(process) - cpu[name] for name, process in processes.items()}
            self.engine = {name: value - events.get(name, 0.0) for name, value in _engine_events(warehouse).items()}
            for holder, last, original in replaced:
                setattr(holder, last, original)

    def lines(self) -> list[str]:
        """The tables, as Markdown."""
        known = sum(spent.cpu_seconds for spent in self.stages.values())
        total = sum(self.processes.values())
        lines = [
            f"{self.wall_seconds:.2f} seconds of wall time, {total:.2f} of CPU over all processes.",
            *("", "| process | CPU seconds |", "|---|---:|"),
            *(f"| {name} | {seconds:.2f} |" for name, seconds in self.processes.items()),
            *("", "| stage of the indexer | calls | seconds, all threads | CPU seconds |", "|---|---:|---:|---:|"),
        ]
        for name, _, _ in STAGES:
            spent = self.stages.get(name, Spent())
            lines.append(f"| {name} | {spent.calls} | {spent.seconds:.2f} | {spent.cpu_seconds:.2f} |")
        lines.append(
            f"| the rest: planning, queues, collecting garbage | | | {self.processes['indexer'] - known:.2f} |"
        )
        lines += ["", "| insert into | calls | seconds until acknowledged |", "|---|---:|---:|"]
        ordered = sorted(self.inserts.items(), key=lambda item: -item[1].seconds)
        lines += [f"| {name} | {spent.calls} | {spent.seconds:.2f} |" for name, spent in ordered]
        lines += ["", "| inside the warehouse | seconds |", "|---|---:|"]
        ordered_events = sorted(self.engine.items(), key=lambda item: -item[1])
        lines += [f"| {name} | {seconds:.2f} |" for name, seconds in ordered_events if seconds >= 0.01]
        return lines


def _engine_events(warehouse: Warehouse) -> dict[str, float]:
    """What the engine counts of its own time, in seconds."""
    rows = warehouse.rows("SELECT event, value FROM system.events WHERE event LIKE '%Microseconds'")
    return {row["event"].removesuffix("Microseconds"): float(row["value"]) / 1e6 for row in rows}
