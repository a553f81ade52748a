"""One run: a chain, a faulty proxy in front of its node, a service that indexes it, kills, and the comparison."""

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
from tests.torture.chain_activity import FINALITY_BLOCKS, KEPT_STATES, MAX_BLOCKS, ChainActivity
from tests.torture.comparison import Comparison, compare
from tests.torture.fault_schedule import FaultSchedule
from tests.torture.killer import DAGSTER, INDEXER, Killer, plan_kills
from tests.torture.service import STORE, WAREHOUSE, PartFailed, Service, running
from warehouse.chains import facts

WEIGHTS = ((INDEXER, 22), (WAREHOUSE, 12), (STORE, 12), (DAGSTER, 4))
_OUTPUT_SECONDS = 0.3
# A kill waits until its target runs, so the last ones may be late. Kills later than this count as missed.
_LATE_KILLS_SECONDS = 60.0
_CATCH_UP_SECONDS = 4.0


@dataclass(frozen=True, slots=True)
class Plan:
    """What a run does.

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
    """Progress of a run."""

    seconds: float
    head: int
    kills: int
    reorganisations: int
    faults: int


Progress = Callable[[Report], None]


@dataclass(slots=True)
class Outcome:
    """What a run did, and what the comparison found."""

    plan: Plan
    kills: Counter[str] = field(default_factory=Counter)
    phases: Counter[str] = field(default_factory=Counter)
    depths: list[int] = field(default_factory=list)
    faults: Counter[str] = field(default_factory=Counter)
    ended: Counter[str] = field(default_factory=Counter)
    blocks: int = 0
    seconds: float = 0.0
    comparison: Comparison = field(default_factory=Comparison)

    def shortfalls(self) -> list[str]:
        """What was planned and did not happen: a run without its faults proves nothing."""
        planned = {"kills": self.plan.kills, "reorganisations": self.plan.reorganisations}
        done = {"kills": sum(self.kills.values()), "reorganisations": len(self.depths)}
        return [f"{done[name]} {name} of {count} planned" for name, count in planned.items() if done[name] < count]

    @property
    def passed(self) -> bool:
        """Whether everything planned happened and nothing differs."""
        return not self.comparison.wrong and not self.shortfalls()


def torture(plan: Plan, folder: Path, progress: Progress = lambda report: None) -> Outcome:
    """Carry out a plan with its data below ``folder``.

    Raises:
        PartFailed: a part of the service did not come back.
    """
    started = time.monotonic()
    outcome = Outcome(plan)
    with Anvil.start(kept_states=KEPT_STATES) as node, faulty_node(node.url) as proxy:
        world = World.create(node, seed=plan.seed, scale="small")
        activity = ChainActivity(world, random.Random(f"{plan.seed} activity"))
        chains_file = folder / "chains.toml"
        _write_chains(chains_file, world, proxy.url)
        chains = facts.load(chains_file)
        with running(folder / "data", chains_file, derived=plan.derived) as service:
            service.follow.start()
            if not service.await_published(world.anvil.block_number()):
                raise PartFailed(f"nothing is indexed:\n{service.follow.last_lines()}")
            schedule = FaultSchedule(proxy, plan.seed)
            _run_plan(plan, activity, schedule, service, outcome, progress)
            service.await_published(activity.head, _CATCH_UP_SECONDS)  # with faults; afterwards without
            schedule.clear()
            time.sleep(_OUTPUT_SECONDS)
            service.follow.stop()  # an orderly stop: it finishes the unit it has begun
            outcome.ended.update({name: kept.ends for name, kept in service.kept.items()})
            for name in (STORE, WAREHOUSE):
                service.await_ready(name)
            outcome.comparison = compare(service.urls, chains, chains.by_key["base"], world, derived=plan.derived)
        outcome.depths, outcome.blocks, outcome.faults = activity.depths, world.anvil.block_number(), schedule.done
    outcome.seconds = time.monotonic() - started
    return outcome


def _write_chains(path: Path, world: World, url: str) -> None:
    """The service's chains file: this world by way of the proxy, with the finality that reorganisations keep to."""
    text = world.chain_toml().replace(world.anvil.url, url)
    path.write_text(re.sub(r"(?m)^finality_blocks = .*$", f"finality_blocks = {FINALITY_BLOCKS}", text))


def _run_plan(
    plan: Plan, activity: ChainActivity, schedule: FaultSchedule, service: Service, outcome: Outcome, progress: Progress
) -> None:
    """Mine blocks and reorganise the chain while processes of its index are killed."""
    rng = random.Random(f"{plan.seed} reorganisations")
    killer = Killer(service, plan_kills(random.Random(f"{plan.seed} kills"), plan.kills, plan.seconds, plan.weights))
    outcome.kills, outcome.phases = killer.done, killer.phases
    killer.start()
    begun = time.monotonic()

    def report() -> None:
        faults = sum(schedule.done.values())
        progress(Report(time.monotonic() - begun, activity.head, killer.done.total(), len(activity.depths), faults))

    try:
        slot = plan.seconds / max(plan.reorganisations, 1)
        growth = max((MAX_BLOCKS - activity.head) // (plan.reorganisations + 1), 1)
        wanted = _depths(rng, plan.reorganisations)
        while wanted:
            ends = begun + slot * (plan.reorganisations - len(wanted) + 1)
            twice = len(wanted) > 1 and rng.random() < 0.25
            if twice:
                ends += slot
            top = min(activity.highest + growth * (2 if twice else 1), MAX_BLOCKS)
            _reorganise(activity, schedule, wanted.pop(0))
            if twice:
                for _ in range(rng.randrange(0, 4)):
                    activity.block()
                    time.sleep(rng.uniform(0.0, 0.5))
                _reorganise(activity, schedule, wanted.pop(0))
            _grow(activity, rng, top, ends, report)
        while killer.busy and time.monotonic() < begun + plan.seconds + _LATE_KILLS_SECONDS:
            report()
            time.sleep(0.5)
    finally:
        killer.stop()


def _reorganise(activity: ChainActivity, schedule: FaultSchedule, depth: int) -> None:
    activity.reorganise(max(1, min(depth, activity.max_depth())))
    schedule.on_reorganisation()


def _grow(activity: ChainActivity, rng: random.Random, top: int, ends: float, report: Callable[[], None]) -> None:
    """Blocks up to ``top``, in bursts and pauses, until ``ends``."""
    while (missing := top - activity.head) > 0:
        for _ in range(min(missing, rng.choice((1, 1, 1, 2, 3, 8)))):
            activity.block()
        report()
        left = ends - time.monotonic()
        time.sleep(min(max(left, 0.0) * rng.random() * 4 / (missing + 1), 1.5))
    while (left := ends - time.monotonic()) > 0:
        report()
        time.sleep(min(left, 1.0))


def _depths(rng: random.Random, count: int) -> list[int]:
    """Depths of all sizes: always the shallowest and the deepest, most between them shallow, as on real chains."""
    drawn = [rng.randint(*rng.choice(((1, 3), (2, 12), (8, 32), (24, 64)))) for _ in range(count)]
    for number, depth in enumerate((64, 1)[:count]):
        drawn[number] = depth
    rng.shuffle(drawn)
    return drawn
