"""What deals are paid in: a dollar stablecoin, the native coin where it is ETH, or any token with a price. On Solana
USDC only. Amounts are decimals in whole units, and integers in base units."""

import re
from dataclasses import dataclass
from datetime import datetime
from decimal import ROUND_DOWN, Context, Decimal, Inexact, InvalidOperation, localcontext
from typing import Any, Final

from api.claims.prices import NATIVE_PRICE_GOOD_FOR
from api.claims.repository import NativePrice
from api.clock import Clock
from api.deals.errors import ProviderUnavailable
from api.http.addresses import chain_address
from api.http.errors import InvalidInput
from api.search.errors import NothingPublished
from api.search.service import SearchService
from warehouse.domain.addresses import AddressFormat, digits_of
from warehouse.domain.chains import ZERO_ADDRESS, Chain, Chains
from warehouse.errors import WarehouseError
from warehouse.readers.tokens import read_foremost_token
from warehouse.store import Store

DOLLARS: Final = ("USDC", "USDT")
COINS: Final = ("ETH", "SOL")
MOST_DIGITS: Final = 77
"""Base units fit 256 bits."""
_AMOUNT = re.compile(r"[0-9]{1,60}(\.[0-9]{1,60})?")
_EXACT: Final = 200


@dataclass(frozen=True, slots=True)
class Currency:
    """A currency on a chain. ``name`` is as answers show it: USDC, USDT, ETH, or a token's address. ``address`` is
    the zero address for the native coin. ``price_usd`` is None where no price is known; a dollar stablecoin costs 1."""

    name: str
    address: str
    decimals: int
    price_usd: Decimal | None

    @property
    def is_dollar(self) -> bool:
        """Whether it is a stablecoin of the dollar, which is not priced."""
        return self.name in DOLLARS

    def in_base_units(self, field: str, amount: Decimal) -> int:
        """An amount in base units, exactly.

        Raises:
            InvalidInput: it has more decimals than the currency, or is too large.
        """
        with localcontext(Context(prec=_EXACT, traps=[Inexact, InvalidOperation])):
            raw = amount.scaleb(self.decimals)
            if raw != raw.to_integral_value():
                raise InvalidInput(field, f"has more than the {self.decimals} decimals of the currency")
            if raw >= Decimal(10) ** MOST_DIGITS:
                raise InvalidInput(field, "is too large")
            return int(raw)

    def usd(self, field: str, amount: Decimal) -> Decimal:
        """What an amount is worth, to the cent, rounded down.

        Raises:
            InvalidInput: the currency has no price.
        """
        if self.price_usd is None or self.price_usd <= 0:
            raise InvalidInput(field, f"{self.name} has no price in US dollars now")
        with localcontext(Context(prec=_EXACT)):
            return (amount * self.price_usd).quantize(Decimal("0.01"), ROUND_DOWN)


@dataclass(frozen=True, slots=True)
class Currencies:
    """Finds currencies and their prices: of coins in the store, of other tokens in the warehouse."""

    store: Store
    search: SearchService
    chains: Chains
    clock: Clock

    async def payable(self, field: str, text: str, chain: Chain) -> Currency:
        """A currency that a deal on the chain can be paid in.

        Raises:
            InvalidInput: it is none, or is not known there.
            ProviderUnavailable: its price cannot be read.
        """
        name = text.upper()
        if name in DOLLARS:
            return _stablecoin(field, name, chain)
        if chain.address_format is AddressFormat.BASE58:
            token = _dollar_at(chain, text)
            if token is None or token.name != "USDC":
                raise InvalidInput(field, f"deals on {chain.name} are paid in USDC only")
            return token
        if name == "ETH":
            if chain.native_symbol != "ETH":
                raise InvalidInput(field, f"the coin of {chain.name} is {chain.native_symbol}, not ETH")
            return Currency("ETH", ZERO_ADDRESS, chain.native_decimals, await self.coin_usd("ETH"))
        if name == "SOL":
            raise InvalidInput(field, "SOL is no currency of offers; on Solana they are made in USDC")
        return await self._token(field, chain_address(field, text, chain), chain)

    async def priced(self, field: str, text: str, chain: Chain | None) -> Currency:
        """A currency for a preview, which need not say on which chain; only a token's address must.

        Raises:
            InvalidInput, ProviderUnavailable: as :meth:`payable`.
        """
        name = text.upper()
        if name in DOLLARS:
            return Currency(name, "", 6, Decimal(1))
        if name in COINS:
            return Currency(name, "", 18 if name == "ETH" else 9, await self.coin_usd(name))
        if chain is None:
            raise InvalidInput("chainId", "is required with a token's address as currency")
        return await self._token(field, chain_address(field, text, chain), chain)

    async def coin_usd(self, name: str) -> Decimal | None:
        """The price of ETH or SOL; None where there is no recent one. The chains of a coin share its price: the first
        that has one tells it."""
        for chain in self.chains.by_key.values():
            if chain.native_symbol == name:
                wanted = {"chain_id": chain.chain_id}
                found = await self.store.row("prices/find_native", wanted, NativePrice)
                if found is not None and _is_recent(found, self.clock.now()):
                    return found.price_usd
        return None

    async def market_cap_usd(self, chain: Chain, address: str) -> Decimal | None:
        """The market cap of a token; None where it is not known."""
        found = await self._document(chain, address)
        return None if found is None or found["market_cap_usd"] is None else Decimal(str(found["market_cap_usd"]))

    async def _token(self, field: str, address: str, chain: Chain) -> Currency:
        if (dollar := _dollar_at(chain, address)) is not None:
            return dollar
        found = None if address == ZERO_ADDRESS else await self._document(chain, address)
        if found is None or found["decimals"] is None:
            raise InvalidInput(field, f"is no token that is known on {chain.name}")
        price = found["price_usd"]
        return Currency(address, address, found["decimals"], None if price is None else Decimal(str(price)))

    async def _document(self, chain: Chain, address: str) -> dict[str, Any] | None:
        known = await self.store.row("deals/find_currency", {"chain_id": chain.chain_id, "address": address})
        if known is None:
            return None
        try:
            publication = await self.search.repository.publication()
            found = await read_foremost_token(
                self.search.source,
                known["symbol_key"],
                chain.chain_id,
                version=publication.version,
                address=digits_of(address),
            )
        except NothingPublished:
            return None
        except WarehouseError as error:
            raise ProviderUnavailable("prices cannot be read now, try again") from error
        return None if found is None else {**found[1], "decimals": known["decimals"]}


def read_amount(field: str, text: str) -> Decimal:
    """A positive amount in whole units, exactly as it is written.

    Raises:
        InvalidInput: it is not decimal digits, or not more than nothing.
    """
    if not _AMOUNT.fullmatch(text):
        raise InvalidInput(field, "must be decimal digits, with a point before the fraction")
    amount = Decimal(text)
    if amount <= 0:
        raise InvalidInput(field, "must be more than 0")
    return amount


def _stablecoin(field: str, name: str, chain: Chain) -> Currency:
    if chain.address_format is AddressFormat.BASE58 and name != "USDC":
        raise InvalidInput(field, f"deals on {chain.name} are paid in USDC only")
    for asset in chain.stablecoins:
        if asset.symbol == name:
            return Currency(name, asset.address, asset.decimals, Decimal(1))
    raise InvalidInput(field, f"{name} is not known on {chain.name}")


def _dollar_at(chain: Chain, address: str) -> Currency | None:
    for asset in chain.stablecoins:
        if asset.address == address and asset.symbol in DOLLARS:
            return Currency(asset.symbol, asset.address, asset.decimals, Decimal(1))
    return None


def _is_recent(price: NativePrice, now: datetime) -> bool:
    return price.price_usd > 0 and now - price.as_of_time <= NATIVE_PRICE_GOOD_FOR
