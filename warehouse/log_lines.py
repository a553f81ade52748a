"""How structlog renders entries: for people or as JSON, with the bound fields, and without secrets.

Imported where it is used: commands that only warn need no structlog, which takes a tenth of their CPU.
"""

import io
import logging
from collections.abc import Callable, MutableMapping
from typing import Any, TextIO

import structlog
from structlog.contextvars import merge_contextvars
from structlog.typing import Processor

from warehouse.log_text import escaped, indented
from warehouse.redaction import Redaction
from warehouse.settings import EngineSettings


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


def _write_traceback(stream: TextIO, exc_info: Any) -> None:
    text = io.StringIO()
    structlog.dev.plain_traceback(text, exc_info)
    stream.write(indented(text.getvalue()))


def _column(name: str, text: Callable[[Any], str] = str) -> structlog.dev.Column:
    return structlog.dev.Column(name, structlog.dev.KeyValueColumnFormatter(None, "", "", text, prefix="", postfix=""))


_COLUMNS = [
    _column("timestamp"),
    _column("level", lambda level: str(level).upper()),
    _column("logger", lambda name: f"{name}:"),
    _column("event", escaped),
    structlog.dev.Column("", structlog.dev.KeyValueColumnFormatter("", "", "", escaped)),
]
"""A line for people: time, level, logger, message, then the fields as ``name=value``."""


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
