"""The log of a process: to standard error, without the URLs of requests, which often hold a key of the operator's."""

import logging
from typing import Any

MOMENTS = "%(asctime)s %(levelname)s %(name)s: %(message)s"
"""The lines of a service's process."""
_NAME_URLS = ("httpx", "httpx2")
"""HTTP clients that log the URL of every request at INFO. Nodes of Solana are asked through ``httpx2``."""


def configure_logging(level: int = logging.INFO, **options: Any) -> None:
    """Log from this level on; every process that logs calls this once. ``options`` are ``logging.basicConfig``'s."""
    if "handlers" not in options:
        options.setdefault("format", MOMENTS)
    logging.basicConfig(level=level, **options)
    hide_urls()


def hide_urls() -> None:
    """Keep the URLs of requests out of the log."""
    for name in _NAME_URLS:
        logging.getLogger(name).setLevel(logging.WARNING)
