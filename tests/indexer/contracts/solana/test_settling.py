"""Deals on Solana: a registration changes hands against the holder's consent and the service's authorisation."""

import pytest
from solders.keypair import Keypair

from indexer.contracts.solana import idl, program
from indexer.contracts.solana.program import MANAGER
from tests.fixtures.solana_registry import SOL, Refused, SolanaRegistry, events


@pytest.fixture
def lumen(solana_registry: SolanaRegistry) -> SolanaRegistry:
    solana_registry.claim("LUMEN")
    return solana_registry


@pytest.fixture
def buyer(solana_registry: SolanaRegistry) -> Keypair:
    key = Keypair()
    solana_registry.svm.airdrop(key.pubkey(), 10 * SOL)
    return key


def test_a_settlement_ends_and_mints_anew_in_one_step(lumen: SolanaRegistry, buyer: Keypair) -> None:
    lumen.of_crown("set_role", "LUMEN", lumen.owner, kind=MANAGER, enabled=True, account=lumen.stranger.pubkey())
    lumen.of_crown("set_profile", "LUMEN", lumen.owner, uri="ipfs://bafy")
    lumen.of_crown("set_peer", "LUMEN", lumen.owner, peer_chain_id=1, peer_token_id=1)
    lumen.announce_end("LUMEN")
    before = lumen.svm.get_balance(lumen.owner.pubkey()) or 0
    ((name, fields),) = events(lumen.send(lumen.settlement("LUMEN", buyer), buyer))
    crown = lumen.registered("LUMEN")
    assert (crown.owner, crown.token_id, crown.mint) == (buyer.pubkey(), 2, lumen.mint)
    assert (crown.managers, crown.uri, crown.peer, crown.end) == ((), "", None, None)
    assert (name, fields["token_id"], fields["new_token_id"], fields["amount"]) == ("Settled", 1, 2, 7 * SOL)
    rent = lumen.svm.minimum_balance_for_rent_exemption
    assert lumen.svm.get_balance(lumen.owner.pubkey()) == before + rent(program.CROWN_BYTES) - rent(
        program.HEADER_BYTES
    )


def test_a_deal_is_settled_once(lumen: SolanaRegistry, buyer: Keypair) -> None:
    parts = lumen.settlement("LUMEN", buyer)
    lumen.send(parts, buyer)
    with pytest.raises(Refused, match=r"NotOwner|WrongTokenId"):
        lumen.send(parts, buyer)


def test_without_the_holders_own_consent_nothing_moves(lumen: SolanaRegistry, buyer: Keypair) -> None:
    for key in (lumen.signer, buyer, lumen.stranger):
        with pytest.raises(Refused, match="NotAuthorized"):
            lumen.send(lumen.settlement("LUMEN", buyer, holder=key), buyer)


def test_without_the_services_authorization_nothing_moves(lumen: SolanaRegistry, buyer: Keypair) -> None:
    consent, _, settle = lumen.settlement("LUMEN", buyer)
    with pytest.raises(Refused, match="NotAuthorized"):
        lumen.send([consent, settle], buyer)
    with pytest.raises(Refused, match="NotAuthorized"):
        lumen.send([consent, consent, settle], buyer)


@pytest.mark.parametrize("changed", [{"amount": 1}, {"deal": bytes([1] * 32)}, {"consent_nonce": 2}])
def test_other_terms_than_the_holders_are_refused(
    lumen: SolanaRegistry, buyer: Keypair, changed: dict[str, object]
) -> None:
    with pytest.raises(Refused, match="NotAuthorized"):
        lumen.send(lumen.settlement("LUMEN", buyer, **changed), buyer)


def test_nobody_but_the_offerer_gets_it(lumen: SolanaRegistry, buyer: Keypair) -> None:
    with pytest.raises(Refused, match="NotAuthorized"):
        lumen.send(lumen.settlement("LUMEN", buyer, new_owner=lumen.stranger.pubkey()), lumen.stranger)


def test_the_rent_is_paid_to_the_previous_owner(lumen: SolanaRegistry, buyer: Keypair) -> None:
    with pytest.raises(Refused, match="NotOwner"):
        lumen.send(lumen.settlement("LUMEN", buyer, previous_owner=buyer.pubkey()), buyer)


def test_a_revoked_consent_does_not_count(lumen: SolanaRegistry, buyer: Keypair) -> None:
    parts = lumen.settlement("LUMEN", buyer)
    lumen.of_crown("revoke_consents", "LUMEN", lumen.owner, floor=2)
    with pytest.raises(Refused, match="ConsentRevoked"):
        lumen.send(parts, buyer)
    with pytest.raises(Refused, match="FloorNotHigher"):
        lumen.of_crown("revoke_consents", "LUMEN", lumen.owner, floor=2)
    with pytest.raises(Refused, match="NotOwner"):
        lumen.of_crown("revoke_consents", "LUMEN", lumen.stranger, floor=9)


def test_a_consent_ends_with_its_deadline(lumen: SolanaRegistry, buyer: Keypair) -> None:
    parts = lumen.settlement("LUMEN", buyer, deadline=lumen.time + 10_000)
    lumen.set_time(lumen.time + 3_601)
    with pytest.raises(Refused, match="AuthorizationExpired"):
        lumen.send(parts, buyer)


def test_a_consent_is_bound_to_one_registration(lumen: SolanaRegistry, buyer: Keypair) -> None:
    """Released and registered again, the symbol is another registration: the old consent says nothing about it."""
    parts = lumen.settlement("LUMEN", buyer)
    lumen.of_crown("release", "LUMEN", lumen.owner)
    lumen.claim("LUMEN")
    with pytest.raises(Refused, match="WrongTokenId"):
        lumen.send(parts, buyer)


def test_the_interface_lists_settle_as_it_is(lumen: SolanaRegistry, buyer: Keypair) -> None:
    settle = lumen.settlement("LUMEN", buyer)[2]
    assert settle.data[0] == 20
    assert len(settle.accounts) == len(
        next(i for i in idl.document()["instructions"] if i["name"] == "settle")["accounts"]
    )
