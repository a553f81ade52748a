"""Prometheus metrics of the service beyond HTTP: chains, node calls, steps, queues, notices, engines, parts.

Every metric is computed from one reading, so a chain, part or engine that is gone disappears from the next scrape, and
a counter is the number in the store.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from prometheus_client.metrics_core import HistogramMetricFamily, Metric
from prometheus_client.registry import Collector

from api.health.families import counter, gauge
from api.health.observer import Reading
from api.health.state import ChainState, CounterValue, FiringNotice, QueueState, StatusCount, StepState, StoreState
from api.health.storage import WarehouseState, storage_metrics
from api.ops.supervisor import state
from api.outbound.answers import Failure
from api.webhooks.counts import ATTEMPTS, TOOK, WAIT, histogram
from warehouse.breaker import Breaker
from warehouse.domain.chains import Chains
from warehouse.store import Store

REASON_LENGTH = 160
MAX_FIRING = 100
"""Notices that are shown one by one."""
DEPTHS = ("1", "2", "4", "8", "16", "32", "64", "inf")

COUNTERS = {
    "units": ("regalia_index_units", "Units of work published."),
    "blocks": ("regalia_index_blocks", "Blocks published, including those reverted later."),
    "rows": ("regalia_index_rows", "Rows of facts written."),
    "events": ("regalia_index_events", "Logs read from the chain."),
    "blocks_rechecked": ("regalia_index_blocks_rechecked", "Blocks whose log counts were compared with receipts."),
    "contradictions": ("regalia_node_contradictions", "Contradictory responses from nodes."),
    "requests": ("regalia_node_requests", "Requests sent to nodes."),
    "bytes": ("regalia_node_received_bytes", "Bytes received from nodes, before decompression."),
    "retries": ("regalia_node_retries", "Requests retried after a failure."),
    "ranges_halved": ("regalia_node_ranges_halved", "Ranges of blocks that a node refused as too large."),
    "batches_halved": ("regalia_node_batches_halved", "Batches of calls that a node refused as too large."),
    "status_429": ("regalia_node_rate_limited", "Responses with HTTP 429 (rate limited)."),
}
"""The indexer's counters in the store (`indexer/counting.py`), with their metric names and help texts."""


class ServiceCollector(Collector):
    """Collects what was read before the scrape; collecting does no I/O."""

    def __init__(self, chains: Chains, data_dir: Path, pool: Store, breakers: Callable[[], Sequence[Breaker]]) -> None:
        self.breakers = breakers
        self.chains = chains
        self.data_dir = data_dir
        self.pool = pool
        self.store: Reading[StoreState] = Reading(up=False, seconds=0.0)
        self.warehouse: Reading[WarehouseState] = Reading(up=False, seconds=0.0)

    def collect(self) -> Iterator[Metric]:
        """All metric families; those without data have no samples."""
        found = self.store.answer or StoreState()
        yield from self._engines()
        yield from _circuits(self.breakers())
        yield from self._chains(found.chains)
        yield from self._counters(found.counters)
        yield from self._derived(found.chains)
        yield from self._steps(found.steps)
        yield from _queues(found.queues)
        yield from _webhooks(self.store.answer)
        yield from _notices(found.firing, found.deliveries)
        yield from storage_metrics(self.data_dir, self.store.answer, self.warehouse.answer)
        yield from self._parts()

    def _key(self, chain_id: int) -> str:
        chain = self.chains.by_id(chain_id)
        return chain.key if chain else str(chain_id)

    def _engines(self) -> Iterator[Metric]:
        readings: dict[str, Reading[Any]] = {"store": self.store, "warehouse": self.warehouse}
        yield gauge(
            "regalia_engine_up",
            "Whether the engine answered this scrape.",
            ["engine"],
            [((name,), reading.up) for name, reading in readings.items()],
        )
        yield gauge(
            "regalia_engine_answer_seconds",
            "How long the engine took to answer this scrape's query, or the wait until it timed out.",
            ["engine"],
            [((name,), reading.seconds) for name, reading in readings.items()],
        )
        yield gauge(
            "regalia_store_pool_connections",
            "Connections of this process to the store, by state.",
            ["state"],
            [(("in_use",), self.pool.connections_in_use), (("idle",), self.pool.connections_idle)],
        )
        yield gauge("regalia_store_pool_limit", "Maximum connections of this process.", [], [((), self.pool.pool_size)])

    def _chains(self, rows: Sequence[ChainState]) -> Iterator[Metric]:
        known = [(self._key(row.chain_id), row) for row in rows]
        for name, text, field in (
            ("head_block", "The node's head when last seen.", "head"),
            ("indexed_block", "The last block published to the warehouse.", "indexed"),
            ("final_block", "The last block that was final when the node was last seen.", "final"),
            ("lag_seconds", "Age of the last published block.", "age"),
            ("quiet_seconds", "Time since the indexer last wrote anything about the chain.", "quiet"),
        ):
            yield gauge(f"regalia_chain_{name}", text, ["chain"], [((key,), getattr(row, field)) for key, row in known])
        yield gauge(
            "regalia_chain_lag_blocks",
            "Blocks between the head and the last published one.",
            ["chain"],
            [((key,), _behind(row.head, row.indexed)) for key, row in known],
        )
        yield gauge(
            "regalia_chain_halted",
            "1 when ingestion has halted until an operator acts; the reason says why and what to do.",
            ["chain", "reason"],
            [((key, _short(row.halted)), row.halted is not None) for key, row in known],
        )
        yield gauge(
            "regalia_chain_finality_blocks",
            "Blocks after which a block of the chain counts as final.",
            ["chain"],
            [((chain.key,), chain.finality_blocks) for chain in self.chains.enabled()],
        )

    def _counters(self, rows: Sequence[CounterValue]) -> Iterator[Metric]:
        by_chain: dict[int, dict[str, int]] = {}
        for name, chain_id, value in rows:
            if chain_id:  # 0: not about a chain
                by_chain.setdefault(chain_id, {})[name] = value
        for name, (metric, text) in COUNTERS.items():
            # A chain with any counter gets all of them at 0, so that Prometheus sees the first increase.
            samples = [((self._key(chain_id),), counts.get(name, 0)) for chain_id, counts in by_chain.items()]
            yield counter(metric, text, ["chain"], samples)
        depths = HistogramMetricFamily(
            "regalia_index_reorganisation_depth_blocks", "Blocks reverted by each reorganisation.", labels=["chain"]
        )
        for chain_id, counts in by_chain.items():
            buckets, total = [], 0
            for depth in DEPTHS:
                total += counts.get(f"reorganisations_to_{depth}", 0)
                buckets.append(("+Inf" if depth == "inf" else f"{depth}.0", float(total)))
            depths.add_metric([self._key(chain_id)], buckets, float(counts.get("reorganised_blocks", 0)))
        yield depths

    def _derived(self, rows: Sequence[ChainState]) -> Iterator[Metric]:
        published = self.warehouse.answer.publication if self.warehouse.answer else None
        indexed = {row.chain_id: row.indexed for row in rows}
        blocks = published.blocks if published else {}
        yield gauge(
            "regalia_derived_block",
            "The published block that the served tables were derived from.",
            ["chain"],
            [((self._key(chain_id),), block) for chain_id, block in blocks.items()],
        )
        yield gauge(
            "regalia_derive_lag_blocks",
            "Published blocks that the served tables do not include yet.",
            ["chain"],
            [((self._key(key),), _behind(indexed.get(key), block)) for key, block in blocks.items()],
        )
        yield gauge(
            "regalia_publication_version",
            "Version of the served tables.",
            [],
            [((), published.version if published else None)],
        )
        age = max(time.time() - published.published_at.timestamp(), 0.0) if published else None
        yield gauge("regalia_publication_age_seconds", "Age of that version.", [], [((), age)])

    def _steps(self, rows: Sequence[StepState]) -> Iterator[Metric]:
        labelled = [((row.step, self._key(row.chain_id) if row.chain_id else "all"), row) for row in rows]
        for name, text, field in (
            ("age_seconds", "Time since the start of the step's last run that wrote rows.", "age"),
            ("last_run_seconds", "Duration of that run.", "last_seconds"),
        ):
            samples = [(labels, getattr(row, field)) for labels, row in labelled]
            yield gauge(f"regalia_step_{name}", text, ["step", "chain"], samples)
        for name, text, field in (
            ("runs", "Runs that wrote rows.", "runs"),
            ("run_seconds", "Total duration of those runs.", "seconds"),
            ("rows", "Rows they wrote.", "rows"),
            ("failures", "Runs of the step in Dagster that failed after all retries.", "failures"),
        ):
            samples = [(labels, getattr(row, field)) for labels, row in labelled]
            yield counter(f"regalia_step_{name}", text, ["step", "chain"], samples)

    def _parts(self) -> Iterator[Metric]:
        running = state.read(self.data_dir)
        parts: dict[str, Any] = running["parts"] if running else {}
        yield gauge(
            "regalia_part_up",
            "Whether a part of `regalia up` is ready, or has finished its task.",
            ["part", "phase"],
            [((name, part["phase"]), part["phase"] in ("ready", "done")) for name, part in parts.items()],
        )
        yield counter(
            "regalia_part_restarts",
            "Restarts of a part since `regalia up` started.",
            ["part"],
            [((name,), part["restarts"]) for name, part in parts.items()],
        )


def _circuits(breakers: Sequence[Breaker]) -> Iterator[Metric]:
    named = [((breaker.name,), breaker) for breaker in breakers]
    yield gauge(
        "regalia_circuit_open",
        "1 while the dependency does not answer and requests for it are refused.",
        ["dependency"],
        [(name, breaker.is_open) for name, breaker in named],
    )
    yield counter(
        "regalia_circuit_openings",
        "How often the circuit opened.",
        ["dependency"],
        [(name, breaker.openings) for name, breaker in named],
    )
    yield counter(
        "regalia_circuit_refused",
        "Calls of the dependency that were refused.",
        ["dependency"],
        [(name, breaker.refused) for name, breaker in named],
    )


def _queues(rows: Sequence[QueueState]) -> Iterator[Metric]:
    yield gauge(
        "regalia_queue_jobs",
        "Jobs by state. `failed` counts all jobs kept, and Dagster's runs of the last day.",
        ["queue", "state"],
        [((row.queue, name), getattr(row, name)) for row in rows for name in ("waiting", "running", "failed")],
    )
    yield gauge(
        "regalia_queue_oldest_seconds",
        "How long the oldest due job has waited.",
        ["queue"],
        [((row.queue,), row.oldest or 0) for row in rows],
    )


def _webhooks(state: StoreState | None) -> Iterator[Metric]:
    found = state or StoreState()
    counts: dict[str, int] = {name: value for name, chain_id, value in found.counters if not chain_id}
    yield counter(
        "regalia_webhook_attempts",
        "Webhook delivery attempts, by outcome: delivered, or the reason for failure.",
        ["outcome"],
        [
            ((outcome,), counts.get(f"{ATTEMPTS}_{outcome}", 0))
            for outcome in (("delivered", *Failure) if state else ())
        ],
    )
    for metric, name, text in (
        ("regalia_webhook_wait_seconds", WAIT, "Time from recording an event to its first delivery attempt."),
        ("regalia_webhook_attempt_seconds", TOOK, "Duration of delivery attempts, successful or not."),
    ):
        family = HistogramMetricFamily(metric, text)
        if state:
            buckets, total = histogram(counts, name)
            family.add_metric([], buckets, total)
        yield family
    yield gauge(
        "regalia_webhook_subscriptions",
        "Webhooks by status.",
        ["status"],
        [((status,), count) for status, count in found.subscriptions],
    )
    yield gauge(
        "regalia_events_waiting",
        "Events whose deliveries are not queued yet.",
        [],
        [((), found.events)] if state else [],
    )


def _notices(firing: Sequence[FiringNotice], deliveries: Sequence[StatusCount]) -> Iterator[Metric]:
    yield gauge(
        "regalia_alert_firing",
        "1 for each reported condition that is still firing.",
        ["kind", "subject", "severity"],
        [((kind, subject, severity), 1) for kind, subject, severity in firing[:MAX_FIRING]],
    )
    yield gauge(
        "regalia_alert_deliveries",
        "Notices to the operators' webhook, by state: waiting, delivered, given_up.",
        ["state"],
        [((status,), count) for status, count in deliveries],
    )


def _behind(ahead: int | None, behind: int | None) -> int | None:
    return None if ahead is None or behind is None else max(ahead - behind, 0)


def _short(reason: str | None) -> str:
    """The reason as one line of bounded length; `regalia status` shows all of it."""
    line = " ".join((reason or "").split())
    return line if len(line) <= REASON_LENGTH else f"{line[: REASON_LENGTH - 1]}…"
