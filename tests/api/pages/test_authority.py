"""Changes of a page while its registration ends, is transferred, or is replaced."""

import asyncio
from typing import Any

from tests.factories.registrations import BASE
from tests.fixtures.pages import Owners
from tests.fixtures.text_server import TextServer
from warehouse.postgres import Connection

CHANGES: list[tuple[str, str, Any]] = [
    ("PUT", "/profile", {"name": "Late"}),
    ("PUT", "/apps", {"apps": [{"id": "regalia/market-card"}]}),
    ("PATCH", "/sites", {"embedsEnabled": False}),
    ("PATCH", "/sites", {"badgeHosts": []}),
    ("POST", "/domains", {"domain": "late.example"}),
    ("POST", "/domains/asked.example/verify", None),
    ("POST", "/domains/unproven.example/verify", None),
    ("PATCH", "/domains/proven.example", {"vanityEnabled": True}),
    ("DELETE", "/domains/proven.example", None),
]
MEANWHILE = [
    ("released_at = now()", 404, "has ended"),
    ("expired_at = now()", 404, "has ended"),
    ("owner = '0x1212121212121212121212121212121212121212', managers = '{}'", 403, "only the owner"),
    ("transaction_hash = '0xcc'", 404, "a reorganisation of the chain removed the registration"),
]


async def test_a_user_who_lost_a_registration_cannot_change_it(
    owners: Owners,
    text_server: TextServer,
) -> None:
    store = owners.store
    for number, (change, status, words) in enumerate(MEANWHILE, 1):
        page = await owners.page(f"P{number}", number)
        for domain, verified in (("asked", False), ("unproven", False), ("proven", True)):
            name = f"{domain}.example"
            store.execute(
                "INSERT INTO registration_domain (chain_id, token_id, domain, challenge, verified_at, vanity_enabled)"
                " VALUES (%s, %s, %s, %s, CASE WHEN %s THEN now() - make_interval(days => %s) END, false)",
                (BASE, number, f"{number}.{name}", f"proof {number}", verified, number),
            )
        text_server.texts[f"_regalia-challenge.{number}.asked.example"] = [(f"proof {number}",)]
        with store.transaction():
            store.execute(f"UPDATE registration SET {change} WHERE token_id = {number}".encode())
            before = written(store, number)
            asked = [
                asyncio.create_task(page.ask(method, path.replace("/domains/", f"/domains/{number}."), body))
                for method, path, body in CHANGES
            ]
            await held_up(store, len(asked))
        for (method, path, _), answer in zip(CHANGES, await asyncio.gather(*asked), strict=True):
            assert (answer.status_code, words in answer.json()["error"]) == (status, True), (change, method, path)
        assert written(store, number) == before, change


def written(store: Connection, number: int) -> list[Any]:
    """All that is set for a page."""
    of_page = "WHERE chain_id = 8453 AND token_id = %s"
    return [
        store.execute(
            f"SELECT to_jsonb({table}) AS row FROM {table} {of_page} ORDER BY 1".encode(), (number,)
        ).fetchall()
        for table in ("registration", "registration_domain", "page_app", "event_log")
    ]


async def held_up(store: Connection, count: int) -> None:
    """Wait until so many wait for the transaction that the connection is in, or behind another that does."""
    waiting = """
    SELECT count(*) AS waiting FROM pg_locks
    WHERE NOT granted AND (
        transactionid = pg_current_xact_id()::xid
        OR relation = 'registration'::regclass
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
    )
    """
    for _ in range(1_000):
        if store.execute(waiting.encode()).fetchone() == {"waiting": count}:
            return
        await asyncio.sleep(0.01)
    raise AssertionError("they do not wait")
