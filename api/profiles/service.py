"""Profiles, read and changed.

A change is one transaction that locks the registration's row (``lock``): concurrent changes are merged field by field,
and the later one wins where both set the same field. The same transaction writes the event, the history entry (by a
trigger of the event log) and the request to rebuild search documents (by a trigger of the registration), so each exists
exactly once if the change does. A repeated change changes and records nothing.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final
from uuid import uuid4

from api.http.errors import PreconditionFailed
from api.http.rendering import dumps
from api.pages.authority import ManagedRegistration, PageRecord, lock, reload
from api.profiles.schemas import Profile, ProfileChange, ProfileUpdate
from api.store.events import record
from warehouse.domain.events.registrations import ProfileUpdated, Registration, of_registration
from warehouse.store import Store

FLAG: Final = "nsfw"
FIELDS: Final = tuple(str(field.alias) for field in ProfileChange.model_fields.values())
"""The fields of a profile, as they are called on the wire and in the store."""


class ProfileChanged(PreconditionFailed):
    """``If-Match`` names an older state of the profile."""

    text = "If-Match: the profile has changed since it was read"


@dataclass(frozen=True, slots=True)
class Profiles:
    """Reads and changes profiles."""

    store: Store

    async def read(self, registration: ManagedRegistration) -> Profile:
        """The merged profile.

        Raises:
            RegistrationEnded, RegistrationRemoved: since the request came.
        """
        return Profile(**_wire(registration, await reload(self.store, registration)))

    async def change(
        self, registration: ManagedRegistration, change: ProfileChange, *, if_match: str | None = None
    ) -> ProfileUpdate:
        """Change the fields that are given. Safe to repeat.

        Raises:
            RegistrationEnded, RegistrationRemoved: since the request came.
            NotAManager: the wallet lost its role since the request came.
            ProfileChanged: ``if_match`` names another state of the profile.
        """
        given = change.model_dump(by_alias=True, include=change.model_fields_set)
        if FLAG in given:
            given[FLAG] = given[FLAG] is True
        async with self.store.transaction() as transaction:
            before = await lock(transaction, registration)
            if if_match is not None and not _matches(if_match, etag(_presented_fields(before))):
                raise ProfileChanged
            after = before
            if any(name not in before.profile or before.profile[name] != given[name] for name in given):
                changed = await transaction.row(
                    "profiles/change", {**registration.key, "changes": dumps(given).decode()}, PageRecord
                )
                assert changed is not None  # noqa: S101 - it is held
                after = changed
            was, now = _presented_fields(before), _presented_fields(after)
            updated = [name for name in FIELDS if was[name] != now[name]]
            if updated:
                chain = registration.chain
                about = Registration(chain.chain_id, chain.caip2, registration.row.token_id, after.symbol)
                event = ProfileUpdated(**about.members, updated_fields=tuple(updated))
                # A change that is repeated records nothing, so no two events are of the same one.
                await record(transaction, of_registration(event, about, change=uuid4()))
        return ProfileUpdate(**_wire(registration, after), updated_fields=updated)


def etag(fields: Mapping[str, Any] | Profile) -> str:
    """The tag of what is presented: it follows from the fields alone."""
    if isinstance(fields, Profile):
        wire = fields.model_dump(by_alias=True)
        fields = {name: wire[name] for name in FIELDS}
    return f'"{hashlib.sha256(dumps(fields)).hexdigest()[:32]}"'


def _matches(if_match: str, tag: str) -> bool:
    """Whether the header allows a change of the profile with this tag, compared strongly (RFC 9110, 13.1.1)."""
    return any(one.strip() in ("*", tag) for one in if_match.split(","))


def _presented_fields(row: PageRecord) -> dict[str, Any]:
    """The fields as they are presented; what a document says in another type is nothing."""
    said: Mapping[str, Any] = row.presented
    found: dict[str, Any] = {name: said.get(name) for name in FIELDS}
    return {name: value is True if name == FLAG else _text(value) for name, value in found.items()}


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _wire(registration: ManagedRegistration, row: PageRecord) -> dict[str, Any]:
    return {
        **registration.key,
        "symbol": row.symbol,
        **_presented_fields(row),
        "set_here": sorted(row.profile),
    }
