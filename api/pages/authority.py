"""Who may act for a registration's page: a wallet session of its owner or of one of its managers.

Authority is checked twice: first when the request comes, and again by ``lock`` in the transaction that writes. In
between, a registration can end, change hands, or lose its id to another mint in a reorganisation.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, NamedTuple

from fastapi import Depends, Path, Query

from api.http.dependencies import ChainsDep, StoreDep
from api.http.errors import Forbidden, InvalidInput, raises
from api.http.fields import read_chain
from api.registrations.errors import RegistrationEnded, RegistrationNotFound, RegistrationRemoved
from api.registrations.reading import find_active
from api.registrations.repository import Ending, RegistrationRecord, RegistrationRepository
from api.security.access import Session, with_scope
from api.security.callers import WalletSession
from warehouse.domain.chains import Chain
from warehouse.store import Store, Transaction


class NotAManager(Forbidden):
    """No wallet of the session is the registration's owner or one of its managers."""

    code = "FORBIDDEN"
    text = "only the owner and the managers of this registration may do so"


@dataclass(frozen=True, slots=True)
class PageRecord:
    """The contents of a registration's page, and who may change it. ``presented`` is the metadata document with the
    ``profile`` merged over it."""

    symbol: str
    owner: str
    managers: Sequence[str]
    transaction_hash: str
    released_at: datetime | None
    expired_at: datetime | None
    end_reason: str | None
    profile: Mapping[str, Any]
    presented: Mapping[str, Any]
    embeds_enabled: bool


@dataclass(frozen=True, slots=True)
class ManagedRegistration:
    """An active registration that a wallet of the session may act for.

    Args:
        row: the store's row, as registration routes read it.
        chain: the chain of the registration.
        wallet: the session's wallet that is the owner or a manager; the owner if both signed in. A contract wallet
            counts only on the chain that it signed in on.
    """

    row: RegistrationRecord
    chain: Chain
    wallet: str

    @property
    def key(self) -> dict[str, int]:
        """Chain id and token id, as parameters of statements."""
        return {"chain_id": self.row.chain_id, "token_id": self.row.token_id}


class _NamedRegistration(NamedTuple):
    """The registration that a request names."""

    name: str
    chain: Chain


async def _named_registration(
    chains: ChainsDep,
    name: Annotated[str, Path(alias="id", description="Registration id, or a symbol.", examples=["1"])],
    chain: Annotated[
        str, Query(description="Chain of the registration: ids count on each chain anew.", examples=["base"])
    ],
) -> _NamedRegistration:
    return _NamedRegistration(name, read_chain(chains, chain))


NamedDep = Annotated[_NamedRegistration, Depends(_named_registration)]


async def lock(transaction: Transaction, registration: ManagedRegistration) -> PageRecord:
    """Lock the registration's row until the transaction ends, and read it as it is now. Every change of a page begins
    here: of two concurrent changes, the second waits and sees what the first wrote.

    Take this lock first: a transaction locks one registration, so transactions cannot deadlock. Statements that write
    many rows (``store/registrations/upsert``) touch pages only after they locked all of them. Foreign keys to the row
    do not wait for this lock.

    Raises:
        RegistrationEnded, RegistrationRemoved: since the request came.
        NotAManager: the wallet lost its role since the request came.
    """
    row = _require_active(
        await transaction.row("registrations/lock_managed", registration.key, PageRecord), registration
    )
    if registration.wallet not in (row.owner, *row.managers):
        raise NotAManager
    return row


async def reload(store: Store, registration: ManagedRegistration) -> PageRecord:
    """Read the same row without a lock.

    Raises:
        RegistrationEnded, RegistrationRemoved: since the request came.
    """
    return _require_active(await store.row("registrations/find_managed", registration.key, PageRecord), registration)


def _require_active(row: PageRecord | None, registration: ManagedRegistration) -> PageRecord:
    if row is None or row.transaction_hash != registration.row.transaction_hash:
        raise RegistrationRemoved
    if (ending := Ending.of(row.released_at, row.expired_at, row.end_reason)) is not None:
        raise RegistrationEnded(row.symbol, ending)
    return row


@raises(InvalidInput, RegistrationEnded, RegistrationNotFound, NotAManager)
async def managed_registration(
    session: Annotated[WalletSession, with_scope("api:write")], named: NamedDep, store: StoreDep
) -> ManagedRegistration:
    """The registration of the path, for a session that may change its page. Roles come from the registry's events, as
    in ``GET /registration/{id}/roles``.

    Raises:
        RegistrationNotFound, RegistrationEnded: there is no such registration, or it has ended.
        Forbidden: the session lacks the scope ``api:write``.
        NotAManager: no wallet of the session is the owner or a manager.
    """
    return await _find(session, named, store)


@raises(InvalidInput, RegistrationEnded, RegistrationNotFound, NotAManager)
async def readable_registration(session: Session, named: NamedDep, store: StoreDep) -> ManagedRegistration:
    """The registration of the path, for reads, which need no scope."""
    return await _find(session, named, store)


async def _find(session: WalletSession, named: _NamedRegistration, store: Store) -> ManagedRegistration:
    row = await find_active(RegistrationRepository(store), named.name, named.chain.chain_id)
    acting = [wallet for wallet in (row.owner, *row.managers) if session.controls(wallet, named.chain.chain_id)]
    if not acting:
        raise NotAManager
    return ManagedRegistration(row, named.chain, acting[0])


Managed = Annotated[ManagedRegistration, Depends(managed_registration)]
"""For routes that change something: the session needs the scope ``api:write``."""
ManagedToRead = Annotated[ManagedRegistration, Depends(readable_registration)]
