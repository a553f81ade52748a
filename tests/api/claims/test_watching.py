"""Claims are confirmed without a client that polls."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from structlog.contextvars import get_contextvars

from api.settings import ApiSettings
from api.store.jobs import TASKS
from api.worker import work
from pipelines.refresh import refresh
from tests.fixtures.claims import ClaimChain, Claimer
from tests.fixtures.service import Service
from warehouse.chains import facts
from warehouse.postgres import Connection


def settings_of(claim_chain: ClaimChain, data_dir: Path) -> ApiSettings:
    return ApiSettings(
        data_dir=data_dir,
        database_url=claim_chain.store_url,
        clickhouse_url="http://127.0.0.1:9/unused",
        chains=claim_chain.chains_path,
    )


def jobs(store: Connection) -> list[tuple[str, str, int]]:
    """The queue without what the worker does periodically, which may fall due while a test runs."""
    periodic = [name for name, _ in TASKS.periodic_registry.periodic_tasks]
    rows = store.execute(
        "SELECT task_name, status::text, attempts FROM jobs.procrastinate_jobs"
        " WHERE NOT task_name = ANY (%s) ORDER BY id",
        (periodic,),
    ).fetchall()
    return [(row["task_name"], row["status"], row["attempts"]) for row in rows]


@contextmanager
def fields_of_job_entries() -> Iterator[list[dict[str, Any]]]:
    """What is bound to each entry that the worker logs about a job."""
    found: list[dict[str, Any]] = []

    def look(_entry: logging.LogRecord) -> bool:
        found.append(get_contextvars())
        return True

    logger = logging.getLogger("api.job_log")
    before = logger.level
    logger.setLevel(logging.INFO)
    logger.addFilter(look)
    try:
        yield found
    finally:
        logger.removeFilter(look)
        logger.setLevel(before)


async def test_the_worker_waits_for_a_mint_and_records_it(
    claim_chain: ClaimChain, claim_service: Service, data_dir: Path
) -> None:
    wallet = claim_chain.wallet()
    token = claim_chain.token(wallet, "WATCHED")
    claim_chain.index()
    claim_chain.price_native()
    claimer = Claimer(claim_service, "WATCHED", token, wallet.address)
    proof = (await claimer.prove(wallet))["proofHash"]
    built = await claimer.build(proof)
    transaction = built.json()["transaction"]
    assert (await claimer.build(proof)).status_code == 200
    assert jobs(claim_chain.store) == [("claims.watch", "todo", 0)]

    settings = settings_of(claim_chain, data_dir)
    with fields_of_job_entries() as logged:
        await work(settings, wait=False)
    assert built.headers["x-request-id"] in [fields.get("request_id") for fields in logged]
    assert jobs(claim_chain.store) == [("claims.watch", "todo", 1)]
    assert claim_chain.rows_written()["registration"] == 0

    claim_chain.send(wallet, transaction["to"], transaction["data"], int(transaction["value"], 16))
    claim_chain.store.execute("SET search_path = public, jobs")
    claim_chain.store.execute("UPDATE jobs.procrastinate_jobs SET scheduled_at = now()")
    await work(settings, wait=False)
    assert jobs(claim_chain.store) == []
    registered = (await claim_service.get("/registration/WATCHED/base")).json()
    assert (registered["owner"], registered["verificationMethod"]) == (wallet.address, "deployer")
    assert claim_chain.rows_written()["event_log"] == 1


async def test_a_watch_ends_with_the_last_authorisation(
    claim_chain: ClaimChain, claim_service: Service, data_dir: Path
) -> None:
    wallet = claim_chain.wallet()
    token = claim_chain.token(wallet, "GIVENUP")
    claim_chain.index()
    claim_chain.price_native()
    claimer = Claimer(claim_service, "GIVENUP", token, wallet.address)
    assert (await claimer.build((await claimer.prove(wallet))["proofHash"])).status_code == 200
    claim_chain.store.execute("UPDATE claim_authorization SET deadline = now() - interval '1 hour'")
    await work(settings_of(claim_chain, data_dir), wait=False)
    assert jobs(claim_chain.store) == []
    assert claim_chain.rows_written()["registration"] == 0


async def test_a_refused_claim_queues_nothing(claim_chain: ClaimChain, claim_service: Service) -> None:
    wallet = claim_chain.wallet()
    answer = await Claimer(claim_service, "ABSENT", wallet.address, wallet.address).build("0x" + "00" * 32)
    assert answer.json()["check"] == "not_a_token"
    assert jobs(claim_chain.store) == []


async def test_indexing_agrees_with_the_row_of_the_claim(claim_chain: ClaimChain, claim_service: Service) -> None:
    wallet = claim_chain.wallet()
    token = claim_chain.token(wallet, "AGREED")
    claim_chain.index()
    claim_chain.price_native()
    claimer = Claimer(claim_service, "AGREED", token, wallet.address)
    transaction = (await claimer.build((await claimer.prove(wallet))["proofHash"])).json()["transaction"]
    sent = claim_chain.send(wallet, transaction["to"], transaction["data"], int(transaction["value"], 16))
    await claimer.status(sent["transactionHash"])
    facts_of_row = "SELECT to_jsonb(registration) - 'updated_at' - 'is_final' AS row FROM registration"
    before = claim_chain.store.execute(facts_of_row).fetchall()

    claim_chain.node.mine(10)
    claim_chain.index()
    refresh(claim_chain.warehouse, claim_chain.store, facts.load(claim_chain.chains_path))
    assert claim_chain.store.execute(facts_of_row).fetchall() == before
    final = claim_chain.store.execute("SELECT is_final FROM registration").fetchone()
    assert final == {"is_final": True}
    events = claim_chain.store.execute("SELECT type FROM event_log WHERE account_id IS NULL ORDER BY id").fetchall()
    assert [event["type"] for event in events] == ["claim.confirmed", "token.minted"]
    await claimer.status(sent["transactionHash"])
    assert claim_chain.rows_written()["event_log"] == 2
