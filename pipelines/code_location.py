"""What the processes of Dagster load under ``regalia up``: our definitions, and the log of the process.

Dagster's code server logs through handlers of its own; they give way to the one that every process has.
"""

import logging

from pipelines.definitions import defs
from warehouse.logs import configure_logging

__all__ = ["defs"]

configure_logging()
logging.getLogger("dagster").handlers.clear()
