"""The measured API: one process, started as the service starts it."""

import contextlib
import os
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Mapping
from pathlib import Path

from api.ops.supervisor import ports

ROOT = Path(__file__).resolve().parents[2]
LIMITS = ROOT / "tests" / "fixtures" / "limits.toml"
"""Requests are counted as ever, against limits that no benchmark meets."""
_START_SECONDS = 60


@contextlib.contextmanager
def serve(
    data_dir: Path, chains_file: Path, app: str = "api.app:create_app", settings: Mapping[str, str] | None = None
) -> Iterator[int]:
    """The application that the factory ``app`` makes, over the engines of a data directory; its port. ``settings``:
    further environment variables."""
    port = ports.claim("127.0.0.1", None, "the measured API", "REGALIA_PORT")
    environment = os.environ | {
        "REGALIA_DATA_DIR": str(data_dir),
        "REGALIA_CHAINS": str(chains_file),
        "REGALIA_LIMITS": str(LIMITS),
        "PYTHONPATH": str(ROOT),
        **(settings or {}),
    }
    command = [
        *(sys.executable, "-m", "uvicorn", app, "--factory", "--port", str(port)),
        *("--log-level", "warning", "--no-access-log"),
    ]
    process = subprocess.Popen(command, env=environment, cwd=data_dir)
    try:
        deadline = time.monotonic() + _START_SECONDS
        while not _answers(port):
            if process.poll() is not None or time.monotonic() > deadline:
                raise SystemExit("the measured API does not start")
            time.sleep(0.1)
        yield port
    finally:
        process.terminate()
        process.wait(30)


def _answers(port: int) -> bool:
    try:
        urllib.request.urlopen(f"http://127.0.0.1:{port}/health/ready", timeout=5).close()
    except OSError:
        return False
    return True
