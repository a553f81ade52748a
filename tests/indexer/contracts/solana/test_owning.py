"""What the owner of a registration on Solana, and whom the owner trusts, may do."""

import pytest
from solders.keypair import Keypair
from solders.pubkey import Pubkey

from indexer.contracts.solana.program import HEADER_BYTES, MAINTAINER, MANAGER
from tests.fixtures.solana_registry import Refused, SolanaRegistry, events


@pytest.fixture
def lumen(solana_registry: SolanaRegistry) -> SolanaRegistry:
    solana_registry.claim("LUMEN")
    return solana_registry


def test_a_release_frees_the_symbol_and_returns_the_rent(lumen: SolanaRegistry) -> None:
    before = lumen.svm.get_balance(lumen.owner.pubkey())
    lumen.of_crown("release", "LUMEN", lumen.owner)
    assert lumen.crown("LUMEN") is None
    assert (lumen.svm.get_balance(lumen.owner.pubkey()) or 0) > (before or 0)
    kept = lumen.svm.get_balance(lumen.address("LUMEN"))
    assert kept == lumen.svm.minimum_balance_for_rent_exemption(HEADER_BYTES)
    lumen.claim("LUMEN", lumen.stranger)
    assert lumen.registered("LUMEN").owner == lumen.stranger.pubkey()


def test_nothing_of_an_ended_registration_binds_the_next(lumen: SolanaRegistry) -> None:
    manager = Keypair()
    lumen.of_crown("set_role", "LUMEN", lumen.owner, kind=MANAGER, enabled=True, account=manager.pubkey())
    lumen.of_crown("set_profile", "LUMEN", lumen.owner, uri="ipfs://bafy")
    lumen.of_crown("set_peer", "LUMEN", lumen.owner, peer_chain_id=8453, peer_token_id=3)
    lumen.of_crown("release", "LUMEN", lumen.owner)
    lumen.claim("LUMEN", lumen.stranger)
    crown = lumen.registered("LUMEN")
    assert (crown.managers, crown.uri, crown.peer, crown.end) == ((), "", None, None)


@pytest.mark.parametrize("name", ["release", "set_peer"])
def test_only_the_owner_releases_and_names_a_peer(lumen: SolanaRegistry, name: str) -> None:
    arguments = {"peer_chain_id": 1, "peer_token_id": 1} if name == "set_peer" else {}
    lumen.of_crown("set_role", "LUMEN", lumen.owner, kind=MANAGER, enabled=True, account=lumen.stranger.pubkey())
    with pytest.raises(Refused, match="NotOwner"):
        lumen.of_crown(name, "LUMEN", lumen.stranger, **arguments)


def test_managers_set_the_profile_and_maintainers_do_not(lumen: SolanaRegistry) -> None:
    manager, maintainer = Keypair(), Keypair()
    lumen.of_crown("set_role", "LUMEN", lumen.owner, kind=MANAGER, enabled=True, account=manager.pubkey())
    lumen.of_crown("set_role", "LUMEN", manager, kind=MAINTAINER, enabled=True, account=maintainer.pubkey())
    lumen.of_crown("set_profile", "LUMEN", manager, uri="ipfs://bafy")
    assert lumen.registered("LUMEN").uri == "ipfs://bafy"
    with pytest.raises(Refused, match="NotManager"):
        lumen.of_crown("set_profile", "LUMEN", maintainer, uri="ipfs://other")
    with pytest.raises(Refused, match="NotOwner"):
        lumen.of_crown("set_role", "LUMEN", manager, kind=MANAGER, enabled=True, account=manager.pubkey())


def test_a_revoked_manager_may_nothing(lumen: SolanaRegistry) -> None:
    manager, other = Keypair(), Keypair()
    for account in (manager, other):
        lumen.of_crown("set_role", "LUMEN", lumen.owner, kind=MANAGER, enabled=True, account=account.pubkey())
    lumen.of_crown("set_role", "LUMEN", lumen.owner, kind=MANAGER, enabled=False, account=manager.pubkey())
    assert lumen.registered("LUMEN").managers == (other.pubkey(),)
    with pytest.raises(Refused, match="NotManager"):
        lumen.of_crown("set_profile", "LUMEN", manager, uri="ipfs://bafy")
    with pytest.raises(Refused, match="NoSuchRole"):
        lumen.of_crown("set_role", "LUMEN", lumen.owner, kind=MANAGER, enabled=False, account=manager.pubkey())


def test_roles_are_limited_and_a_repeated_grant_takes_no_place(lumen: SolanaRegistry) -> None:
    accounts = [Pubkey.new_unique() for _ in range(9)]
    for account in [accounts[0], *accounts[:8]]:
        lumen.of_crown("set_role", "LUMEN", lumen.owner, kind=MAINTAINER, enabled=True, account=account)
    with pytest.raises(Refused, match="TooManyRoles"):
        lumen.of_crown("set_role", "LUMEN", lumen.owner, kind=MAINTAINER, enabled=True, account=accounts[8])


@pytest.mark.parametrize("uri", ["x" * 129, "ipfs://a b", "ipfs://é"])
def test_a_profile_that_is_no_uri_is_refused(lumen: SolanaRegistry, uri: str) -> None:
    with pytest.raises(Refused, match="BadUri"):
        lumen.of_crown("set_profile", "LUMEN", lumen.owner, uri=uri)


def test_changes_are_recorded(lumen: SolanaRegistry) -> None:
    result = lumen.of_crown("set_profile", "LUMEN", lumen.owner, uri="ipfs://bafy")
    ((name, fields),) = events(result)
    assert (name, fields["token_id"], fields["uri"]) == ("ProfileChanged", 1, "ipfs://bafy")


def test_another_symbols_account_is_not_changed(lumen: SolanaRegistry) -> None:
    """The owner of one registration cannot act for another by passing its account."""
    lumen.claim("OTHER", lumen.stranger)
    with pytest.raises(Refused, match="NotOwner"):
        lumen.of_crown("set_peer", "LUMEN", lumen.stranger, peer_chain_id=1, peer_token_id=1)
    with pytest.raises(Refused, match="WrongCrown"):
        lumen.call(
            "set_peer",
            {"owner": lumen.owner.pubkey(), "crown": lumen.config},
            lumen.owner,
            peer_chain_id=1,
            peer_token_id=1,
        )
