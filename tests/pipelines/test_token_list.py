"""Publishing the token list: which changes of registrations make which versions."""

from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from psycopg.types.json import Jsonb

from pipelines.refresh import refresh
from tests.factories.token_lists import add_listed, publish_list
from warehouse.clickhouse import Warehouse
from warehouse.domain.chains import Chains
from warehouse.postgres import Connection


def numbers(made: dict[str, Any] | None) -> str | None:
    return None if made is None else "{major}.{minor}.{patch}".format(**made)


def standing(store: Connection) -> dict[str, dict[str, Any]]:
    rows = store.execute("SELECT * FROM token_list_entry WHERE until_version IS NULL").fetchall()
    assert max(Counter((row["chain_id"], row["address"]) for row in rows).values(), default=1) == 1
    return {row["symbol"]: row for row in rows}


def test_additions_are_minor_changes_patch_and_removals_major_versions(store: Connection) -> None:
    assert publish_list(store) is None
    add_listed(store, "PEPE", 1)
    assert numbers(publish_list(store)) == "1.1.0"
    assert publish_list(store) is None
    store.execute("UPDATE indexed_token SET name = 'Pepe the Frog'")
    assert numbers(publish_list(store)) == "1.1.1"
    add_listed(store, "WOJAK", 2)
    store.execute("UPDATE indexed_token SET name = 'Pepe' WHERE symbol_key = 'PEPE'")
    assert numbers(publish_list(store)) == "1.2.0"
    store.execute("UPDATE registration SET released_at = now() WHERE symbol = 'PEPE'")
    add_listed(store, "MILADY", 3)
    assert numbers(publish_list(store)) == "2.0.0"
    assert set(standing(store)) == {"WOJAK", "MILADY"}
    made = store.execute(
        "SELECT added, changed, removed, tokens FROM token_list_version ORDER BY version_id"
    ).fetchall()
    assert [tuple(row.values()) for row in made] == [
        (0, 0, 0, 0), (1, 0, 0, 1), (0, 1, 0, 1), (1, 1, 0, 2), (1, 0, 1, 2),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "changes",
    [{"is_final": False}, {"released_at": datetime.now(UTC)}, {"expired_at": datetime.now(UTC)}, {"score": "59.99"},
     {"decimals": None}],
)  # fmt: skip
def test_only_active_final_registrations_of_known_tokens_are_listed(store: Connection, changes: dict[str, Any]) -> None:
    add_listed(store, "PEPE", 1, **changes)
    assert publish_list(store) is None


def test_a_new_registration_is_listed_whatever_its_heartbeat(store: Connection) -> None:
    add_listed(store, "PEPE", 1, score="10", minted_at=datetime.now(UTC) - timedelta(days=29))
    assert numbers(publish_list(store)) == "1.1.0"


@pytest.mark.parametrize(
    ("presented", "uri"),
    [
        ({"logoUrl": "https://pepe.example/logo.png"}, "https://pepe.example/logo.png"),
        ({"logoUrl": "ipfs://bafy"}, "ipfs://bafy"),
        ({"logoUrl": "https://pepe.example/logo.png", "nsfw": True}, None),
        ({"logoUrl": "javascript:alert(1)"}, None),
        ({"logoUrl": "https://pepe.example/a b"}, None),
        ({"logoUrl": ["https://pepe.example/logo.png"]}, None),
        ({}, None),
    ],
)
def test_only_valid_logo_urls_are_listed(store: Connection, presented: dict[str, Any], uri: str | None) -> None:
    add_listed(store, "PEPE", 1, profile=Jsonb(presented))
    publish_list(store)
    assert standing(store)["PEPE"]["logo_uri"] == uri


def test_names_are_cut_to_fit_the_schema(store: Connection) -> None:
    add_listed(store, "LONG", 1, name="x" * 100)
    add_listed(store, "LINES", 2, name="two\n\tlines ")
    add_listed(store, "EMPTY", 3, name=" \u0000 ".replace("\u0000", "\u0001"))
    publish_list(store)
    assert {symbol: row["name"] for symbol, row in standing(store).items()} == {
        "LONG": "x" * 60, "LINES": "two lines", "EMPTY": "EMPTY",
    }  # fmt: skip


CHANGES = st.lists(
    st.tuples(st.sampled_from(["register", "release", "rename", "publish"]), st.integers(1, 4)), max_size=20
)


@given(CHANGES)
@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_every_version_lists_what_was_registered_when_it_was_published(
    store: Connection, changes: list[tuple[str, int]]
) -> None:
    store.execute("TRUNCATE token_list_entry, registration, indexed_token CASCADE")
    store.execute("DELETE FROM token_list_version WHERE version_id > 1")
    registered: dict[int, str] = {}
    published: dict[int, dict[str, str]] = {}
    for step, (action, number) in enumerate([*changes, ("publish", 0)]):
        if action == "register" and number not in registered:
            store.execute("DELETE FROM registration WHERE token_id = %s", (number,))
            store.execute("DELETE FROM indexed_token WHERE symbol_key = %s", (f"S{number}",))
            add_listed(store, f"S{number}", number, name="first")
            registered[number] = "first"
        elif action == "release" and number in registered:
            store.execute("UPDATE registration SET released_at = now() WHERE token_id = %s", (number,))
            del registered[number]
        elif action == "rename" and number in registered:
            registered[number] = f"name {step}"
            store.execute(
                "UPDATE indexed_token SET name = %s WHERE symbol_key = %s", (registered[number], f"S{number}")
            )
        elif action == "publish":
            made = publish_list(store)
            expected = {f"S{one}": name for one, name in registered.items()}
            before = published.get(max(published, default=0), {})
            assert (made is None) == (expected == before)
            if made is not None:
                published[made["version_id"]] = expected
    for version_id, expected in published.items():
        rows = store.execute(
            "SELECT symbol, name FROM token_list_entry"
            " WHERE from_version <= %(v)s AND (until_version IS NULL OR until_version > %(v)s)",
            {"v": version_id},
        ).fetchall()
        assert {row["symbol"]: row["name"] for row in rows} == expected


def test_a_refresh_publishes_the_list(warehouse: Warehouse, store: Connection, chains: Chains) -> None:
    add_listed(store, "PEPE", 1)
    runs = [run for run in refresh(warehouse, store, chains) if run.step == "token_list"]
    assert [(run.rows, run.note) for run in runs] == [(1, "1.1.0: 1 added, 0 changed, 0 removed")]
    add_listed(store, "WOJAK", 2)
    # A follower's refresh has just published the list and skips it. A full refresh publishes again.
    assert [run for run in refresh(warehouse, store, chains, full=False) if run.step == "token_list"] == []
    assert [run.rows for run in refresh(warehouse, store, chains) if run.step == "token_list"] == [1]
