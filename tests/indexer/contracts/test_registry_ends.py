"""How the service ends a registration: announced, delayed, open to the owner's objection and the guardian's veto."""

from dataclasses import replace

import pytest
from eth_account.signers.local import LocalAccount

from indexer.contracts import registry
from indexer.contracts.registry import Reason
from indexer.contracts.signer import KeySigner
from indexer.contracts.statements import EndAnnouncement, EndWithdrawal, sign
from tests.indexer.contracts.deployed_registry import TERMS, TOKEN, Registry

_LAPSE_SECONDS = 30 * 86_400
_NONE = (0, 0, False, False)


@pytest.fixture
def owner(timed: Registry) -> LocalAccount:
    return timed.wallet()


@pytest.fixture
def token_id(timed: Registry, owner: LocalAccount) -> int:
    return timed.mint(owner, "AURUM")


def test_an_announced_end_takes_effect_after_the_delay(timed: Registry, owner: LocalAccount, token_id: int) -> None:
    stranger = timed.wallet()
    mined = timed.announce(token_id, Reason.CHALLENGE)
    (event,) = timed.events(mined, "EndAnnounced")
    due_at = timed.now() + TERMS.end_delay
    assert event["topics"][2].endswith(owner.address.lower()[2:])
    assert timed.end(token_id) == (Reason.CHALLENGE, due_at, False, False)
    assert timed.token_id("AURUM") == token_id
    timed.wait(TERMS.end_delay - 5)
    with timed.refuses("TooEarly"):
        timed.call(stranger, "executeEnd", token_id)
    timed.wait(5)
    (event,) = timed.events(timed.call(stranger, "executeEnd", token_id), "Ended")
    assert int(event["data"][66:130], 16) == Reason.CHALLENGE
    assert (timed.token_id("AURUM"), timed.end(token_id)) == (0, _NONE)
    with timed.refuses("NoEndAnnounced"):
        timed.call(stranger, "executeEnd", token_id)
    assert timed.mint(stranger, "AURUM") == token_id + 1


def test_only_the_signer_announces_and_withdraws(timed: Registry, token_id: int) -> None:
    statement = EndAnnouncement(token_id, Reason.INACTIVE, timed.now() + 900, 2**200)
    for key in (timed.guardian, timed.wallet()):
        with timed.refuses("InvalidSignature"):
            timed.ask(registry.announcement_calldata(statement, timed.sign(statement, by=key)))
    signature = timed.sign(statement)
    for changed in (
        replace(statement, token_id=token_id + 1),
        replace(statement, reason=Reason.CHALLENGE),
        replace(statement, deadline=2**40),
        replace(statement, nonce=2**201),
    ):
        with pytest.raises(AssertionError, match=r"InvalidSignature|UnknownRegistration"):
            timed.ask(registry.announcement_calldata(changed, signature))
    timed.announce(token_id)
    withdrawal = EndWithdrawal(token_id, timed.now() + 900, 2**202)
    with timed.refuses("InvalidSignature"):
        timed.ask(registry.withdrawal_calldata(withdrawal, timed.sign(withdrawal, by=timed.guardian)))
    timed.send(timed.guardian, registry.withdrawal_calldata(withdrawal, timed.sign(withdrawal)))
    assert timed.end(token_id) == _NONE


def test_announcements_are_bound_to_one_chain_and_contract_and_work_once(timed: Registry, token_id: int) -> None:
    statement = EndAnnouncement(token_id, Reason.INACTIVE, timed.now() + 900, 2**200)
    chain_id, signer = timed.anvil.chain_id, KeySigner(timed.signer)
    for signature in (sign(signer, chain_id + 1, timed.address, statement), sign(signer, chain_id, TOKEN, statement)):
        with timed.refuses("InvalidSignature"):
            timed.ask(registry.announcement_calldata(statement, signature))
    data = registry.announcement_calldata(statement, timed.sign(statement))
    timed.send(timed.guardian, data)
    timed.call(timed.guardian, "vetoEnd", token_id)
    with timed.refuses("NonceAlreadyUsed"):
        timed.ask(data)
    with timed.refuses("StatementExpired"):
        timed.ask(timed.announce_data(token_id, deadline=timed.now() - 1))
    with timed.refuses("StatementExpired"):
        timed.announce(token_id)
        timed.ask(timed.withdraw_data(token_id, deadline=timed.now() - 1))


@pytest.mark.parametrize("reason", [0, 3, 255])
def test_reasons_are_known(timed: Registry, token_id: int, reason: int) -> None:
    with timed.refuses("InvalidReason"):
        timed.ask(timed.announce_data(token_id, reason))


def test_one_end_at_a_time_of_a_registration_that_exists(timed: Registry, token_id: int) -> None:
    timed.announce(token_id)
    with timed.refuses("EndAlreadyAnnounced"):
        timed.ask(timed.announce_data(token_id, Reason.CHALLENGE))
    with timed.refuses("UnknownRegistration"):
        timed.ask(timed.announce_data(token_id + 1))


def test_only_the_guardian_stops_an_end(timed: Registry, owner: LocalAccount, token_id: int) -> None:
    timed.announce(token_id)
    for key in (owner, timed.wallet()):
        with timed.refuses("NotGuardian"):
            timed.ask(registry.contract().call("vetoEnd", token_id), key.address)
        with timed.refuses("NotGuardian"):
            timed.ask(registry.contract().call("confirmEnd", token_id), key.address)
    timed.wait(TERMS.end_delay + 1)
    assert len(timed.events(timed.call(timed.guardian, "vetoEnd", token_id), "EndVetoed")) == 1
    with timed.refuses("NoEndAnnounced"):
        timed.call(owner, "executeEnd", token_id)
    with timed.refuses("NoEndAnnounced"):
        timed.call(timed.guardian, "vetoEnd", token_id)


def test_an_objection_puts_the_end_off_once_and_asks_the_guardian(
    timed: Registry, owner: LocalAccount, token_id: int
) -> None:
    with timed.refuses("NoEndAnnounced"):
        timed.call(owner, "objectToEnd", token_id)
    timed.announce(token_id)
    due_at = timed.end(token_id)[1]
    with timed.refuses("NotOwner"):
        timed.call(timed.wallet(), "objectToEnd", token_id)
    with timed.refuses("NotObjected"):
        timed.call(timed.guardian, "confirmEnd", token_id)
    assert len(timed.events(timed.call(owner, "objectToEnd", token_id), "EndObjected")) == 1
    assert timed.end(token_id) == (Reason.INACTIVE, due_at + TERMS.objection_delay, True, False)
    with timed.refuses("AlreadyObjected"):
        timed.call(owner, "objectToEnd", token_id)
    timed.wait(TERMS.end_delay + TERMS.objection_delay + 1)
    with timed.refuses("NotConfirmed"):
        timed.call(owner, "executeEnd", token_id)
    timed.call(timed.guardian, "confirmEnd", token_id)
    timed.call(timed.wallet(), "executeEnd", token_id)
    assert timed.token_id("AURUM") == 0


def test_a_confirmed_end_still_waits_until_it_is_due(timed: Registry, owner: LocalAccount, token_id: int) -> None:
    timed.announce(token_id)
    timed.call(owner, "objectToEnd", token_id)
    timed.call(timed.guardian, "confirmEnd", token_id)
    timed.wait(TERMS.end_delay + 1)
    with timed.refuses("TooEarly"):
        timed.call(owner, "executeEnd", token_id)


def test_an_objection_comes_before_the_end_is_due(timed: Registry, owner: LocalAccount, token_id: int) -> None:
    timed.announce(token_id)
    timed.wait(TERMS.end_delay)
    with timed.refuses("TooLateToObject"):
        timed.call(owner, "objectToEnd", token_id)


def test_an_end_that_nobody_executes_lapses(timed: Registry, owner: LocalAccount, token_id: int) -> None:
    timed.announce(token_id)
    timed.wait(TERMS.end_delay + _LAPSE_SECONDS + 60)
    assert timed.end(token_id) == _NONE
    with timed.refuses("NoEndAnnounced"):
        timed.call(owner, "executeEnd", token_id)
    timed.announce(token_id)
    assert timed.end(token_id)[0] == Reason.INACTIVE


def test_a_stolen_signer_ends_nothing_against_owner_and_guardian(
    timed: Registry, owner: LocalAccount, token_id: int
) -> None:
    """The thief announces again and again; owner or guardian alone is enough to keep the registration."""
    for _ in range(3):
        timed.announce(token_id)
        timed.call(owner, "objectToEnd", token_id)
        timed.wait(TERMS.end_delay + TERMS.objection_delay + 1)
        with timed.refuses("NotConfirmed"):
            timed.call(owner, "executeEnd", token_id)
        timed.send(timed.wallet(), timed.withdraw_data(token_id))
    timed.announce(token_id)
    timed.call(timed.guardian, "suspendSigner")
    assert timed.end(token_id) == _NONE, "what a suspended signer announced is void"
    timed.wait(TERMS.end_delay + 1)
    with timed.refuses("NoEndAnnounced"):
        timed.call(owner, "executeEnd", token_id)
    with timed.refuses("InvalidSignature"):
        timed.announce(token_id)


def test_the_owner_keeps_all_rights_while_an_end_is_announced(
    timed: Registry, owner: LocalAccount, token_id: int
) -> None:
    timed.announce(token_id)
    timed.call(owner, "setMetadata", token_id, "bafy")
    timed.call(owner, "release", token_id)
    assert timed.end(token_id) == _NONE
    timed.wait(TERMS.end_delay + 1)
    with timed.refuses("NoEndAnnounced"):
        timed.call(owner, "executeEnd", token_id)
