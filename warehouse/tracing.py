"""Traces: what a request, job, unit or refresh did and how long each part took, sent to a collector over OTLP.

Off unless ``REGALIA_OTLP_URL`` is set: then the SDK is not imported, and a span costs one comparison. ``trace``
begins a trace. ``span`` adds to the running trace and does nothing outside of one, so what polls makes no spans. Spans
hold names and numbers: no parameters of statements, no query strings, no messages of errors.
"""

import re
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TYPE_CHECKING

from warehouse import sql
from warehouse.spans import TRACEPARENT, Attributes, Kind, NoSpan, Span, Tracer

# Whatever sends a statement imports this module, and a command that reads one row needs neither settings nor a log.
if TYPE_CHECKING:
    from warehouse.settings import EngineSettings

__all__ = ["TRACEPARENT", "TRACE_ID", "Kind", "Span", "configure_tracing", "running", "span", "statement", "trace"]

TRACE_ID = "trace_id"
"""The field of log entries that names the trace they belong to."""
_TRACEPARENT = re.compile(r"00-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}")

NO_SPAN: Span = NoSpan()
_NOTHING: AbstractContextManager[Span] = nullcontext(NO_SPAN)
_tracer: Tracer | None = None


def configure_tracing(service: str, settings: "EngineSettings | None" = None) -> None:
    """Send traces if the settings name a collector. A process calls this once, after ``configure_logging``.

    Args:
        service: what the process is, such as ``api``, which traces call ``regalia-api``.
        settings: instead of those of the environment.
    """
    global _tracer
    from warehouse.settings import load

    chosen = settings or load()
    if chosen.otlp_url is not None:
        from warehouse.otlp import OtlpTracer

        _tracer = OtlpTracer(f"regalia-{service}", chosen)


def span(
    name: str, attributes: Attributes | None = None, *, kind: Kind = Kind.INTERNAL
) -> AbstractContextManager[Span]:
    """A part of what the running trace is about. An exception marks it as failed."""
    if _tracer is None:
        return _NOTHING
    return _tracer.nested(name, kind, attributes or {}) or _NOTHING


def statement(system: str, text: str) -> AbstractContextManager[Span]:
    """A statement that ``system`` (postgresql or clickhouse) runs, called by its file below ``sql`` or by its first
    word."""
    if _tracer is None:
        return _NOTHING
    name = sql.name_of(text)
    return _tracer.nested(name, Kind.CLIENT, {"db.system.name": system, "db.query.summary": name}) or _NOTHING


@contextmanager
def trace(
    name: str, attributes: Attributes | None = None, *, kind: Kind = Kind.INTERNAL, traceparent: str | None = None
) -> Iterator[Span]:
    """Begin a trace, or continue the one of ``traceparent``, and give its id to the log. An exception marks it as
    failed. Where traces are off, the log still gets the id of a trace that somebody else began."""
    if _tracer is None:
        with _bound(traceparent):
            yield NO_SPAN
    else:
        with _tracer.begin(name, kind, attributes or {}, traceparent) as begun, _bound(_tracer.traceparent()):
            yield begun


def running() -> str | None:
    """The ``traceparent`` that continues the running trace elsewhere; None outside of one."""
    return None if _tracer is None else _tracer.traceparent()


def _bound(traceparent: str | None) -> AbstractContextManager[None]:
    found = _TRACEPARENT.fullmatch(traceparent) if traceparent else None
    if found is None:
        return nullcontext()
    from warehouse.logs import bind

    return bind(**{TRACE_ID: found[1]})
