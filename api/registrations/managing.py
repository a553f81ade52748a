"""Who may change a registration's page: a wallet session of its owner or of one of its managers.

That is asked twice: before anything else is done for a request, and by ``hold`` in the transaction that writes. Between
the two a registration can end, change hands, or give its id to another mint in a reorganisation.
"""

from dataclasses import dataclass
from typing import Annotated, Final, NamedTuple

from fastapi import Depends, Path, Query

from api.http.dependencies import ChainsDep, StoreDep
from api.http.errors import Case, Forbidden, NotFound
from api.registrations.reading import find_registration, read_chain
from api.registrations.repository import RegistrationRepository
from api.security.access import Session, with_scope
from api.security.callers import WalletSession
from warehouse.domain.chains import Chain
from warehouse.store import Row, Store, Transaction

NOT_A_MANAGER: Case = ("FORBIDDEN", "only the owner and the managers of this registration may do so")

_READ: Final = """
SELECT symbol, owner, managers, transaction_hash, released_at, expired_at, profile, presented, embeds_enabled
FROM registration WHERE chain_id = %(chain_id)s AND token_id = %(token_id)s
"""
_HOLD: Final = f"{_READ} FOR NO KEY UPDATE"


@dataclass(frozen=True, slots=True)
class ManagedRegistration:
    """A registration that stands, and that the session's wallets may act for.

    Args:
        row: of the store, as the registration routes read it.
        chain: that it is on.
        wallet: the one of the session's wallets that is the owner or a manager; the owner where both signed in. A
            contract wallet counts on the chain that it signed on.
    """

    row: Row
    chain: Chain
    wallet: str

    @property
    def key(self) -> dict[str, int]:
        """Its chain id and token id, as statements name them."""
        return {"chain_id": self.row["chain_id"], "token_id": self.row["token_id"]}


class _Place(NamedTuple):
    """Which registration a request names."""

    name: str
    chain: Chain


async def _place(
    chains: ChainsDep,
    name: Annotated[str, Path(alias="id", description="Registration id, or a symbol.", examples=["1"])],
    chain: Annotated[
        str, Query(description="Chain of the registration: ids count on each chain anew.", examples=["base"])
    ],
) -> _Place:
    return _Place(name, read_chain(chains, chain))


PlaceDep = Annotated[_Place, Depends(_place)]


async def hold(transaction: Transaction, registration: ManagedRegistration) -> Row:
    """The registration's row as it is now, which nobody changes until the transaction ends: of two who change one page
    the second waits here, and sees what the first wrote. What every change of a page begins with.

    It is the first lock that a transaction takes, and the only one of a registration, so that it is part of no circle:
    what writes many rows at once (``store/registrations/upsert``) touches their pages only when it has all of them.
    References to the row do not wait for it.

    Raises:
        NotFound: the chain took the registration back since the request came, or it has ended.
        Forbidden: the wallet is neither its owner nor a manager any more.
    """
    row = _require_standing(await transaction.row(_HOLD, registration.key), registration)
    if registration.wallet not in (row["owner"], *row["managers"]):
        raise Forbidden(NOT_A_MANAGER[1])
    return row


async def look(store: Store, registration: ManagedRegistration) -> Row:
    """The same row, for those who only read it.

    Raises:
        NotFound: the chain took the registration back since the request came, or it has ended.
    """
    return _require_standing(await store.row(_READ, registration.key), registration)


def _require_standing(row: Row | None, registration: ManagedRegistration) -> Row:
    if row is None or row["transaction_hash"] != registration.row["transaction_hash"]:
        raise NotFound("id: the chain took the registration back")
    if row["released_at"] is not None or row["expired_at"] is not None:
        raise NotFound("id: the registration has ended")
    return row


async def managed_registration(
    session: Annotated[WalletSession, with_scope("api:write")], place: PlaceDep, store: StoreDep
) -> ManagedRegistration:
    """The registration of the path, for whoever may change its page. Roles are those of the registry's events, as
    ``GET /registration/{id}/roles`` tells them.

    Raises:
        NotFound: there is none, or it has ended.
        Forbidden: no wallet of the session is its owner or a manager, or it may not change anything.
    """
    return await _find(session, place, store)


async def seen_registration(session: Session, place: PlaceDep, store: StoreDep) -> ManagedRegistration:
    """The same for reads, which need no scope."""
    return await _find(session, place, store)


async def _find(session: WalletSession, place: _Place, store: Store) -> ManagedRegistration:
    row = await find_registration(RegistrationRepository(store), place.name, place.chain.chain_id)
    if row["released_at"] is not None or row["expired_at"] is not None:
        raise NotFound(f"id: registration {place.name[:40]} has ended")
    acting = [wallet for wallet in (row["owner"], *row["managers"]) if session.controls(wallet, place.chain.chain_id)]
    if not acting:
        raise Forbidden(NOT_A_MANAGER[1])
    return ManagedRegistration(row, place.chain, acting[0])


Managed = Annotated[ManagedRegistration, Depends(managed_registration)]
"""Of a route that changes something: the session needs the scope api:write."""
ManagedToRead = Annotated[ManagedRegistration, Depends(seen_registration)]
