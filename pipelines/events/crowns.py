"""The registration that a token had at a block."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from pipelines.refresh_run import RefreshRun
from warehouse.domain.addresses import digits_of, stored_from_digits
from warehouse.domain.chains import Chain


@dataclass(frozen=True, slots=True)
class Crown:
    """A registration of a token. Times are unix seconds."""

    token_id: int
    symbol: str
    block_number: int
    minted_at: int
    ended_at: int | None = None


@dataclass(frozen=True, slots=True)
class Crowns:
    """All registrations, ended ones too, by token (hexadecimal without prefix)."""

    of_token: dict[str, list[Crown]]

    def at(self, token: str, block_number: int, seconds: int) -> Crown | None:
        """The registration at a block: minted before it, not ended yet."""
        standing = [
            crown
            for crown in self.of_token.get(token, ())
            if crown.block_number < block_number and (crown.ended_at is None or crown.ended_at > seconds)
        ]
        return standing[-1] if standing else None

    def since(self, token: str, seconds: int, final: int) -> Crown | None:
        """The registration at a moment, of those minted up to the final block."""
        standing = [
            crown
            for crown in self.of_token.get(token, ())
            if crown.block_number <= final
            and crown.minted_at < seconds
            and (crown.ended_at is None or crown.ended_at > seconds)
        ]
        return standing[-1] if standing else None


def read_crowns(run: RefreshRun, chain: Chain, tokens: Iterable[str]) -> Crowns:
    """The registrations of some tokens, including those that are not final yet: they lie beyond every final block, as
    does the end of one that is final."""
    addresses = sorted(map(stored_from_digits, tokens))
    found: dict[str, list[Crown]] = {}
    for row in run.store_rows("events/list_registrations", {"chain_id": chain.chain_id, "addresses": addresses}):
        crown = Crown(
            row["token_id"], row["symbol"], row["block_number"], _seconds(row["minted_at"]), _maybe(row["ended_at"])
        )
        found.setdefault(digits_of(row["token_address"]), []).append(crown)
    return Crowns(found)


def _seconds(moment: datetime) -> int:
    return int(moment.timestamp())


def _maybe(moment: datetime | None) -> int | None:
    return None if moment is None else _seconds(moment)
