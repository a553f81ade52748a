"""``regalia api``, ``worker`` and ``follow`` as processes of their own."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("command", [("api",), ("worker",), ("follow", "--chain", "base")])
def test_without_engines_a_process_says_so_and_ends_with_3(tmp_path: Path, command: tuple[str, ...]) -> None:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("REGALIA_")}
    done = subprocess.run(
        [sys.executable, "-m", "api.cli", *command],
        env=environment | {"REGALIA_DATA_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 3
    assert "no engines run in" in done.stderr
