"""What a process logs."""

import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

LOG_AS_THE_CLIENTS_DO = textwrap.dedent(
    """
    import logging
    from warehouse.logs import configure_logging

    configure_logging()
    logging.getLogger("regalia").info("indexing")
    for client in ("httpx", "httpx2"):
        logging.getLogger(client).info("HTTP Request: POST https://node.example/v2/operators-key")
        logging.getLogger(client).warning("%s is slow", client)
    """
)


def test_the_log_tells_what_happens_but_no_urls() -> None:
    run = subprocess.run([sys.executable, "-c", LOG_AS_THE_CLIENTS_DO], capture_output=True, text=True, check=True)
    assert "INFO regalia: indexing" in run.stderr
    assert "httpx is slow" in run.stderr
    assert "httpx2 is slow" in run.stderr
    assert "operators-key" not in run.stderr


@pytest.mark.parametrize("package", ["api", "pipelines", "indexer", "warehouse"])
def test_every_process_logs_that_way(package: str) -> None:
    root = Path(__file__).parents[2]
    own = root / "warehouse" / "logs.py"
    others = [
        path for path in (root / package).rglob("*.py") if path != own and "logging.basicConfig" in path.read_text()
    ]
    assert others == []
