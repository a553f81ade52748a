"""The lookups at the root of the API's host: GET /registration/unified/..., /v2/symbol/.../all-chains, /{id}/roles."""

from typing import Annotated

from fastapi import Path, Query

from api.http import fields
from api.http.addresses import evm_address
from api.http.dependencies import ChainsDep, ClockDep, StoreDep
from api.http.errors import InvalidInput
from api.http.examples import success_examples
from api.http.fields import SymbolPath, read_chain, read_symbol
from api.http.groups import RouteGroup
from api.http.rendering import JsonResponse, respond
from api.http.routes import QueryRoute
from api.http.times import timestamp
from api.registrations import examples
from api.registrations.errors import RegistrationEnded, RegistrationNotFound
from api.registrations.reading import find_active
from api.registrations.repository import LinkedRegistration, RegistrationRepository
from api.registrations.schemas import AllChains, AllChainsEntry, ChainType, Roles, UnifiedRegistration
from api.registrations.statuses import registration_status
from api.security.access import ApiKey
from api.security.scopes import KeyScope
from warehouse.domain.addresses import AddressFormat, checksum_address
from warehouse.domain.chains import Chains

GROUP = RouteGroup(prefix="/registration", key_scope=KeyScope.READ)

router = GROUP.router(tags=["registrations"], route_class=QueryRoute)


@router.get(
    "/unified/{symbol}",
    response_model=UnifiedRegistration,
    responses=success_examples(("registration", examples.UNIFIED))
    | GROUP.responses(InvalidInput, RegistrationEnded, RegistrationNotFound),
)
async def get_unified_registration(
    access: ApiKey, store: StoreDep, chains: ChainsDep, symbol: SymbolPath
) -> JsonResponse:
    """The first registration of a symbol over all chains. A mint counts as confirmed with its block."""
    wanted = read_symbol("symbol", symbol)
    repository = RegistrationRepository(store)
    rows = await repository.active_of_symbol(wanted)
    if not rows:
        last = await repository.first_of_symbol(wanted, None)
        if last is not None and last.ending is not None:
            raise RegistrationEnded(wanted, last.ending, field="symbol")
        raise RegistrationNotFound(f"symbol: no registration of {wanted}")
    first = rows[0]
    return respond(
        UnifiedRegistration(
            symbol=first.symbol,
            owner=checksum_address(first.owner),
            token_id=first.token_id,
            chain_id=first.chain_id,
            status="confirmed",
            primary_type=_chain_type(chains, first),
            primary_claimed_at=timestamp(first.minted_at),
            is_pending=False,
        )
    )


@router.get(
    "/v2/symbol/{symbol}/all-chains",
    response_model=AllChains,
    responses=success_examples(("registrations", examples.ALL_CHAINS), ("none", examples.NO_CHAINS)),
)
async def list_registrations_of_symbol(
    access: ApiKey,
    store: StoreDep,
    chains: ChainsDep,
    clock: ClockDep,
    symbol: SymbolPath,
    exclude_evm: Annotated[
        str | None,
        Query(
            alias="excludeEvm",
            description="Leaves out registrations that this EVM address owns.",
            json_schema_extra=fields.EVM_ADDRESS,
        ),
    ] = None,
) -> JsonResponse:
    """Every active registration of a symbol, oldest first. Registrations of one owner, or that name each other as
    canonical peer, are linked."""
    wanted = read_symbol("symbol", symbol)
    excluded = None if exclude_evm is None else evm_address("excludeEvm", exclude_evm)
    rows = await RegistrationRepository(store).active_of_symbol(wanted)
    now = clock.now()
    entries = [
        AllChainsEntry(
            token_id=row.token_id,
            owner=checksum_address(row.owner),
            owner_type=ChainType.EVM if row.owner.startswith("0x") else ChainType.SOLANA,
            chain_type=_chain_type(chains, row),
            chain_id=row.chain_id,
            is_linked=row.linked > 1,
            is_active=registration_status(row, None, row.score, now) != "inactive",
            deployment_count=row.linked,
            primary_chain_id=_primary_chain(chains, row),
            is_pending=False,
        )
        for row in rows
        if row.owner != excluded
    ]
    return respond(AllChains(symbol=wanted, crowns=entries))


@router.get(
    "/{id}/roles",
    response_model=Roles,
    responses=success_examples(("roles", examples.ROLES)) | GROUP.responses(RegistrationEnded, RegistrationNotFound),
)
async def get_registration_roles(
    access: ApiKey,
    store: StoreDep,
    chains: ChainsDep,
    name: Annotated[str, Path(alias="id", description="Registration id, or a symbol.", examples=["PEPE"])],
    chain: Annotated[str | None, Query(description="Chain of the id or symbol.", examples=["base"])] = None,
) -> JsonResponse:
    """Who may act for a registration, from the registry's events up to `asOfBlock`. The primary manager is the one
    named first."""
    chain_id = None if chain is None else read_chain(chains, chain).chain_id
    repository = RegistrationRepository(store)
    row = await find_active(repository, name, chain_id)
    block = await repository.published_block(row.chain_id)
    managers = [checksum_address(account) for account in row.managers]
    return respond(
        Roles(
            token_id=row.token_id,
            chain_id=row.chain_id,
            owner=checksum_address(row.owner),
            manager=managers[0] if managers else None,
            managers=managers,
            maintainers=[checksum_address(account) for account in row.maintainers],
            is_pending=False,
            as_of_block=max(row.block_number, block or 0),
        )
    )


def _chain_type(chains: Chains, row: LinkedRegistration) -> ChainType:
    chain = chains.by_id(row.chain_id)
    return ChainType(chain.kind) if chain else ChainType.EVM


def _primary_chain(chains: Chains, row: LinkedRegistration) -> int | None:
    """The EVM chain of the oldest linked registration; None if that one or this one is on Solana."""
    for chain_id in (row.chain_id, row.primary_chain_id):
        chain = chains.by_id(chain_id)
        if chain is not None and chain.address_format is not AddressFormat.HEX:
            return None
    return row.primary_chain_id
