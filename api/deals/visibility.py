"""Who sees what of a deal, as one table: what is not in it is everybody's.

Outsiders are callers whose session, if there is one, controls neither the offerer nor the holder of the deal. Until an
offer is accepted, the wallet that has the registration counts as its holder.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from api.deals.states import DealType


class Audience(StrEnum):
    """Who reads a deal."""

    OUTSIDER = "outsider"
    OFFERER = "offerer"
    HOLDER = "holder"


class Field(StrEnum):
    """What is not shown to everybody."""

    ACTIONS = "actions"
    ATTESTATION_PROOF = "attestations: signature, message_hash, domain_separator, statement"
    EVENT_TERMS = "events: event_data.terms"
    OWN_TERMS = "terms, on the caller's own list"
    FUNDS_TIMELINE = "the checks of funds over time"


ALL_TYPES: Final = frozenset(DealType)
ANYONE: Final = frozenset(Audience)
PARTIES: Final = frozenset({Audience.OFFERER, Audience.HOLDER})

VISIBLE_TO: Final[Mapping[tuple[DealType, Field], frozenset[Audience]]] = {
    **{(kind, field): PARTIES for kind in DealType for field in Field if field is not Field.EVENT_TERMS},
    **{(kind, Field.EVENT_TERMS): ANYONE for kind in DealType if kind is not DealType.COLLAB},
    (DealType.COLLAB, Field.EVENT_TERMS): PARTIES,
}


def is_visible(kind: DealType, field: Field, audience: Audience) -> bool:
    """Whether an audience sees a field of a deal of this type."""
    return audience in VISIBLE_TO[kind, field]
