from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

import pytest

from pipelines.documents import derive as documents
from pipelines.refresh import publish_new_tokens, refresh
from pipelines.registrations import derive as registrations
from tests.factories.ledger import Ledger, address
from tests.fixtures.derived import served
from warehouse import sql
from warehouse.clickhouse import Warehouse
from warehouse.domain.chains import Chains
from warehouse.postgres import Connection, Jsonb

OWNER = address(0x0A)


@pytest.fixture
def token(ledger: Ledger) -> str:
    """A token, and the first registration of the registry, of its symbol."""
    ledger.mine()
    token = ledger.token(0x9E9E, "PEPE", supply=100, creator=OWNER)
    ledger.publish()
    return token


def register(ledger: Ledger, token: str, token_id: int = 1) -> None:
    ledger.registry("registered", token_id, symbol="PEPE", owner=OWNER, token_address=token, fee_wei=5)


def rows(store: Connection) -> list[dict[str, Any]]:
    return store.execute("SELECT * FROM registration ORDER BY token_id").fetchall()


@contextmanager
def dying_at(monkeypatch: pytest.MonkeyPatch, module: ModuleType, step: str) -> Iterator[None]:
    """A pass that is killed when it comes to a step."""

    def killed(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as dying:
        dying.setattr(module, step, killed)
        with pytest.raises(KeyboardInterrupt):
            yield


def events(store: Connection) -> list[dict[str, Any]]:
    return store.execute("SELECT * FROM event_log WHERE type = 'token.minted'").fetchall()


@pytest.mark.usefixtures("token")
def test_without_events_there_are_no_registrations(warehouse: Warehouse, store: Connection, chains: Chains) -> None:
    refresh(warehouse, store, chains)
    assert rows(store) == []
    assert served(warehouse)["PEPE"]["registration_token_id"] is None


def test_registry_events_update_a_registration(
    token: str, ledger: Ledger, warehouse: Warehouse, store: Connection, chains: Chains
) -> None:
    ledger.mine()
    register(ledger, token)
    ledger.publish()
    refresh(warehouse, store, chains)
    (row,) = rows(store)
    assert (row["symbol"], row["owner"], row["token_address"]) == ("PEPE", f"0x{OWNER}", f"0x{token}")
    assert row["is_final"] is False
    shown = served(warehouse)["PEPE"]
    assert shown["registration_token_id"] == 1
    assert shown["sources"][0] == "registry"

    ledger.mine()
    for account, enabled in ((0xB1, 1), (0xB2, 1), (0xB1, 0)):
        ledger.registry("manager", 1, account=address(account), enabled=enabled)
    ledger.registry("metadata", 1, metadata_cid="bafy")
    ledger.registry("canonical_peer", 1, peer_chain_id=1, peer_token_id=7)
    ledger.publish()
    refresh(warehouse, store, chains)
    (row,) = rows(store)
    assert row["managers"] == [f"0x{address(0xB2)}"]
    assert (row["metadata_cid"], row["peer_chain_id"], row["peer_token_id"]) == ("bafy", 1, 7)

    ledger.mine()
    ledger.registry("canonical_peer", 1, peer_chain_id=2**64 - 1, peer_token_id=7)
    ledger.registry("released", 1, symbol="PEPE", owner=OWNER)
    ledger.publish()
    refresh(warehouse, store, chains)
    (row,) = rows(store)
    assert row["released_at"] is not None
    assert (row["peer_chain_id"], row["peer_token_id"]) == (None, None), "the contract takes any number; this is no id"
    assert served(warehouse)["PEPE"]["registration_token_id"] is None

    ledger.revert_last_unit()
    ledger.mine()
    ledger.publish()
    refresh(warehouse, store, chains)
    assert rows(store)[0]["released_at"] is None
    assert served(warehouse)["PEPE"]["registration_token_id"] == 1


def test_an_announced_end_follows_the_registry(
    token: str, ledger: Ledger, warehouse: Warehouse, store: Connection, chains: Chains
) -> None:
    def ended() -> tuple[Any, ...]:
        ledger.publish()
        refresh(warehouse, store, chains)
        (row,) = rows(store)
        due_at = row["pending_end_due_at"]
        seconds = None if due_at is None else int(due_at.timestamp())
        return row["pending_end"], seconds, row["pending_end_objected_at"] is not None, row["end_reason"]

    def announce() -> None:
        ledger.mine()
        ledger.registry("end_announced", 1, owner=OWNER, reason=1, due_at=1_800_000_000)

    ledger.mine()
    register(ledger, token)
    announce()
    assert ended() == ("inactive", 1_800_000_000, False, None)
    ledger.mine()
    ledger.registry("end_objected", 1, owner=OWNER, due_at=1_800_000_500)
    assert ended() == ("inactive", 1_800_000_500, True, None)
    ledger.mine()
    ledger.registry("end_confirmed", 1)
    assert ended() == ("inactive", 1_800_000_500, True, None)
    assert rows(store)[0]["pending_end_confirmed_at"] is not None
    ledger.mine()
    ledger.registry("end_vetoed", 1)
    assert ended() == (None, None, False, None)
    assert rows(store)[0]["end_stopped_at"] is not None
    announce()
    assert ended() == ("inactive", 1_800_000_000, False, None)
    ledger.mine()
    ledger.registry("signer_suspended", 0, account=OWNER)
    assert ended() == (None, None, False, None), "what a signer announced ends with it"
    announce()
    ledger.mine()
    ledger.registry("ended", 1, symbol="PEPE", owner=OWNER, reason=2)
    assert ended() == (None, None, False, "challenge_upheld")
    assert rows(store)[0]["expired_at"] is not None


def test_a_settlement_ends_one_registration_and_makes_another(
    token: str, ledger: Ledger, warehouse: Warehouse, store: Connection, chains: Chains
) -> None:
    ledger.mine()
    register(ledger, token)
    ledger.registry("manager", 1, account=address(0xB1), enabled=1)
    ledger.mine()
    ledger.registry("settled", 1, owner=OWNER, new_token_id=2, deal="de" * 32)
    buyer = address(0x0B)
    ledger.registry("registered", 2, symbol="PEPE", owner=buyer, token_address=token, fee_wei=0)
    ledger.publish()
    refresh(warehouse, store, chains)
    sold, bought = rows(store)
    assert (sold["end_reason"], sold["settled_token_id"], sold["expired_at"]) == ("settled", 2, None)
    assert sold["released_at"] is not None
    assert (bought["owner"], bought["managers"], bought["end_reason"]) == (f"0x{buyer}", [], None)
    assert served(warehouse)["PEPE"]["registration_token_id"] == 2


def test_a_registration_of_a_removed_block_is_reverted(
    token: str, ledger: Ledger, warehouse: Warehouse, store: Connection, chains: Chains
) -> None:
    ledger.mine()
    register(ledger, token)
    ledger.publish()
    refresh(warehouse, store, chains)
    ledger.revert_last_unit()
    ledger.mine()
    ledger.publish()
    refresh(warehouse, store, chains)
    assert rows(store) == []
    assert served(warehouse)["PEPE"]["registration_token_id"] is None


def test_documents_follow_an_id_that_moves_to_another_token_even_if_a_run_dies(
    token: str, ledger: Ledger, warehouse: Warehouse, store: Connection, chains: Chains, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger.mine()
    other = ledger.token(0x9E9F, "FROG", supply=100, creator=OWNER)
    ledger.publish()
    ledger.mine()
    register(ledger, token)
    ledger.publish()
    refresh(warehouse, store, chains)

    def registered() -> list[int | None]:
        shown = served(warehouse)
        return [shown[symbol]["registration_token_id"] for symbol in ("PEPE", "FROG")]

    assert registered() == [1, None]
    ledger.revert_last_unit()
    ledger.mine()
    ledger.registry("registered", 1, symbol="FROG", owner=OWNER, token_address=other, fee_wei=5)
    ledger.publish()
    with dying_at(monkeypatch, registrations, "request_documents"):
        refresh(warehouse, store, chains)
    refresh(warehouse, store, chains)
    assert registered() == [None, 1]

    ledger.revert_last_unit()
    ledger.mine()
    ledger.publish()
    with dying_at(monkeypatch, registrations, "request_documents"):
        refresh(warehouse, store, chains)
    assert rows(store) == []
    refresh(warehouse, store, chains)
    assert registered() == [None, None]


def test_a_row_from_a_receipt_of_an_unseen_removed_block_is_reverted(
    token: str, ledger: Ledger, warehouse: Warehouse, store: Connection, chains: Chains
) -> None:
    store.execute(
        """INSERT INTO registration (chain_id, token_id, block_hash, log_index, block_number, transaction_hash,
               registry, symbol, owner, token_address, fee_wei, with_receipt, minted_at)
           VALUES (8453, 1, '0xdead', 0, 1, '0x01', '0x5e', 'PEPE', '0x0a', %s, 0, false, now())""",
        (f"0x{token}",),
    )
    refresh(warehouse, store, chains)
    assert len(rows(store)) == 1, "its block is not indexed yet"
    ledger.mine()
    ledger.publish()
    refresh(warehouse, store, chains)
    assert rows(store) == []


def test_the_mint_is_recorded_once_and_at_finality(
    token: str, ledger: Ledger, warehouse: Warehouse, store: Connection, chains: Chains
) -> None:
    ledger.finality_blocks = 2
    ledger.mine()
    register(ledger, token)
    ledger.publish()
    refresh(warehouse, store, chains)
    assert events(store) == []
    for _ in range(3):
        ledger.mine()
        ledger.publish()
        refresh(warehouse, store, chains)
    (event,) = events(store)
    assert event["payload"]["crown_id"] == "1"
    assert event["payload"]["owner"].lower() == f"0x{OWNER}"
    assert event["dedupe_key"].startswith("token.minted:8453:1:0x")
    assert rows(store)[0]["is_final"] is True


def test_the_proof_recorded_by_a_claim_is_kept(
    token: str, ledger: Ledger, warehouse: Warehouse, store: Connection, chains: Chains
) -> None:
    store.execute(
        """INSERT INTO claim_proof (proof_hash, chain_id, token_address, symbol, wallet, verification_method,
               methods_attempted, signed_at, expires_at)
           VALUES ('0xp', 8453, %(token)s, 'PEPE', %(owner)s, 'deployer', '{deployer}', now(), now())""",
        {"token": f"0x{token}", "owner": f"0x{OWNER}"},
    )
    store.execute(
        """INSERT INTO claim_authorization (chain_id, token_address, symbol, wallet, proof_hash, verification_method,
               nonce, fee_wei, price_usd, deadline)
           VALUES (8453, %(token)s, 'PEPE', %(owner)s, '0xp', 'deployer', 1, 5, 1, now())""",
        {"token": f"0x{token}", "owner": f"0x{OWNER}"},
    )
    ledger.mine()
    register(ledger, token)
    ledger.publish()
    refresh(warehouse, store, chains)
    assert rows(store)[0]["verification_method"] == "deployer"
    assert served(warehouse)["PEPE"]["verification_method"] == "deployer"


@pytest.mark.parametrize(
    ("block", "final", "replaced"), [("same", False, False), ("other", False, True), ("other", True, False)]
)
def test_a_receipt_replaces_only_what_is_not_final_and_was_minted_elsewhere(
    block: str, final: bool, replaced: bool, token: str, ledger: Ledger, warehouse: Warehouse, store: Connection,
    chains: Chains,
) -> None:  # fmt: skip
    ledger.mine()
    register(ledger, token)
    ledger.registry("manager", 1, account=address(0xB1), enabled=1)
    ledger.publish()
    refresh(warehouse, store, chains)
    (before,) = rows(store)
    if final:
        store.execute("UPDATE registration SET is_final = true")
    from_receipt = {
        key: before[key] for key in ("chain_id", "token_id", "log_index", "block_number", "transaction_hash")
    }
    from_receipt |= {key: before[key] for key in ("registry", "symbol", "owner", "token_address", "with_receipt")}
    from_receipt |= {"fee_wei": 5, "minted_at": before["minted_at"].isoformat(), "managers": [], "maintainers": []}
    from_receipt["block_hash"] = before["block_hash"] if block == "same" else f"0x{'ee' * 32}"
    store.execute(
        sql.load("store/registrations/upsert").encode(), {"registrations": Jsonb([from_receipt]), "from_receipt": True}
    )
    (after,) = rows(store)
    assert after["managers"] == ([] if replaced else [f"0x{address(0xB1)}"])
    assert after["block_hash"] == (from_receipt["block_hash"] if replaced else before["block_hash"])


def test_owners_metadata_reaches_search_and_the_token_list(
    token: str, ledger: Ledger, warehouse: Warehouse, store: Connection, chains: Chains, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger.finality_blocks = 0
    ledger.mine()
    register(ledger, token)
    ledger.publish()
    refresh(warehouse, store, chains)
    assert served(warehouse)["PEPE"]["logo_url"] == ""
    store.execute("UPDATE registration SET minted_at = now()")  # in its grace period: listed whatever its heartbeat
    refresh(warehouse, store, chains)

    def say(**profile: Any) -> None:
        store.execute("UPDATE registration SET profile = profile || %s", (Jsonb(profile),))

    def waiting() -> int:
        return len(store.execute("SELECT FROM presented_change").fetchall())

    def listed() -> list[str | None]:
        rows = store.execute("SELECT logo_uri FROM token_list_entry WHERE until_version IS NULL").fetchall()
        return [row["logo_uri"] for row in rows]

    first, second = "https://pepe.example/1.png", "https://pepe.example/2.png"
    say(logoUrl=first, website="https://pepe.example", twitter="@pepe")
    store.execute("UPDATE registration SET metadata = %s", (Jsonb({"logoUrl": "ipfs://x", "discord": "pepe"}),))
    assert waiting() == 2
    publish_new_tokens(warehouse, store, chains, chains.by_key["base"])
    shown = served(warehouse)["PEPE"]
    assert [shown[name] for name in ("logo_url", "website", "twitter", "discord")] == [
        first, "https://pepe.example", "@pepe", "pepe",
    ]  # fmt: skip
    assert waiting() == 0
    runs = refresh(warehouse, store, chains)
    assert [run.note for run in runs if run.step == "token_list"] == ["1.1.1: 0 added, 1 changed, 0 removed"]
    assert listed() == [first]

    say(logoUrl=first)
    assert waiting() == 0, "nothing changed"
    say(logoUrl=second, discord=None)

    # Killed before the document was asked for, and again before it was made: the change is not lost.
    with dying_at(monkeypatch, registrations, "request_documents"):
        refresh(warehouse, store, chains)
    assert waiting() == 1
    with dying_at(monkeypatch, documents, "_refresh"):
        refresh(warehouse, store, chains)
    assert (waiting(), served(warehouse)["PEPE"]["logo_url"]) == (0, first)
    refresh(warehouse, store, chains)
    shown = served(warehouse)["PEPE"]
    assert (shown["logo_url"], shown["discord"], listed()) == (second, "", [second])
    version = warehouse.scalar("SELECT max(version) FROM serve_token")
    refresh(warehouse, store, chains)
    assert warehouse.scalar("SELECT max(version) FROM serve_token") == version, "nothing is made twice"
