import subprocess
import sys
from pathlib import Path

import pytest

from tests.fixtures.checkout import CHECKOUT


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "pipelines", *arguments],
        capture_output=True,
        text=True,
        timeout=240,
        cwd=CHECKOUT,
        env={"PATH": "/usr/bin:/bin", **environment},
    )


def test_help_needs_nothing(tmp_path: Path) -> None:
    done = run("--help", REGALIA_DATA_DIR=str(tmp_path))
    assert done.returncode == 0
    assert "refresh" in done.stdout
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_refresh_of_an_empty_warehouse_says_so(warehouse_url: str, store_url: str, tmp_path: Path) -> None:
    done = run(
        "refresh",
        REGALIA_CLICKHOUSE_URL=warehouse_url,
        REGALIA_DATABASE_URL=store_url,
        REGALIA_DATA_DIR=str(tmp_path),
    )
    assert done.returncode == 0, done.stderr
    assert "everything was up to date" in done.stdout


@pytest.mark.slow
@pytest.mark.parametrize(("key", "message"), [("nowhere", "is not known; known are eth"), ("base", "has no rpc_urls")])
def test_a_chain_that_cannot_be_followed_is_a_line_and_a_status(key: str, message: str, tmp_path: Path) -> None:
    done = run("follow", "--chain", key, REGALIA_DATA_DIR=str(tmp_path))
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr
