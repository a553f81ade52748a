"""The log of every process: one line per entry to standard error, for people or as JSON.

Code logs with the standard ``logging``; members of ``extra`` become fields of the entry, and so does what
``bind`` sets for the running request, job or unit. structlog renders the lines. Secrets are taken out of the finished
line, so that no library can log one: see ``warehouse.redaction``.

Much of what is logged was chosen by strangers: symbols, URLs, answers of nodes. In lines for people, control characters
are escaped and tracebacks indented, so that only an entry begins like one and a terminal obeys none of it. JSON escapes
them anyway. Long values are cut.
"""

import io
import logging
from collections.abc import Callable, Iterator, Mapping, MutableMapping
from contextlib import contextmanager
from typing import Any, TextIO

import structlog
from structlog.contextvars import bound_contextvars, get_contextvars, merge_contextvars
from structlog.typing import Processor

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
    handler = logging.StreamHandler(stream)
    handler.setFormatter(formatter(chosen, redaction) if layout is None else _Plain(layout, redaction, tracebacks))
    # Some libraries have handlers of their own, such as Dagster: what they log is cleaned as it is made.
    logging.setLogRecordFactory(redaction.record_class())
    root = logging.getLogger()
    for earlier in root.handlers[:]:
        if isinstance(earlier.formatter, _Plain | structlog.stdlib.ProcessorFormatter):
            root.removeHandler(earlier)
    root.addHandler(handler)
    root.setLevel(level if level is not None else chosen.log_level)
    for name, quiet in {**QUIET, **chosen.log_levels}.items():
        logging.getLogger(name).setLevel(quiet)
    logging.captureWarnings(True)


def formatter(settings: EngineSettings, redaction: Redaction) -> logging.Formatter:
    """Renders the entries of any logger as the settings say."""
    as_json = settings.log_format == "json"
    rendered: list[Processor] = (
        [structlog.processors.format_exc_info, structlog.processors.JSONRenderer(default=str)]
        if as_json
        else [structlog.dev.ConsoleRenderer(columns=_COLUMNS, exception_formatter=_write_traceback)]
    )
    return structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=[
            merge_contextvars,
            structlog.stdlib.add_log_level,
            structlog.stdlib.add_logger_name,
            structlog.stdlib.ExtraAdder(),
            structlog.processors.TimeStamper(fmt="iso", utc=True),
        ],
        processors=[
            structlog.stdlib.ProcessorFormatter.remove_processors_meta,
            _without_secret_fields,
            _without_long_values,
            *rendered,
            lambda _logger, _name, line: redaction.clean(str(line)),
        ],
    )


def _escaped(value: Any) -> str:
    """A value in one line: what cannot be printed becomes an escape, such as a line feed."""
    text = str(value)
    if text.isprintable():
        return text
    return "".join(one if one.isprintable() else one.encode("unicode_escape").decode() for one in text)


def _indented(traceback: str) -> str:
    return "\n".join(f"  {_escaped(line)}" for line in traceback.splitlines())


def _write_traceback(stream: TextIO, exc_info: Any) -> None:
    text = io.StringIO()
    structlog.dev.plain_traceback(text, exc_info)
    stream.write(_indented(text.getvalue()))


def _column(name: str, text: Callable[[Any], str] = str) -> structlog.dev.Column:
    return structlog.dev.Column(name, structlog.dev.KeyValueColumnFormatter(None, "", "", text, prefix="", postfix=""))


_COLUMNS = [
    _column("timestamp"),
    _column("level", lambda level: str(level).upper()),
    _column("logger", lambda name: f"{name}:"),
    _column("event", _escaped),
    structlog.dev.Column("", structlog.dev.KeyValueColumnFormatter("", "", "", _escaped)),
]
"""A line for people: time, level, logger, message, then the fields as ``name=value``."""


@contextmanager
def bind(**fields: Any) -> Iterator[None]:
    """Add the fields to every entry of this task or thread while the block runs."""
    with bound_contextvars(**fields):
        yield


def bound(name: str) -> Any:
    """What ``bind`` set for this task or thread, or None."""
    return get_contextvars().get(name)


class _Plain(logging.Formatter):
    """Lines for people at a terminal."""

    def __init__(self, layout: str, redaction: Redaction, tracebacks: bool) -> None:
        super().__init__(layout)
        self._redaction = redaction
        self._tracebacks = tracebacks

    def format(self, record: logging.LogRecord) -> str:
        return self._redaction.clean(super().format(record))

    def formatMessage(self, record: logging.LogRecord) -> str:
        record.message = _escaped(record.message)
        return super().formatMessage(record)

    def formatException(self, ei: Any) -> str:
        return _indented(super().formatException(ei)) if self._tracebacks else ""


def _without_secret_fields(_logger: Any, _name: str, entry: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    for name in entry.keys() & _SECRET_FIELDS:
        entry[name] = "***"
    return entry


def _without_long_values(_logger: Any, _name: str, entry: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    for name, value in entry.items():
        if isinstance(value, str) and len(value) > _LONGEST:
            entry[name] = f"{value[:_LONGEST]}… ({len(value)} characters)"
    return entry


_LONGEST = 10_000
_SECRET_FIELDS = frozenset({"api_key", "authorization", "cookie", "email", "password", "private_key", "secret"})
