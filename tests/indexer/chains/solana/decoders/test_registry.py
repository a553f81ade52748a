"""Events of the registration program become rows of fact_registry_event, and nobody else's do."""

from dataclasses import replace
from typing import Any

import msgspec
import pytest
from solders.instruction import AccountMeta, Instruction
from solders.keypair import Keypair
from solders.pubkey import Pubkey

from indexer.chains.solana.blocks import DecodedBlock
from indexer.chains.solana.decoders.frame import scope_of
from indexer.chains.solana.decoders.registry import TABLE, decode
from indexer.contracts.solana import idl, program
from indexer.contracts.solana.program import MAINTAINER, MANAGER
from tests.fixtures.solana_blocks import block_of
from tests.fixtures.solana_registry import END_DELAY, SIGNER_DELAY, START, SolanaRegistry, solana_registry_now
from warehouse.chains import facts
from warehouse.domain.facts import FACT_TABLES

ADDED_BY_THE_WRITER = {"block_time"}


@pytest.fixture
def lumen() -> SolanaRegistry:
    registry = solana_registry_now()
    registry.sent.clear()
    registry.claim("LUMEN")
    return registry


def rows(registry: SolanaRegistry, block: DecodedBlock | None = None) -> list[dict[str, Any]]:
    chain = facts.load(None).by_key["solana"]
    scope = scope_of(replace(chain, contracts={"registry": str(registry.program)}))
    columns = decode(block or block_of(registry.sent), scope).get(TABLE, {})
    return [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]


def told(registry: SolanaRegistry, *names: str) -> list[tuple[Any, ...]]:
    return [tuple(row[name] for name in names) for row in rows(registry)]


def test_a_claim_is_one_whole_row(lumen: SolanaRegistry) -> None:
    (row,) = rows(lumen)
    transaction, _ = lumen.sent[0]
    assert row == {
        "block_number": 7,
        "log_index": 0,
        "transaction_hash": bytes(transaction.signatures[0]),
        "block_hash": bytes([7] * 32),
        "registry": bytes(lumen.program),
        "kind": b"registered",
        "token_id": 1,
        "symbol": b"LUMEN",
        "owner": bytes(lumen.owner.pubkey()),
        "token_address": bytes(lumen.mint),
        "fee_wei": 5_000,
        "with_receipt": False,
        "account": b"",
        "enabled": False,
        "metadata_cid": b"",
        "peer_chain_id": 0,
        "peer_token_id": 0,
        "reason": 0,
        "due_at": 0,
        "new_token_id": 0,
        "deal": b"",
    }
    assert set(row) | ADDED_BY_THE_WRITER == set(FACT_TABLES[TABLE].columns)


def test_roles_profile_and_peer(lumen: SolanaRegistry) -> None:
    manager, maintainer = Keypair().pubkey(), Keypair().pubkey()
    for kind, account, enabled in ((MANAGER, manager, True), (MAINTAINER, maintainer, True), (MANAGER, manager, False)):
        lumen.of_crown("set_role", "LUMEN", lumen.owner, kind=kind, enabled=enabled, account=account)
    lumen.of_crown("set_peer", "LUMEN", lumen.owner, peer_chain_id=8453, peer_token_id=5)
    assert told(lumen, "kind", "account", "enabled", "peer_chain_id", "peer_token_id")[1:] == [
        (b"manager", bytes(manager), True, 0, 0),
        (b"maintainer", bytes(maintainer), True, 0, 0),
        (b"manager", bytes(manager), False, 0, 0),
        (b"canonical_peer", b"", False, 8453, 5),
    ]


@pytest.mark.parametrize(
    ("uri", "cid"),
    [
        ("ipfs://bafybeigdyrzt5", b"bafybeigdyrzt5"),
        ("", b""),
        ("https://example.com/a.json", b""),
        ("ipfs://bafy/../x", b""),
        ("ipfs://", b""),
    ],
)
def test_only_a_document_on_ipfs_is_a_profile(lumen: SolanaRegistry, uri: str, cid: bytes) -> None:
    lumen.of_crown("set_profile", "LUMEN", lumen.owner, uri=uri)
    assert told(lumen, "kind", "metadata_cid")[1:] == [(b"metadata", cid)]


def test_an_end_from_its_announcement_on(lumen: SolanaRegistry) -> None:
    lumen.announce_end("LUMEN", program.CHALLENGE_UPHELD)
    lumen.of_crown("object_to_end", "LUMEN", lumen.owner)
    lumen.of_crown("confirm_end", "LUMEN", lumen.guardian)
    lumen.of_crown("veto_end", "LUMEN", lumen.guardian)
    lumen.announce_end("LUMEN", program.INACTIVE)
    lumen.set_time(START + END_DELAY)
    lumen.execute_end("LUMEN")
    assert told(lumen, "kind", "token_id", "reason", "due_at")[1:] == [
        (b"end_announced", 1, program.CHALLENGE_UPHELD, START + END_DELAY),
        (b"end_objected", 1, program.CHALLENGE_UPHELD, START + END_DELAY + 7_200),
        (b"end_confirmed", 1, program.CHALLENGE_UPHELD, 0),
        (b"end_vetoed", 1, program.CHALLENGE_UPHELD, 0),
        (b"end_announced", 1, program.INACTIVE, START + END_DELAY),
        (b"ended", 1, program.INACTIVE, 0),
    ]


def test_a_settlement_ends_one_registration_and_begins_another(lumen: SolanaRegistry) -> None:
    buyer = Keypair()
    lumen.svm.airdrop(buyer.pubkey(), 10**9)
    lumen.settle("LUMEN", buyer)
    assert told(lumen, "log_index", "kind", "token_id", "new_token_id", "owner", "symbol", "token_address", "deal")[
        1:
    ] == [
        (4096, b"settled", 1, 2, bytes(lumen.owner.pubkey()), b"", b"", bytes(32)),
        (4097, b"registered", 2, 0, bytes(buyer.pubkey()), b"LUMEN", bytes(lumen.mint), b""),
    ]


def test_another_signer_concerns_all_registrations(lumen: SolanaRegistry) -> None:
    key = Keypair()
    lumen.govern("announce_signer", signer=key.pubkey())
    lumen.govern("suspend_signer")
    lumen.set_time(START + SIGNER_DELAY)
    statement = lumen.domain.acceptance(key.pubkey(), START + SIGNER_DELAY)
    accept = idl.instruction(lumen.program, "activate_signer", {"config": lumen.config})
    lumen.send([lumen.sign(statement, key), accept])
    assert told(lumen, "kind", "token_id", "account")[1:] == [
        (b"signer_suspended", 0, bytes(lumen.signer.pubkey())),
        (b"signer_changed", 0, bytes(key.pubkey())),
    ]


def test_a_failed_transaction_recorded_nothing(lumen: SolanaRegistry) -> None:
    lumen.of_crown("release", "LUMEN", lumen.owner)
    assert [row["kind"] for row in rows(lumen, block_of(lumen.sent, failed=[1]))] == [b"registered"]


def test_another_program_of_the_same_code_is_not_ours(lumen: SolanaRegistry) -> None:
    other = solana_registry_now()
    other.claim("LUMEN")
    assert not rows(lumen, block_of(other.sent))


def test_the_same_bytes_in_another_programs_call_are_no_event(lumen: SolanaRegistry) -> None:
    """A memo takes any data and names any account."""
    memo = Pubkey.from_string("MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr")
    (event,) = [
        one.instruction().data
        for group in lumen.sent[0][1].inner_instructions()
        for one in group
        if idl.is_event(bytes(one.instruction().data))
    ]
    text = b"regalia " + bytes(event).hex().encode()
    lumen.send([Instruction(memo, text, [AccountMeta(lumen.owner.pubkey(), True, False)])], lumen.owner)
    metas = [AccountMeta(lumen.program, False, False), AccountMeta(lumen.address("LUMEN"), False, False)]
    transfer = Instruction(Pubkey.default(), b"\2\0\0\0" + (0).to_bytes(8, "little"), [
        AccountMeta(lumen.payer.pubkey(), True, True), AccountMeta(lumen.owner.pubkey(), False, True), *metas,
    ])  # fmt: skip
    lumen.send([transfer])
    assert [row["kind"] for row in rows(lumen)] == [b"registered"]


def test_an_answer_without_inner_instructions_is_refused(lumen: SolanaRegistry) -> None:
    """Some nodes do not keep them, and an answer may be cut: a registration must not be lost."""
    block = block_of(lumen.sent)
    (claim,) = block.transactions
    cut = replace(claim, meta=msgspec.structs.replace(claim.meta, inner_instructions=None))
    with pytest.raises(ValueError, match="1 instructions of the registry, 0 events"):
        rows(lumen, replace(block, transactions=[cut]))


def test_without_a_registry_there_are_no_events(lumen: SolanaRegistry) -> None:
    scope = scope_of(facts.load(None).by_key["solana"])
    assert decode(block_of(lumen.sent), scope) == {}
