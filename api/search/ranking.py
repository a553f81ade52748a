"""Which tokens a search finds, with which status, in which order: plain functions over columns.

Relevance compares, in this order: how exactly the symbol was met, originals before copies, status, market score,
chain. A copy never counts as nearer to the query than the token it copies, so it never comes before it. Other sort keys
compare their value first and then the terms of relevance. Every order is total.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from warehouse.domain.lifecycle import INACTIVE_BELOW, SymbolStatus, grace_cutoff
from warehouse.domain.symbols import fold
from warehouse.readers.columns import SortKey
from warehouse.readers.search import TokenRows

CHAIN_PRIORITY = ("arbitrum", "solana", "polygon", "base", "bnb", "eth")
NO_ROW = -1
UNACCOMPANIED = 9
"""Level of a copy that is near the query while its original is not: it is not shown without its original."""


class Level(IntEnum):
    """How a token's symbol matches the query."""

    EXACT = 0
    CONFUSABLE = 1
    NEAR = 2


STATUS_FILTERS: Mapping[str, tuple[SymbolStatus, ...]] = {
    "available": (SymbolStatus.AVAILABLE,),
    "unclaimed": (SymbolStatus.UNCLAIMED,),
    "claimed": (SymbolStatus.GRACE_PERIOD, SymbolStatus.CLAIMED, SymbolStatus.OWNED),
    "inactive": (SymbolStatus.INACTIVE,),
}


@dataclass(frozen=True, slots=True)
class Matches:
    """All matches of a search, as columns. ``row`` is a position in the token rows, or NO_ROW for a chain on which the
    symbol is available."""

    row: NDArray[np.int64]
    symbol: NDArray[np.uint32]
    chain_id: NDArray[np.uint32]
    address: NDArray[np.uint64]
    level: NDArray[np.int8]
    is_copy: NDArray[np.uint8]
    status: NDArray[np.int8]
    market_score: NDArray[np.int64]
    chain_rank: NDArray[np.int16]
    sort_value: SortKey

    def __len__(self) -> int:
        """How many matches."""
        return len(self.row)


def find_matches(
    rows: TokenRows,
    *,
    available_on: Sequence[int],
    chain_ranks: Mapping[int, int],
    now: datetime,
    wallet: bytes | None,
) -> Matches:
    """The tokens of the rows and a match for each chain in ``available_on``. The first of the rows' symbols is the
    query; ``wallet`` is the caller's, for whom tokens of our factory are ``owned``."""
    folded = fold(rows.symbols[0])
    levels = np.array(
        [Level.EXACT, *(Level.CONFUSABLE if fold(symbol) == folded else Level.NEAR for symbol in rows.symbols[1:])],
        np.int8,
    )
    chain_order = np.array(
        [chain_ranks.get(int(chain), len(chain_ranks)) for chain in _distinct(rows.chain_id)], np.int16
    )
    words = np.ascontiguousarray(rows.address).view("<u8").reshape(-1, 4).byteswap().astype(np.uint64)
    free = len(available_on)
    zeros = np.zeros(free, np.int64)
    chains = np.array(available_on, np.uint32)
    return Matches(
        row=np.concatenate([np.arange(len(rows)), np.full(free, NO_ROW)]),
        symbol=np.concatenate([rows.symbol, zeros.astype(np.uint32)]),
        chain_id=np.concatenate([rows.chain_id, chains]),
        address=np.concatenate([words, np.zeros((free, 4), np.uint64)]),
        level=np.concatenate(
            [_effective_levels(rows, words, levels[rows.symbol]), np.full(free, Level.EXACT, np.int8)]
        ),
        is_copy=np.concatenate([rows.is_copy, zeros.astype(np.uint8)]),
        status=np.concatenate([_statuses(rows, now, wallet), np.full(free, SymbolStatus.AVAILABLE, np.int8)]),
        market_score=np.concatenate([rows.market_score, zeros]),
        chain_rank=np.concatenate(
            [
                chain_order[np.searchsorted(_distinct(rows.chain_id), rows.chain_id)],
                np.array([chain_ranks.get(chain, len(chain_ranks)) for chain in available_on], np.int16),
            ]
        ),
        sort_value=rows.sort_value.extend_missing(free),
    )


def select(
    matches: Matches,
    *,
    chain_id: int | None,
    statuses: Sequence[SymbolStatus] | None,
    crowns_only: bool,
    include_inactive: bool,
) -> NDArray[np.int64]:
    """Positions of the matches that pass the filters."""
    passes = matches.level != UNACCOMPANIED
    if chain_id is not None:
        passes &= matches.chain_id == chain_id
    if statuses is not None:
        passes &= np.isin(matches.status, [int(status) for status in statuses])
    elif not include_inactive:
        passes &= matches.status != SymbolStatus.INACTIVE
    if crowns_only:
        passes &= matches.status >= SymbolStatus.GRACE_PERIOD
    return np.flatnonzero(passes)


def order(matches: Matches, chosen: NDArray[np.int64], *, by_value: bool, descending: bool) -> NDArray[np.int64]:
    """The chosen positions, the best first: by relevance, or by the sort value and then by relevance.

    Ascending relevance reverses status, score and chain, but not exactness and originals before copies.
    """
    turned = not by_value and not descending
    sign = -1 if turned else 1
    terms: tuple[Any, ...] = (
        *(matches.address[chosen, word] for word in (3, 2, 1, 0)),
        matches.chain_id[chosen],
        matches.symbol[chosen],
        sign * matches.chain_rank[chosen],
        -sign * matches.market_score[chosen],
        sign * matches.status[chosen],
        matches.is_copy[chosen],
        matches.level[chosen],
    )
    if by_value:
        terms = (*terms, *matches.sort_value.select(chosen).ordered(descending=descending))
    ordered: NDArray[np.int64] = chosen[np.lexsort(terms)]
    return ordered


def chain_order(keys: Mapping[str, int]) -> dict[int, int]:
    """The rank of each chain id in relevance: chains with a priority first, then the others."""
    known = [key for key in CHAIN_PRIORITY if key in keys]
    return {keys[key]: position for position, key in enumerate([*known, *(key for key in keys if key not in known)])}


def _distinct(chains: NDArray[np.uint32]) -> NDArray[np.uint32]:
    return np.unique(chains)


def _statuses(rows: TokenRows, now: datetime, wallet: bytes | None) -> NDArray[np.int8]:
    """The status of each row, the first that holds: unclaimed, grace period, inactive, owned, claimed."""
    registered = rows.registered.astype(bool)
    fresh = rows.registered_at.astype(np.int64) > int(grace_cutoff(now).timestamp())
    decayed = (rows.heartbeat_hundredths >= 0) & (rows.heartbeat_hundredths < int(INACTIVE_BELOW * 100))
    owned = np.zeros(len(rows), bool)
    if wallet is not None:
        owned = (rows.factory_owner == np.frombuffer(wallet, np.uint8)).all(axis=1)
    chosen = np.select(
        [~registered, fresh, decayed, owned],
        [SymbolStatus.UNCLAIMED, SymbolStatus.GRACE_PERIOD, SymbolStatus.INACTIVE, SymbolStatus.OWNED],
        SymbolStatus.CLAIMED,
    )
    return chosen.astype(np.int8)


def _effective_levels(rows: TokenRows, words: NDArray[np.uint64], levels: NDArray[np.int8]) -> NDArray[np.int8]:
    """The level of each row, a copy's no better than that of the token it copies. A symbol that is only near leads to
    copies by way of their originals alone."""
    copies = np.flatnonzero(rows.is_copy)
    if len(copies) == 0 or (levels == Level.EXACT).all():
        return levels
    originals = np.ascontiguousarray(rows.copy_of_address[copies]).view("<u8").byteswap().astype(np.uint64)
    wanted = _mixed(originals, rows.copy_of_chain_id[copies])
    known = _mixed(words, rows.chain_id)
    sorter = np.argsort(known, kind="stable")
    positions = sorter[np.minimum(np.searchsorted(known[sorter], wanted), len(sorter) - 1)]
    found = (words[positions] == originals).all(axis=1) & (rows.chain_id[positions] == rows.copy_of_chain_id[copies])
    held = levels.copy()
    held[copies[found]] = np.maximum(levels[copies[found]], levels[positions[found]])
    lost = copies[~found]
    held[lost[levels[lost] == Level.NEAR]] = UNACCOMPANIED
    return held


def _mixed(words: NDArray[np.uint64], chains: NDArray[np.uint32]) -> NDArray[np.uint64]:
    """One hash word per address and chain; the caller must compare the whole address."""
    mixed: NDArray[np.uint64] = words[:, 0] ^ (words[:, 1] * np.uint64(0x9E3779B97F4A7C15)) ^ words[:, 2]
    return mixed ^ words[:, 3] ^ (chains.astype(np.uint64) << np.uint64(32))
