"""What the processes of Dagster load under ``regalia up``: our definitions, and the log and the traces of the process.

Dagster's code server logs through handlers of its own; they give way to the one that every process has.
"""

import logging

from pipelines.definitions import defs
from warehouse.logs import configure_logging
from warehouse.tracing import configure_tracing

__all__ = ["defs"]

configure_logging()
configure_tracing("dagster")
logging.getLogger("dagster").handlers.clear()
