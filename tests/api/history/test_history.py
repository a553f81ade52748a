"""A registration's history: reads and offline verification."""

import importlib.util
import json
import subprocess
import sys
from copy import deepcopy
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tests.factories.registrations import BASE, LONG_AGO, add_registration
from tests.fixtures.service import Service
from warehouse.postgres import Connection

ROOT = Path(__file__).resolve().parents[3]
SCRIPT = ROOT / "docs" / "examples" / "verify_history.py"
MIGRATION = ROOT / "sql" / "store" / "versions" / "0013_history.py"
AWKWARD = 'a "frog" \\ ü € 🐸 \n\t\x01\x7f </b>'


def _loaded(path: Path) -> Any:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


VERIFIER = _loaded(SCRIPT)


def record(store: Connection, type: str, key: str, token_id: int = 7, **data: Any) -> None:
    store.execute(
        "INSERT INTO event_log (type, chain_id, token_id, subject, payload, dedupe_key, created_at)"
        " VALUES (%s, %s, %s, 'PEPE', %s, %s, %s) ON CONFLICT (dedupe_key) DO NOTHING",
        (type, BASE, token_id, Jsonb({"symbol": "PEPE", **data}), key, LONG_AGO),
    )


@pytest.fixture
def lived(store: Connection) -> None:
    add_registration(store, token_id=7)
    record(store, "token.minted", "m", owner=AWKWARD)
    record(store, "profile.updated", "p", updated_fields=["name", "ü"], z=1, aa=None, b={"y": [True, {}], "x": []})
    record(store, "token.released", "r")


async def test_a_history_is_verified_offline(service: Service, lived: None, tmp_path: Path) -> None:
    body = (await service.get("/registration/7/history")).json()
    jwks = (await service.get("/apps/jwks")).json()
    assert [(one["sequence"], one["type"]) for one in body["entries"]] == [
        (1, "token.minted"), (2, "profile.updated"), (3, "token.released"),
    ]  # fmt: skip
    assert body["entries"][0]["data"]["owner"] == AWKWARD
    assert VERIFIER.verify([body], jwks) == body["head"]["hash"]
    (tmp_path / "history").write_text(json.dumps(body))
    (tmp_path / "jwks").write_text(json.dumps(jwks))
    command = [sys.executable, str(SCRIPT), str(tmp_path / "history"), str(tmp_path / "jwks")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: ASYNC221 - half a second
    assert done.stdout == f"verified {body['head']['hash']}\n"


async def test_every_change_to_a_history_is_detected(service: Service, lived: None) -> None:
    body = (await service.get("/registration/7/history")).json()
    jwks = (await service.get("/apps/jwks")).json()
    forged = [deepcopy(body) for _ in range(5)]
    forged[0]["entries"][1]["data"]["z"] = 2
    del forged[1]["entries"][0]
    del forged[2]["entries"][2]
    forged[3]["entries"][0], forged[3]["entries"][1] = forged[3]["entries"][1], forged[3]["entries"][0]
    rewritten = forged[4]["entries"][2]
    rewritten["type"] = "token.expired"
    rewritten["hash"] = VERIFIER.link(rewritten)
    for one in forged:
        with pytest.raises(ValueError, match=r"entry|head"):
            VERIFIER.verify([one], jwks)


async def test_pages_are_verified_together(service: Service, lived: None) -> None:
    pages: list[Any] = []
    after = 0
    while after is not None:
        pages.append((await service.get("/registration/pepe/history", chain="base", limit=2, after=after)).json())
        after = pages[-1]["nextAfter"]
    assert [len(page["entries"]) for page in pages] == [2, 1]
    VERIFIER.verify(pages, (await service.get("/apps/jwks")).json())
    beyond = (await service.get("/registration/7/history", after=9)).json()
    assert (beyond["entries"], beyond["nextAfter"], beyond["head"]["sequence"]) == ([], None, 3)


async def test_an_event_is_in_the_history_once_after_the_log_deleted_it(
    service: Service, store: Connection, lived: None
) -> None:
    before = (await service.get("/registration/7/history")).json()["entries"]
    record(store, "token.minted", "m", owner="another")
    store.execute("DELETE FROM event_log")
    record(store, "token.minted", "m", owner="another")
    assert (await service.get("/registration/7/history")).json()["entries"] == before


async def test_events_from_before_the_history_are_added_in_order(
    service: Service, store: Connection, lived: None
) -> None:
    before = (await service.get("/registration/7/history")).json()["entries"]
    store.execute("TRUNCATE registration_history, registration_history_head")
    store.execute(_loaded(MIGRATION).STATEMENTS[-1].encode())
    assert (await service.get("/registration/7/history")).json()["entries"] == before


async def test_private_events_are_omitted(service: Service, store: Connection, lived: None) -> None:
    record(store, "heartbeat.warning", "h")
    record(store, "token.minted", "other", token_id=8)
    assert (await service.get("/registration/7/history")).json()["head"]["sequence"] == 3


async def test_events_are_hidden_until_final(service: Service, store: Connection) -> None:
    add_registration(store, token_id=7)
    body = (await service.get("/registration/7/history")).json()
    assert body == {"chainId": BASE, "tokenId": 7, "entries": [], "nextAfter": None, "head": None}


@pytest.mark.parametrize("change", ["UPDATE registration_history SET type = 'x'", "DELETE FROM registration_history"])
def test_the_store_refuses_changes_to_the_history(store: Connection, lived: None, change: str) -> None:
    with pytest.raises(psycopg.errors.RaiseException, match="only added to"):
        store.execute(change.encode())


@pytest.mark.parametrize(
    ("path", "status", "field"),
    [
        ("/registration/9/history", 404, "id"),
        ("/registration/a%20b/history", 400, "id"),
        ("/registration/7/history?chain=nowhere", 400, "chain"),
        ("/registration/7/history?after=-1", 400, "after"),
        ("/registration/7/history?limit=501", 400, "limit"),
    ],
)
async def test_bad_input_is_named(service: Service, lived: None, path: str, status: int, field: str) -> None:
    answer = await service.client.get(f"/api/v2{path}")
    assert answer.status_code == status
    assert answer.json()["error"].startswith(field)
