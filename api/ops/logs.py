"""What commands log to the terminal."""

import logging

from warehouse.logs import configure_logging


def log_to_terminal(*, quiet: bool) -> None:
    """Log as the settings say; ``quiet`` shows warnings and errors only."""
    configure_logging(level=logging.WARNING if quiet else None)
