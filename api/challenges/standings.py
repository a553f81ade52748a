"""What two tokens weighed at an hour, from the hourly weights that the pipelines store."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal

from api.challenges.rules import HOUR, Comparison, Evidence, Side, hour_before
from api.claims.errors import Undecided
from api.claims.freshness import VerdictProgress, require_judged_as
from api.warehouse import WarehouseReader
from warehouse import sql
from warehouse.domain.addresses import digits_of, stored_from_digits
from warehouse.domain.copies import CopyRules, Creation, Standing, is_established, is_senior
from warehouse.store import Store


@dataclass(frozen=True, slots=True)
class JudgedToken:
    """An indexed token: where it was created, why it cannot be judged, if so, and when it took its symbol (null: it was
    created with it)."""

    address: str
    symbol_key: str
    deployer: str | None
    deployed_block: int | None
    deployed_index: int | None
    copy_unknown: str | None
    named_at: datetime | None

    @property
    def creation(self) -> Creation | None:
        """Where it was created; None if unknown."""
        if self.deployed_block is None or self.deployed_index is None:
            return None
        return Creation(self.deployed_block, self.deployed_index)

    def standing(self, found: Standing | None, hour: datetime) -> Standing:
        """Its standing at the end of an hour, from the stored one. A token that took its symbol later had none under
        it, or any token with a market could be renamed to a registered symbol and challenge."""
        if found is None or (self.named_at is not None and self.named_at >= hour + HOUR):
            return Standing()
        return found.since_named(self.named_at)


@dataclass(frozen=True, slots=True)
class Standings:
    """Reads standings. Methods raise ``Undecided``, ``WarehouseError`` or ``StoreUnavailable`` if it cannot be said
    now."""

    warehouse: WarehouseReader
    store: Store
    rules: CopyRules

    async def progress(self, chain_id: int) -> VerdictProgress | None:
        """How far a chain's verdicts are; None before the first."""
        return await self.store.row("copies/find_progress", {"chain_id": chain_id}, VerdictProgress)

    async def evidence(
        self, chain_id: int, challenger: str, registered: str, *, folded: str, minted_at: datetime, hour: datetime
    ) -> Evidence:
        """Both tokens, of a symbol that folds to ``folded``, at the last full hour before the mint, and at ``hour``.

        Raises:
            Undecided: a token is not indexed, or the challenger by another symbol, its depth is not known, or the hour
                is not complete.
        """
        progress = await self.progress(chain_id)
        if progress is None or progress.weighed_through is None or progress.weighed_through < hour + HOUR:
            raise Undecided("the weights of the hour are not complete")
        tokens = await self._tokens(chain_id, (challenger, registered))
        # Not the registered one: by changing its symbol it would escape every challenge.
        require_judged_as(tokens[challenger].symbol_key, folded)
        at_mint = hour_before(minted_at)
        reaches_back = progress.history_from is not None and progress.history_from <= at_mint
        hours = [at_mint, hour] if reaches_back else [hour]
        found = await self._standings(chain_id, (challenger, registered), hours)
        compared = [self._compare(one, tokens, found, challenger, registered) for one in hours]
        return Evidence(at_mint=compared[0] if reaches_back else None, at_opening=compared[-1])

    async def _tokens(self, chain_id: int, addresses: Sequence[str]) -> dict[str, JudgedToken]:
        wanted = {"chain_id": chain_id, "addresses": list(addresses)}
        rows = await self.store.rows("challenges/list_tokens", wanted, JudgedToken)
        tokens = {row.address: row for row in rows}
        for address in addresses:
            if address not in tokens:
                raise Undecided(f"{address} is not indexed")
        return tokens

    async def _standings(
        self, chain_id: int, addresses: Sequence[str], hours: Sequence[datetime]
    ) -> dict[tuple[str, datetime], Standing]:
        rows = await self.warehouse.rows(
            sql.load("queries/challenges/standings"),
            {
                "chain_id": chain_id,
                "tokens": [digits_of(address) for address in addresses],
                "hours": [int(hour.timestamp()) for hour in hours],
            },
        )
        return {
            (stored_from_digits(row["token_hex"]), _time(row["hour_seconds"])): Standing(
                held_usd=Decimal(row["held"]),
                established_usd=Decimal(row["established"]),
                since=None if row["since_seconds"] is None else _time(row["since_seconds"]),
            )
            for row in rows
        }

    def _compare(
        self,
        hour: datetime,
        tokens: dict[str, JudgedToken],
        found: dict[tuple[str, datetime], Standing],
        challenger: str,
        registered: str,
    ) -> Comparison:
        own, other = (
            tokens[address].standing(found.get((address, hour)), hour) for address in (challenger, registered)
        )
        senior = is_senior(own, tokens[challenger].creation, other, tokens[registered].creation)
        if tokens[registered].copy_unknown is not None and senior is not False:
            senior = None  # it may have had depth that the index has not seen
        return Comparison(hour, self._side(own), self._side(other), senior)

    def _side(self, standing: Standing) -> Side:
        return Side(standing.held_usd, is_established(standing, self.rules), standing.since)


def _time(seconds: int) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)
