"""Background jobs: queued in the transaction that makes them due, run by the worker process.

Each domain declares its tasks on ``TASKS`` in ``<domain>/tasks.py``; ``api/worker.py`` imports and runs them all.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from procrastinate import App, JobContext, PsycopgConnector
from procrastinate.tasks import Task

from api.services import Services
from warehouse.logs import REQUEST_ID, bound
from warehouse.postgres import plain_url
from warehouse.store import SEARCH_PATH, Transaction
from warehouse.tracing import TRACEPARENT, running

CONTEXT_KEY = "services"
ORIGIN = "_origin"
"""The argument of a job that names the request which queued it. The worker takes it out before the task runs."""

# Holds the tasks. Jobs are queued over the store's connections; only the worker opens connections for it.
TASKS = App(connector=PsycopgConnector())


def services_of_job(context: JobContext) -> Services:
    """The worker's services."""
    services: Services = context.additional_context[CONTEXT_KEY]
    return services


@asynccontextmanager
async def open_queue(database_url: str) -> AsyncIterator[App]:
    """Open the queue of a store to run its tasks. Only one can be open in a process, because the tasks belong to
    ``TASKS``, whose connector is replaced meanwhile."""
    options = {"options": f"-c search_path={SEARCH_PATH}"}
    connector = PsycopgConnector(conninfo=plain_url(database_url), kwargs=options, max_size=4)
    with TASKS.replace_connector(connector) as app:
        async with app.open_async():
            yield app


async def defer(transaction: Transaction, task: Task[Any, Any, Any], **arguments: Any) -> None:
    """Queue a task in the transaction: it is due when, and only if, the transaction commits. The job's log
    names the running request, and the job continues its trace."""
    origin = {name: value for name, value in ((REQUEST_ID, bound(REQUEST_ID)), (TRACEPARENT, running())) if value}
    if origin:
        arguments[ORIGIN] = origin
    await task.configure(connection=transaction.connection).defer_async(**arguments)
