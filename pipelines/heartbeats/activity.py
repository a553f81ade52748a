"""What happened to a token, as of any moment: running sums over its hours."""

from bisect import bisect_left
from collections.abc import Sequence
from itertools import accumulate

from pipelines.heartbeats.observation import DAY_SECONDS

Hour = tuple[int, int, int, int]
"""Start (unix seconds), transfers, wallets that came to hold less those that ceased to, time of the last transfer."""


class Activity:
    """The hours of one token, in order."""

    __slots__ = ("_held", "_hours", "_latest", "_sent")

    def __init__(self, hours: Sequence[Hour]) -> None:
        self._hours = [hour for hour, _, _, _ in hours]
        self._sent = [0, *accumulate(sent for _, sent, _, _ in hours)]
        self._held = [0, *accumulate(held for _, _, held, _ in hours)]
        self._latest = [0, *accumulate((latest for _, _, _, latest in hours), max)]

    def before(self, moment: int) -> tuple[int, int, int]:
        """Transfers of the 24 hours before a moment, holders, and the time of the last transfer (0: none), of the hours
        that began before it."""
        end = bisect_left(self._hours, moment)
        begin = bisect_left(self._hours, moment - DAY_SECONDS)
        return self._sent[end] - self._sent[begin], self._held[end], self._latest[end]
