"""Traces: nothing while they are off; what a collector gets while they are on; and collectors that do not answer."""

import os
import socket
import subprocess
import sys
import textwrap
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.fixtures.collector import Collector, tracing_to
from warehouse import postgres, tracing
from warehouse.contexts import carry
from warehouse.logs import bound
from warehouse.postgres import Connection
from warehouse.tracing import TRACE_ID, Kind, span, trace

ABOVE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


def test_without_a_collector_what_sends_spans_is_not_imported() -> None:
    code = textwrap.dedent(
        """
        import sys
        import api.server, api.worker, pipelines.follow, indexer.run
        from warehouse.tracing import configure_tracing, span, statement, trace
        configure_tracing("api")
        with trace("unit"), span("part"), statement("postgresql", "SELECT 1"):
            pass
        print([name for name in ("opentelemetry.sdk", "opentelemetry.exporter", "requests") if name in sys.modules])
        """
    )
    environment = {name: value for name, value in os.environ.items() if not name.startswith("REGALIA_")}
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
    assert run.stdout == "[]\n"


def test_without_a_collector_the_log_gets_the_id_of_a_trace_that_goes_on() -> None:
    for given in (None, "", "00-" + 32 * "0" + "-b7ad6b7169203331-01", "somebody's\nline", ABOVE + "-more"):
        with trace("request", traceparent=given):
            assert bound(TRACE_ID) is None
    with trace("request", traceparent=ABOVE):
        assert bound(TRACE_ID) == "0af7651916cd43dd8448eb211c80319c"
    assert bound(TRACE_ID) is None


def test_spans_have_their_parents_kinds_attributes_and_failures(traced: Collector) -> None:
    with pytest.raises(ValueError, match="secret of a client"):
        _fail_in_a_trace()
    found = traced.trace_of("unit")
    assert found["unit"].attributes == {"chain": "base", "rows": 7, "error.type": "ValueError"}
    assert found["unit"].failed
    assert not found["part"].failed
    assert found["ask"].kind == "CLIENT"
    assert [found[name].parent for name in ("unit", "part", "ask")] == ["", found["unit"].id, found["part"].id]
    assert {one.service for one in found.values()} == {"regalia-test"}
    assert b"secret of a client" not in traced.payloads()


def _fail_in_a_trace() -> None:
    with trace("unit", {"chain": "base"}) as unit:
        unit.set({"rows": 7})
        with span("part"), ThreadPoolExecutor(1) as thread:
            thread.submit(carry(_ask)).result()
        raise ValueError("secret of a client")


def _ask() -> None:
    with span("ask", kind=Kind.CLIENT):
        pass


def test_statements_are_named_by_their_files_and_traced_inside_of_a_trace_only(
    traced: Collector, store: Connection
) -> None:
    postgres.run(store, "status/list_checkpoints")
    with trace("job"):
        postgres.run(store, "status/list_checkpoints")
    assert set(traced.trace_of("job")) == {"job", "store/status/list_checkpoints"}
    statements = [one for one in traced.spans() if one.name == "store/status/list_checkpoints"]
    assert [one.attributes["db.system.name"] for one in statements] == ["postgresql"]


def test_a_trace_is_continued_and_handed_on(traced: Collector) -> None:
    with trace("request", traceparent=ABOVE):
        handed = tracing.running()
        assert bound(TRACE_ID) == "0af7651916cd43dd8448eb211c80319c"
    with trace("job", traceparent=handed):
        pass
    found = traced.trace_of("job")
    assert found["request"].trace == "0af7651916cd43dd8448eb211c80319c"
    assert found["request"].parent == "b7ad6b7169203331"
    assert found["job"].parent == found["request"].id


def test_a_collector_that_never_answers_or_is_away_stops_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_BSP_MAX_QUEUE_SIZE", "64")
    monkeypatch.setenv("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "64")
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        with tracing_to(f"http://127.0.0.1:{port}/v1/traces", monkeypatch):
            for _ in range(500):  # more than fit in the queue
                with trace("unit"), span("part"):
                    pass
    with tracing_to(f"http://127.0.0.1:{port}/v1/traces", monkeypatch), trace("unit"):
        pass


def test_a_process_ends_while_its_collector_does_not_answer() -> None:
    code = "from warehouse.tracing import configure_tracing, trace\nconfigure_tracing('x')\nwith trace('unit'): pass"
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/v1/traces"
        environment = os.environ | {"REGALIA_OTLP_URL": url}
        assert subprocess.run([sys.executable, "-c", code], env=environment, timeout=60, check=False).returncode == 0
