"""Readiness probes: each returns True once the part works, and False or raises OSError until then."""

import json
import urllib.request
from collections.abc import Callable
from typing import Any

from api.ops.supervisor import ports

TIMEOUT_SECONDS = 3.0
WATCHED_DAEMONS = frozenset({"SCHEDULER", "SENSOR"})


def answers(url: str) -> Callable[[], bool]:
    """True once a GET of ``url`` succeeds (an HTTP error status is an OSError)."""

    def probe() -> bool:
        with urllib.request.urlopen(url, timeout=TIMEOUT_SECONDS) as response:  # noqa: S310 - our own http:// URLs
            return bool(response.status < 400)

    return probe


def accepts(port: int) -> Callable[[], bool]:
    """True once the port accepts connections."""
    return lambda: ports.listening(port)


def ask_graphql(base_url: str, query: str) -> dict[str, Any]:
    """The ``data`` of a GraphQL answer of Dagster's webserver."""
    request = urllib.request.Request(  # noqa: S310
        f"{base_url}/graphql",
        data=json.dumps({"query": query}).encode(),
        headers={"Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=TIMEOUT_SECONDS) as response:  # noqa: S310
        data: dict[str, Any] = json.load(response)["data"]
        return data


def dagster_works(base_url: str) -> Callable[[], bool]:
    """True once the web UI has our definitions, and the daemons for schedules and sensors have reported."""

    def probe() -> bool:
        found = ask_graphql(
            base_url,
            """{repositoriesOrError{... on RepositoryConnection{nodes{name}}}
                instance{daemonHealth{allDaemonStatuses{daemonType healthy}}}}""",
        )
        statuses = found["instance"]["daemonHealth"]["allDaemonStatuses"]
        healthy = {status["daemonType"] for status in statuses if status["healthy"]}
        return bool(found["repositoriesOrError"].get("nodes")) and healthy >= WATCHED_DAEMONS

    return probe
