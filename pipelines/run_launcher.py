"""Dagster's default run launcher, which also notices runs whose process is gone.

Runs are child processes of the code server. When that is killed they die silently, and Dagster shows them as "started"
for ever: they fill the queue until nothing is launched any more. The run monitor asks the launcher about started runs,
but the default launcher cannot answer. This one asks the code server that launched the run.
"""

from typing import Any, cast

import grpc  # type: ignore[import-untyped]
from dagster import DagsterRun

from pipelines.dagster_internals import (
    CheckRunHealthResult,
    ConfigurableClassData,
    DagsterUserCodeUnreachableError,
    DefaultRunLauncher,
    WorkerStatus,
    can_cancel,
    code_server_of,
)


class WatchfulRunLauncher(DefaultRunLauncher):
    """Launches runs in the code server and tells whether they still run there."""

    def __init__(self, inst_data: ConfigurableClassData | None = None) -> None:
        super().__init__(inst_data)

    @property
    def supports_check_run_worker_health(self) -> bool:
        """True: the run monitor marks lost runs as failed."""
        return True

    def check_run_worker_health(self, run: DagsterRun) -> CheckRunHealthResult:
        """Whether the code server that launched the run still executes it."""
        client = code_server_of(self, run)
        if client is None:
            return CheckRunHealthResult(WorkerStatus.NOT_FOUND, "it is not known which code server launched it")
        try:
            executes = can_cancel(client, run)
        except DagsterUserCodeUnreachableError as error:
            cause = cast(Any, error.__cause__)
            if isinstance(cause, grpc.RpcError) and cause.code() is grpc.StatusCode.UNAVAILABLE:
                return CheckRunHealthResult(WorkerStatus.NOT_FOUND, "the code server that launched it is gone")
            # It is there but too busy to answer, perhaps with this very run.
            return CheckRunHealthResult(WorkerStatus.RUNNING, "the code server did not answer in time")
        if executes:
            return CheckRunHealthResult(WorkerStatus.RUNNING)
        return CheckRunHealthResult(WorkerStatus.NOT_FOUND, "the code server was restarted and does not know it")
