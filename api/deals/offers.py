"""Making offers. Four checks decide, in this order: the minimum (400), the holder's settings (403), funds (402), the
account's week (429); each of them is made for all offers of a group before the next."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any, Final
from uuid import UUID

from api.clock import Clock
from api.deals import states
from api.deals.currencies import Currencies, Currency
from api.deals.errors import FundsNotVerified, NothingRegistered, OfferLimit, OffersRefused
from api.deals.funds import Funds
from api.deals.moves import Moves, Signed
from api.deals.repository import DealRepository, OfferCount, OfferedRegistration
from api.deals.states import DealType, Move
from api.http.errors import InvalidInput
from api.http.rendering import dumps
from api.security.callers import WalletSession
from api.settings import ApiSettings
from warehouse.domain.chains import Chain
from warehouse.store import Transaction

WEEK: Final = timedelta(days=7)
DEFAULT_WINDOW_DAYS: Final = 30
_BPS: Final = 10_000


@dataclass(frozen=True, slots=True)
class Offer:
    """What is offered, read from a request. ``commitment`` is the amount whose funds are checked: the price, or the
    liquidity that a collab commits; None for a merge. ``field`` names it in refusals."""

    kind: DealType
    chain: Chain
    symbol: str
    token: str | None
    offerer: str
    amount: Decimal | None
    currency: Currency | None
    commitment: Decimal | None
    field: str
    terms: Mapping[str, Any]
    message: str | None
    window_days: int | None

    @property
    def commitment_raw(self) -> int | None:
        """The commitment in base units."""
        if self.currency is None or self.commitment is None:
            return None
        return self.currency.in_base_units(self.field, self.commitment)

    @property
    def value_usd(self) -> Decimal | None:
        """What the commitment is worth."""
        if self.currency is None or self.commitment is None:
            return None
        return self.currency.usd(self.field, self.commitment)


@dataclass(frozen=True, slots=True)
class Prepared:
    """An offer with the registration that it is for, and the share of it that was shown to be there."""

    offer: Offer
    registration: OfferedRegistration
    market_cap_usd: Decimal | None = None
    funded_percent: int = 0


@dataclass(frozen=True, slots=True)
class Offers:
    """Makes offers."""

    repository: DealRepository
    currencies: Currencies
    funds: Funds
    moves: Moves
    settings: ApiSettings
    clock: Clock

    async def make(self, session: WalletSession, offers: Sequence[Offer]) -> tuple[list[UUID], UUID | None]:
        """Make one offer, or several as a group; the ids of the deals and of the group.

        Raises:
            NothingRegistered: a symbol has no registration on its chain.
            InvalidInput: an offer is for a registration of the session's own, is below the minimum, or has no price.
            OffersRefused, FundsNotVerified, OfferLimit: the other checks, in this order.
            ProviderUnavailable: a price or the signer is not there now.
        """
        found = [await self._prepare(session, offer) for offer in offers]
        for one in found:
            self._require_minimum(one)
        for one in found:
            await self._require_welcome(one)
        found = await self._require_funds(session, found)
        now = self.clock.now()
        group_id, *ids = await self._new_ids(1 + len(found))
        group = group_id if len(found) > 1 else None
        rows = [self._row(session, one, id, group, now) for one, id in zip(found, ids, strict=True)]
        signed = [await self.moves.attest(row["id"], row, Move.OFFER, row["offerer"], now) for row in rows]
        async with self.repository.store.transaction() as transaction:
            await self._require_room(transaction, session.account_id, found, now)
            if group is not None:
                added = {"id": group, "account_id": session.account_id, "size": len(found), "created_at": now}
                await transaction.execute("deals/add_group", added)
            for one, row, attested in zip(found, rows, signed, strict=True):
                await self._add(transaction, one, row, attested, now)
        return ids, group

    async def _new_ids(self, count: int) -> list[UUID]:
        """Attestations name the deal, so its id is there before its row."""
        return [row["id"] for row in await self.repository.store.rows("deals/new_ids", {"count": count})]

    def minimum_usd(self, market_cap_usd: Decimal | None) -> Decimal:
        """The lowest offer: the setting, or a share of the market cap where that is more."""
        least = Decimal(self.settings.deal_min_offer_usd)
        if market_cap_usd is None:
            return least
        return max(least, market_cap_usd * self.settings.deal_min_offer_market_cap_bps / _BPS)

    async def _prepare(self, session: WalletSession, offer: Offer) -> Prepared:
        found = await self.repository.registration(offer.chain.chain_id, offer.symbol)
        if found is None:
            raise NothingRegistered(f"symbol: {offer.symbol} has no registration on {offer.chain.name}")
        if offer.token is not None and offer.token != found.token_address:
            raise NothingRegistered(f"token_address: is not the registered token of {offer.symbol}")
        if offer.terms.get("newToken") == found.token_address:
            raise InvalidInput("migration_terms.newToken", "is the registered token itself")
        if found.owner == offer.offerer or session.controls(found.owner, offer.chain.chain_id):
            raise InvalidInput("symbol", "is registered to a wallet of this session: an offer to oneself is none")
        market_cap = await self.currencies.market_cap_usd(offer.chain, found.token_address)
        return Prepared(offer, found, market_cap)

    def _require_minimum(self, one: Prepared) -> None:
        offer = one.offer
        value = offer.value_usd
        if value is None:
            return
        if offer.kind is DealType.COLLAB:
            least, what = Decimal(self.settings.deal_collab_min_liquidity_usd), "liquidity of a collab"
        else:
            least, what = self.minimum_usd(one.market_cap_usd), "offer"
        if value < least:
            raise InvalidInput(offer.field, f"is worth {value:f} USD; the lowest {what} is {least:f} USD")

    async def _require_welcome(self, one: Prepared) -> None:
        rule = await self.repository.offer_rule_of(one.registration.owner, one.offer.chain.chain_id)
        if rule.offers_disabled:
            raise OffersRefused("the holder takes no offers")
        value = one.offer.value_usd
        if value is not None and value < rule.floor_usd:
            raise OffersRefused(f"the holder takes no offers below {rule.floor_usd} USD")

    async def _require_funds(self, session: WalletSession, found: Sequence[Prepared]) -> list[Prepared]:
        """Offers of a group that are paid with one currency of one wallet need their sum."""
        sums: dict[tuple[str, int, str], int] = defaultdict(int)
        for one in found:
            if (key := _purse(one.offer)) is not None:
                sums[key] += one.offer.commitment_raw or 0
        checked = []
        for one in found:
            key = _purse(one.offer)
            if key is None or one.offer.currency is None:
                checked.append(one)
                continue
            percent = await self.funds.covering(
                session.account_id, one.offer.offerer, one.offer.chain, one.offer.currency, sums[key], self.clock.now()
            )
            if percent is None:
                raise FundsNotVerified
            checked.append(replace(one, funded_percent=percent))
        return checked

    async def _require_room(
        self, transaction: Transaction, account_id: UUID, found: Sequence[Prepared], now: datetime
    ) -> None:
        """Count the account's offers. Simultaneous ones wait for each other at the account's row."""
        await transaction.row("accounts/lock", {"account_id": account_id})
        wanted = {"account_id": account_id, "since": now - WEEK}
        count = await transaction.row("deals/sum_offers", wanted, OfferCount)
        assert count is not None  # noqa: S101 - an aggregate has a row
        most = self.settings.deal_offers_per_week
        if count.made + len(found) > most:
            wait = WEEK if count.first_made_at is None else count.first_made_at + WEEK - now
            raise OfferLimit(f"more than {most} offers in seven days", wait.total_seconds())
        standing = count.standing_usd + sum(one.offer.value_usd or 0 for one in found)
        if standing > self.settings.deal_standing_usd:
            raise OfferLimit(
                f"the account's unanswered offers would add up to more than {self.settings.deal_standing_usd} USD", 3600
            )

    def _row(
        self, session: WalletSession, one: Prepared, id: UUID, group_id: UUID | None, now: datetime
    ) -> dict[str, Any]:
        offer, found, state = one.offer, one.registration, states.OFFERED
        deadline = now + timedelta(days=offer.window_days or DEFAULT_WINDOW_DAYS)
        has_window = "redemptionWindow" in offer.terms or "swapWindow" in offer.terms
        pays = offer.kind in (DealType.BUYOUT, DealType.PROJECT_SALE)
        return {
            "id": id,
            "group_id": group_id,
            "deal_type": offer.kind,
            "status": state.status,
            "stage": state.stage,
            "deadline": deadline,
            "deadline_kind": state.deadline_kind,
            "chain_id": offer.chain.chain_id,
            "token_id": found.token_id,
            "mint_transaction": found.transaction_hash,
            "symbol": found.symbol,
            "token_address": found.token_address,
            "offerer": offer.offerer,
            "offerer_account": session.account_id,
            "amount": offer.amount,
            "amount_raw": offer.commitment_raw if pays else None,
            "currency": offer.currency.name if pays and offer.currency is not None else None,
            "currency_address": offer.currency.address if pays and offer.currency is not None else None,
            "amount_usd": offer.value_usd,
            "terms": offer.terms,
            "message": offer.message,
            "funded_percent": one.funded_percent,
            "expires_at": None if has_window else deadline,
            "created_at": now,
            "market_cap_usd": one.market_cap_usd,
            "minted_at": found.minted_at,
        }

    async def _add(
        self, transaction: Transaction, one: Prepared, row: Mapping[str, Any], signed: Signed, now: datetime
    ) -> None:
        offer = one.offer
        await transaction.execute("deals/add", {**row, "terms": dumps(row["terms"]).decode()})
        data = {"terms": offer.terms} if offer.terms else {}
        await self.moves.note(transaction, row["id"], Move.OFFER, now, actor=offer.offerer, signed=signed, data=data)
        made = states.find(Move.OFFER, None, offer.kind)
        assert made is not None  # noqa: S101 - every type of deal begins with it
        await self.moves.tell(
            transaction,
            made,
            row["id"],
            row["symbol"],
            row["chain_id"],
            row["offerer_account"],
            one.registration.owner,
        )


def _purse(offer: Offer) -> tuple[str, int, str] | None:
    """What an offer is paid from; None where nothing is."""
    if offer.currency is None or offer.commitment is None:
        return None
    return offer.offerer, offer.chain.chain_id, offer.currency.address
