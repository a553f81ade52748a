"""Dagster's own folder below the data directory: its configuration, and the workspace that names our code server.

Dagster keeps its runs in the store, in a schema of its own. The files are written again at each start because ports
change. They contain the store's password and are readable by their owner only.

``python -m api.ops.supervisor.dagster_home HOME CODE_SERVER_PORT`` is the step of ``regalia up`` that prepares
everything once the store runs.
"""

import os
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from urllib.parse import quote, urlencode, urlsplit, urlunsplit

from warehouse import engines, postgres, settings

SCHEMA = "dagster"
LOCATION = "regalia"

_CONFIGURATION = """\
telemetry:
  enabled: false
nux:
  enabled: false
# The events of a run are in the store; the log of the process that runs it shows warnings.
python_logs:
  python_log_level: WARNING
storage:
  postgres:
    postgres_url: "{url}"
# Marks a run whose process was killed as failed, instead of leaving it "started" forever.
run_launcher:
  module: pipelines.run_launcher
  class: WatchfulRunLauncher
run_monitoring:
  enabled: true
  start_timeout_seconds: 180
  poll_interval_seconds: 15
concurrency:
  runs:
    max_concurrent_runs: {runs}
# Keeps the history of schedules and sensors for a limited time.
retention:
  schedule:
    purge_after_days: 30
  sensor:
    purge_after_days:
      skipped: 2
      failure: 30
      success: 30
"""

_WORKSPACE = """\
load_from:
  - grpc_server:
      host: 127.0.0.1
      port: {port}
      location_name: {location}
"""


def storage_url(database_url: str) -> str:
    """The store's URL as Dagster needs it: with a driver and its own search path."""
    parts = urlsplit(database_url)
    options = urlencode({"options": f"-csearch_path={SCHEMA}"}, quote_via=quote)
    query = f"{parts.query}&{options}" if parts.query else options
    # Dagster uses psycopg2; SQLAlchemy takes a bare postgresql:// for psycopg 3.
    return urlunsplit(("postgresql+psycopg2", parts.netloc, parts.path, query, ""))


def write(home: Path, *, database_url: str, code_server_port: int, concurrent_runs: int = 2) -> Path:
    """Write ``dagster.yaml`` and ``workspace.yaml`` into ``home`` and return the workspace's path."""
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    workspace = home / "workspace.yaml"
    _write(home / "dagster.yaml", _CONFIGURATION.format(url=storage_url(database_url), runs=concurrent_runs))
    _write(workspace, _WORKSPACE.format(port=code_server_port, location=LOCATION))
    return workspace


def _write(path: Path, text: str) -> None:
    draft = path.with_suffix(".draft")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "w") as file:
        file.write(text)
    draft.replace(path)


def prepare(home: Path, code_server_port: int) -> None:
    """Write the files, and create Dagster's tables unless the installed version already did."""
    urls = engines.locate(settings.load())
    write(home, database_url=urls.database_url, code_server_port=code_server_port)
    # The version that created the tables is a comment on the schema, so it cannot outlive them.
    made_by = f"dagster {version('dagster')}, dagster-postgres {version('dagster-postgres')}"
    with postgres.connect(urls.database_url, autocommit=True) as connection:
        connection.execute(f"CREATE SCHEMA IF NOT EXISTS {SCHEMA}")
        row = connection.execute(f"SELECT obj_description('{SCHEMA}'::regnamespace) AS note").fetchone()
        if row is not None and row["note"] == made_by:
            return
        # Created here, because the webserver and the daemon would race.
        subprocess.run(
            [sys.executable, "-m", "dagster", "instance", "migrate"],
            env=os.environ | {"DAGSTER_HOME": str(home)},
            check=True,
        )
        connection.execute(f"COMMENT ON SCHEMA {SCHEMA} IS '{made_by}'")


if __name__ == "__main__":
    prepare(Path(sys.argv[1]), int(sys.argv[2]))
