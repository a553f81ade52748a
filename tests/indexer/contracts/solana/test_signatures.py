"""Whose account an instruction names proves nothing: they must have signed."""

from typing import Any

import pytest
from solders.instruction import AccountMeta, Instruction

from indexer.contracts.solana import idl
from tests.fixtures.solana_registry import Refused, SolanaRegistry

SIGNED = [
    one["name"]
    for one in idl.document()["instructions"]
    if one["name"] != "initialize" and any(account.get("signer") for account in one["accounts"])
]


@pytest.mark.parametrize("name", SIGNED)
def test_an_account_that_did_not_sign_may_nothing(solana_registry: SolanaRegistry, name: str) -> None:
    solana_registry.claim("LUMEN")
    before = solana_registry.data(solana_registry.address("LUMEN")), solana_registry.data(solana_registry.config)
    called = instruction(solana_registry, name)
    unsigned = [AccountMeta(one.pubkey, False, one.is_writable) for one in called.accounts]
    with pytest.raises(Refused, match="MissingSignature"):
        solana_registry.send([Instruction(called.program_id, called.data, unsigned)])
    after = solana_registry.data(solana_registry.address("LUMEN")), solana_registry.data(solana_registry.config)
    assert after == before


def instruction(registry: SolanaRegistry, name: str) -> Instruction:
    """An instruction in the name of whoever may send it, with zeros as arguments."""
    declared = next(one for one in idl.document()["instructions"] if one["name"] == name)
    known = {
        "guardian": registry.guardian.pubkey(),
        "config": registry.config,
        "crown": registry.address("LUMEN"),
        "treasury": registry.treasury.pubkey(),
        "mint": registry.mint,
    }
    accounts = {one["name"]: known.get(one["name"], registry.owner.pubkey()) for one in declared["accounts"]}
    arguments = {one["name"]: zero(one["type"]) for one in declared["args"]}
    return idl.instruction(registry.program, name, {**accounts, "program": registry.program}, arguments)


def zero(kind: Any) -> Any:
    """The empty value of a type."""
    if isinstance(kind, dict):
        return bytes(kind["array"][1])
    return {"pubkey": bytes(32), "string": "", "bool": False}.get(kind, 0)
