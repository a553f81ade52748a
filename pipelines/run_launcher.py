"""Dagster's own run launcher, which also notices runs whose process is gone.

Runs are children of the code server. When that is killed, they end without a word, and to Dagster they are "started"
for ever: they hold their places in the queue until nothing is launched any more. The run monitor asks the launcher
about started runs, but the one that Dagster brings has no answer; this one asks the code server that launched them.
"""

from typing import Any, cast

import grpc  # type: ignore[import-untyped]
from dagster import DagsterRun
from dagster._core.errors import DagsterUserCodeUnreachableError
from dagster._core.launcher import CheckRunHealthResult, DefaultRunLauncher, WorkerStatus
from dagster._grpc.types import CanCancelExecutionRequest, CanCancelExecutionResult
from dagster._serdes import deserialize_value
from dagster._serdes.config_class import ConfigurableClassData


class WatchfulRunLauncher(DefaultRunLauncher):
    """Launches runs in the code server and says whether they still run there."""

    def __init__(self, inst_data: ConfigurableClassData | None = None) -> None:
        super().__init__(inst_data)

    @property
    def supports_check_run_worker_health(self) -> bool:
        """Yes: the run monitor marks lost runs as failed."""
        return True

    def check_run_worker_health(self, run: DagsterRun) -> CheckRunHealthResult:
        """Whether the code server that launched the run still executes it."""
        client = self._get_grpc_client_for_termination(run.run_id)  # type: ignore[no-untyped-call]
        if client is None:
            return CheckRunHealthResult(WorkerStatus.NOT_FOUND, "it is not known which code server launched it")
        try:
            answer = client.can_cancel_execution(CanCancelExecutionRequest(run_id=run.run_id))
        except DagsterUserCodeUnreachableError as error:
            cause = cast(Any, error.__cause__)
            if isinstance(cause, grpc.RpcError) and cause.code() is grpc.StatusCode.UNAVAILABLE:
                return CheckRunHealthResult(WorkerStatus.NOT_FOUND, "the code server that launched it is gone")
            # It is there, and too busy to answer. Perhaps with this very run.
            return CheckRunHealthResult(WorkerStatus.RUNNING, "the code server did not answer in time")
        if deserialize_value(answer, CanCancelExecutionResult).can_cancel:
            return CheckRunHealthResult(WorkerStatus.RUNNING)
        return CheckRunHealthResult(WorkerStatus.NOT_FOUND, "the code server was started anew and does not know it")
