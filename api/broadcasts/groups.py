"""Holder groups: tiers of a registration's metadata document that say who belongs to them. Pure rules.

A tier is a group when it has an ``id`` and at least one condition, and every condition that it has can be read:

    minBalance          whole tokens, as text or an integer
    minSharePercent     of what all holders have together, as text or an integer
    maxRank             place among all holders, from 1

A wallet belongs to it when it holds some and meets all conditions. Anybody can publish a document, so a tier that
cannot be read is no group: nothing is guessed.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Self

from api.broadcasts.segments import Holding

MAX_GROUPS: Final = 100
_ID: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")
_AMOUNT: Final = re.compile(r"(?:0|[1-9][0-9]{0,77})(?:\.[0-9]{1,77})?")
_CONDITIONS: Final = ("minBalance", "minSharePercent", "maxRank")
_MOST_RANK: Final = 10**9
_PERCENT_DIGITS: Final = 6
_WHOLE_E8: Final = 100 * 10**_PERCENT_DIGITS


@dataclass(frozen=True, slots=True)
class HolderGroup:
    """A group and its conditions. ``least_share_e8``: the least share of what all holders have, times 10^8."""

    id: str
    least_raw: int = 1
    least_share_e8: int = 0
    most_rank: int | None = None

    def has(self, holding: Holding, held_raw: int) -> bool:
        """Whether a wallet belongs to the group.

        Args:
            held_raw: what all holders have together.
        """
        return (
            holding.balance_raw >= self.least_raw
            and holding.balance_raw * _WHOLE_E8 >= held_raw * self.least_share_e8
            and (self.most_rank is None or holding.rank <= self.most_rank)
        )

    @property
    def stored(self) -> dict[str, str | None]:
        """The group as the store keeps it; numbers as text, because they may be large."""
        return {
            "id": self.id,
            "leastRaw": str(self.least_raw),
            "leastShareE8": str(self.least_share_e8),
            "mostRank": None if self.most_rank is None else str(self.most_rank),
        }

    @classmethod
    def of_stored(cls, row: Mapping[str, Any]) -> Self:
        """The group of what :attr:`stored` gave."""
        rank = None if row["mostRank"] is None else int(row["mostRank"])
        return cls(row["id"], int(row["leastRaw"]), int(row["leastShareE8"]), rank)


def groups_of(tiers: object, decimals: int | None) -> dict[str, HolderGroup]:
    """The groups among a document's tiers, by id; of two with one id the first.

    Args:
        decimals: of the token; without them no group can ask for a balance.
    """
    found: dict[str, HolderGroup] = {}
    for tier in tiers[:MAX_GROUPS] if isinstance(tiers, Sequence) and not isinstance(tiers, str) else ():
        group = _group_of(tier, decimals) if isinstance(tier, Mapping) else None
        if group is not None:
            found.setdefault(group.id, group)
    return found


def _group_of(tier: Mapping[str, Any], decimals: int | None) -> HolderGroup | None:
    id = tier.get("id")
    given = [name for name in _CONDITIONS if tier.get(name) is not None]
    if not isinstance(id, str) or not _ID.fullmatch(id) or not given:
        return None
    least_raw: int | None = 1
    least_share_e8: int | None = 0
    most_rank: int | None = None
    if "minBalance" in given:
        least_raw = None if decimals is None else _scaled(tier["minBalance"], decimals)
    if "minSharePercent" in given:
        least_share_e8 = _scaled(tier["minSharePercent"], _PERCENT_DIGITS)
    if "maxRank" in given:
        most_rank = _scaled(tier["maxRank"], 0)
        if most_rank is None or most_rank > _MOST_RANK:
            return None
    if least_raw is None or least_share_e8 is None or least_share_e8 > _WHOLE_E8:
        return None
    return HolderGroup(id, least_raw, least_share_e8, most_rank)


def _scaled(given: object, digits: int) -> int | None:
    """A positive number times a power of ten, if that is whole."""
    text = str(given) if isinstance(given, int) and not isinstance(given, bool) else given
    if not isinstance(text, str) or not _AMOUNT.fullmatch(text):
        return None
    whole, _, fraction = text.partition(".")
    fraction = fraction.rstrip("0")
    if len(fraction) > digits:
        return None
    scaled = int(whole + fraction.ljust(digits, "0"))
    return scaled if scaled > 0 else None
