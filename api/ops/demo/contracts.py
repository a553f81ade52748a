"""The step of the demo that deploys our contracts to its chains, while the engines start.

``python -m api.ops.demo.contracts CHAINS_FILE KEY...`` deploys to all chains at once, as ``regalia contracts deploy``
does, and adds the addresses to the chains file. The parts that read the file start after it.
"""

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from api.ops.supervisor.part import Part

STEP = "contracts"


def step(chains_file: Path, keys: Sequence[str]) -> Part:
    """The step, for chains that the file describes."""
    return Part(STEP, (sys.executable, "-m", "api.ops.demo.contracts", str(chains_file), *keys), once=True)


def deploy(chains_file: Path, keys: Sequence[str]) -> None:
    """Deploy to these chains, and add the addresses to the file.

    Raises:
        SystemExit: a deployment failed; the message says which and why.
    """
    command = [sys.executable, "-m", "api.cli", "contracts", "deploy", "--chain"]
    started = {
        key: subprocess.Popen([*command, key], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for key in keys
    }
    lines: list[str] = []
    for key, process in started.items():
        printed, complaint = process.communicate()
        if process.returncode:
            raise SystemExit(f"contracts were not deployed to {key}: {complaint.strip()}")
        addresses: dict[str, str] = json.loads(printed.strip().splitlines()[-1])
        lines += ["", f"[chains.{key}.contracts]", *(f'{name} = "{value}"' for name, value in addresses.items())]
    with chains_file.open("a") as file:
        file.write("\n".join([*lines, ""]))


if __name__ == "__main__":
    deploy(Path(sys.argv[1]), sys.argv[2:])
