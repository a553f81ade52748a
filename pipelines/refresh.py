"""Bringing every derived table up to date: the functions behind the followers, Dagster and ``regalia refresh``.

Two loops: one publishes new tokens within a second (:func:`publish_new_tokens`), the other recomputes metrics
(:func:`refresh`). They run at the same time, for each chain, and wait for each other only while served rows are
written. What there is to do, and in which order, is declared in :mod:`pipelines.steps`.
"""

import logging
from collections.abc import Callable, Mapping, Sequence

from pipelines import publication
from pipelines.checks import holds
from pipelines.documents import derive as documents
from pipelines.events.derive import EventsFailed
from pipelines.locks import ALL_CHAINS, RefreshBusy, chain_lock, try_chain_lock, writer_paused
from pipelines.publication import PublicationState
from pipelines.refresh_run import RefreshRun, open_run, open_serving_run
from pipelines.run_log import OnStepRun, StepRun
from pipelines.step import ChainStep, GlobalStep, Phase
from pipelines.steps import STEPS, AnyStep
from pipelines.windows import ReorgDuringRefresh
from warehouse.clickhouse import Warehouse
from warehouse.domain.chains import Chain, Chains
from warehouse.postgres import Connection
from warehouse.tracing import span, trace

log = logging.getLogger(__name__)

_MAX_ATTEMPTS = 3


def publish_new_tokens(
    warehouse: Warehouse, store: Connection, chains: Chains, chain: Chain, *, wait_seconds: float = 30.0
) -> list[StepRun]:
    """Publish the chain's new and changed tokens and registrations. Their metrics follow with :func:`refresh`. Nothing
    is published while a failed check forbids it.

    Raises:
        RefreshBusy: another run was publishing for ``wait_seconds``.
        ReorgDuringRefresh: the chain was reorganised meanwhile; nothing was published.
    """
    with (
        trace("publish new tokens", {"chain": chain.key}),
        open_serving_run(warehouse, store, chains, wait_seconds=wait_seconds) as run,
    ):
        window = run.windows.open(documents.SUBJECT, chain)
        if window is None or holds.of_publication(store):
            return []
        before = publication.read_publication_state(run)
        for step in _chain_steps(STEPS, Phase.IDENTITY):
            _derive(step, run, chain)
        if not _finish(run, before):
            return run.log.entries
        documents.derive_new_tokens(run, chain)
        run.windows.ensure_not_reorged(window)
        publication.publish(run, before, at_leisure=True)
        return run.log.entries


def refresh(
    warehouse: Warehouse,
    store: Connection,
    chains: Chains,
    *,
    chain_ids: Sequence[int] | None = None,
    on_step_run: OnStepRun | None = None,
    steps: Sequence[str] | None = None,
    full: bool = True,
    writer_wait_seconds: float = 10.0,
    wait_seconds: float = 60.0,
) -> list[StepRun]:
    """Bring the derived tables of the chains (all, unless named) up to date with what is indexed, and publish them: one
    chain after the other, each under its own lock.

    Args:
        warehouse: the warehouse.
        store: the store; the run commits as it goes.
        chains: the facts of the chains.
        chain_ids: the chains to refresh.
        on_step_run: called after each step that did something.
        steps: names of the steps to run; all by default. They run in the order of :data:`pipelines.steps.STEPS`.
        full: also recompute what only time or the native coin's price has changed, and all ranks. The follower's
            runs do that once a minute.
        writer_wait_seconds: how long to wait for a chain's indexer to pause between units while balances are read. If
            it does not, the steps that need it are left to the next run.
        wait_seconds: how long to wait for another run.

    Raises:
        RefreshBusy: another run of a chain did not finish in time; the other chains are done and published.
        EventsFailed: events could not be recorded; everything else is done and published.
    """
    chosen = [chain for chain in chains.by_key.values() if chain_ids is None or chain.chain_id in chain_ids]
    wanted = [step for step in STEPS if steps is None or step.name in with_figures(steps)]
    busy: list[RefreshBusy] = []
    with (
        trace("refresh", {"chains": ",".join(chain.key for chain in chosen) if chain_ids else "all", "full": full}),
        open_run(warehouse, store, chains, full=full, on_step_run=on_step_run) as run,
    ):
        indexed = [chain for chain in chosen if _is_published(run, chain)]
        for chain in indexed:
            try:
                _refresh_chain(run, chain, wanted, writer_wait_seconds, wait_seconds)
            except RefreshBusy as error:
                busy.append(error)
        held = holds.of_publication(store)
        if held:
            run.log.record(StepRun("publication", None, 0.0, 0, note=holds.note(held)))
        else:
            if not indexed:
                _write_and_publish(run, lambda: True, wait_seconds)
            _refresh_what_is_of_all_chains(run, indexed, wanted, wait_seconds)
        run.log.tell()
        if busy:
            raise busy[0]
        if run.failures:
            raise EventsFailed(f"{len(run.failures)} event sources failed") from run.failures[0]
        return run.log.entries


def _refresh_chain(
    run: RefreshRun, chain: Chain, wanted: Sequence[AnyStep], writer_wait_seconds: float, wait_seconds: float
) -> None:
    """Derive a chain, write its served rows and publish them, while no other run derives it."""
    with chain_lock(run.store, chain.chain_id, wait_seconds):
        _derive_chain(run, chain, wanted, writer_wait_seconds, wait_seconds)
        if not holds.of_publication(run.store):
            _write_and_publish(run, lambda: _serve(run, chain, wanted), wait_seconds)


def _refresh_what_is_of_all_chains(
    run: RefreshRun, chosen: Sequence[Chain], wanted: Sequence[AnyStep], wait_seconds: float
) -> None:
    """Write and publish ranks, and compile what is made of published data. While another run compiles it, a follower's
    leaves it to that one."""
    ranks, lists = (_global_steps(wanted, phase) for phase in (Phase.SERVING, Phase.LISTS))
    if ranks and _has_swept(run, chosen):
        _write_and_publish(run, lambda: _derive_global(run, ranks), wait_seconds)
    if lists:
        lock = chain_lock(run.store, ALL_CHAINS, wait_seconds) if run.full else try_chain_lock(run.store, ALL_CHAINS)
        with lock as alone:
            if alone:
                run.allocate_version()
                _derive_global(run, lists)


def _write_and_publish(run: RefreshRun, write: Callable[[], bool], wait_seconds: float) -> None:
    """Write served rows and publish them, after those that dead runs left. ``write`` says whether they are complete."""
    with run.serving(wait_seconds):
        before = publication.read_publication_state(run)
        if _finish(run, before) and write():
            publication.publish(run, before)


def with_figures(names: Sequence[str]) -> set[str]:
    """The steps to run for these. Documents are made of figures of one block, so a run that makes them brings these to
    its own block first."""
    chosen = set(names)
    if documents.SUBJECT in chosen:
        waiting = [documents.SUBJECT]
        before = {step.name: step.after for step in STEPS if isinstance(step, ChainStep) and not step.hourly}
        while waiting:
            added = set(before.get(waiting.pop(), ())) & before.keys() - chosen
            chosen |= added
            waiting += added
    return chosen


def _derive_chain(
    run: RefreshRun, chain: Chain, wanted: Sequence[AnyStep], writer_wait_seconds: float, wait_seconds: float
) -> None:
    """Run the steps of one chain that write no served rows. After a reorganisation they start again."""
    metrics = _chain_steps(wanted, Phase.METRICS)
    for _ in range(_MAX_ATTEMPTS):
        try:
            run.reload(chain)
            if not _is_published(run, chain):
                return
            with run.serving(wait_seconds):
                run.reload(chain)
                _publish_unfinished(run, chain)
                for step in _chain_steps(wanted, Phase.IDENTITY):
                    _derive(step, run, chain)
            _derive_with_writer_paused(
                run, chain, [step for step in metrics if step.pauses_writer], writer_wait_seconds
            )
            for step in metrics:
                if not step.pauses_writer:
                    _derive(step, run, chain)
            return
        except ReorgDuringRefresh as error:
            log.info("%s; starting again", error)
    _record_repeated_reorgs(run, chain)


def _derive_with_writer_paused(run: RefreshRun, chain: Chain, steps: Sequence[ChainStep], wait_seconds: float) -> None:
    """Run steps that read running sums. Those belong to the published block only while the chain's indexer is paused;
    the steps that follow then read as of the same block."""
    if not steps:
        return
    with writer_paused(run.store, chain, wait_seconds) as paused:
        run.reload(chain)
        window = run.windows.open(steps[0].name, chain)
        if paused and window is not None and window.sums_settled:
            for step in steps:
                _derive(step, run, chain)
            return
    log.warning("chain %s is being written; its %s follow with the next run", chain.key, steps[0].name)
    run.log.record(StepRun(steps[0].name, chain.chain_id, 0.0, 0, note="the chain is being written"))


def _serve(run: RefreshRun, chain: Chain, wanted: Sequence[AnyStep]) -> bool:
    """Write the served rows of one chain. After a reorganisation it starts again under a new version; False if that
    keeps happening, so that the rows belong to no single state of the chain."""
    for _ in range(_MAX_ATTEMPTS):
        try:
            run.reload(chain)
            for step in _chain_steps(wanted, Phase.SERVING):
                _derive(step, run, chain)
            return True
        except ReorgDuringRefresh as error:
            log.info("%s; starting again", error)
            run.allocate_version()
    _record_repeated_reorgs(run, chain)
    return False


def _publish_unfinished(run: RefreshRun, chain: Chain) -> None:
    """Publish what a dead run left of this chain before its metrics are computed: nobody else can meanwhile, and until
    then no chain is published."""
    before = publication.read_publication_state(run)
    if chain.chain_id in before.unfinished and not holds.of_publication(run.store) and _finish(run, before):
        publication.publish(run, before)
    run.reload(chain)


def _finish(run: RefreshRun, before: PublicationState) -> bool:
    """Complete the served rows of runs that died or gave up while they wrote them; returns whether all are complete.

    Nobody knows how far such a run came, so all steps of its chain run. They move the checkpoint of the documents to
    this version. A run that is recomputing the chain's metrics still requests documents under its own, lower version,
    and nobody would serve those. So without the chain's refresh lock leave it to that run, which begins with this.
    """
    for chain in run.chains.by_key.values():
        if chain.chain_id in before.unfinished:
            with try_chain_lock(run.store, chain.chain_id) as alone:
                if not (alone and _serve(run, chain, STEPS)):
                    return False
    return not before.unfinished or _derive_global(run, _global_steps(STEPS, Phase.SERVING))


def _derive_global(run: RefreshRun, steps: Sequence[GlobalStep]) -> bool:
    """Run steps for all chains. True: what they wrote is complete."""
    for step in steps:
        with span(step.name) as traced:
            traced.set(_figures(step.derive(run)))
    return True


def _derive(step: ChainStep, run: RefreshRun, chain: Chain) -> None:
    with span(step.name, {"chain": chain.key}) as traced:
        traced.set(_figures(step.derive(run, chain)))


def _figures(done: StepRun | None) -> Mapping[str, int]:
    return {"rows": done.rows if done is not None else 0}


def _global_steps(steps: Sequence[AnyStep], phase: Phase) -> list[GlobalStep]:
    return [step for step in steps if isinstance(step, GlobalStep) and step.phase is phase]


def _chain_steps(steps: Sequence[AnyStep], phase: Phase) -> list[ChainStep]:
    return [step for step in steps if isinstance(step, ChainStep) and step.phase is phase]


def _has_swept(run: RefreshRun, chosen: Sequence[Chain]) -> bool:
    """Whether the prices of all active tokens were recomputed, which is when ranks are worth recomputing."""
    if run.full:
        return any(_is_published(run, chain) for chain in chosen)
    return any(entry.step == "prices" and entry.note == "sweep" for entry in run.log.entries)


def _is_published(run: RefreshRun, chain: Chain) -> bool:
    return run.windows.open(documents.SUBJECT, chain) is not None


def _record_repeated_reorgs(run: RefreshRun, chain: Chain) -> None:
    run.log.record(StepRun("refresh", chain.chain_id, 0.0, 0, note="the chain keeps being reorganised"))
