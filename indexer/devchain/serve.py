"""A local chain that lives: its history is written, its facts are left in files, and trade goes on until the end.

``python -m indexer.devchain.serve --out DIR`` is what the demo runs.
"""

import argparse
import json
import logging
import signal
import threading
import time
from pathlib import Path
from typing import Any

from eth_account.signers.local import LocalAccount

from indexer.devchain import artifacts
from indexer.devchain.anvil import Anvil, AnvilError
from indexer.devchain.files import write_whole
from indexer.devchain.world import SCALES, World
from warehouse.logs import configure_logging

log = logging.getLogger(__name__)

CHAIN_KEY = "base"
CLAIMED = "aurum"
FINALITY_BLOCKS = 3
"""A node of its own has no reorganisations, and nobody wants to wait for a deal to be final."""
OFFERER_USDC = 5_000_000
_DEPLOY_SECONDS = 60.0


def serve(out: Path, *, scale: str, seed: int = 1, block_seconds: int = 2, actions: int = 6) -> None:
    """Build the world and trade in it until SIGINT or SIGTERM.

    ``base.toml`` and then ``base.json`` appear in ``out`` when the history is complete.
    """
    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    with Anvil.start(state_roots=False, genesis_time=World.genesis_time(scale)) as anvil:
        world = World.create(anvil, seed=seed, scale=scale, with_registry=False)
        deployer = world.wallet("contracts deployer")
        anvil.rpc("anvil_setBalance", deployer.address, hex(10**21))
        offerer = _fund_offerer(world)
        write_whole(out / f"{CHAIN_KEY}.toml", world.chain_toml(CHAIN_KEY, finality_blocks=FINALITY_BLOCKS))
        write_whole(out / f"{CHAIN_KEY}.json", json.dumps(_facts(world, deployer, offerer), indent=1))
        _await_contracts(anvil, deployer.address, stop)
        world.live(block_seconds)
        while not stop.wait(block_seconds):
            try:
                world.step(actions, mine=False)
            except AnvilError as error:
                if anvil.process.poll() is not None:
                    raise
                log.warning("trade pauses: %s", error)
                world.sender.forget_nonces()
            world.sender.sent.clear()


def _fund_offerer(world: World) -> LocalAccount:
    """A wallet that can make an offer on the claimed registration: it has coins, USDC and some of the token."""
    offerer, claimed = world.wallet("offerer"), world.token(CLAIMED)
    world.anvil.rpc("anvil_setBalance", offerer.address, hex(10**21))
    contract = artifacts.load("PlainToken")
    for sender, token, amount in (
        (world.bank.address.lower(), world.stablecoin, OFFERER_USDC * 10**6),
        (claimed.deployer.address.lower(), claimed.address, claimed.supply_raw // 1000),
    ):
        world.sender.send(sender, token, contract.call("transfer", offerer.address, amount), purpose="fund offerer")
    world.sender.mine()
    world.sender.check(tolerate=("swap",))
    return offerer


def _key(wallet: LocalAccount) -> str:
    return "0x" + bytes(wallet.key).hex()


def _await_contracts(anvil: Anvil, deployer: str, stop: threading.Event) -> None:
    """Mine at once for as long as our contracts are being deployed; then blocks may take their time."""
    deadline = time.monotonic() + _DEPLOY_SECONDS
    while time.monotonic() < deadline and not stop.wait(0.1):
        if anvil.rpc("eth_getTransactionCount", deployer, "latest") != "0x0":
            return


def _facts(world: World, deployer: LocalAccount, offerer: LocalAccount) -> dict[str, Any]:
    claimed = world.token(CLAIMED)
    return {
        "rpc_url": world.anvil.url,
        "chain_id": world.anvil.chain_id,
        "chain_key": CHAIN_KEY,
        "head": world.anvil.block_number(),
        "token_count": len(world.tokens),
        "deployer_key": _key(deployer),
        "claimant": {
            "symbol": claimed.symbol,
            "token": claimed.address,
            "wallet": claimed.deployer.address,
            "private_key": _key(claimed.deployer),
        },
        "offerer": {"wallet": offerer.address, "private_key": _key(offerer)},
    }


def main() -> None:
    """Command line of the demo's chain."""
    parser = argparse.ArgumentParser(prog="python -m indexer.devchain.serve")
    parser.add_argument("--out", type=Path, required=True, help="folder for base.toml and base.json")
    parser.add_argument("--scale", choices=sorted(SCALES), default="demo")
    given = parser.parse_args()
    configure_logging()
    serve(given.out, scale=given.scale)


if __name__ == "__main__":
    main()
