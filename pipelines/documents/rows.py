"""One search document: what search serves of a token, made from its identity, holders, market and registration."""

from collections.abc import Mapping
from decimal import Decimal, localcontext
from operator import itemgetter
from typing import Annotated, Any, NamedTuple

from pipelines import frames
from pipelines.documents.inputs import TokenInputs, TokenRegistration
from pipelines.pricing import round_usd
from pipelines.ranking import believed_value, market_score
from warehouse.domain.addresses import digits_of, stored_from_digits
from warehouse.domain.amm import EXACT
from warehouse.domain.chains import Chain
from warehouse.domain.mints import MintControl
from warehouse.domain.symbols import fold, symbol_key
from warehouse.domain.trust import trust_flags


class DocumentKey(NamedTuple):
    """What identifies a document."""

    symbol_key: str
    chain_id: int
    address: str


class AsOf(NamedTuple):
    """A block, and its time in unix seconds."""

    block_number: int
    time_seconds: int


class Document(NamedTuple):
    """A row of ``serve_token``. Addresses are hexadecimal without prefix, times unix seconds, shares and changes
    fractions; ``total_supply_raw`` is in base units."""

    symbol_key: Annotated[str, frames.TEXT]
    chain_id: Annotated[int, frames.UINT32]
    address: Annotated[str, frames.HEX]
    version: Annotated[int, frames.UINT64]
    deleted: Annotated[int, frames.UINT8]
    symbol: Annotated[str, frames.TEXT]
    symbol_folded: Annotated[str, frames.TEXT]
    name: Annotated[str, frames.TEXT]
    name_source: Annotated[str, frames.TEXT]
    sources: Annotated[tuple[str, ...], frames.TEXTS]
    decimals: Annotated[int | None, frames.UINT8]
    total_supply_raw: Annotated[int | None, frames.UINT256]
    holders: Annotated[int | None, frames.UINT64]
    top10_share: Annotated[Decimal | None, frames.decimal(18, 9)]
    price_usd: Annotated[Decimal | None, frames.decimal(76, 36)]
    price_confidence: Annotated[Decimal | None, frames.decimal(4, 3)]
    price_source: Annotated[str, frames.TEXT]
    market_cap_usd: Annotated[Decimal | None, frames.decimal(76, 6)]
    fdv_usd: Annotated[Decimal | None, frames.decimal(76, 6)]
    volume_24h_usd: Annotated[Decimal | None, frames.decimal(76, 6)]
    liquidity_usd: Annotated[Decimal | None, frames.decimal(76, 6)]
    price_change_1h: Annotated[Decimal | None, frames.decimal(38, 6)]
    price_change_6h: Annotated[Decimal | None, frames.decimal(38, 6)]
    price_change_24h: Annotated[Decimal | None, frames.decimal(38, 6)]
    transactions_24h: Annotated[int | None, frames.UINT64]
    market_score: Annotated[Decimal, frames.decimal(18, 9)]
    token_rank: Annotated[int | None, frames.UINT64]
    heartbeat_score: Annotated[Decimal | None, frames.decimal(5, 2)]
    deployed_at: Annotated[int | None, frames.TIME]
    deployed_block: Annotated[int | None, frames.UINT64]
    deployed_index: Annotated[int | None, frames.UINT32]
    deployer: Annotated[str, frames.HEX]
    deployed_directly: Annotated[int, frames.UINT8]
    named_block: Annotated[int | None, frames.UINT64]
    named_at: Annotated[int | None, frames.TIME]
    program: Annotated[str, frames.TEXT]
    mint_authority: Annotated[str, frames.HEX]
    freeze_authority: Annotated[str, frames.HEX]
    update_authority: Annotated[str, frames.HEX]
    trust_flags: Annotated[tuple[str, ...], frames.TEXTS]
    first_seen_at: Annotated[int, frames.TIME]
    is_copy: Annotated[int, frames.UINT8]
    copy_of_chain_id: Annotated[int, frames.UINT32]
    copy_of_address: Annotated[str, frames.HEX]
    copy_rule: Annotated[str, frames.TEXT]
    copy_unknown: Annotated[str, frames.TEXT]
    copy_until: Annotated[int | None, frames.TIME]
    registration_token_id: Annotated[int | None, frames.UINT64]
    registration_owner: Annotated[str, frames.HEX]
    registration_manager: Annotated[str, frames.HEX]
    registry_address: Annotated[str, frames.HEX]
    registered_at: Annotated[int | None, frames.TIME]
    registration_expired: Annotated[int, frames.UINT8]
    verification_method: Annotated[str, frames.TEXT]
    verified_at: Annotated[int | None, frames.TIME]
    made_by_factory: Annotated[int, frames.UINT8]
    logo_url: Annotated[str, frames.TEXT]
    website: Annotated[str, frames.TEXT]
    twitter: Annotated[str, frames.TEXT]
    telegram: Annotated[str, frames.TEXT]
    discord: Annotated[str, frames.TEXT]
    as_of_block: Annotated[int, frames.UINT64]
    as_of_time: Annotated[int, frames.TIME]

    @property
    def key(self) -> DocumentKey:
        """What identifies it."""
        return DocumentKey(self.symbol_key, self.chain_id, self.address)

    @property
    def stored_address(self) -> str:
        """Its address as the store holds it."""
        return stored_from_digits(self.address)


COLUMNS: Mapping[str, frames.Kind] = frames.kinds(Document)
# Types are compared by identity: comparing an Arrow type with a name costs more than all else about a row.
_SOURCES = [f"{name}_hex" if kind is frames.HEX else name for name, kind in COLUMNS.items()]
_TIMES = [place for place, kind in enumerate(COLUMNS.values()) if kind is frames.TIME]
_LISTS = [place for place, kind in enumerate(COLUMNS.values()) if kind is frames.TEXTS]
_shown = itemgetter(
    *(place for place, name in enumerate(COLUMNS) if name not in ("version", "as_of_block", "as_of_time"))
)
_LINKS = {
    "logo_url": "logoUrl",
    "website": "website",
    "twitter": "twitter",
    "telegram": "telegram",
    "discord": "discord",
}
_SHARE_DIGITS = Decimal("1e-9")


def document(
    token: TokenInputs, registration: TokenRegistration | None, chain: Chain, as_of: AsOf, counted_through: int
) -> Document:
    """The document of one token. Its copy verdict and rank are added once the other tokens of its symbol are known.

    All its figures are true of the block ``as_of``. The chain's holders are counted up to block ``counted_through``.
    """
    counted = token.is_counted(counted_through)
    supply = _supply_metrics(token, counted, as_of.block_number)
    priced = token.price_usd is not None
    return Document(
        symbol_key=symbol_key(token.symbol),
        chain_id=chain.chain_id,
        address=token.token,
        version=0,
        deleted=0,
        symbol=token.symbol,
        symbol_folded=fold(token.symbol),
        name=token.name,
        name_source="indexer",
        sources=(*(["registry"] if registration else []), "indexer", *(["market"] if priced else [])),
        decimals=token.decimals,
        total_supply_raw=supply.total_supply_raw,
        holders=max(0, token.holders) if counted else None,
        top10_share=supply.top10_share,
        price_usd=token.price_usd,
        price_confidence=token.price_confidence,
        price_source=token.price_source,
        market_cap_usd=supply.market_cap_usd,
        fdv_usd=supply.fdv_usd,
        volume_24h_usd=token.volume_24h_usd,
        liquidity_usd=token.liquidity_usd,
        price_change_1h=token.price_change_1h,
        price_change_6h=token.price_change_6h,
        price_change_24h=token.price_change_24h,
        transactions_24h=token.transactions_24h,
        market_score=market_score(supply.market_cap_usd, token.volume_24h_usd, token.liquidity_usd),
        token_rank=None,
        heartbeat_score=token.heartbeat_score if token.has_score else None,
        deployed_at=token.created_time_seconds,
        deployed_block=token.created_block,
        deployed_index=token.creation_index,
        deployer=token.deployer(chain),
        deployed_directly=int(token.made_directly),
        named_block=token.named_block,
        named_at=token.named_time_seconds,
        program=token.program,
        mint_authority=token.authority(MintControl.MINT_AUTHORITY),
        freeze_authority=token.authority(MintControl.FREEZE_AUTHORITY),
        update_authority=token.authority(MintControl.UPDATE_AUTHORITY),
        trust_flags=trust_flags(token.traits, (kind for kind, account, _, _ in token.authorities if account)),
        first_seen_at=token.first_time_seconds,
        is_copy=0,
        copy_of_chain_id=0,
        copy_of_address="",
        copy_rule="",
        copy_unknown="",
        copy_until=None,
        made_by_factory=int(_is_made_by_us(token, chain)),
        as_of_block=as_of.block_number,
        as_of_time=as_of.time_seconds,
        **_registration_columns(registration),
    )


def differs(row: Document, current: Document | None) -> bool:
    """Whether a row differs from the current one in what it shows."""
    return current is None or _shown(row) != _shown(current)


def _is_made_by_us(token: TokenInputs, chain: Chain) -> bool:
    ours = chain.contracts.get("factory")
    return ours is not None and token.factory == digits_of(ours)


class _SupplyMetrics(NamedTuple):
    total_supply_raw: int | None
    top10_share: Decimal | None
    market_cap_usd: Decimal | None
    fdv_usd: Decimal | None


def _supply_metrics(token: TokenInputs, counted: bool, as_of_block: int) -> _SupplyMetrics:
    supply, price, decimals = token.total_supply_raw(as_of_block), token.price_usd, token.decimals
    cap = fdv = share = None
    with localcontext(EXACT):
        if supply and counted:
            share = min(Decimal(1), Decimal(sum(token.top_balances_raw)) / Decimal(supply)).quantize(_SHARE_DIGITS)
        if price is not None and decimals is not None and supply is not None:
            circulating = max(0, supply - max(0, token.dead_raw))
            fdv = believed_value(round_usd(price * Decimal(supply).scaleb(-decimals)), token.liquidity_usd)
            cap = believed_value(round_usd(price * Decimal(circulating).scaleb(-decimals)), token.liquidity_usd)
    return _SupplyMetrics(supply, share, cap, fdv)


def _registration_columns(registration: TokenRegistration | None) -> dict[str, Any]:
    if registration is None:
        return {
            "registration_token_id": None,
            "registration_owner": "",
            "registration_manager": "",
            "registry_address": "",
            "registered_at": None,
            "registration_expired": 0,
            "verification_method": "",
            "verified_at": None,
            **dict.fromkeys(_LINKS, ""),
        }
    managers, verified_at = registration.managers, registration.verified_at
    return {
        "registration_token_id": registration.token_id,
        "registration_owner": digits_of(registration.owner),
        "registration_manager": digits_of(managers[0]) if managers else "",
        "registry_address": digits_of(registration.registry),
        "registered_at": int(registration.minted_at.timestamp()),
        "registration_expired": int(registration.expired_at is not None),
        "verification_method": registration.verification_method or "",
        "verified_at": None if verified_at is None else int(verified_at.timestamp()),
        **{column: _text(registration.presented.get(key)) for column, key in _LINKS.items()},
    }


def _text(value: Any) -> str:
    """What the owner or the document's author wrote; empty if it is not text."""
    return value if isinstance(value, str) else ""


def from_warehouse(row: Mapping[str, Any]) -> Document:
    """A row of ``documents/current_tokens`` as a document."""
    values = [row[source] for source in _SOURCES]
    for place in _TIMES:
        if values[place] is not None:
            values[place] = int(values[place].timestamp())
    for place in _LISTS:
        values[place] = tuple(values[place])
    return Document._make(values)
