"""What a step of the refresh declares about itself."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, StrEnum

from pipelines.refresh_run import RefreshRun
from pipelines.run_log import StepRun
from warehouse.domain.chains import Chain


class Phase(Enum):
    """When a step runs, and under which lock. Phases run in this order."""

    IDENTITY = "serving lock"
    """Which tokens and registrations exist. The loop for new tokens runs these steps too."""
    METRICS = "the chain's refresh lock"
    """What is counted, priced and scored."""
    SERVING = "both locks"
    """Served rows; they become visible when the run publishes its version."""
    LISTS = "the refresh lock of all chains, after publication"
    """What is compiled from published data."""


class Group(StrEnum):
    """The groups of tables in Dagster."""

    CHAIN_FACTS = "chain_facts"
    """What the indexer writes."""
    SUMS_AND_PRICES = "sums_and_prices"
    SCORES = "scores"
    SERVING = "serving"
    """What the API reads from the warehouse, and analysts as marts."""
    STORE = "store"
    """What the API reads from the store."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One step of the refresh. ``pipelines/steps.py`` lists all of them in order."""

    name: str
    """Its name everywhere: in checkpoints, the run log, status, metrics and Dagster."""
    description: str
    after: tuple[str, ...] = ()
    """Names of the steps whose tables it reads. A step after none reads facts only."""
    tables: tuple[str, ...] = ()
    """Tables of the warehouse that it writes."""
    store_tables: tuple[str, ...] = ()
    """Tables of the store that it writes."""
    group: Group = Group.SUMS_AND_PRICES
    """That of its tables of the warehouse."""
    phase: Phase
    pauses_writer: bool = False
    """Whether it reads running sums, which hold still only while the chain's indexer does not write."""
    hourly: bool = False
    """Whether Dagster runs it for one hour at a time instead of with the other steps."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainStep(Step):
    """A step that runs for one chain at a time. It returns None when there was nothing to do."""

    derive: Callable[[RefreshRun, Chain], StepRun | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class GlobalStep(Step):
    """A step that runs once for all chains. It returns None when there was nothing to do."""

    derive: Callable[[RefreshRun], StepRun | None]
