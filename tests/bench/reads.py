"""Reads by key and by wallet, compared with an empty endpoint of the same application."""

import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from tests.bench import load
from tests.bench.machine import Machine, compare, sampled
from tests.bench.result import Result, percentile
from tests.bench.world import EMPTY, SEED, Served, serve_world
from tests.factories.generated import PROLIFIC_WALLET
from warehouse.clickhouse import Warehouse

SECONDS = 4.0
CONNECTIONS = 8
CLAIMABLE_ARRIVALS = 4
CLAIMABLE_SECONDS, CLAIMABLE_SLICES = 15.0, 5
"""The machine is sampled before each slice."""
LEAST = ">= 0.2"


@dataclass(frozen=True, slots=True)
class ReadFigures:
    """Results, and the latencies the plot is drawn from."""

    results: list[Result]
    latencies_ms: dict[str, list[float]]


def measure(directory: Path, tokens: int, progress: Callable[[str], None]) -> ReadFigures:
    """Put load on each kind of read over so many generated tokens."""
    with serve_world(directory, tokens, progress) as served, sampled(served.urls.clickhouse_url) as machine:
        kinds = _kinds(served)
        figures = {"empty": _rate(served, [EMPTY], {})}
        for name, (paths, _) in kinds.items():
            figures[name] = _rate(served, paths, served.headers)
            progress(f"{name}: {figures[name]['rate']:,.0f} requests a second")
        deployed, claimable = _claimable(served, machine)
    empty = figures["empty"]["rate"]
    results = [
        Result(f"reads: {name} / empty endpoint", figures[name]["rate"] / empty, "ratio", mark)
        for name, (_, mark) in kinds.items()
    ]
    results += [
        *compare(
            f"reads: p95 of claimable, {deployed:,} tokens deployed",
            percentile(claimable, 95),
            "ms",
            "<= 24",
            "p95 of a bare request",
            machine.request_ms(95),
        ),
        *machine.results("reads"),
        Result("reads: empty endpoint", empty, "1/s"),
    ]
    latencies = {name: figure["latencies_ms"] for name, figure in figures.items()}
    return ReadFigures(results, latencies | {"claimable": claimable})


def _kinds(served: Served) -> dict[str, tuple[list[str], str | None]]:
    """Paths of each kind of read, and the mark its rate is to meet."""
    source = random.Random(SEED)
    rows = source.sample(served.registered, min(1_000, len(served.registered)))
    names = [quote(symbol) for symbol, _, _ in rows]
    unregistered = [quote(symbol) for symbol in source.sample(served.symbols, 2_000) if symbol.isascii()]
    unregistered = [name for name in unregistered if name.isalnum() and len(name) <= 20][:1_000]
    places = [f"{name}/{chain}" for name, (_, chain, _) in zip(names, rows, strict=True)]
    free = [f"{name}/base" for name in unregistered]
    return {
        "registration by id": (
            [f"/api/v2/registration/{number}?chain={chain}" for _, chain, number in rows],
            LEAST,
        ),
        "registration by symbol": ([f"/api/v2/registration/{name}" for name in names], LEAST),
        "registration status": (
            [f"/api/v2/registration/{place}" for pair in zip(places, free, strict=False) for place in pair],
            LEAST,
        ),
        "heartbeat": ([f"/api/v2/heartbeat/{place}" for place in places], LEAST),
        "heartbeats at risk": (["/api/v2/heartbeat/at-risk", "/api/v2/heartbeat/at-risk?chain=base&page=3"], None),
    }  # fmt: skip


def _rate(served: Served, paths: list[str], headers: dict[str, str]) -> dict[str, float | list[float]]:
    load.run(port=served.port, paths=paths, headers=headers, seconds=0.5, connections=CONNECTIONS)
    figure: dict[str, float | list[float]] = load.run(
        port=served.port, paths=paths, headers=headers, seconds=SECONDS, connections=CONNECTIONS
    )
    return figure


def _claimable(served: Served, machine: Machine) -> tuple[int, list[float]]:
    """How many tokens the wallet deployed that deployed most, and how long its list takes."""
    with Warehouse.connect(served.urls.clickhouse_url) as warehouse:
        deployed = warehouse.scalar(
            "SELECT uniqExact(chain_id, token) FROM serve_provenance WHERE wallet = unhex({wallet:String})",
            {"wallet": PROLIFIC_WALLET.hex()},
        )
    headers = {**served.headers, "X-Wallet-Address": f"0x{PROLIFIC_WALLET.hex()}"}
    paths = ["/api/v2/registration/claimable"]
    load.run(port=served.port, paths=paths, headers=headers, seconds=2, rate=CLAIMABLE_ARRIVALS)
    latencies: list[float] = []
    for _ in range(CLAIMABLE_SLICES):
        machine.sample()
        order = {"port": served.port, "headers": headers, "rate": CLAIMABLE_ARRIVALS}
        latencies += load.run(**order, paths=paths, seconds=CLAIMABLE_SECONDS / CLAIMABLE_SLICES)["latencies_ms"]
    return int(deployed), latencies
