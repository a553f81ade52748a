"""Connections to the engines for Dagster's runs, opened inside a run and never at import."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import dagster as dg

from warehouse import engines, postgres, settings
from warehouse.chains import facts
from warehouse.clickhouse import Warehouse
from warehouse.domain.chains import Chain, Chains
from warehouse.engines import EngineUrls
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
        """Connections for the duration of the block."""
        chosen = settings.load()
        chains = facts.load(chosen.chains)
        with (
            engines.ensure(chosen) as urls,
            Warehouse.connect(urls.clickhouse_url) as warehouse,
            postgres.connect(urls.database_url, autocommit=True) as store,
        ):
            yield Connections(urls, warehouse, store, chains)


Engines = dg.ResourceParam[EngineAccess]
"""How runs ask for it."""


def configured_chains() -> tuple[Chain, ...]:
    """Chains that can be indexed and have a node in the chains file."""
    return tuple(chain for chain in facts.load(settings.load().chains).enabled() if chain.can_index)
