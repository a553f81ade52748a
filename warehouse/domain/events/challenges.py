"""Challenges of registrations. Nothing is public before a challenge is upheld or an operator has decided it."""

from typing import Annotated, ClassVar

from warehouse.domain.events.event import Audience, Event, member
from warehouse.domain.events.examples import TOKEN
from warehouse.domain.events.registrations import RegistrationEvent

_ID = member("the challenge", "01980000-0000-7000-8000-0000000000c1")
_CHALLENGER = member("the token whose controller challenged the registration", TOKEN)
_WHY = (
    "The challenger's token has had a market since 2025-06-01 12:00 UTC. It weighed 64000 USD at the mint and 66250 "
    "USD when the challenge was opened; the registered token weighed 0 USD and 1200 USD."
)


class ChallengeEvent(RegistrationEvent, frozen=True, kw_only=True):
    """An event about a challenge of a registration."""

    once_per: ClassVar[tuple[str, ...]] = ("decision",)
    challenge_id: Annotated[str, _ID]
    challenger_token: Annotated[str, _CHALLENGER]


class ChallengeUpheld(ChallengeEvent, frozen=True, kw_only=True):
    """A challenge of a registration was upheld; the registration will end after the announced delay."""

    type: ClassVar[str] = "token.challenge_upheld"
    decided_by: Annotated[str, member("rules or operator", "rules")]
    explanation: Annotated[str, member("why, in words", _WHY)]


class ChallengeRejected(ChallengeEvent, frozen=True, kw_only=True):
    """An operator rejected a challenge of a registration."""

    type: ClassVar[str] = "token.challenge_rejected"
    explanation: Annotated[str, member("why, in words", "The registered token is the team's new contract.")]


class ChallengeDecided(Event, frozen=True, kw_only=True):
    """Your challenge of a registration was decided, or what followed from it was stopped."""

    type: ClassVar[str] = "challenge.decided"
    audience: ClassVar[Audience] = Audience.ACCOUNT
    once_per: ClassVar[tuple[str, ...]] = ("decision", "outcome")
    challenge_id: Annotated[str, _ID]
    crown_id: Annotated[str, member("the registration's id on its chain, in decimal digits", "17")]
    symbol: Annotated[str, member("the registered symbol", "QUILL")]
    chain: Annotated[str, member("the chain, by CAIP-2, such as eip155:8453", "eip155:8453")]
    outcome: Annotated[str, member("upheld, rejected, stopped or void", "upheld")]
    explanation: Annotated[str, member("why, in words", _WHY)]
