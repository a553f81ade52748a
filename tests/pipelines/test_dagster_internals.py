"""Dagster's private names are where the adapter expects them, and only the adapters import them."""

import importlib
import inspect
import re
from pathlib import Path

from dagster._core.launcher import RunLauncher
from dagster._grpc.client import DagsterGrpcClient
from dagster._grpc.types import CanCancelExecutionRequest, CanCancelExecutionResult

from pipelines import dagster_internals
from pipelines.run_launcher import WatchfulRunLauncher

CHECKOUT = Path(__file__).parents[2]


def test_names_are_importable() -> None:
    for name in dagster_internals.__all__:
        assert hasattr(dagster_internals, name)


def test_the_server_finds_what_it_runs() -> None:
    importlib.import_module("pipelines.dagster_server")


def test_the_launcher_overrides_what_dagster_calls() -> None:
    assert isinstance(inspect.getattr_static(RunLauncher, "supports_check_run_worker_health"), property)
    for overridden in (RunLauncher.check_run_worker_health, WatchfulRunLauncher.check_run_worker_health):
        assert list(inspect.signature(overridden).parameters) == ["self", "run"]
    assert "inst_data" in inspect.signature(dagster_internals.DefaultRunLauncher.__init__).parameters


def test_calls_have_the_parameters_that_are_passed() -> None:
    find = dagster_internals.DefaultRunLauncher._get_grpc_client_for_termination
    assert list(inspect.signature(find).parameters) == ["self", "run_id"]
    assert "can_cancel_execution_request" in inspect.signature(DagsterGrpcClient.can_cancel_execution).parameters
    assert CanCancelExecutionRequest._fields == ("run_id",)
    assert "can_cancel" in CanCancelExecutionResult._fields


def test_only_the_adapters_import_private_modules() -> None:
    private = re.compile(r"^\s*(from dagster\._|import dagster\._|from dagster import _)", re.MULTILINE)
    importing = {
        path.relative_to(CHECKOUT).as_posix()
        for package in ("api", "indexer", "pipelines", "warehouse")
        for path in (CHECKOUT / package).rglob("*.py")
        if private.search(path.read_text())
    }
    assert importing == {"pipelines/dagster_internals.py", "pipelines/dagster_server.py"}
