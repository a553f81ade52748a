"""Waits until the demo is ready: the chains' histories are indexed, and clients can read the results."""

import time
from collections.abc import Callable, Mapping

import httpx

from api.ops.demo import guide
from api.ops.demo.guide import RunningDemo
from warehouse import postgres
from warehouse.postgres import Connection

PATIENCE_SECONDS = 90.0


class NotReady(RuntimeError):
    """Something that clients should see is missing; the message names it."""


def wait(demo: RunningDemo, database_url: str, heads: Mapping[int, int]) -> None:
    """Wait until these blocks, by chain id, are published and every suggested read answers with data.

    Raises:
        NotReady: the patience is over.
    """
    deadline = time.monotonic() + PATIENCE_SECONDS
    with postgres.connect(database_url, autocommit=True) as store:
        for chain_id, head in heads.items():
            _until(deadline, lambda chain_id=chain_id, head=head: _indexed(store, chain_id, head))  # type: ignore[misc]
    with httpx.Client(base_url=demo.api_url, timeout=30) as client:
        for _, path in guide.reads(demo):
            _until(deadline, lambda path=path: _missing_data(client, demo, path))  # type: ignore[misc]


def _indexed(store: Connection, chain_id: int, head: int) -> str | None:
    rows = postgres.run(store, "ingestion/find_published", {"chain_id": chain_id})
    published = rows[0]["block_number"] if rows else None
    if published is not None and published >= head:
        return None
    return f"chain {chain_id} is indexed to block {published} of {head}"


def _missing_data(client: httpx.Client, demo: RunningDemo, path: str) -> str | None:
    """None if the answer has data; otherwise what is missing."""
    # ``refresh``, so that an empty answer is not cached while we wait.
    asked = f"{path}&refresh=true" if "/search?" in path else path
    try:
        response = client.get(asked, headers=guide.headers(demo, path))
    except httpx.HTTPError as error:
        return f"{path}: {type(error).__name__}"
    if response.is_error:
        return f"{path}: {response.status_code} {response.text[:200]}"
    body = response.json()
    found = body.get("results", body.get("tokens", True))
    return None if found else f"{path}: nothing found yet"


def _until(deadline: float, missing: Callable[[], str | None]) -> None:
    while (what := missing()) is not None:
        if time.monotonic() > deadline:
            raise NotReady(f"not ready after {PATIENCE_SECONDS:.0f} s: {what}")
        time.sleep(0.2)
