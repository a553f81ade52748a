"""GET /registration/{id}/history."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any

from fastapi import Path, Query

from api.history import examples
from api.history.schemas import HistoryEntry, HistoryHead, RegistrationHistory
from api.http.dependencies import ChainsDep, ClockDep, StoreDep, TokensDep
from api.http.examples import success_examples
from api.http.fields import read_chain
from api.http.groups import RouteGroup
from api.http.rendering import JsonResponse, respond
from api.http.routes import QueryRoute
from api.http.times import timestamp
from api.registrations.errors import RegistrationNotFound
from api.registrations.reading import find_registration
from api.registrations.repository import RegistrationRecord, RegistrationRepository
from api.security.access import ApiKey
from api.security.scopes import KeyScope

GROUP = RouteGroup(prefix="/api/v2/registration", key_scope=KeyScope.READ)
KIND = "registration-history+v1"


@dataclass(frozen=True, slots=True)
class LinkRecord:
    """The head of a history with one of its entries. ``sequence`` is None if there is no further entry."""

    head_sequence: int
    head_hash: str
    sequence: int | None
    type: str
    at: datetime
    data: Mapping[str, Any]
    previous_hash: str
    hash: str


router = GROUP.router(tags=["registrations"], route_class=QueryRoute)


@router.get(
    "/{id}/history",
    response_model=RegistrationHistory,
    responses=success_examples(("history", examples.HISTORY), ("nothing final", examples.NOTHING))
    | GROUP.responses(RegistrationNotFound),
)
async def get_registration_history(
    access: ApiKey,
    store: StoreDep,
    tokens: TokensDep,
    chains: ChainsDep,
    clock: ClockDep,
    name: Annotated[str, Path(alias="id", description="Registration id, or a symbol.", examples=["PEPE"])],
    chain: Annotated[str | None, Query(description="Chain of the id or symbol.", examples=["base"])] = None,
    after: Annotated[int, Query(ge=0, le=2**53, description="`nextAfter` of the previous page.")] = 0,
    limit: Annotated[int, Query(ge=1, le=500, description="Maximum entries in a response.")] = 100,
) -> JsonResponse:
    """What happened to a registration, oldest first, as a chain of hashes that anyone can verify; its head is signed.
    On-chain events appear once they are final."""
    chain_id = None if chain is None else read_chain(chains, chain).chain_id
    registration = await find_registration(RegistrationRepository(store), name, chain_id)
    key = {"chain_id": registration.chain_id, "token_id": registration.token_id}
    rows = await store.rows("history/list_entries", {**key, "after": after, "limit": limit}, LinkRecord)
    entries = _entries(registration, rows)
    head = None
    if rows:
        sequence, link = rows[0].head_sequence, rows[0].head_hash
        about = {"chainId": key["chain_id"], "tokenId": str(key["token_id"]), "sequence": sequence, "hash": link}
        jws = tokens.sign_statement(KIND, about, now=clock.now())
        head = HistoryHead(sequence=sequence, hash=link, jws=jws)
    more = head is not None and bool(entries) and entries[-1].sequence < head.sequence
    return respond(
        RegistrationHistory(**key, entries=entries, next_after=entries[-1].sequence if more else None, head=head)
    )


def _entries(registration: RegistrationRecord, rows: Sequence[LinkRecord]) -> list[HistoryEntry]:
    return [
        HistoryEntry(
            chain_id=registration.chain_id,
            token_id=str(registration.token_id),
            sequence=row.sequence,
            type=row.type,
            at=timestamp(row.at),
            data=row.data,
            previous_hash=row.previous_hash,
            hash=row.hash,
        )
        for row in rows
        if row.sequence is not None
    ]
