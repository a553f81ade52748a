"""What the documents and the provenance of tokens are made of, as the warehouse and the store return it.

Addresses are hexadecimal, with the prefix only where the store returned them. Fields in ``_raw`` are base units, fields
in ``_seconds`` unix seconds.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Any

from warehouse.domain.addresses import digits_of
from warehouse.domain.chains import Chain
from warehouse.domain.mints import MintControl


@dataclass(frozen=True, slots=True)
class SupplyInputs:
    """What is known of a token's supply: its own last statement, and the sum of mints less burns."""

    reading_supply_raw: int | None
    read_block: int
    supply_raw: int
    last_supply_block: int
    created_block: int | None

    def total_supply_raw(self, as_of_block: int | None = None) -> int | None:
        """What was minted less what was burned, if the token's whole life was seen and its supply changed after its
        own statement was read, or that was read after ``as_of_block``; otherwise its own statement."""
        reading, held = self.reading_supply_raw, self.supply_raw
        whole_life = self.created_block is not None
        is_later = as_of_block is not None and self.read_block > as_of_block
        if reading is None or (whole_life and held > 0 and (is_later or self.last_supply_block > self.read_block)):
            return held if held > 0 else reading
        return reading


@dataclass(frozen=True, slots=True)
class ControlInputs(SupplyInputs):
    """What decides who controls a token (``provenance/inputs``)."""

    token: str
    deleted: int
    name: str
    symbol: str
    owner: str
    admins: Sequence[str]
    creator: str
    factory: str
    transaction_to: str
    largest_wallets: Sequence[str]
    top_balances_raw: Sequence[int]
    decimals: int | None
    program: str
    traits: Sequence[str]
    authorities: Sequence[tuple[str, str, int, int]]
    """Of Solana: kind, account, and block and unix seconds since which it has been so. Of an authority that nobody has
    any more, the account is empty, and the times are those of its last holder."""
    silent: frozenset[str] = field(default=frozenset(), kw_only=True)
    """Accounts that do not speak for this token, such as launchpads'. :mod:`pipelines.provenance.silent` finds them."""
    holder_is_shared: bool = field(default=False, kw_only=True)
    """Whether the largest holder signed for so many mints that it speaks for none. Found in the same place."""

    def authority(self, kind: MintControl) -> str:
        """The account that has an authority; empty if nobody has."""
        return next((account for held, account, _, _ in self.authorities if held == kind), "")

    @property
    def is_token(self) -> bool:
        """Whether it is served: it was not removed, and is no single item, one indivisible unit of which no more can be
        minted. Metaplex marks those that it knows; a mint of Token-2022 may need no Metaplex."""
        if self.deleted:
            return False
        indivisible = bool(self.program) and self.decimals == 0
        return not (indivisible and self.total_supply_raw() == 1 and not self.authority(MintControl.MINT_AUTHORITY))

    @property
    def has_majority(self) -> bool:
        """Whether its largest holder has more than half of the supply."""
        supply = self.total_supply_raw()
        return bool(supply and self.top_balances_raw and 2 * self.top_balances_raw[0] > supply)

    @property
    def made_directly(self) -> bool:
        """Whether the account that signed the creating transaction made the contract, without a factory or relayer."""
        return bool(self.creator) and not self.factory and not self.transaction_to

    def deployer(self, chain: Chain) -> str:
        """Who made the contract: the sender of the transaction, or, when a relayer sent it or it went to one (an
        ERC-4337 entry point), the contract that made it for them. Never a relayer or its bundler. Empty if unknown.
        On Solana the account that paid for the mint and signed for it."""
        if chain.has_authorities:
            return "" if self.creator in self.silent else self.creator
        relayers = {digits_of(relayer) for relayer in chain.relayers}
        relayed = self.creator in relayers or self.transaction_to in relayers
        account = self.factory if relayed else self.creator
        return "" if account in relayers else account


@dataclass(frozen=True, slots=True)
class TokenInputs(ControlInputs):
    """Everything in a token's document except its registration and copy verdict (``documents/inputs``)."""

    first_block: int
    first_time_seconds: int
    created_time_seconds: int | None
    creation_index: int | None
    named_block: int | None
    named_time_seconds: int | None
    counted: int
    """Whether its holders were counted."""
    counted_block: int
    """The block as of which they were counted last; 0 if they never were. Its last transfer is at or below it."""
    moved_seconds: int
    """The time of its last transfer; 0 if it has none."""
    holders: int
    dead_raw: int
    price_usd: Decimal | None
    price_confidence: Decimal | None
    price_source: str
    liquidity_usd: Decimal | None
    volume_24h_usd: Decimal | None
    transactions_24h: int | None
    price_change_1h: Decimal | None
    price_change_6h: Decimal | None
    price_change_24h: Decimal | None
    priced_block: int
    """The block as of which the market figures were written; 0 if the token has none."""
    priced_seconds: int
    beat_hour: datetime
    """The hour of its last score; 1970 if it has none."""
    heartbeat_score: Decimal
    timestamp_score: Decimal
    volume_score: Decimal
    holders_score: Decimal
    confidence_score: Decimal
    weights_version: int
    scored_at_seconds: int
    scored_block: int
    """The last block that the score knows of."""

    def is_counted(self, through: int) -> bool:
        """Whether its holders are known when the chain's holders are counted up to a block. A newer token that has
        none counted has unknown holders."""
        return bool(self.counted) or self.first_block <= through

    @property
    def has_score(self) -> bool:
        """Whether the token was ever scored."""
        return self.beat_hour.year > 1970


@dataclass(frozen=True, slots=True)
class TokenRegistration:
    """The latest registration of a token under a symbol that was not released (``registrations/list_of_tokens``)."""

    token_address: str
    symbol: str
    token_id: int
    owner: str
    managers: Sequence[str]
    registry: str
    minted_at: datetime
    expired_at: datetime | None
    verification_method: str | None
    verified_at: datetime | None
    presented: Mapping[str, Any]
    """The public profile: what the owner wrote over what the registered document says."""


@dataclass(frozen=True, slots=True)
class ListedToken:
    """A token as the store lists it now (``tokens/list``)."""

    address: str
    symbol_key: str
    is_copy: bool
