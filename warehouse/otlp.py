"""Sends spans to a collector over OTLP/HTTP. Imported only where traces are on.

Spans wait in a queue of bounded size, and one thread sends them. A collector that is slow or away costs the process
nothing but the spans that no longer fit in the queue.
"""

import atexit
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from importlib.metadata import version
from types import TracebackType

import requests
from opentelemetry import context, trace
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.trace.sampling import ParentBased, TraceIdRatioBased
from opentelemetry.trace import SpanKind, Status, StatusCode
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from warehouse.settings import EngineSettings
from warehouse.spans import TRACEPARENT, Attributes, Kind, Span

SEND_SECONDS = 2.0
"""Time limit of one request to the collector, with its repetitions."""
LAST_SECONDS = 3.0
"""How long a process that ends waits until its last spans are sent."""
_EMPTY = context.Context()
_HEADERS = TraceContextTextMapPropagator()
_KINDS = {kind: SpanKind[kind.value] for kind in Kind}


class OtlpTracer:
    """Makes spans and sends them where the settings say."""

    def __init__(self, service: str, settings: EngineSettings) -> None:
        # The environment's proxy is not for the operator's own collector.
        session = requests.Session()
        session.trust_env = False
        exporter = OTLPSpanExporter(
            endpoint=str(settings.otlp_url),
            headers={name: value.get_secret_value() for name, value in settings.otlp_headers.items()},
            timeout=SEND_SECONDS,
            session=session,
        )
        self._provider = provider = TracerProvider(
            sampler=ParentBased(TraceIdRatioBased(settings.trace_share)),
            resource=Resource.create({"service.name": service, "service.version": version("regalia")}),
            shutdown_on_exit=False,
        )
        provider.add_span_processor(BatchSpanProcessor(exporter))
        self._tracer = provider.get_tracer("regalia")
        _call_at_exit(self.close)

    def close(self) -> None:
        """Send what is queued, and make no further spans."""
        self._provider.shutdown()

    def begin(
        self, name: str, kind: Kind, attributes: Attributes, traceparent: str | None
    ) -> AbstractContextManager[Span]:
        """A span that begins a trace, or continues the one of ``traceparent``."""
        above = _HEADERS.extract({TRACEPARENT: traceparent}, _EMPTY) if traceparent else _EMPTY
        return _Sent(self._tracer.start_span(name, above, _KINDS[kind], attributes))

    def nested(self, name: str, kind: Kind, attributes: Attributes) -> AbstractContextManager[Span] | None:
        """A span below the running one; None where no trace is recorded."""
        if not trace.get_current_span().is_recording():
            return None
        return _Sent(self._tracer.start_span(name, kind=_KINDS[kind], attributes=attributes))

    def traceparent(self) -> str | None:
        """What continues the running trace elsewhere; None outside of one."""
        carrier: dict[str, str] = {}
        _HEADERS.inject(carrier)
        return carrier.get(TRACEPARENT)


class _Sent:
    """A span that is the running one inside its block."""

    def __init__(self, span: trace.Span) -> None:
        self._span = span

    def __enter__(self) -> "_Sent":
        self._token = context.attach(trace.set_span_in_context(self._span))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if kind is not None:
            self.fail(kind.__qualname__)
        self._span.end()
        context.detach(self._token)

    def set(self, attributes: Attributes) -> None:
        """Add attributes."""
        self._span.set_attributes(attributes)

    def rename(self, name: str) -> None:
        """Give it another name."""
        self._span.update_name(name)

    def fail(self, reason: str) -> None:
        """Mark it as failed. The error's message is not sent: it may quote what a client sent."""
        self._span.set_status(Status(StatusCode.ERROR))
        self._span.set_attribute("error.type", reason)


def _call_at_exit(close: Callable[[], None]) -> None:
    """Close when the process ends. Its thread exists before, because none can be started then."""
    ending, ended = threading.Event(), threading.Event()

    def wait_and_close() -> None:
        ending.wait()
        close()
        ended.set()

    def end() -> None:
        ending.set()
        ended.wait(LAST_SECONDS)

    threading.Thread(target=wait_and_close, name="last-spans", daemon=True).start()
    atexit.register(end)
