"""The log of every process: one line per entry to standard error, for people or as JSON.

Code logs with the standard ``logging``; members of ``extra`` become fields of the entry, and so does what
``bind`` sets for the running request, job or unit. structlog renders the lines. Secrets are taken out of the finished
line, so that no library can log one: see ``warehouse.redaction``.

Much of what is logged was chosen by strangers: symbols, URLs, answers of nodes. In lines for people, control characters
are escaped and tracebacks indented, so that only an entry begins like one and a terminal obeys none of it. JSON escapes
them anyway. Long values are cut.
"""

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TextIO

from warehouse.log_text import escaped, indented
from warehouse.redaction import Redaction
from warehouse.settings import EngineSettings, load

QUIET: Mapping[str, str] = {
    # Clients that log every request at INFO, with its URL.
    **dict.fromkeys(("httpx", "httpx2"), "WARNING"),
    # Its worker logs three lines a job; ours logs one.
    "procrastinate": "WARNING",
    # Its daemon logs each look at a schedule; what a run does is in its events.
    "dagster": "WARNING",
    # At INFO it logs every statement, with its parameters.
    "sqlalchemy": "WARNING",
    # Their DEBUG is about their own working.
    **dict.fromkeys(("asyncio", "urllib3", "httpcore", "httpcore2", "PIL", "hpack", "alembic"), "INFO"),
}
"""The level of libraries unless REGALIA_LOG_LEVELS names another."""

REQUEST_ID = "request_id"
"""The field that names the request an entry belongs to, also in jobs that the request queued."""


def configure_logging(
    *,
    level: int | None = None,
    layout: str | None = None,
    tracebacks: bool = True,
    stream: TextIO | None = None,
    settings: EngineSettings | None = None,
) -> None:
    """Log as the settings say. Every process calls this once; a further call replaces the first.

    Args:
        level: instead of ``REGALIA_LOG_LEVEL``, for commands that only warn.
        layout: a format of the standard library's, for commands whose log is read as their output.
        tracebacks: with ``layout``: whether exceptions are shown in full.
        stream: instead of standard error.
        settings: instead of those of the environment.
    """
    chosen = settings or load()
    redaction = Redaction.of(chosen)
    handler = _Handler(stream)
    if layout is not None:
        handler.setFormatter(_Plain(layout, redaction, tracebacks))
    else:
        from warehouse.log_lines import formatter

        handler.setFormatter(formatter(chosen, redaction))
    # Some libraries have handlers of their own, such as Dagster: what they log is cleaned as it is made.
    logging.setLogRecordFactory(redaction.record_class())
    root = logging.getLogger()
    for earlier in root.handlers[:]:
        if isinstance(earlier, _Handler):
            root.removeHandler(earlier)
    root.addHandler(handler)
    root.setLevel(level if level is not None else chosen.log_level)
    for name, quiet in {**QUIET, **chosen.log_levels}.items():
        logging.getLogger(name).setLevel(quiet)
    logging.captureWarnings(True)


@contextmanager
def bind(**fields: Any) -> Iterator[None]:
    """Add the fields to every entry of this task or thread while the block runs."""
    from structlog.contextvars import bound_contextvars

    with bound_contextvars(**fields):
        yield


def bound(name: str) -> Any:
    """What ``bind`` set for this task or thread, or None."""
    from structlog.contextvars import get_contextvars

    return get_contextvars().get(name)


class _Handler(logging.StreamHandler[TextIO]):
    """The one that ``configure_logging`` adds."""


class _Plain(logging.Formatter):
    """Lines for people at a terminal."""

    def __init__(self, layout: str, redaction: Redaction, tracebacks: bool) -> None:
        super().__init__(layout)
        self._redaction = redaction
        self._tracebacks = tracebacks

    def format(self, record: logging.LogRecord) -> str:
        return self._redaction.clean(super().format(record))

    def formatMessage(self, record: logging.LogRecord) -> str:
        record.message = escaped(record.message)
        return super().formatMessage(record)

    def formatException(self, ei: Any) -> str:
        return indented(super().formatException(ei)) if self._tracebacks else ""
