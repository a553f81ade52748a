"""web3 takes most of a second to import: only what sends transactions pays for it."""

import subprocess
import sys

import pytest

pytestmark = pytest.mark.slow

LIGHT = {
    "regalia index": "import indexer.cli, indexer.run, indexer.chains.evm.source",
    "regalia status": "import api.cli, api.ops.commands.status, api.ops.commands.nodes",
    "the API": "import api.app",
    "the worker": "import api.worker",
    "following": "import pipelines.follow",
}


@pytest.mark.parametrize("command", LIGHT)
def test_web3_is_not_imported_by(command: str) -> None:
    program = f"{LIGHT[command]}; import sys; print('web3' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
