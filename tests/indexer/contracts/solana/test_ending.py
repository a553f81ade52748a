"""Announced ends on Solana: the delay, the owner's objection, the guardian's veto."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from solders.keypair import Keypair

from indexer.contracts.solana import idl
from indexer.contracts.solana.program import CHALLENGE_UPHELD, INACTIVE
from tests.fixtures.solana_registry import (
    END_DELAY,
    OBJECTION_DELAY,
    START,
    Refused,
    SolanaRegistry,
    events,
    solana_registry_now,
)

LASTS = 30 * 86_400


@pytest.fixture
def announced(solana_registry: SolanaRegistry) -> SolanaRegistry:
    solana_registry.claim("LUMEN")
    solana_registry.announce_end("LUMEN")
    return solana_registry


def test_an_end_takes_effect_after_the_delay_and_not_before(announced: SolanaRegistry) -> None:
    announced.set_time(START + END_DELAY - 1)
    with pytest.raises(Refused, match="EndNotDue"):
        announced.execute_end("LUMEN")
    announced.set_time(START + END_DELAY)
    ((name, fields),) = events(announced.execute_end("LUMEN"))
    assert (name, fields["reason"]) == ("Ended", INACTIVE)
    assert announced.crown("LUMEN") is None


def test_the_rent_goes_to_the_owner_and_to_nobody_else(announced: SolanaRegistry) -> None:
    announced.set_time(START + END_DELAY)
    with pytest.raises(Refused, match="NotOwner"):
        announced.execute_end("LUMEN", announced.stranger)
    before = announced.svm.get_balance(announced.owner.pubkey())
    announced.execute_end("LUMEN")
    assert (announced.svm.get_balance(announced.owner.pubkey()) or 0) > (before or 0)


def test_an_end_not_carried_out_lapses_and_can_be_announced_anew(announced: SolanaRegistry) -> None:
    announced.set_time(START + END_DELAY + LASTS + 1)
    with pytest.raises(Refused, match="EndLapsed"):
        announced.execute_end("LUMEN")
    announced.announce_end("LUMEN", CHALLENGE_UPHELD)
    end = announced.registered("LUMEN").end
    assert end is not None
    assert (end.reason, end.due_at) == (CHALLENGE_UPHELD, announced.time + END_DELAY)


def test_an_objection_extends_once_and_asks_the_guardian(announced: SolanaRegistry) -> None:
    announced.of_crown("object_to_end", "LUMEN", announced.owner)
    with pytest.raises(Refused, match="AlreadyObjected"):
        announced.of_crown("object_to_end", "LUMEN", announced.owner)
    announced.set_time(START + END_DELAY + OBJECTION_DELAY)
    with pytest.raises(Refused, match="EndNotConfirmed"):
        announced.execute_end("LUMEN")
    announced.of_crown("confirm_end", "LUMEN", announced.guardian)
    announced.execute_end("LUMEN")
    assert announced.crown("LUMEN") is None


def test_an_objection_comes_before_the_end_is_due(announced: SolanaRegistry) -> None:
    announced.set_time(START + END_DELAY)
    with pytest.raises(Refused, match="EndLapsed"):
        announced.of_crown("object_to_end", "LUMEN", announced.owner)


def test_the_guardian_stops_an_end(announced: SolanaRegistry) -> None:
    announced.of_crown("veto_end", "LUMEN", announced.guardian)
    announced.set_time(START + END_DELAY)
    with pytest.raises(Refused, match="NoEndPending"):
        announced.execute_end("LUMEN")


def test_the_service_takes_an_end_back(announced: SolanaRegistry) -> None:
    terms = {"deadline": START + 900, "nonce": announced.next_nonce("LUMEN")}
    statement = announced.domain.end_withdrawal(1, **terms)
    accounts = {"config": announced.config, "crown": announced.address("LUMEN")}
    withdraw = idl.instruction(announced.program, "withdraw_end", accounts, {"token_id": 1, **terms})
    announced.send([announced.sign(statement), withdraw])
    assert announced.registered("LUMEN").end is None


@pytest.mark.parametrize(
    ("name", "error"), [("object_to_end", "NotOwner"), ("confirm_end", "NotGuardian"), ("veto_end", "NotGuardian")]
)
def test_nobody_else_objects_confirms_or_stops(announced: SolanaRegistry, name: str, error: str) -> None:
    for who in (announced.stranger, announced.signer):
        with pytest.raises(Refused, match=error):
            announced.of_crown(name, "LUMEN", who)


def test_only_the_signer_announces(solana_registry: SolanaRegistry) -> None:
    solana_registry.claim("LUMEN")
    for key in (solana_registry.guardian, solana_registry.owner, Keypair()):
        with pytest.raises(Refused, match="NotAuthorized"):
            solana_registry.announce_end("LUMEN", by=key)


def test_an_announcement_for_an_earlier_registration_does_not_count(solana_registry: SolanaRegistry) -> None:
    solana_registry.claim("LUMEN")
    terms = {"deadline": START + 900, "nonce": solana_registry.next_nonce("LUMEN")}
    statement = solana_registry.sign(solana_registry.domain.end_announcement(1, INACTIVE, **terms))
    accounts = {"config": solana_registry.config, "crown": solana_registry.address("LUMEN")}
    arguments = {"token_id": 1, "reason": INACTIVE, **terms}
    announce = idl.instruction(solana_registry.program, "announce_end", accounts, arguments)
    solana_registry.of_crown("release", "LUMEN", solana_registry.owner)
    with pytest.raises(Refused, match="NotRegistered"):
        solana_registry.send([statement, announce])
    solana_registry.claim("LUMEN", solana_registry.stranger)
    with pytest.raises(Refused, match="WrongTokenId"):
        solana_registry.send([statement, announce])


def test_no_statement_about_an_end_is_more_than_an_hour_ahead(announced: SolanaRegistry) -> None:
    """A signer that leaked could otherwise keep every registration from ever being ended or settled."""
    announced.of_crown("veto_end", "LUMEN", announced.guardian)
    announced.nonce = 2**64 - 2
    with pytest.raises(Refused, match="NonceTooHigh"):
        announced.announce_end("LUMEN")


STEPS = st.lists(
    st.sampled_from(["announce", "object", "confirm", "veto", "execute", "wait", "wait long", "release", "claim"]),
    max_size=14,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=25)
@given(STEPS)
def test_a_registration_never_ends_against_its_owner_without_delay_and_consent(steps: list[str]) -> None:
    """Whatever the order: an end is carried out only after an announcement that waited, and after an objection only
    with the guardian's confirmation."""
    registry = solana_registry_now()
    registry.claim("LUMEN")
    for step in steps:
        before = registry.crown("LUMEN")
        try:
            _take(registry, step)
        except (Refused, AssertionError):
            assert registry.crown("LUMEN") == before
            continue
        if step == "execute":
            assert before is not None
            assert before.end is not None
            assert before.end.due_at <= registry.time <= before.end.due_at + LASTS
            assert before.end.confirmed or not before.end.objected


def _take(registry: SolanaRegistry, step: str) -> None:
    if step == "wait":
        registry.set_time(registry.time + END_DELAY)
    elif step == "wait long":
        registry.set_time(registry.time + LASTS)
    elif step == "announce":
        registry.announce_end("LUMEN")
    elif step == "execute":
        registry.execute_end("LUMEN")
    elif step == "claim":
        registry.claim("LUMEN")
    elif step == "release":
        registry.of_crown("release", "LUMEN", registry.owner)
    else:
        name = {"object": "object_to_end", "confirm": "confirm_end", "veto": "veto_end"}[step]
        registry.of_crown(name, "LUMEN", registry.owner if step == "object" else registry.guardian)
