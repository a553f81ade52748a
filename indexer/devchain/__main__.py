"""``python -m indexer.devchain``: a local chain with tokens, markets and trade, for demos and by-hand tests."""

import argparse
import logging
from pathlib import Path

from indexer.devchain.serve import serve
from indexer.devchain.world import SCALES


def main() -> None:
    """Command line of the local chain."""
    parser = argparse.ArgumentParser(prog="python -m indexer.devchain", description=__doc__)
    parser.add_argument("--out", type=Path, required=True, help="folder for chains.toml and world.json")
    parser.add_argument("--scale", choices=sorted(SCALES), default="demo")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--port", type=int, help="of the node; a free one by default")
    parser.add_argument("--block-seconds", type=int, default=2)
    parser.add_argument("--actions", type=int, default=6, help="transfers and swaps a block")
    given = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    serve(
        given.out, scale=given.scale, seed=given.seed, port=given.port,
        block_seconds=given.block_seconds, actions=given.actions,
    )  # fmt: skip


if __name__ == "__main__":
    main()
