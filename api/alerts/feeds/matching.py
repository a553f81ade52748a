"""Which buys a feed tells of. Pure rules."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any
from uuid import UUID

from warehouse.domain.addresses import digits_of
from warehouse.readers.buys import Buy


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedTerms:
    """What a feed follows: one token, or all tokens whose registrations a wallet owns. ``after_block``: nothing before
    is told. One of ``min_usd`` and ``min_raw`` is given."""

    id: UUID
    chain_id: int
    token_address: str | None
    owner_wallet: str | None
    min_usd: Decimal | None
    min_raw: int | None
    after_block: int

    def tells(self, buy: Buy) -> bool:
        """Whether a buy is large enough. One whose worth is not known is not over any number of dollars."""
        if self.min_raw is not None:
            return buy.amount_raw >= self.min_raw
        return buy.usd is not None and self.min_usd is not None and buy.usd >= self.min_usd


Owned = Mapping[tuple[int, str], Collection[str]]
"""Tokens (hexadecimal) by the chain and the wallet that owns their registrations."""


def owned_tokens(rows: Iterable[Mapping[str, Any]]) -> Owned:
    """The tokens of the rows of ``feeds/list_owned``."""
    found: dict[tuple[int, str], set[str]] = {}
    for row in rows:
        found.setdefault((row["chain_id"], row["wallet"]), set()).add(digits_of(row["token_address"]))
    return found


def tokens_of(feed: FeedTerms, owned: Owned) -> Collection[str]:
    """The tokens (hexadecimal) that a feed follows now."""
    if feed.token_address is not None:
        return {digits_of(feed.token_address)}
    return owned.get((feed.chain_id, str(feed.owner_wallet)), ())


def wallets_of(feeds: Iterable[FeedTerms]) -> list[str]:
    """The wallets whose registrations feeds follow."""
    return sorted({feed.owner_wallet for feed in feeds if feed.owner_wallet is not None})
