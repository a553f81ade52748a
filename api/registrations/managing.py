"""Who may change a registration's page: a wallet session of its owner or of one of its managers."""

from dataclasses import dataclass
from typing import Annotated, NamedTuple

from fastapi import Depends, Path, Query

from api.core.access import Session, WalletSession, with_scope
from api.core.dependencies import ChainsDep, StoreDep
from api.core.errors import Case, Forbidden, NotFound
from api.core.store import Row, Store
from api.registrations.reading import find_registration, read_chain
from api.registrations.repository import RegistrationRepository
from indexer.chains.facts import Chain

NOT_A_MANAGER: Case = ("FORBIDDEN", "only the owner and the managers of this registration may do so")


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
