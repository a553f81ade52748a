"""web3 takes most of a second to import: only what sends transactions pays for it. The API needs no Dagster."""

import subprocess
import sys

import pytest

PROGRAM = """
import importlib, sys
for name in sys.argv[1:]:
    importlib.import_module(name)
    print(name, [heavy for heavy in ("web3", "dagster") if heavy in sys.modules])
"""
# Indexing, `regalia status`, the API and its worker.
LIGHT = (
    *("indexer.cli", "indexer.run", "indexer.chains.evm.source"),
    *("api.cli", "api.ops.commands.status", "api.ops.commands.nodes", "api.app", "api.worker"),
)
FOLLOWING = "pipelines.follow"


@pytest.mark.slow
def test_only_what_needs_them_imports_web3_and_dagster() -> None:
    command = [sys.executable, "-c", PROGRAM, *LIGHT, FOLLOWING]
    *light, following = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    assert light == [f"{name} []" for name in LIGHT]
    assert "web3" not in following
