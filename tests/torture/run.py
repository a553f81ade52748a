"""One torture: a chain, a faulty node before it, a service that indexes it, a killer, and the verdict."""

import random
import re
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from indexer.devchain.anvil import Anvil
from indexer.devchain.world import World
from tests.fixtures.faulty_node import faulty_node
from tests.torture.killer import DAGSTER, INDEXER, Killer, plan_kills
from tests.torture.life import FINALITY_BLOCKS, KEPT_STATES, LONGEST_CHAIN, Life
from tests.torture.service import STORE, WAREHOUSE, PartFailed, Service, running
from tests.torture.verdict import Verdict, judge
from tests.torture.weather import Weather
from warehouse.chains import facts

WEIGHTS = ((INDEXER, 22), (WAREHOUSE, 12), (STORE, 12), (DAGSTER, 4))
_LAST_WORDS_SECONDS = 0.3
# A kill waits until its target runs, so the last ones may come late; what does not come in this time is missed.
_LATE_KILLS_SECONDS = 60.0
_CATCH_UP_SECONDS = 4.0


@dataclass(frozen=True, slots=True)
class Plan:
    """How much of everything.

    Attributes:
        seconds: for growth, faults and kills; comparing comes after it.
        weights: the kills' shares by target.
        derived: whether derived tables are kept up to date meanwhile, and compared.
    """

    seed: int
    seconds: float
    kills: int
    reorganisations: int
    weights: tuple[tuple[str, int], ...] = WEIGHTS
    derived: bool = True


@dataclass(frozen=True, slots=True)
class Report:
    """Where a torture is: for progress."""

    seconds: float
    head: int
    kills: int
    reorganisations: int
    faults: int


Progress = Callable[[Report], None]


@dataclass(slots=True)
class Outcome:
    """What was done to the index, and what it was worth."""

    plan: Plan
    kills: Counter[str] = field(default_factory=Counter)
    phases: Counter[str] = field(default_factory=Counter)
    depths: list[int] = field(default_factory=list)
    faults: Counter[str] = field(default_factory=Counter)
    ended: Counter[str] = field(default_factory=Counter)
    blocks: int = 0
    seconds: float = 0.0
    verdict: Verdict = field(default_factory=Verdict)

    def shortfalls(self) -> list[str]:
        """What was planned and not done: a torture that did not take place proves nothing."""
        planned = {"kills": self.plan.kills, "reorganisations": self.plan.reorganisations}
        done = {"kills": sum(self.kills.values()), "reorganisations": len(self.depths)}
        return [f"{done[name]} {name} of {count} planned" for name, count in planned.items() if done[name] < count]

    @property
    def passed(self) -> bool:
        """Whether everything took place and nothing differs."""
        return not self.verdict.wrong and not self.shortfalls()


def torture(plan: Plan, folder: Path, progress: Progress = lambda report: None) -> Outcome:
    """Carry out a plan with its data below ``folder``.

    Raises:
        PartFailed: a part of the service did not come back.
    """
    started = time.monotonic()
    outcome = Outcome(plan)
    with Anvil.start(kept_states=KEPT_STATES) as node, faulty_node(node.url) as proxy:
        world = World.create(node, seed=plan.seed, scale="small")
        life = Life(world, random.Random(f"{plan.seed} life"))
        chains_file = folder / "chains.toml"
        _write_chains(chains_file, world, proxy.url)
        chains = facts.load(chains_file)
        with running(folder / "data", chains_file, derived=plan.derived) as service:
            service.follow.start()
            if not service.await_published(world.anvil.block_number()):
                raise PartFailed(f"nothing is indexed:\n{service.follow.last_lines()}")
            weather = Weather(proxy, plan.seed)
            _live_through(plan, life, weather, service, outcome, progress)
            service.await_published(life.head, _CATCH_UP_SECONDS)  # with faults still on; then without
            weather.clear()
            time.sleep(_LAST_WORDS_SECONDS)
            service.follow.stop()  # in order, so that what it had begun is whatever it left
            outcome.ended.update({name: kept.ends for name, kept in service.kept.items()})
            for name in (STORE, WAREHOUSE):
                service.await_ready(name)
            outcome.verdict = judge(service.urls, chains, chains.by_key["base"], world, derived=plan.derived)
        outcome.depths, outcome.blocks, outcome.faults = life.depths, world.anvil.block_number(), weather.done
    outcome.seconds = time.monotonic() - started
    return outcome


def _write_chains(path: Path, world: World, url: str) -> None:
    """The service's chains file: this world by way of the proxy, with the finality that reorganisations keep to."""
    text = world.chain_toml().replace(world.anvil.url, url)
    path.write_text(re.sub(r"(?m)^finality_blocks = .*$", f"finality_blocks = {FINALITY_BLOCKS}", text))


def _live_through(
    plan: Plan, life: Life, weather: Weather, service: Service, outcome: Outcome, progress: Progress
) -> None:
    """Let the chain grow and go back while its index is killed again and again."""
    rng = random.Random(f"{plan.seed} reorganisations")
    killer = Killer(service, plan_kills(random.Random(f"{plan.seed} kills"), plan.kills, plan.seconds, plan.weights))
    outcome.kills, outcome.phases = killer.done, killer.phases
    killer.start()
    begun = time.monotonic()

    def report() -> None:
        faults = sum(weather.done.values())
        progress(Report(time.monotonic() - begun, life.head, killer.done.total(), len(life.depths), faults))

    try:
        slot = plan.seconds / max(plan.reorganisations, 1)
        growth = max((LONGEST_CHAIN - life.head) // (plan.reorganisations + 1), 1)
        wanted = _depths(rng, plan.reorganisations)
        while wanted:
            ends = begun + slot * (plan.reorganisations - len(wanted) + 1)
            twice = len(wanted) > 1 and rng.random() < 0.25
            if twice:
                ends += slot
            top = min(life.highest + growth * (2 if twice else 1), LONGEST_CHAIN)
            _reorganise(life, weather, wanted.pop(0))
            if twice:
                for _ in range(rng.randrange(0, 4)):
                    life.block()
                    time.sleep(rng.uniform(0.0, 0.5))
                _reorganise(life, weather, wanted.pop(0))
            _grow(life, rng, top, ends, report)
        while killer.busy and time.monotonic() < begun + plan.seconds + _LATE_KILLS_SECONDS:
            report()
            time.sleep(0.5)
    finally:
        killer.stop()


def _reorganise(life: Life, weather: Weather, depth: int) -> None:
    life.go_back(max(1, min(depth, life.deepest())))
    weather.turned()


def _grow(life: Life, rng: random.Random, top: int, ends: float, report: Callable[[], None]) -> None:
    """Blocks up to ``top``, in bursts and pauses, until ``ends``."""
    while (missing := top - life.head) > 0:
        for _ in range(min(missing, rng.choice((1, 1, 1, 2, 3, 8)))):
            life.block()
        report()
        left = ends - time.monotonic()
        time.sleep(min(max(left, 0.0) * rng.random() * 4 / (missing + 1), 1.5))
    while (left := ends - time.monotonic()) > 0:
        report()
        time.sleep(min(left, 1.0))


def _depths(rng: random.Random, count: int) -> list[int]:
    """Depths of all sizes: always the shallowest and the deepest, most between them shallow as in life."""
    drawn = [rng.randint(*rng.choice(((1, 3), (2, 12), (8, 32), (24, 64)))) for _ in range(count)]
    for number, depth in enumerate((64, 1)[:count]):
        drawn[number] = depth
    rng.shuffle(drawn)
    return drawn
