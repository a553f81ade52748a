"""What a subscription may have: address, events, filter, and how many there may be. Pure rules."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from api.http.errors import InvalidInput
from api.outbound.destinations import UrlRefused, validate_url
from api.settings import ApiSettings
from api.webhooks.schemas import Filter
from warehouse.domain.chains import Chains
from warehouse.domain.events.catalogue import EVENTS

LIMITS: Final[Mapping[str, int]] = {"developer": 5, "partner": 25, "enterprise": 100}
"""The most subscriptions of an account, by plan. Lower plans have none."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which events a subscription is for; null matches everything."""

    events: list[str]
    crown_ids: list[int] | None
    chain_ids: list[int] | None


def read_url(url: str, settings: ApiSettings) -> str:
    """The address of a receiver, as given.

    Raises:
        InvalidInput: it is not one that is called.
    """
    try:
        validate_url(url, allow_loopback=settings.outbound_loopback, refused=settings.outbound_refused)
    except UrlRefused as error:
        raise InvalidInput("url", str(error)) from error
    return url


def read_events(names: Sequence[str], field: str = "events") -> list[str]:
    """Types of events, each once, in their order.

    Raises:
        InvalidInput: one is not in the catalogue.
    """
    for name in names:
        if name not in EVENTS:
            raise InvalidInput(field, f"{name[:80]!a} is no type of event; GET /api/v2/webhooks/events lists them")
    return list(dict.fromkeys(names))


def read_filter(given: Filter | None, chains: Chains) -> tuple[list[int] | None, list[int] | None]:
    """Ids of registrations and of chains.

    Raises:
        InvalidInput: a chain is none of this service's, or not written as CAIP-2.
    """
    if given is None:
        return None, None
    crown_ids = None if given.crown_ids is None else sorted(set(given.crown_ids))
    if given.chains is None:
        return crown_ids, None
    by_name = {chain.caip2: chain.chain_id for chain in chains.by_key.values()}
    for name in given.chains:
        if name not in by_name:
            raise InvalidInput(
                "filter.chains", f"{name[:80]!a} is no chain of this service; write it as CAIP-2, such as eip155:8453"
            )
    return crown_ids, sorted({by_name[name] for name in given.chains})


def require_order(begin: datetime, end: datetime) -> None:
    """Check that a period does not end before it begins.

    Raises:
        InvalidInput: it does.
    """
    if end < begin:
        raise InvalidInput("to", "must not be before from")
