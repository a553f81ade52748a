"""What counting requests costs: the same reads without it, with it in the process, and with it in the store."""

import contextlib
import statistics
from collections.abc import Callable
from pathlib import Path

from api.accounts.service import Accounts
from tests.bench import load
from tests.bench.directories import new_directory
from tests.bench.result import Result
from tests.bench.serving import serve
from tests.factories.registrations import add_registration, add_token, address, scored
from warehouse import engines, postgres
from warehouse.settings import EngineSettings

BACKENDS = ("none", "process", "store")
ROUNDS = 4
SECONDS = 1.5
CONNECTIONS = 8
LEAST = ">= 0.6"
REGISTERED = 200
WALLET = "0x00000000000000000000000000000000000ca11e"
READS = {
    "a read of nothing": ["/api/v2/registry/info"],
    "registration by symbol": [f"/api/v2/registration/REG{number}" for number in range(REGISTERED)],
}


def measure(directory: Path, progress: Callable[[str], None]) -> list[Result]:
    """Put load on the three in turns, several times over, so that what else the machine does meets all of them."""
    data_dir = new_directory(directory, "limits")
    with engines.ensure(EngineSettings(data_dir=data_dir, clickhouse_url=None, database_url=None)) as urls:
        with postgres.connect(urls.database_url, autocommit=True) as store:
            for number in range(REGISTERED):
                token = address(0x70000 + number)
                add_token(store, f"REG{number}", address=token, **scored("80"))
                add_registration(store, f"REG{number}", token_id=number + 1, token_address=token, log_index=number)
        accounts = Accounts(urls.database_url)
        headers = {"X-API-Key": accounts.create_key(WALLET, "enterprise").key}
        chains_file = data_dir / "chains.toml"
        chains_file.write_text('[chains.base]\nrpc_urls = ["http://127.0.0.1:1"]\n')
        with contextlib.ExitStack() as serving:
            ports = {
                backend: serving.enter_context(
                    serve(data_dir, chains_file, settings={"REGALIA_LIMITS_BACKEND": backend})
                )
                for backend in BACKENDS
            }
            results: list[Result] = []
            for name, paths in READS.items():
                results += _compare(name, paths, ports, headers, progress)
            alone = {backend: _median_ms(port, headers) for backend, port in ports.items()}
    return [
        *results,
        Result("limits: added to a lone request, in process", alone["process"] - alone["none"], "ms"),
        Result("limits: added to a lone request, in the store", alone["store"] - alone["none"], "ms"),
    ]


def _compare(
    name: str, paths: list[str], ports: dict[str, int], headers: dict[str, str], progress: Callable[[str], None]
) -> list[Result]:
    rates: dict[str, list[float]] = {backend: [] for backend in BACKENDS}
    for port in ports.values():
        load.run(port=port, paths=paths, headers=headers, seconds=0.5, connections=CONNECTIONS)
    for _ in range(ROUNDS):
        for backend, port in ports.items():
            figure = load.run(port=port, paths=paths, headers=headers, seconds=SECONDS, connections=CONNECTIONS)
            rates[backend].append(figure["rate"])
    rate = {backend: statistics.median(found) for backend, found in rates.items()}
    progress(f"{name}: " + ", ".join(f"{backend} {figure:,.0f}/s" for backend, figure in rate.items()))
    return [
        Result(f"limits: {name}, counted in process / not counted", rate["process"] / rate["none"], "ratio", LEAST),
        Result(f"limits: {name}, counted in the store / not counted", rate["store"] / rate["none"], "ratio"),
    ]


def _median_ms(port: int, headers: dict[str, str]) -> float:
    """The latency of requests that come one after another."""
    figure = load.run(port=port, paths=READS["a read of nothing"], headers=headers, seconds=SECONDS, connections=1)
    return statistics.median(figure["latencies_ms"])
