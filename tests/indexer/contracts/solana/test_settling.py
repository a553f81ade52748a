"""Deals on Solana: one transaction of both parties, in which the offerer pays and the registration changes hands."""

from collections.abc import Callable

import pytest
from solders.instruction import AccountMeta, Instruction
from solders.keypair import Keypair
from solders.pubkey import Pubkey
from spl.token import instructions as spl
from spl.token.constants import TOKEN_2022_PROGRAM_ID
from spl.token.models import CloseAccountParams, TransferParams

from indexer.contracts.solana import idl, program
from indexer.contracts.solana.program import MANAGER
from tests.fixtures.solana_registry import PRICE, SOL, TOKEN_PROGRAM, Refused, SolanaRegistry, events, token_account


@pytest.fixture
def lumen(solana_registry: SolanaRegistry) -> SolanaRegistry:
    solana_registry.claim("LUMEN")
    return solana_registry


@pytest.fixture
def buyer(solana_registry: SolanaRegistry) -> Keypair:
    key = Keypair()
    solana_registry.svm.airdrop(key.pubkey(), 10 * SOL)
    return key


def balance(lumen: SolanaRegistry, owner: Keypair) -> int:
    """What an owner has of the currency."""
    account = lumen.svm.get_account(spl.get_associated_token_address(owner.pubkey(), lumen.currency))
    return 0 if account is None else int.from_bytes(bytes(account.data)[64:72], "little")


def refused(lumen: SolanaRegistry, buyer: Keypair, reason: str, **changed: object) -> None:
    """A settlement is refused, and nothing is paid or changed."""
    with pytest.raises(Refused, match=reason):
        lumen.settle("LUMEN", buyer, **changed)
    assert lumen.registered("LUMEN").owner == lumen.owner.pubkey()
    assert balance(lumen, lumen.owner) == 0


def test_a_settlement_pays_ends_and_mints_anew_in_one_step(lumen: SolanaRegistry, buyer: Keypair) -> None:
    lumen.of_crown("set_role", "LUMEN", lumen.owner, kind=MANAGER, enabled=True, account=lumen.stranger.pubkey())
    lumen.of_crown("set_profile", "LUMEN", lumen.owner, uri="ipfs://bafy")
    lumen.of_crown("set_peer", "LUMEN", lumen.owner, peer_chain_id=1, peer_token_id=1)
    lumen.announce_end("LUMEN")
    before = lumen.svm.get_balance(lumen.owner.pubkey()) or 0
    ((name, fields),) = events(lumen.settle("LUMEN", buyer))
    crown = lumen.registered("LUMEN")
    assert (crown.owner, crown.token_id, crown.mint) == (buyer.pubkey(), 2, lumen.mint)
    assert (crown.managers, crown.uri, crown.peer, crown.end) == ((), "", None, None)
    assert (name, fields["token_id"], fields["new_token_id"]) == ("Settled", 1, 2)
    assert (fields["currency"], fields["amount"]) == (lumen.currency, PRICE)
    assert (balance(lumen, lumen.owner), balance(lumen, buyer)) == (PRICE, 0)
    rent = lumen.svm.minimum_balance_for_rent_exemption
    returned = rent(program.CROWN_BYTES) - rent(program.HEADER_BYTES)
    assert lumen.svm.get_balance(lumen.owner.pubkey()) == before + returned


def test_a_deal_is_settled_once(lumen: SolanaRegistry, buyer: Keypair) -> None:
    parts = lumen.settlement("LUMEN", buyer)
    lumen.send(parts, buyer, lumen.owner)
    lumen.hold(buyer.pubkey(), PRICE)
    with pytest.raises(Refused, match="NotOwner"):
        lumen.send(parts, buyer, lumen.owner)
    assert balance(lumen, buyer) == PRICE


@pytest.mark.parametrize("absent", [0, 1])
def test_both_parties_must_sign(lumen: SolanaRegistry, buyer: Keypair, absent: int) -> None:
    check, settle = lumen.settlement("LUMEN", buyer)
    metas = list(settle.accounts)
    metas[absent] = AccountMeta(metas[absent].pubkey, False, True)
    unsigned = Instruction(settle.program_id, bytes(settle.data), metas)
    with pytest.raises(Refused, match="MissingSignature"):
        lumen.send([check, unsigned], *([buyer] if absent == 0 else [lumen.owner]))


def test_only_the_holder_sells(lumen: SolanaRegistry, buyer: Keypair) -> None:
    parts = lumen.settlement("LUMEN", buyer, holder=lumen.stranger.pubkey())
    with pytest.raises(Refused, match="NotOwner"):
        lumen.send(parts, buyer, lumen.stranger)


def test_nobody_but_the_offerer_gets_it(lumen: SolanaRegistry, buyer: Keypair) -> None:
    parts = lumen.settlement("LUMEN", buyer, offerer=lumen.stranger.pubkey())
    with pytest.raises(Refused, match="NotAuthorized"):
        lumen.send(parts, lumen.owner, lumen.stranger)


def test_without_the_services_authorization_nothing_moves(lumen: SolanaRegistry, buyer: Keypair) -> None:
    for key in (lumen.owner, buyer, lumen.guardian):
        refused(lumen, buyer, "NotAuthorized", signer=key)
    check, settle = lumen.settlement("LUMEN", buyer)
    memo = Instruction(Pubkey.from_string("MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr"), b"x", [])
    for parts in ([settle], [check, memo, settle], [settle, check]):
        with pytest.raises(Refused, match="NotAuthorized"):
            lumen.send(parts, buyer, lumen.owner)


@pytest.mark.parametrize("changed", [{"amount": 1}, {"deal": bytes([1] * 32)}, {"deadline": 2**40}, {"nonce": 2**62}])
def test_other_terms_than_the_services_are_refused(
    lumen: SolanaRegistry, buyer: Keypair, changed: dict[str, object]
) -> None:
    refused(lumen, buyer, "NotAuthorized", **changed)


def test_an_authorization_lives_two_minutes(lumen: SolanaRegistry, buyer: Keypair) -> None:
    parts = lumen.settlement("LUMEN", buyer)
    lumen.set_time(lumen.time + 121)
    with pytest.raises(Refused, match="AuthorizationExpired"):
        lumen.send(parts, buyer, lumen.owner)


def test_an_authorization_is_bound_to_one_registration(lumen: SolanaRegistry, buyer: Keypair) -> None:
    """Released and registered again, the symbol is another registration."""
    parts = lumen.settlement("LUMEN", buyer)
    lumen.of_crown("release", "LUMEN", lumen.owner)
    lumen.claim("LUMEN")
    with pytest.raises(Refused, match="WrongTokenId"):
        lumen.send(parts, buyer, lumen.owner)


def test_another_mint_than_the_agreed_is_refused(lumen: SolanaRegistry, buyer: Keypair) -> None:
    worthless = lumen.new_mint()
    source, destination = lumen.hold(buyer.pubkey(), PRICE, worthless), lumen.hold(lumen.owner.pubkey(), 0, worthless)
    refused(lumen, buyer, "NotAuthorized", source=source, destination=destination, currency=worthless)
    refused(lumen, buyer, "WrongTokenAccount", source=source, destination=destination)
    refused(lumen, buyer, "custom 3", source=source)  # the token program: mints differ


def to_stranger(lumen: SolanaRegistry) -> Pubkey:
    return lumen.hold(lumen.stranger.pubkey())


def of_another_program(lumen: SolanaRegistry) -> Pubkey:
    address = Pubkey.new_unique()
    lumen.put(address, token_account(lumen.currency, lumen.owner.pubkey(), 0), lumen.program)
    return address


@pytest.mark.parametrize("destination", [to_stranger, of_another_program])
def test_the_payment_goes_to_an_account_of_the_holder(
    lumen: SolanaRegistry, buyer: Keypair, destination: Callable[[SolanaRegistry], Pubkey]
) -> None:
    refused(lumen, buyer, "WrongTokenAccount", destination=destination(lumen))
    assert balance(lumen, buyer) == PRICE


def test_a_closed_account_takes_no_payment(lumen: SolanaRegistry, buyer: Keypair) -> None:
    parts, owner = lumen.settlement("LUMEN", buyer), lumen.owner.pubkey()
    account = spl.get_associated_token_address(owner, lumen.currency)
    close = CloseAccountParams(program_id=TOKEN_PROGRAM, account=account, dest=owner, owner=owner, signers=[])
    lumen.send([spl.close_account(close)], lumen.owner)
    with pytest.raises(Refused, match="WrongTokenAccount"):
        lumen.send(parts, buyer, lumen.owner)


def test_the_payment_comes_from_the_offerer(lumen: SolanaRegistry, buyer: Keypair) -> None:
    of_stranger = lumen.hold(lumen.stranger.pubkey(), PRICE)
    refused(lumen, buyer, "custom 4", source=of_stranger)  # the token program: owner does not match
    assert balance(lumen, lumen.stranger) == PRICE


def test_the_holders_own_account_pays_nothing(lumen: SolanaRegistry, buyer: Keypair) -> None:
    """An account that allows the offerer to spend from it must not pay for the holder's registration."""
    data = bytearray(token_account(lumen.currency, lumen.owner.pubkey(), PRICE))
    data[72:76], data[76:108], data[121:129] = b"\1\0\0\0", bytes(buyer.pubkey()), PRICE.to_bytes(8, "little")
    parts = lumen.settlement("LUMEN", buyer)
    own = spl.get_associated_token_address(lumen.owner.pubkey(), lumen.currency)
    lumen.put(own, bytes(data))
    settle = parts[1]
    metas = [AccountMeta(own, False, True) if at == 4 else meta for at, meta in enumerate(settle.accounts)]
    with pytest.raises(Refused, match="WrongPayment"):
        lumen.send([parts[0], Instruction(settle.program_id, bytes(settle.data), metas)], buyer, lumen.owner)


def test_too_little_is_no_payment(lumen: SolanaRegistry, buyer: Keypair) -> None:
    parts = lumen.settlement("LUMEN", buyer)
    lumen.hold(buyer.pubkey(), PRICE - 1)
    with pytest.raises(Refused, match="custom 1"):
        lumen.send(parts, buyer, lumen.owner)
    assert balance(lumen, buyer) == PRICE - 1


def test_what_is_spent_before_in_the_transaction_does_not_count(lumen: SolanaRegistry, buyer: Keypair) -> None:
    check, settle = lumen.settlement("LUMEN", buyer)
    parameters = TransferParams(
        program_id=TOKEN_PROGRAM,
        source=settle.accounts[4].pubkey,
        dest=lumen.hold(lumen.stranger.pubkey()),
        owner=buyer.pubkey(),
        amount=1,
        signers=[],
    )
    with pytest.raises(Refused, match="custom 1"):
        lumen.send([spl.transfer(parameters), check, settle], buyer, lumen.owner)
    assert balance(lumen, buyer) == PRICE


def test_a_frozen_account_takes_no_payment(lumen: SolanaRegistry, buyer: Keypair) -> None:
    data = bytearray(token_account(lumen.currency, lumen.owner.pubkey(), 0))
    data[108] = 2
    parts = lumen.settlement("LUMEN", buyer)
    lumen.put(spl.get_associated_token_address(lumen.owner.pubkey(), lumen.currency), bytes(data))
    with pytest.raises(Refused, match="custom 17"):
        lumen.send(parts, buyer, lumen.owner)


def test_mints_of_the_second_token_program_are_refused(lumen: SolanaRegistry, buyer: Keypair) -> None:
    """They can take a fee of what is paid."""
    lumen.currency = lumen.new_mint(TOKEN_2022_PROGRAM_ID)
    source = lumen.hold(buyer.pubkey(), PRICE, program=TOKEN_2022_PROGRAM_ID)
    destination = lumen.hold(lumen.owner.pubkey(), program=TOKEN_2022_PROGRAM_ID)
    refused(lumen, buyer, "WrongCurrency", source=source, destination=destination)


def test_other_programs_in_the_places_of_ours_are_refused(lumen: SolanaRegistry, buyer: Keypair) -> None:
    for place, reason in ((8, "WrongSysvar"), (9, "WrongSystemProgram"), (10, "BadInstruction"), (2, "WrongConfig")):
        check, settle = lumen.settlement("LUMEN", buyer)
        metas = list(settle.accounts)
        metas[place] = AccountMeta(lumen.stranger.pubkey(), False, metas[place].is_writable)
        with pytest.raises(Refused, match=reason):
            lumen.send([check, Instruction(settle.program_id, bytes(settle.data), metas)], buyer, lumen.owner)


def test_the_interface_lists_settle_as_it_is(lumen: SolanaRegistry, buyer: Keypair) -> None:
    settle = lumen.settlement("LUMEN", buyer)[1]
    declared = next(one for one in idl.document()["instructions"] if one["name"] == "settle")
    assert settle.data[0] == declared["discriminator"][0]
    assert len(settle.accounts) == len(declared["accounts"])
