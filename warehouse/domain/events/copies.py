"""Tokens that impersonate a registered one."""

from typing import Annotated, ClassVar

from msgspec import Struct

from warehouse.domain.events.event import Event, member
from warehouse.domain.events.examples import ADDRESS

_COPY = "0x4F9Fd6Be4a90f2620860d680c0d4d5Fb53d1A825"


class Sighting(Struct, frozen=True, kw_only=True):
    """A token that impersonates a registered one."""

    chain_id: Annotated[int, member("the chain's number", 8453)]
    chain_name: Annotated[str, member("the chain's name", "Base")]
    address: Annotated[str, member("the token's contract", _COPY, **ADDRESS)]
    explorer_url: Annotated[str, member("the token in a block explorer", f"https://basescan.org/token/{_COPY}")]


class CopycatDetected(Event, frozen=True, kw_only=True):
    """A token that impersonates a registered one was found."""

    type: ClassVar[str] = "token.copycat_detected"
    once_per: ClassVar[tuple[str, ...]] = ("copies",)
    plan: ClassVar[str | None] = "pro_plus"
    sightings: Annotated[tuple[Sighting, ...], member("the tokens found: chain_id, chain_name, address, explorer_url")]
    action_url: Annotated[str, member("the page of the registered token", "https://example.com/token/17")]
