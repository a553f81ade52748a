"""When the node has which faults: periods with up to three faults at once, and periods without, from one seed."""

import random
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from tests.fixtures.faulty_node import Answer, FaultyNode, Reply, Request
from tests.fixtures.node_faults import (
    RANGE_WORDINGS,
    RESULT_WORDINGS,
    BadGateway,
    Behind,
    Dropped,
    Fault,
    ForeignLogs,
    Late,
    OtherChain,
    OtherFork,
    RangeLimited,
    ResultLimited,
    Throttled,
    Truncated,
)

FAULT_FREE_SHARE = 0.2
# A period ends after so many requests, or after so many seconds without them.
_PERIOD_REQUESTS = (4, 40)
_PERIOD_SECONDS = 3.0
# The follower pauses for half a minute when the node reports another chain id, so that fault is rare.
_RARE = {"another chain id": 0.25}


def _kinds(rng: random.Random, fork: OtherFork) -> dict[str, Callable[[], Fault]]:
    """Every fault by name; its severity is drawn anew each time."""

    def lie() -> Fault:
        fork.share = rng.uniform(0.2, 0.9)
        return fork

    return {
        "late answers": lambda: Late(rng, rng.uniform(0.2, 1.0), rng.uniform(0.02, 0.2)),
        "dropped connections": lambda: Dropped(rng, rng.uniform(0.05, 0.3)),
        "429": lambda: Throttled(rng, rng.uniform(0.05, 0.3), "silent"),
        "429, Retry-After in seconds": lambda: Throttled(rng, rng.uniform(0.05, 0.3), "seconds"),
        "429, Retry-After as a date": lambda: Throttled(rng, rng.uniform(0.02, 0.1), "date"),
        "throttled in words": lambda: Throttled(rng, rng.uniform(0.05, 0.3), "words"),
        "bad gateway": lambda: BadGateway(rng, rng.uniform(0.05, 0.3)),
        "range limit": lambda: RangeLimited(rng, 1.0, rng.randrange(1, 9), rng.choice(RANGE_WORDINGS)),
        "result limit": lambda: ResultLimited(rng, 1.0, rng.randrange(10, 80), rng.choice(RESULT_WORDINGS)),
        "truncated results": lambda: Truncated(rng, rng.uniform(0.2, 0.8)),
        "logs of no block": lambda: ForeignLogs(rng, rng.uniform(0.1, 0.5)),
        "answers of another fork": lie,
        "one of the nodes behind": lambda: Behind(rng, rng.uniform(0.2, 0.7), rng.randrange(1, 6)),
        "all nodes behind": lambda: Behind(rng, 1.0, rng.randrange(1, 40)),
        "another chain id": lambda: OtherChain(rng, rng.uniform(0.05, 0.3)),
    }


@dataclass(slots=True)
class FaultSchedule:
    """The faults of one proxy, which change over time until ``clear`` is called."""

    node: FaultyNode
    seed: int
    done: Counter[str] = field(default_factory=Counter)
    _rng: random.Random = field(init=False)
    _fork: OtherFork = field(init=False)
    _active: dict[str, Fault] = field(init=False, default_factory=dict)
    _until: float = field(init=False, default=0.0)
    _requests_left: int = field(init=False, default=0)
    _clear: bool = field(init=False, default=False)
    _lock: threading.Lock = field(init=False, default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self._rng = random.Random(f"{self.seed} faults")
        self._fork = OtherFork(random.Random(f"{self.seed} fork"))
        self.node.before = self._before
        self.node.item = self._item

    def on_reorganisation(self) -> None:
        """Tell the faults that the chain was reorganised."""
        with self._lock:
            self._fork.on_reorganisation()

    def clear(self) -> None:
        """End the current faults and begin no others."""
        with self._lock:
            self._end_period()
            self._clear = True

    def _before(self, requests: list[Request]) -> Reply | None:
        for fault in self._next_faults():
            reply = fault.before(requests)
            if reply is not None:
                return reply
        return None

    def _item(self, request: Request, answer: Answer) -> Answer:
        with self._lock:
            faults = list(self._active.values())
            # The other fork records the node's true answers, so it comes first, whether it is active or not.
            answer = self._fork.item(request, answer)
            for fault in faults:
                if fault is not self._fork:
                    answer = fault.item(request, answer)
        return answer

    def _next_faults(self) -> list[Fault]:
        with self._lock:
            self._requests_left -= 1
            if not self._clear and (self._requests_left < 0 or time.monotonic() >= self._until):
                self._end_period()
                self._begin_period()
            return list(self._active.values())

    def _begin_period(self) -> None:
        self._until = time.monotonic() + _PERIOD_SECONDS
        self._requests_left = self._rng.randint(*_PERIOD_REQUESTS)
        if self._rng.random() < FAULT_FREE_SHARE:
            return
        kinds = _kinds(self._rng, self._fork)
        likely = [name for name in sorted(kinds) if self._rng.random() < _RARE.get(name, 1.0)]
        self._active = {name: kinds[name]() for name in self._rng.sample(likely, self._rng.choice((1, 1, 2, 3)))}
        self._fork.lying = self._fork in self._active.values()

    def _end_period(self) -> None:
        for name, fault in self._active.items():
            self.done[name] += fault.done
            fault.done = 0
        self._active = {}
        self._fork.lying = False
