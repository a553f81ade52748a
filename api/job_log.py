"""What the worker does around each job: binds the request that queued it, and logs one line when it ended."""

import logging
import time
from collections.abc import Awaitable, Callable
from typing import Any

from procrastinate import JobContext
from procrastinate.worker import Worker

from api.store.jobs import ORIGIN
from warehouse.logs import bind
from warehouse.tracing import TRACEPARENT, Kind, trace

LOG = logging.getLogger(__name__)


async def observe_job(run: Callable[[], Awaitable[Any]], context: JobContext, _worker: Worker) -> Any:
    """Run a job. Those of a schedule are logged at DEBUG: most of them find nothing to do."""
    job = context.job
    origin: Any = job.task_kwargs.pop(ORIGIN, None) or {}
    began = time.perf_counter()
    failure: str | None = None
    continued = origin.pop(TRACEPARENT, None)
    with (
        bind(job_id=job.id, task=job.task_name, **origin),
        trace(job.task_name, {"attempt": job.attempts + 1, **origin}, kind=Kind.CONSUMER, traceparent=continued),
    ):
        try:
            return await run()
        except Exception as error:
            failure = type(error).__name__
            raise
        finally:
            fields: dict[str, Any] = {"attempt": job.attempts + 1, "seconds": round(time.perf_counter() - began, 3)}
            if failure is not None:
                fields["failure"] = failure
            scheduled = "timestamp" in job.task_kwargs and failure is None
            LOG.log(logging.DEBUG if scheduled else logging.INFO, "job", extra=fields)
