"""How fast the machine is while something is measured: what fixed work takes that no change of ours makes slower.

Two things are timed, one request after the other: an empty endpoint of a bare application in its own process, and a
fixed statement of the warehouse. Parts of the benchmark take samples between slices of what they measure, never at the
same time as those, and divide their figures by the same percentile of the samples.
"""

import contextlib
import http.client
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from api.ops.supervisor import ports
from tests.bench.result import Result, percentile
from warehouse.clickhouse import Warehouse

ROOT = Path(__file__).resolve().parents[2]
SAMPLE_SECONDS = 0.5
STATEMENT = "SELECT max(cityHash64(number)) FROM numbers(3000000) SETTINGS max_threads = 1, max_block_size = 65536"
"""Some milliseconds of one core, whatever the tables hold."""
_START_SECONDS = 30.0


@dataclass(slots=True)
class Machine:
    """Samples of fixed work, in milliseconds."""

    connection: http.client.HTTPConnection
    warehouse: Warehouse | None
    empty_ms: list[float] = field(default_factory=list)
    statement_ms: list[float] = field(default_factory=list)

    def sample(self, seconds: float = SAMPLE_SECONDS) -> None:
        """Take samples for so long: of the endpoint, and of the statement where there is a warehouse."""
        ends = time.perf_counter() + seconds
        while time.perf_counter() < ends:
            began = time.perf_counter()
            self.connection.request("GET", "/")
            self.connection.getresponse().read()
            self.empty_ms.append(1000 * (time.perf_counter() - began))
            if self.warehouse is not None:
                began = time.perf_counter()
                self.warehouse.scalar(STATEMENT)
                self.statement_ms.append(1000 * (time.perf_counter() - began))

    def request_ms(self, percent: float) -> float:
        """What so many percent of bare requests do not exceed: the endpoint and the statement, one after the other."""
        return percentile(self.empty_ms, percent) + percentile(self.statement_ms, percent)

    def mean_request_ms(self) -> float:
        """The mean of a bare request, for what is work in bulk: stolen time counts in it by its share."""
        return fmean(self.empty_ms) + (fmean(self.statement_ms) if self.statement_ms else 0.0)

    def results(self, part: str) -> list[Result]:
        """The samples' p95, to read the ratios by."""
        found = [Result(f"{part}: machine, empty endpoint, p95", percentile(self.empty_ms, 95), "ms")]
        if self.statement_ms:
            found.append(Result(f"{part}: machine, fixed statement, p95", percentile(self.statement_ms, 95), "ms"))
        return found


@contextlib.contextmanager
def sampled(warehouse_url: str | None = None) -> Iterator[Machine]:
    """The machine, ready to be sampled; with a warehouse its fixed statement, too."""
    port = ports.claim("127.0.0.1", None, "the empty endpoint", "REGALIA_PORT")
    command = [*(sys.executable, "-m", "uvicorn", "tests.bench.machine:bare", "--port", str(port))]
    process = subprocess.Popen(
        [*command, "--log-level", "warning", "--no-access-log", "--timeout-keep-alive", "3600"], cwd=ROOT
    )
    try:
        _await_start(process, port)
        with contextlib.ExitStack() as held:
            connection = held.enter_context(contextlib.closing(http.client.HTTPConnection("127.0.0.1", port)))
            warehouse = None if warehouse_url is None else held.enter_context(Warehouse.connect(warehouse_url))
            Machine(connection, warehouse).sample()  # not counted: the first requests are slower
            yield Machine(connection, warehouse)
    finally:
        process.terminate()
        process.wait(30)


def compare(name: str, value: float, unit: str, mark: str, of: str, unit_value: float) -> list[Result]:
    """The figure as it was measured, and how many times ``unit_value`` it is, which is held to the mark. ``of`` names
    what has that value."""
    return [Result(name, value, unit), Result(f"{name} / {of}", value / unit_value, "ratio", mark)]


def _await_start(process: "subprocess.Popen[bytes]", port: int) -> None:
    deadline = time.monotonic() + _START_SECONDS
    while True:
        with contextlib.suppress(OSError), contextlib.closing(http.client.HTTPConnection("127.0.0.1", port)) as one:
            one.request("GET", "/")
            if one.getresponse().status == 200:
                return
        if process.poll() is not None or time.monotonic() > deadline:
            raise SystemExit("the empty endpoint does not start")
        time.sleep(0.1)


async def _nothing(_request: Request) -> JSONResponse:
    return JSONResponse({})


bare = Starlette(routes=[Route("/", _nothing)])
