"""Registrations: claimed, released, expired, or with a changed profile."""

from dataclasses import dataclass
from typing import Annotated, ClassVar, TypedDict

from warehouse.domain.events.event import Event, Occurrence, member, unique_key
from warehouse.domain.events.examples import ADDRESS, MOMENT, TIME, WALLET

SYMBOL = member("the token's symbol", "QUILL")
PreviousOwner = Annotated[str, member("the wallet that held the registration", WALLET, **ADDRESS)]
Owner = Annotated[str, member("the wallet that holds the registration", WALLET, **ADDRESS)]
EndReason = Annotated[
    str, member("why: inactive or challenge_upheld", "inactive", enum=["inactive", "challenge_upheld"])
]
DueAt = Annotated[str, member("when it takes effect at the earliest, ISO 8601 in UTC", MOMENT, **TIME)]
Timestamp = Annotated[str, member("when it happened on the chain, ISO 8601 in UTC", MOMENT, **TIME)]


class RegistrationMembers(TypedDict):
    """The members that say which registration an event is about."""

    crown_id: str
    symbol: str
    chain: str


@dataclass(frozen=True, slots=True)
class Registration:
    """The registration that an event is about. ``chain`` is the chain's CAIP-2 name."""

    chain_id: int
    chain: str
    token_id: int
    symbol: str

    @property
    def members(self) -> RegistrationMembers:
        """What events about it begin with."""
        return {"crown_id": str(self.token_id), "symbol": self.symbol, "chain": self.chain}


class RegistrationEvent(Event, frozen=True, kw_only=True):
    """An event about one registration."""

    crown_id: Annotated[str, member("the registration's id on its chain, in decimal digits", "17")]
    symbol: Annotated[str, SYMBOL]
    chain: Annotated[str, member("the chain, by CAIP-2, such as eip155:8453", "eip155:8453")]


class TokenMinted(RegistrationEvent, frozen=True, kw_only=True):
    """A registration was claimed."""

    type: ClassVar[str] = "token.minted"
    once_per: ClassVar[tuple[str, ...]] = ("tx_hash",)
    owner: Owner
    tx_hash: Annotated[
        str,
        member("the transaction that minted it", "0x5e1d3a76fbf824220eafc8c79ad578ad2b67d01b0c2425eb1f1347e8f50882ab"),
    ]


class TokenReleased(RegistrationEvent, frozen=True, kw_only=True):
    """An owner released a registration."""

    type: ClassVar[str] = "token.released"
    once_per: ClassVar[tuple[str, ...]] = ("transaction",)
    previous_owner: PreviousOwner


class TokenExpired(RegistrationEvent, frozen=True, kw_only=True):
    """The service ended a registration: it was inactive for long, or a challenge was upheld."""

    type: ClassVar[str] = "token.expired"
    once_per: ClassVar[tuple[str, ...]] = ("transaction",)
    previous_owner: PreviousOwner
    reason: EndReason


class TokenSettled(RegistrationEvent, frozen=True, kw_only=True):
    """A deal was settled: the registration ended, and its symbol was registered for the buyer."""

    type: ClassVar[str] = "token.settled"
    once_per: ClassVar[tuple[str, ...]] = ("transaction",)
    previous_owner: PreviousOwner
    new_crown_id: Annotated[str, member("the id of the new registration, in decimal digits", "18")]


class EndAnnounced(RegistrationEvent, frozen=True, kw_only=True):
    """The service announced the end of a registration; until it takes effect its owner can object."""

    type: ClassVar[str] = "token.end_announced"
    once_per: ClassVar[tuple[str, ...]] = ("change",)
    owner: Owner
    reason: EndReason
    due_at: DueAt


class EndObjected(RegistrationEvent, frozen=True, kw_only=True):
    """An owner objected to the announced end of a registration; now the guardian of the registry has to confirm it."""

    type: ClassVar[str] = "token.end_objected"
    once_per: ClassVar[tuple[str, ...]] = ("change",)
    owner: Owner
    due_at: DueAt


class EndStopped(RegistrationEvent, frozen=True, kw_only=True):
    """The announced end of a registration does not take place."""

    type: ClassVar[str] = "token.end_stopped"
    once_per: ClassVar[tuple[str, ...]] = ("change",)
    stopped_by: Annotated[
        str, member("guardian if the guardian of the registry stopped it, service if it was withdrawn", "guardian")
    ]


class ProfileUpdated(RegistrationEvent, frozen=True, kw_only=True):
    """A registration's profile changed."""

    type: ClassVar[str] = "profile.updated"
    once_per: ClassVar[tuple[str, ...]] = ("change",)
    updated_fields: Annotated[
        tuple[str, ...], member("the names of the fields that changed", ["description", "website"])
    ]


def of_registration(
    event: Event, registration: Registration, happened_at: int | None = None, **facts: object
) -> Occurrence:
    """An event about a registration, recorded once for each registration and combination of ``once_per``."""
    key = unique_key(event, registration.chain_id, registration.token_id, **facts)
    return Occurrence(
        event,
        key,
        registration.symbol,
        chain_id=registration.chain_id,
        token_id=registration.token_id,
        happened_at=happened_at,
    )
