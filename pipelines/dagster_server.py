"""Dagster's web UI and daemon in one process: ``python -m pipelines.dagster_server --workspace FILE --port PORT``.

Each alone loads the same modules and asks the code server for the same definitions, which takes 120 MB. The daemon
also opens a connection for each statement; here both share a pool. If one of them ends, so does the process, and the
supervisor starts it again.

The private parts of Dagster that this needs are imported here; ``tests/pipelines/test_dagster_internals.py`` fails when
a new version moves or changes them.
"""

import argparse
import logging
import sys
import threading
import time
from contextlib import ExitStack
from pathlib import Path

from dagster import DagsterInstance
from dagster import __version__ as dagster_version
from dagster._core.workspace.context import WorkspaceProcessContext
from dagster._core.workspace.load_target import WorkspaceFileTarget
from dagster._daemon.controller import DagsterDaemonController, create_daemons_from_instance
from dagster_webserver.app import create_app_from_workspace_process_context

from warehouse.logs import configure_logging
from warehouse.process_memory import collect_garbage_less
from warehouse.serving import local_server

LOG = logging.getLogger(__name__)
STATEMENT_MILLISECONDS = 60_000
CONNECTION_SECONDS = 3_600
"""After which a connection of the pool is replaced."""
MORE_CONNECTIONS = 20
"""Beyond one for each of Dagster's three storages, while several statements run at once."""
POLL_MILLISECONDS = 2_000
"""How often a page of the web UI asks for what changed."""
LOOK_SECONDS = 5.0
"""How often it is checked that the daemon's threads run."""


def serve(workspace: Path, port: int) -> bool:
    """Serve until SIGINT or SIGTERM, or until a thread of the daemon ends; returns whether it was asked to."""
    failed = threading.Event()
    with ExitStack() as held:
        instance = held.enter_context(DagsterInstance.get())
        instance.optimize_for_webserver(STATEMENT_MILLISECONDS, CONNECTION_SECONDS, MORE_CONNECTIONS)
        context = held.enter_context(
            WorkspaceProcessContext(
                instance, version=dagster_version, workspace_load_target=WorkspaceFileTarget([str(workspace)])
            )
        )
        daemons = [held.enter_context(daemon) for daemon in create_daemons_from_instance(instance)]
        controller = held.enter_context(DagsterDaemonController(context, daemons))
        server = local_server(create_app_from_workspace_process_context(context, "", POLL_MILLISECONDS), port)

        def watch() -> None:
            # Dagster's own loop also reads all definitions again once a minute, in case the code server changed. The
            # workspace is told when that restarts.
            try:
                while not server.should_exit:
                    time.sleep(LOOK_SECONDS)
                    controller.check_daemon_threads()
            except Exception:  # whatever ended the daemon ends the process
                LOG.exception("Dagster's daemon ended")
                failed.set()
                server.should_exit = True

        threading.Thread(target=watch, name="watch-daemon", daemon=True).start()
        collect_garbage_less()
        server.run()
    return not failed.is_set()


def main() -> None:
    """Entry point of the process."""
    parser = argparse.ArgumentParser(prog="python -m pipelines.dagster_server")
    parser.add_argument("--workspace", type=Path, required=True, help="Dagster's workspace.yaml")
    parser.add_argument("--port", type=int, required=True, help="port of the web UI on 127.0.0.1")
    given = parser.parse_args()
    configure_logging()
    logging.getLogger("dagster").handlers.clear()
    sys.exit(0 if serve(given.workspace, given.port) else 1)


if __name__ == "__main__":
    main()
