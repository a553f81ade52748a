"""What commands log to the terminal."""

import logging

from warehouse.logs import configure_logging


def log_short_lines(*, quiet: bool) -> None:
    """Log lines with the time of day; ``quiet`` shows warnings and errors only."""
    level = logging.WARNING if quiet else logging.INFO
    configure_logging(level, format="%(asctime)s %(levelname)-7s %(message)s", datefmt="%H:%M:%S")
