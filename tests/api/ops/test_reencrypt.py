"""``regalia reencrypt``: everything moves to the present key, however often the command is killed."""

import base64
import json
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from api.contacts.codes import Codes
from api.security.sealing import Sealer
from api.vendors.messages import Channel
from tests.fixtures.processes import regalia, run_regalia
from tests.fixtures.waiting import wait_until
from warehouse.postgres import Connection

OLD, NEW = b"o" * 32, b"n" * 32
CONTACTS, BATCH = 120, 10
TABLES = {"contact": "id", "community_room": "id", "webhook_secret": "subscription_id"}


@pytest.fixture
def settings(store_url: str, warehouse_url: str, data_dir: Path) -> dict[str, str]:
    """Settings of the command after a rotation."""
    return {
        "DATABASE_URL": store_url,
        "CLICKHOUSE_URL": warehouse_url,
        "DATA_DIR": str(data_dir),
        "SEALING_KEY": base64.b64encode(NEW).decode(),
        "PREVIOUS_SEALING_KEY": base64.b64encode(OLD).decode(),
    }


def fill(store: Connection, sealer: Sealer) -> None:
    """Contacts, a room and a webhook's secret, encrypted by a sealer."""
    ids = [uuid4() for _ in range(CONTACTS)]
    sealed = [sealer.seal(f"frog{at}@pepe.example".encode(), str(id)) for at, id in enumerate(ids)]
    store.execute(
        "WITH made AS (INSERT INTO account (wallet, plan) SELECT '0x' || lpad(to_hex(n), 40, '0'), 'free'"
        " FROM generate_series(1, %s) AS n RETURNING id, wallet)"
        " INSERT INTO contact (id, account_id, channel, sealed, fingerprint, created_at)"
        " SELECT given.id, made.id, 'email', given.sealed, '', now()"
        " FROM unnest(CAST(%s AS uuid[]), CAST(%s AS bytea[])) WITH ORDINALITY AS given (id, sealed, n)"
        " JOIN made ON made.wallet = '0x' || lpad(to_hex(given.n), 40, '0')",
        (CONTACTS, ids, sealed),
    )
    store.execute(
        "INSERT INTO community_room (chain_id, token_id, channel, id, token_address, sealed, created_at)"
        " VALUES (8453, 7, 'telegram', %s, '0x', %s, now())",
        (ids[0], sealer.seal(b"-100", str(ids[0]))),
    )
    made = store.execute(
        "INSERT INTO webhook_subscription (account_id, url, events)"
        " SELECT account_id, 'https://a.example', '{token.minted}' FROM contact LIMIT 1 RETURNING id"
    ).fetchone()
    assert made is not None
    store.execute(
        "INSERT INTO webhook_secret (subscription_id, sealed) VALUES (%s, %s)",
        (made["id"], sealer.seal(b"secret", str(made["id"]))),
    )


def readable(store: Connection, sealer: Sealer) -> list[str]:
    """What a sealer decrypts of all that is kept."""
    return sorted(
        sealer.unseal(bytes(row["sealed"]), str(row["purpose"])).decode()
        for table, purpose in TABLES.items()
        for row in store.execute(f"SELECT sealed, {purpose} AS purpose FROM {table}".encode()).fetchall()
    )


def moved(store: Connection) -> int:
    row = store.execute(
        "SELECT count(*) AS n FROM contact WHERE substring(sealed FROM 1 FOR 5) = %s", (Sealer(NEW).mark,)
    ).fetchone()
    assert row is not None
    return int(row["n"])


def lines(text: str) -> dict[str, dict[str, Any]]:
    found = [json.loads(line) for line in text.splitlines()]
    return {one.pop("kind"): one for one in found}


def nothing(found: int) -> dict[str, int]:
    return {"found": found, "reencrypted": 0, "unreadable": 0}


def done(found: int) -> dict[str, int]:
    return {"found": found, "reencrypted": found, "unreadable": 0}


@pytest.mark.slow
def test_a_killed_run_is_continued_and_nothing_is_lost(store: Connection, settings: dict[str, str]) -> None:
    fill(store, Sealer(OLD))
    before = readable(store, Sealer(OLD))
    ran = run_regalia("reencrypt", "--dry-run", **settings)
    assert (ran.returncode, moved(store)) == (0, 0), ran.stderr
    assert lines(ran.stdout) == {"contacts": nothing(CONTACTS), "rooms": nothing(1), "webhook secrets": nothing(1)}
    # A contact in the middle is locked, so that the command waits in the middle of a batch and is killed there.
    with store.transaction():
        store.execute(
            "SELECT FROM contact WHERE id = (SELECT id FROM contact ORDER BY id OFFSET %s LIMIT 1) FOR UPDATE",
            (CONTACTS // 2 + BATCH // 2,),
        )
        with regalia("reencrypt", "--batch", str(BATCH), **settings) as killed:
            wait_until(lambda: moved(store) == CONTACTS // 2, seconds=120)
            assert killed.poll() is None
    assert readable(store, Sealer(NEW, OLD)) == before
    assert moved(store) == CONTACTS // 2, "a batch is replaced as a whole"
    ran = run_regalia("reencrypt", **settings)
    assert ran.returncode == 0, ran.stderr
    assert lines(ran.stdout) == {"contacts": done(CONTACTS // 2), "rooms": done(1), "webhook secrets": done(1)}
    assert readable(store, Sealer(NEW)) == before, "the old key is needed no more"
    marks = {bytes(row["fingerprint"]) for row in store.execute("SELECT fingerprint FROM contact").fetchall()}
    assert marks == {Codes(Sealer(NEW)).fingerprint(Channel.EMAIL, f"frog{at}@pepe.example") for at in range(CONTACTS)}


@pytest.mark.slow
def test_what_no_key_decrypts_is_left_and_counted(store: Connection, settings: dict[str, str]) -> None:
    fill(store, Sealer(OLD))
    store.execute("UPDATE contact SET sealed = '\\x01' WHERE id = (SELECT id FROM contact ORDER BY id LIMIT 1)")
    ran = run_regalia("reencrypt", **settings)
    assert ran.returncode != 0
    assert "1 cannot be decrypted" in ran.stderr
    assert lines(ran.stdout)["contacts"] == {"found": CONTACTS, "reencrypted": CONTACTS - 1, "unreadable": 1}
    row = store.execute("SELECT count(*) AS n FROM contact WHERE sealed = '\\x01'").fetchone()
    assert row == {"n": 1}
