"""What the parties are told of a deal: pings without terms, which only the account of a party gets."""

from collections.abc import Iterator, Mapping
from typing import Final
from uuid import UUID

from api.deals.states import PARTIES, Role
from warehouse.domain.events.deals import (
    DealAccepted,
    DealCancelled,
    DealCompleted,
    DealCreated,
    DealEvent,
    DealFailed,
    DealRejected,
)
from warehouse.domain.events.event import Occurrence, of_account

_TOLD: Final[Mapping[type[DealEvent], frozenset[Role]]] = {
    DealCreated: frozenset({Role.HOLDER}),
    DealAccepted: frozenset({Role.OFFERER}),
    DealRejected: frozenset({Role.OFFERER}),
    DealCancelled: PARTIES,
    DealCompleted: PARTIES,
    DealFailed: PARTIES,
}
_WORDS: Final[Mapping[type[DealEvent], tuple[str, str]]] = {
    DealCreated: ("Offer on {symbol}", "An offer arrived on your registration of {symbol}."),
    DealAccepted: ("Offer accepted: {symbol}", "The holder of {symbol} accepted your offer."),
    DealRejected: ("Offer rejected: {symbol}", "The holder of {symbol} rejected your offer."),
    DealCancelled: ("Deal cancelled: {symbol}", "A deal on {symbol} was cancelled before it settled."),
    DealCompleted: ("Deal completed: {symbol}", "A deal on {symbol} is complete."),
    DealFailed: ("Deal failed: {symbol}", "A deal on {symbol} was closed without settling."),
}


def told_roles(event: type[DealEvent]) -> frozenset[Role]:
    """The parties that an event is for."""
    return _TOLD[event]


def occurrences(
    event: type[DealEvent], *, deal_id: UUID, symbol: str, chain_id: int, accounts: Mapping[Role, UUID], site_url: str
) -> Iterator[Occurrence]:
    """The events for the accounts of the parties that are told; a party without an account is not."""
    title, body = (words.format(symbol=symbol) for words in _WORDS[event])
    made = event(
        deal_id=str(deal_id),
        title=title,
        body=body,
        symbol=symbol,
        chain_id=chain_id,
        action_url=f"{site_url}/deals/{deal_id}",
    )
    told = {accounts[role] for role in (Role.OFFERER, Role.HOLDER) if role in told_roles(event) and role in accounts}
    for account_id in sorted(told):
        yield of_account(made, account_id)
