"""Events are instructions that only the program can make."""

import pytest
from solders.instruction import AccountMeta, Instruction
from solders.keypair import Keypair
from solders.pubkey import Pubkey
from solders.system_program import CreateAccountParams, create_account

from indexer.contracts.solana import idl, program
from tests.fixtures.solana_registry import SOL, Refused, SolanaRegistry, events

FORGED = idl.EVENT_TAG + bytes([2]) + (1).to_bytes(8, "little") + b"\x05LUMEN".ljust(13, b"\0") + bytes(32)
"""``Released`` of registration 1."""


def forge(registry: SolanaRegistry, about: AccountMeta, *signers: Keypair) -> None:
    registry.send([Instruction(registry.program, FORGED, [about])], *signers)


def test_a_made_up_event_would_decode() -> None:
    """So that the refusals below are not about its form."""
    assert idl.decode_event(FORGED)[0] == "Released"


def test_a_wallet_cannot_record_an_event(solana_registry: SolanaRegistry) -> None:
    solana_registry.claim("LUMEN")
    with pytest.raises(Refused, match="WrongCrown"):
        forge(solana_registry, AccountMeta(solana_registry.owner.pubkey(), True, False), solana_registry.owner)


def test_a_crown_that_does_not_sign_records_nothing(solana_registry: SolanaRegistry) -> None:
    solana_registry.claim("LUMEN")
    for address in (solana_registry.address("LUMEN"), solana_registry.config):
        with pytest.raises(Refused, match="MissingSignature"):
            forge(solana_registry, AccountMeta(address, False, False))


@pytest.mark.parametrize("size", [0, program.HEADER_BYTES, program.CROWN_BYTES])
def test_an_account_made_for_the_program_records_nothing(solana_registry: SolanaRegistry, size: int) -> None:
    """Anybody may make an account that the program owns, and sign with its key; but only the program writes to it."""
    made = Keypair()
    payer = solana_registry.payer.pubkey()
    creation = create_account(
        CreateAccountParams(
            from_pubkey=payer, to_pubkey=made.pubkey(), lamports=SOL, space=size, owner=solana_registry.program
        )
    )
    event = Instruction(solana_registry.program, FORGED, [AccountMeta(made.pubkey(), True, False)])
    with pytest.raises(Refused, match="WrongCrown"):
        solana_registry.send([creation, event], made)


def test_no_other_program_is_called_in_place_of_this_one(solana_registry: SolanaRegistry) -> None:
    """A caller that passes another program cannot keep a change from being recorded."""
    solana_registry.claim("LUMEN")
    accounts = {
        "owner": solana_registry.owner.pubkey(),
        "crown": solana_registry.address("LUMEN"),
        "program": Pubkey.default(),
    }
    with pytest.raises(Refused, match="BadInstruction"):
        solana_registry.call("release", accounts, solana_registry.owner)


def test_an_event_names_everything_about_a_registration(solana_registry: SolanaRegistry) -> None:
    ((name, fields),) = events(solana_registry.claim("LUMEN"))
    assert name == "Registered"
    assert fields == {
        "token_id": 1,
        "symbol_length": 5,
        "symbol": b"LUMEN".ljust(12, b"\0"),
        "owner": solana_registry.owner.pubkey(),
        "mint": solana_registry.mint,
        "fee": 5_000,
    }
