"""When rules fire: once per breach, and not within the cooldown after they fired last.

    not fired --breached, cooldown over--> fired --not breached--> not fired

A moment without a reading changes nothing, so a gap neither ends a breach nor begins one. A breach that begins in the
cooldown fires when that is over, if it lasts as long.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Flags: TypeAlias = npt.NDArray[np.bool_]
Seconds: TypeAlias = npt.NDArray[np.int64]
Breaches: TypeAlias = npt.NDArray[np.int8]
BREACHED, CLEAR, UNKNOWN = 1, 0, -1


@dataclass(slots=True)
class Standings:
    """What is known of each rule.

    Args:
        fired: it has fired in the present breach.
        last_fired: when it fired last, in unix seconds; 0: never.
    """

    fired: Flags
    last_fired: Seconds

    @classmethod
    def new(cls, rules: int) -> "Standings":
        """Of rules that were never judged."""
        return cls(np.zeros(rules, np.bool_), np.zeros(rules, np.int64))


@dataclass(frozen=True, slots=True)
class Changes:
    """What happened at a moment: rows of the rules that recovered, and of those that fired."""

    place: int
    recovered: npt.NDArray[Any]
    fired: npt.NDArray[Any]


def advance(standings: Standings, moments: Sequence[int], breaches: Breaches, cooldowns: Seconds) -> Iterator[Changes]:
    """Judge the moments in order, changing ``standings``; yields the moments at which something happened.

    Args:
        standings: of each rule, before the first moment.
        moments: in unix seconds, ascending.
        breaches: a row for each rule, a column for each moment: BREACHED, CLEAR or UNKNOWN.
        cooldowns: of each rule, in seconds.
    """
    for place, moment in enumerate(moments):
        now = breaches[:, place]
        recovers = standings.fired & (now == CLEAR)
        rested = (standings.last_fired == 0) | (moment - standings.last_fired >= cooldowns)
        fires = ~standings.fired & (now == BREACHED) & rested
        if recovers.any() or fires.any():
            standings.fired = (standings.fired & ~recovers) | fires
            standings.last_fired = np.where(fires, moment, standings.last_fired)
            yield Changes(place, np.flatnonzero(recovers), np.flatnonzero(fires))
