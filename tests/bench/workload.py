"""The chain that is indexed: generated once from a fixed seed, recorded, and kept in ``build/bench``.

What the indexer asks besides headers and logs is recorded by letting it index the generated chain once through the
replay server. A recording is found again by the sources that made it.
"""

import hashlib
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from indexer.devchain import bulk
from indexer.devchain.anvil import Anvil
from tests.bench.directories import new_directory
from tests.bench.recording import Node, Recording
from tests.bench.replay import Replay

ROOT = Path(__file__).resolve().parents[2]
SEED = 1
TOKENS = 300


@dataclass(frozen=True, slots=True)
class Workload:
    """A recorded chain and how a chains file describes it."""

    recording: Path
    template: Path

    def chain_toml(self, url: str) -> str:
        """The chains file of the recorded chain, served at ``url``."""
        return self.template.read_text().replace("NODE_URL", url)


def ensure(directory: Path, transfers: int, progress: Callable[[str], None]) -> Workload:
    """The recorded workload; made when these sources have not made it yet."""
    workload = _place(directory, transfers)
    if not workload.recording.exists():
        record(directory, transfers, progress)
    return workload


def record(directory: Path, transfers: int, progress: Callable[[str], None]) -> Workload:
    """Generate the chain and record it, replacing earlier recordings of this size."""
    workload = _place(directory, transfers)
    directory.mkdir(parents=True, exist_ok=True)
    for old in directory.glob(f"chain-{transfers}-*"):
        old.unlink()
    with Anvil.start(state_roots=False, kept_states=2) as anvil:
        chain = bulk.create(anvil, seed=SEED, transfers=transfers, tokens=TOKENS, swaps=transfers // 10)
        progress(f"generated {anvil.block_number():,} blocks")
        workload.template.write_text(chain.chain_toml().replace(anvil.url, "NODE_URL"))
        recording = Recording.of_node(Node(anvil.url))
        progress(f"read {recording.log_count:,} logs")
        draft = workload.recording.with_suffix(".draft")
        recording.save(draft)
        with Replay(draft, upstream=anvil.url) as replay:
            chains_file = directory / "chains.toml"
            chains_file.write_text(workload.chain_toml(replay.url))
            data_dir = new_directory(directory, "recording")
            command = [*(sys.executable, "-m", "tests.bench.index"), *("--data-dir", data_dir, "--chains", chains_file)]
            subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
            replay.control(save=str(workload.recording))
        draft.unlink()
    progress(f"recorded to {workload.recording}")
    return workload


def _place(directory: Path, transfers: int) -> Workload:
    sources = [ROOT / "indexer" / "devchain" / "bulk.py", Path(__file__).with_name("recording.py")]
    key = hashlib.sha256(b"".join(source.read_bytes() for source in sources)).hexdigest()[:12]
    name = f"chain-{transfers}-{key}"
    return Workload(directory / f"{name}.rec", directory / f"{name}.toml")
