"""A local Solana node that lives: its history is written, its facts are left in files, and trade goes on until the end.

``python -m indexer.devchain.solana.serve --out DIR`` is what the demo runs.
"""

import argparse
import json
import logging
import signal
import threading
from pathlib import Path
from typing import Any

from indexer.devchain.files import write_whole
from indexer.devchain.solana.economy import keypair
from indexer.devchain.solana.surfpool import LAMPORTS_PER_SOL, Surfpool, SurfpoolError
from indexer.devchain.solana.world import SCALES, World

log = logging.getLogger(__name__)

CHAIN_KEY = "solana"
CHAIN_ID = 900900
CLAIMED = "coral"
_DEPLOYER_LAMPORTS = 1_000 * LAMPORTS_PER_SOL


def serve(out: Path, *, scale: str, seed: int = 1, pause_seconds: int = 3, actions: int = 2) -> None:
    """Build the world and trade in it until SIGINT or SIGTERM.

    ``solana.toml`` and then ``solana.json`` appear in ``out`` when the history is complete.

    Raises:
        SurfpoolError: there is no Surfpool for this machine, or the node ended.
    """
    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    with Surfpool.start(paused=True) as node:
        world = World.create(node, seed, scale)
        deployer = keypair("contracts deployer")
        node.fund(deployer.pubkey(), _DEPLOYER_LAMPORTS)
        write_whole(out / f"{CHAIN_KEY}.toml", world.chain_toml(CHAIN_KEY))
        write_whole(out / f"{CHAIN_KEY}.json", json.dumps(_facts(world, str(deployer)), indent=1))
        node.resume()
        while not stop.wait(pause_seconds):
            try:
                world.step(actions)
            except SurfpoolError as error:
                if node.process.poll() is not None:
                    raise
                log.warning("trade pauses: %s", error)
            world.sender.sent.clear()


def _facts(world: World, deployer_key: str) -> dict[str, Any]:
    claimed = world.token(CLAIMED)
    return {
        "rpc_url": world.node.url,
        "ws_url": world.node.ws_url,
        "chain_id": CHAIN_ID,
        "chain_key": CHAIN_KEY,
        "head": world.node.slot(),
        "token_count": len(world.tokens),
        "deployer_key": deployer_key,
        "claimant": {
            "symbol": claimed.plan.symbol,
            "token": str(claimed.mint),
            "wallet": str(claimed.creator.pubkey()),
            "private_key": str(claimed.creator),
        },
    }


def main() -> None:
    """Command line of the demo's Solana node."""
    parser = argparse.ArgumentParser(prog="python -m indexer.devchain.solana.serve")
    parser.add_argument("--out", type=Path, required=True, help="folder for solana.toml and solana.json")
    parser.add_argument("--scale", choices=sorted(SCALES), default="demo")
    given = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    serve(given.out, scale=given.scale)


if __name__ == "__main__":
    main()
