"""The catalogue of events, and what its classes declare."""

import json
from uuid import UUID

import msgspec
import pytest

from warehouse.domain.events import service
from warehouse.domain.events.catalogue import EVENTS
from warehouse.domain.events.event import Audience, Event, of_account, unique_key
from warehouse.domain.events.registrations import Registration, TokenMinted, TokenReleased, of_registration
from warehouse.domain.plans import PLANS

# The types that the interface specifies, by audience.
PUBLIC = (
    "token.minted", "token.released", "token.expired", "token.settled", "token.end_announced", "token.end_objected",
    "token.end_stopped", "token.copycat_detected", "heartbeat.warning",
    "heartbeat.critical", "heartbeat.recovered", "heartbeat.change", "holder.new", "trade.large",
    "concentration.alert", "milestone.reached", "profile.updated", "interest.expressed",
)  # fmt: skip
PRIVATE = (
    "alert.triggered", "alert.acknowledged", "alert.resolved", "subscription.upgraded", "subscription.downgraded",
    "usage.threshold", "quota.threshold_warning", "quota.exceeded", "community.member_joined",
    "community.member_left", "deal.created", "deal.accepted", "deal.rejected", "deal.cancelled", "deal.completed",
    "deal.failed", "ci.autofix.failed", "key.created", "key.updated", "key.rolled", "key.revoked", "key.expiring",
    "key.expired", "session.started", "session.joined", "session.ended", "wallet.linked", "wallet.unlinked",
)  # fmt: skip
# Types of our own.
OWN_PUBLIC = ("token.challenge_upheld", "token.challenge_rejected")
OWN_PRIVATE = ("challenge.decided",)
_TYPES = {"string", "number", "integer", "boolean", "string[]", "object[]"}
SERVICE = (service.ClaimConfirmed, service.PipelineFailed, service.WebhookDisabled)
ALL = (*EVENTS.values(), *SERVICE)


def test_the_catalogue_lists_every_event_and_its_audience() -> None:
    audiences = {name: event.audience for name, event in EVENTS.items()}
    public, private = (*PUBLIC, *OWN_PUBLIC), (*PRIVATE, *OWN_PRIVATE)
    assert audiences == {**dict.fromkeys(public, Audience.SUBSCRIBERS), **dict.fromkeys(private, Audience.ACCOUNT)}
    assert not {event.type for event in SERVICE} & set(EVENTS)


@pytest.mark.parametrize("event", ALL, ids=lambda event: event.type)
def test_every_event_declares_its_members(event: type[Event]) -> None:
    names = [member.name for member in event.members()]
    assert event.description().endswith(".")
    assert len(names) == len(set(names))
    assert all(member.description for member in event.members())
    assert event.plan is None or event.plan in PLANS
    assert {member.type for member in event.members()} <= _TYPES


@pytest.mark.parametrize("event", ALL, ids=lambda event: event.type)
def test_the_example_has_every_member(event: type[Event]) -> None:
    data = json.loads(event.example().data())
    assert list(data) == [member.name for member in event.members()]
    assert msgspec.convert(data, event) == event.example()


@pytest.mark.parametrize("event", [event for event in ALL if event.produced], ids=lambda event: event.type)
def test_every_produced_event_says_what_makes_it_unique(event: type[Event]) -> None:
    assert event.once_per


def test_keys_consist_of_scope_and_facts() -> None:
    about = Registration(8453, "eip155:8453", 17, "QUILL")
    minted = TokenMinted(**about.members, owner="0xb0b", tx_hash="0x5e")
    released = TokenReleased(**about.members, previous_owner="0xb0b")
    assert of_registration(minted, about, 5).key == "token.minted:8453:17:0x5e"
    assert of_registration(released, about, 5, transaction="0x6f").key == "token.released:8453:17:0x6f"
    with pytest.raises(AttributeError, match="transaction"):
        of_registration(released, about, 5)
    account = of_account(EVENTS["usage.threshold"].example(), UUID(int=7))
    assert (account.key, account.subject) == (f"usage.threshold:{UUID(int=7)}:2026-11-21:80", str(UUID(int=7)))
    assert unique_key(service.PipelineFailed(run_id="a", job="b", message="c")) == "pipeline.failed:a"
