"""A local Solana node that lives: its history is written, its facts are left in files, and trade goes on until the end.

``python -m indexer.devchain.solana.serve --out DIR`` is what the demo runs. Where there is no Surfpool it says so and
ends with status 3.
"""

import argparse
import json
import logging
import math
import signal
import sys
import threading
import time
from pathlib import Path
from typing import Any

from solders.keypair import Keypair

from indexer.devchain.files import write_whole
from indexer.devchain.solana.economy import keypair
from indexer.devchain.solana.surfpool import (
    LAMPORTS_PER_SOL,
    Surfpool,
    SurfpoolError,
    SurfpoolUnavailable,
    find_programs,
)
from indexer.devchain.solana.world import SCALES, World
from warehouse.logs import configure_logging

log = logging.getLogger(__name__)

CHAIN_KEY = "solana"
CHAIN_ID = 900900
CLAIMED = "coral"
UNAVAILABLE_STATUS = 3
_DEPLOY_SECONDS, _QUIET_SECONDS = 20.0, 3.0
_FAST_BLOCK_SECONDS = 0.15  # a blockhash lives for 150 blocks
_PAUSE_SECONDS = 3
# The node keeps every transaction in memory: a day of this takes some 350 MB.
_BUSY_SECONDS, _LATER_PAUSE_SECONDS = 600, 30
_DEPLOYER_LAMPORTS = 1_000 * LAMPORTS_PER_SOL


def serve(out: Path, *, scale: str, seed: int = 1, actions: int = 2) -> None:
    """Build the world and trade in it until SIGINT or SIGTERM, after a while more slowly.

    ``solana.toml`` and then ``solana.json`` appear in ``out`` when the history is complete.

    Raises:
        SurfpoolUnavailable: there is no Surfpool for this machine, or it is not installed.
        SurfpoolError: the node ended.
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
        _make_blocks_until_deployed(node, deployer, stop)
        node.resume()
        slower_from = time.monotonic() + _BUSY_SECONDS
        while not stop.wait(_PAUSE_SECONDS if time.monotonic() < slower_from else _LATER_PAUSE_SECONDS):
            try:
                world.step(actions)
            except SurfpoolError as error:
                if node.process.poll() is not None:
                    raise
                log.warning("trade pauses: %s", error)
            world.sender.sent.clear()


def _make_blocks_until_deployed(node: Surfpool, deployer: Keypair, stop: threading.Event) -> None:
    """Make blocks quickly for as long as our contracts are being deployed; then they may take their time.

    The deployment is over when the deployer has paid for something and then for nothing in a while.
    """
    deadline, paid_at, balance = time.monotonic() + _DEPLOY_SECONDS, math.inf, _DEPLOYER_LAMPORTS
    while time.monotonic() < min(deadline, paid_at + _QUIET_SECONDS) and not stop.wait(_FAST_BLOCK_SECONDS):
        node.mine()
        left = node.rpc("getBalance", str(deployer.pubkey()), {"commitment": "confirmed"})["value"]
        if left != balance:
            balance, paid_at = left, time.monotonic()


def _facts(world: World, deployer_key: str) -> dict[str, Any]:
    claimed = world.token(CLAIMED)
    return {
        "rpc_url": world.node.url,
        "ws_url": world.node.ws_url,
        "node_program": find_programs()[0],
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


def main() -> int:
    """Command line of the demo's Solana node; the exit status."""
    parser = argparse.ArgumentParser(prog="python -m indexer.devchain.solana.serve")
    parser.add_argument("--out", type=Path, required=True, help="folder for solana.toml and solana.json")
    parser.add_argument("--scale", choices=sorted(SCALES), default="demo")
    given = parser.parse_args()
    configure_logging()
    try:
        serve(given.out, scale=given.scale)
    except SurfpoolUnavailable as error:
        print(error, file=sys.stderr)
        return UNAVAILABLE_STATUS
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
