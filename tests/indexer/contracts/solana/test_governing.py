"""The guardian of the registry on Solana, and how the signer is replaced."""

import pytest
from solders.keypair import Keypair

from indexer.contracts.solana import idl
from tests.fixtures.solana_registry import END_DELAY, SIGNER_DELAY, START, Refused, SolanaRegistry, events


def activate(registry: SolanaRegistry, key: Keypair, active_from: int) -> None:
    statement = registry.domain.acceptance(key.pubkey(), active_from)
    accounts = {"config": registry.config}
    registry.send([registry.sign(statement, key), idl.instruction(registry.program, "activate_signer", accounts)])


def test_another_signer_comes_into_force_after_the_delay(solana_registry: SolanaRegistry) -> None:
    key = Keypair()
    solana_registry.govern("announce_signer", signer=key.pubkey())
    solana_registry.set_time(START + SIGNER_DELAY - 1)
    with pytest.raises(Refused, match="TooEarly"):
        activate(solana_registry, key, START + SIGNER_DELAY)
    solana_registry.set_time(START + SIGNER_DELAY)
    activate(solana_registry, key, START + SIGNER_DELAY)
    with pytest.raises(Refused, match="NotAuthorized"):
        solana_registry.claim("LUMEN")
    solana_registry.signer = key
    solana_registry.claim("LUMEN")


def test_a_signer_whose_key_is_not_at_hand_is_not_put_in_force(solana_registry: SolanaRegistry) -> None:
    solana_registry.govern("announce_signer", signer=Keypair().pubkey())
    solana_registry.set_time(START + SIGNER_DELAY)
    with pytest.raises(Refused, match="NotAuthorized"):
        activate(solana_registry, Keypair(), START + SIGNER_DELAY)


def test_a_cancelled_signer_is_not_put_in_force(solana_registry: SolanaRegistry) -> None:
    key = Keypair()
    solana_registry.govern("announce_signer", signer=key.pubkey())
    solana_registry.govern("cancel_signer")
    solana_registry.set_time(START + SIGNER_DELAY)
    with pytest.raises(Refused, match="NothingAnnounced"):
        activate(solana_registry, key, START + SIGNER_DELAY)


def test_a_suspended_signer_can_nothing(solana_registry: SolanaRegistry) -> None:
    solana_registry.claim("LUMEN")
    solana_registry.govern("suspend_signer")
    with pytest.raises(Refused, match="SignerSuspended"):
        solana_registry.claim("OTHER")
    with pytest.raises(Refused, match="SignerSuspended"):
        solana_registry.announce_end("LUMEN")
    solana_registry.of_crown("release", "LUMEN", solana_registry.owner)


def test_ends_announced_by_a_suspended_signer_are_void(solana_registry: SolanaRegistry) -> None:
    """Under the next signer too: whoever held the old key announced them."""
    solana_registry.claim("LUMEN")
    solana_registry.announce_end("LUMEN")
    solana_registry.govern("suspend_signer")
    solana_registry.set_time(START + END_DELAY)
    with pytest.raises(Refused, match="NoEndPending"):
        solana_registry.execute_end("LUMEN")
    key = Keypair()
    solana_registry.govern("announce_signer", signer=key.pubkey())
    solana_registry.set_time(solana_registry.time + SIGNER_DELAY)
    activate(solana_registry, key, solana_registry.time)
    with pytest.raises(Refused, match="NoEndPending"):
        solana_registry.execute_end("LUMEN")
    solana_registry.announce_end("LUMEN", by=key)
    solana_registry.set_time(solana_registry.time + END_DELAY)
    solana_registry.execute_end("LUMEN")


def test_ends_announced_by_a_replaced_signer_are_void(solana_registry: SolanaRegistry) -> None:
    key = Keypair()
    solana_registry.govern("announce_signer", signer=key.pubkey())
    solana_registry.set_time(START + SIGNER_DELAY)
    solana_registry.claim("LUMEN")
    solana_registry.announce_end("LUMEN")
    activate(solana_registry, key, START + SIGNER_DELAY)
    solana_registry.set_time(solana_registry.time + END_DELAY)
    for name, who in (("object_to_end", solana_registry.owner), ("confirm_end", solana_registry.guardian)):
        with pytest.raises(Refused, match="NoEndPending"):
            solana_registry.of_crown(name, "LUMEN", who)
    with pytest.raises(Refused, match="NoEndPending"):
        solana_registry.execute_end("LUMEN")


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("announce_signer", {"signer": Keypair().pubkey()}),
        ("cancel_signer", {}),
        ("suspend_signer", {}),
        ("offer_guardian", {"next_guardian": Keypair().pubkey()}),
        ("set_limits", {"free_per_day": 1, "paid_from": 0}),
    ],
)
def test_nobody_but_the_guardian_governs(
    solana_registry: SolanaRegistry, name: str, arguments: dict[str, object]
) -> None:
    for who in (solana_registry.signer, solana_registry.stranger, solana_registry.treasury):
        with pytest.raises(Refused, match="NotGuardian"):
            solana_registry.govern(name, who, **arguments)


def test_the_guardians_place_is_handed_over_after_the_delay(solana_registry: SolanaRegistry) -> None:
    key = Keypair()
    solana_registry.govern("offer_guardian", next_guardian=key.pubkey())
    with pytest.raises(Refused, match="TooEarly"):
        solana_registry.govern("accept_guardian", key)
    solana_registry.set_time(START + SIGNER_DELAY)
    with pytest.raises(Refused, match="NotGuardian"):
        solana_registry.govern("accept_guardian", solana_registry.stranger)
    solana_registry.govern("accept_guardian", key)
    with pytest.raises(Refused, match="NotGuardian"):
        solana_registry.govern("suspend_signer")
    solana_registry.govern("suspend_signer", key)


def test_limits_are_changed_and_recorded(solana_registry: SolanaRegistry) -> None:
    result = solana_registry.govern("set_limits", free_per_day=0, paid_from=1)
    assert events(result) == [("LimitsChanged", {"free_per_day": 0, "paid_from": 1})]
    with pytest.raises(Refused, match="TooManyFree"):
        solana_registry.claim("LUMEN", fee=0)
