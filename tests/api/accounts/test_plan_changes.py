"""Operators set plans; each change records an event for the account."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from api.accounts.service import AccountError, Accounts
from tests.fixtures.service import HOLDER
from warehouse.domain.events.catalogue import EVENTS
from warehouse.postgres import Connection

SECOND = "0x70997970c51812dc3a010c7d01b50e0d17dc79c8"
TOLD = "SELECT type, payload, account_id FROM event_log WHERE type LIKE 'subscription.%' ORDER BY id"


def test_a_plan_change_records_an_event(store_url: str, store: Connection) -> None:
    accounts = Accounts(store_url)
    account = accounts.set_plan(HOLDER, "pro")
    for plan in ("developer", "developer", "free"):
        accounts.set_plan(HOLDER, plan)
    accounts.create_key(HOLDER, "pro_plus")
    rows = store.execute(TOLD).fetchall()
    assert [(row["type"], row["payload"]["previous_tier"], row["payload"]["new_tier"]) for row in rows] == [
        ("subscription.upgraded", "pro", "developer"),
        ("subscription.downgraded", "developer", "free"),
        ("subscription.upgraded", "free", "pro_plus"),
    ]
    assert {row["account_id"] for row in rows} == {account.id}
    fields = {member.name for member in EVENTS["subscription.upgraded"].members()}
    assert set(rows[0]["payload"]) == fields
    assert rows[0]["payload"]["wallet"].lower() == HOLDER


def test_a_key_made_without_a_plan_keeps_the_accounts_plan(store_url: str, store: Connection) -> None:
    accounts = Accounts(store_url)
    accounts.set_plan(HOLDER, "partner")
    assert accounts.create_key(HOLDER).plan == "partner"
    assert accounts.create_key(SECOND).plan == "free"
    assert store.execute(TOLD).fetchall() == []


def test_a_linked_wallet_names_its_account(store_url: str, store: Connection) -> None:
    accounts = Accounts(store_url)
    first = accounts.set_plan(HOLDER, "pro")
    store.execute("INSERT INTO account_wallet (wallet, account_id) VALUES (%s, %s)", (SECOND, first.id))
    assert accounts.set_plan(SECOND, "partner").id == first.id
    made = accounts.create_key(SECOND, name="of the second wallet")
    assert (made.wallet, made.plan) == (HOLDER, "partner")
    assert [key.id for key in accounts.list_keys(SECOND)] == [key.id for key in accounts.list_keys(HOLDER)]


def test_concurrent_first_keys_of_a_wallet_make_one_account(store_url: str, store: Connection) -> None:
    accounts = Accounts(store_url)
    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(lambda _: accounts.create_key(SECOND, "pro"), range(8)))
    assert len({key.id for key in made}) == 8
    assert store.execute("SELECT wallet, plan FROM account").fetchall() == [{"wallet": SECOND, "plan": "pro"}]
    assert store.execute(TOLD).fetchall() == []


def test_invalid_input_is_refused_and_changes_nothing(store_url: str, store: Connection) -> None:
    accounts = Accounts(store_url)
    with pytest.raises(AccountError, match="plan: 'gold' is not one of free"):
        accounts.set_plan(HOLDER, "gold")
    with pytest.raises(AccountError, match="wallet: 'me' is neither"):
        accounts.set_plan("me", "pro")
    for name in ("", "x" * 65, "a\nb"):
        with pytest.raises(AccountError, match="name: must be 1 to 64"):
            accounts.create_key(HOLDER, name=name)
    assert store.execute("SELECT FROM account").fetchall() == []


def test_a_key_is_renamed_by_id_prefix_or_secret(store_url: str) -> None:
    accounts = Accounts(store_url)
    made = accounts.create_key(HOLDER)
    for number, named in enumerate((str(made.id), made.key[:17], made.key)):
        assert accounts.rename_key(named, f"name {number}").name == f"name {number}"
    with pytest.raises(AccountError, match="no keys match"):
        accounts.rename_key("rgl_live_nothing", "x")
