"""The private parts of Dagster that the run launcher needs, imported here and nowhere else.

Dagster's public interface has no way to ask a code server whether it still executes a run. A new version of Dagster may
move or change these names; ``tests/pipelines/test_dagster_internals.py`` fails when it does.
"""

from collections.abc import Callable
from typing import Any, cast

from dagster import DagsterRun
from dagster._core.errors import DagsterUserCodeUnreachableError
from dagster._core.launcher import CheckRunHealthResult, DefaultRunLauncher, WorkerStatus
from dagster._grpc.types import CanCancelExecutionRequest, CanCancelExecutionResult
from dagster._serdes import deserialize_value
from dagster._serdes.config_class import ConfigurableClassData

__all__ = [
    "CheckRunHealthResult",
    "ConfigurableClassData",
    "DagsterUserCodeUnreachableError",
    "DefaultRunLauncher",
    "WorkerStatus",
    "can_cancel",
    "code_server_of",
]


def code_server_of(launcher: DefaultRunLauncher, run: DagsterRun) -> Any | None:
    """A client of the code server that launched a run; None if that is not known."""
    find = cast(Callable[[str], Any], launcher._get_grpc_client_for_termination)
    return find(run.run_id)


def can_cancel(client: Any, run: DagsterRun) -> bool:
    """Whether the code server executes the run, which is when it could cancel it.

    Raises:
        DagsterUserCodeUnreachableError: the code server does not answer.
    """
    answer = client.can_cancel_execution(CanCancelExecutionRequest(run_id=run.run_id))
    return bool(deserialize_value(answer, CanCancelExecutionResult).can_cancel)
