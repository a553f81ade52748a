"""The figures behind a copy verdict, as refusals and reads show them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from typing import Any

from api.http.times import timestamp
from warehouse.domain.symbols import fold
from warehouse.store import Store


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a copy verdict rests on; None is what is not known, or not there.

    Args:
        weight_usd: the token's window weight.
        senior_since: the hour in which its present run of depth began; ``senior_block`` is its first block.
        original_usd: the established weight of the original.
        as_of_block: the block, and ``as_of_time`` its time, that the verdict holds as of.
        weighed_through: the end of the last hour that was weighed.
        ruled_reason: why an operator decided by hand.
    """

    weight_usd: Decimal | None
    senior_since: datetime | None
    senior_block: int | None
    original_usd: Decimal | None
    original_since: datetime | None
    original_block: int | None
    as_of_block: int | None
    as_of_time: datetime | None
    weighed_through: datetime | None
    ruled_reason: str | None

    def as_json(self) -> dict[str, Any]:
        """The figures on the wire."""
        return {
            "weightUsd": self.weight_usd or Decimal(0),
            "seniorSince": _moment(self.senior_since),
            "seniorBlock": self.senior_block,
            "originalWeightUsd": self.original_usd,
            "originalSeniorSince": _moment(self.original_since),
            "originalSeniorBlock": self.original_block,
            "asOfBlock": self.as_of_block,
            "asOfTime": _moment(self.as_of_time),
            "weighedThrough": _moment(self.weighed_through),
            "operatorExplanation": self.ruled_reason,
        }


@dataclass(frozen=True, slots=True)
class TokenEvidence(Evidence):
    """The figures of one token of several."""

    chain_id: int
    address: str
    copy_unknown: str | None
    ruled_symbol: str | None
    """The folded symbol that an operator's verdict was given for; None for any."""
    symbol_key: str

    def as_borne(self) -> "TokenEvidence":
        """Without an operator's reason that was given for another symbol."""
        if self.ruled_symbol in (None, fold(self.symbol_key)):
            return self
        return replace(self, ruled_reason=None)


@dataclass(frozen=True, slots=True)
class CopyFigures:
    """Reads the figures behind copy verdicts."""

    store: Store

    async def of_all(self, tokens: Sequence[tuple[int, str]]) -> dict[tuple[int, str], Evidence]:
        """The figures of tokens by chain and address (0x in lower case); those that are not indexed have none.

        Raises:
            StoreUnavailable: the store does not answer.
        """
        if not tokens:
            return {}
        pairs = {"chain_ids": [chain_id for chain_id, _ in tokens], "addresses": [address for _, address in tokens]}
        rows = await self.store.rows("copies/list_evidence", pairs, TokenEvidence)
        return {(row.chain_id, row.address): row.as_borne() for row in rows}


def _moment(moment: datetime | None) -> str | None:
    return None if moment is None else timestamp(moment)
