"""Runs whose process is gone are noticed, by asking a real code server."""

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import dagster
import pytest
from dagster import DagsterInstance, DagsterRun, DagsterRunStatus
from dagster._core.launcher import WorkerStatus
from dagster._core.storage.tags import GRPC_INFO_TAG
from dagster._core.utils import make_new_run_id
from dagster._grpc.client import DagsterGrpcClient
from dagster._utils import find_free_port

from pipelines.run_launcher import WatchfulRunLauncher


@pytest.fixture
def instance() -> Iterator[DagsterInstance]:
    launcher = {"module": WatchfulRunLauncher.__module__, "class": WatchfulRunLauncher.__name__}
    with dagster.instance_for_test(overrides={"run_launcher": launcher, "run_monitoring": {"enabled": True}}) as made:
        yield made


def started_run(instance: DagsterInstance, port: int | None) -> DagsterRun:
    tags = {} if port is None else {GRPC_INFO_TAG: json.dumps({"host": "127.0.0.1", "port": port})}
    run = DagsterRun(job_name="job", run_id=make_new_run_id(), status=DagsterRunStatus.STARTED, tags=tags)
    return instance.add_run(run)


def health(instance: DagsterInstance, port: int | None) -> WorkerStatus:
    return instance.run_launcher.check_run_worker_health(started_run(instance, port)).status


def test_the_instance_monitors_runs_with_it(instance: DagsterInstance) -> None:
    assert isinstance(instance.run_launcher, WatchfulRunLauncher)
    assert instance.run_launcher.supports_check_run_worker_health


def test_a_run_of_a_code_server_that_is_gone_is_lost(instance: DagsterInstance) -> None:
    assert health(instance, find_free_port()) is WorkerStatus.NOT_FOUND
    assert health(instance, None) is WorkerStatus.NOT_FOUND


def test_a_run_that_its_code_server_does_not_know_is_lost(instance: DagsterInstance, tmp_path: Path) -> None:
    (tmp_path / "nothing.py").write_text("import dagster\ndefinitions = dagster.Definitions()\n")
    port = find_free_port()
    command = ["-m", "dagster", "api", "grpc", "--host", "127.0.0.1", "--port", str(port), "--log-level", "error"]
    server = subprocess.Popen([sys.executable, *command, "-f", str(tmp_path / "nothing.py")], stdout=subprocess.DEVNULL)
    try:
        client = DagsterGrpcClient(host="127.0.0.1", port=port)
        for _ in range(300):
            try:
                client.ping("")
                break
            except dagster.DagsterError:
                assert server.poll() is None
                time.sleep(0.1)
        assert health(instance, port) is WorkerStatus.NOT_FOUND
    finally:
        server.kill()
        server.wait()
