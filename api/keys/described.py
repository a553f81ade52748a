"""How events describe a key: its public prefix and its rights, never the key."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from api.http.times import timestamp
from api.outbound.destinations import Network
from api.security.scopes import granted
from api.store.audit import Actor
from warehouse.domain.events.event import given


def key_members(actor: Actor, key_id: UUID, name: str, prefix: str) -> dict[str, Any]:
    """The members of every event about a key."""
    return {**actor.members, "key_id": str(key_id), "name": name, "prefix": prefix}


def rights_members(
    scopes: Sequence[str] | None, allowed_addresses: Sequence[Network] | None, expires_at: datetime | None
) -> dict[str, Any]:
    """The members that say what a key may do, as far as an event has them."""
    return {
        "scopes": tuple(sorted(granted(scopes))),
        "allowed_addresses": tuple(map(str, allowed_addresses or ())),
        "expires_at": given(None if expires_at is None else timestamp(expires_at)),
    }
