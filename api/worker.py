"""The worker process: runs the jobs that requests queue, and sends webhooks, broadcasts and messages about alerts.
``python -m api.worker``.

Jobs of a killed worker stay marked as running. Once a minute those without a heartbeat are queued again.
"""

import asyncio
import logging
from collections.abc import Coroutine, Sequence
from typing import Any

from procrastinate import JobContext

from api.alerts.feeds.chats import feed_engine
from api.alerts.messages import alert_engine
from api.audit import tasks as audit
from api.broadcasts.engine import broadcast_engine
from api.challenges import tasks as challenges
from api.claims import tasks as claims
from api.claims.solana import tasks as solana_claims
from api.contacts import tasks as contacts
from api.deals import tasks as deals
from api.domains import tasks as domains
from api.health import tasks as health
from api.job_log import observe_job
from api.keys import tasks as keys
from api.metadata import tasks as metadata
from api.registrations import tasks as registrations
from api.services import open_services
from api.settings import ApiSettings, load
from api.store.jobs import CONTEXT_KEY, TASKS, open_queue
from api.vendors.sending import VendorEngine
from api.webhooks import tasks as webhooks
from api.webhooks.engine import WebhookEngine, webhook_engine
from api.webhooks.signing import user_agent
from warehouse.logs import configure_logging
from warehouse.tracing import configure_tracing

LOG = logging.getLogger(__name__)
Engine = WebhookEngine | VendorEngine
POLL_SECONDS = 1.0
CONCURRENCY = 10

# Importing a module of tasks declares them.
TASK_MODULES = (
    audit,
    challenges,
    claims,
    solana_claims,
    deals,
    contacts,
    domains,
    health,
    keys,
    metadata,
    registrations,
    webhooks,
)


@TASKS.periodic(cron="* * * * *")
@TASKS.task(name="upkeep.retry_stalled", pass_context=True, queueing_lock="upkeep.retry_stalled")
async def retry_stalled(context: JobContext, timestamp: int) -> None:
    """Queue the jobs of dead workers again."""
    for job in await context.app.job_manager.get_stalled_jobs():
        LOG.warning("job %s of a dead worker is queued again", job.id)
        await context.app.job_manager.retry_job(job)


async def work(settings: ApiSettings, *, wait: bool = True) -> None:
    """Run jobs until a signal arrives; without ``wait``, until no job is due."""
    async with open_services(settings) as services, open_queue(services.urls.database_url) as app:
        webhooks_engine = webhook_engine(
            services.store,
            services.outbound,
            services.sealer,
            services.clock,
            user_agent=user_agent(settings.service_name),
            listen_url=services.urls.database_url,
            lease_seconds=settings.webhook_lease_seconds,
        )
        engines: list[Engine] = [
            webhooks_engine,
            broadcast_engine(services),
            alert_engine(services),
            feed_engine(services),
        ]
        jobs = app.run_worker_async(
            wait=wait,
            concurrency=CONCURRENCY,
            fetch_job_polling_interval=POLL_SECONDS,
            delete_jobs="successful",
            install_signal_handlers=wait,
            additional_context={CONTEXT_KEY: services},
            worker_middleware=[observe_job],
        )
        if wait:
            await run_parallel(jobs, engines)
        else:
            await jobs
            for engine in engines:
                await engine.run_until_idle()


async def run_parallel(jobs: Coroutine[Any, Any, None], engines: Sequence[Engine]) -> None:
    """Run all until the jobs end, as they do on a signal. If an engine ends first, with an error, cancel the jobs and
    raise the error; the supervisor restarts the process."""
    stop = asyncio.Event()
    sending = [asyncio.create_task(engine.run(stop)) for engine in engines]
    working = asyncio.create_task(jobs)
    await asyncio.wait((*sending, working), return_when=asyncio.FIRST_COMPLETED)
    stop.set()
    if not working.done():
        working.cancel()
    results = await asyncio.gather(*sending, working, return_exceptions=True)
    for result in results:
        if isinstance(result, BaseException) and not isinstance(result, asyncio.CancelledError):
            raise result


def main() -> None:
    """Entry point of the process."""
    configure_logging()
    configure_tracing("worker")
    asyncio.run(work(load()))


if __name__ == "__main__":
    main()
