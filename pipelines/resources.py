"""Connections to the engines for Dagster's runs, opened inside a run and never at import."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

import dagster as dg

from warehouse import engines, postgres, settings
from warehouse.chains import facts
from warehouse.clickhouse import Warehouse
from warehouse.domain.chains import Chain, Chains
from warehouse.engines import EngineUrls
from warehouse.errors import EnginesNotRunning, StoreUnavailable, WarehouseUnavailable
from warehouse.postgres import Connection


@dataclass(frozen=True, slots=True)
class Connections:
    """Open connections and the facts of the chains."""

    urls: EngineUrls
    warehouse: Warehouse
    store: Connection
    chains: Chains


class EngineAccess:
    """Opens the warehouse and the store of the settings: by URL, the running embedded ones, or started for the run."""

    @contextmanager
    def connect(self) -> Iterator[Connections]:
        """Connections for the duration of the block.

        Raises:
            dagster.Failure: an engine does not answer; the message says what to start.
        """
        chosen = settings.load()
        chains = facts.load(chosen.chains)
        with ExitStack() as held:
            try:
                urls = held.enter_context(engines.ensure(chosen))
                warehouse = held.enter_context(Warehouse.connect(urls.clickhouse_url))
                store = held.enter_context(postgres.connect(urls.database_url, autocommit=True))
            except (EnginesNotRunning, StoreUnavailable, WarehouseUnavailable) as error:
                raise dg.Failure(what_to_start(error)) from None
            yield Connections(urls, warehouse, store, chains)


def what_to_start(error: Exception) -> str:
    """One line about engines that do not answer, and what to do."""
    lines = str(error).splitlines() or [type(error).__name__]
    return (
        f"{lines[0]}: start the service with `regalia up`, or set REGALIA_CLICKHOUSE_URL and REGALIA_DATABASE_URL to"
        " engines that run"
    )


Engines = dg.ResourceParam[EngineAccess]
"""How runs ask for it."""


def configured_chains() -> tuple[Chain, ...]:
    """Chains that can be indexed and have a node in the chains file."""
    return tuple(chain for chain in facts.load(settings.load().chains).enabled() if chain.can_index)
