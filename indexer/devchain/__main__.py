"""A local chain to try things on: ``python -m indexer.devchain``. It trades until Ctrl-C."""

import signal
import sys
import threading
from pathlib import Path
from typing import Annotated

import typer

from indexer.devchain.anvil import Anvil, AnvilError
from indexer.devchain.artifacts import ArtifactError
from indexer.devchain.world import SCALES, World


def run(
    port: Annotated[int | None, typer.Option(help="Port of the node. Default: a free one.")] = None,
    chain_id: Annotated[int, typer.Option(help="Chain id the node reports.")] = 8453,
    key: Annotated[str, typer.Option(help="Chain key in the chains file.")] = "base",
    scale: Annotated[str, typer.Option(help="small or demo.")] = "demo",
    seed: Annotated[int, typer.Option(help="The same seed makes the same world.")] = 1,
    block_seconds: Annotated[int, typer.Option(min=1, help="Time between blocks.")] = 2,
    actions: Annotated[int, typer.Option(min=0, help="Transfers and swaps per block; 0 for silence.")] = 6,
    registry_signer: Annotated[str | None, typer.Option(help="Address whose claims the registry accepts.")] = None,
    out: Annotated[Path | None, typer.Option(help="Write the chains file here as well as to the output.")] = None,
) -> None:
    """Run a chain with tokens, exchanges and days of history, and keep trading on it until stopped."""
    if scale not in SCALES:
        raise typer.BadParameter(f"{scale!r} is not one of {', '.join(SCALES)}", param_hint="--scale")
    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    try:
        genesis = World.genesis_time(scale)
        with Anvil.start(chain_id=chain_id, port=port, state_roots=False, genesis_time=genesis) as anvil:
            print(f"writing the history of {scale} world {seed}", file=sys.stderr)
            world = World.create(anvil, seed, scale, registry_signer=registry_signer)
            text = world.chain_toml(key)
            if out is not None:
                out.write_text(text)
            print(text, flush=True)
            world.live(block_seconds)
            while not stop.wait(block_seconds):
                if actions:
                    world.step(actions, mine=False)
    except (AnvilError, ArtifactError, OSError) as error:
        print(f"devchain: {error}", file=sys.stderr)
        raise typer.Exit(1) from None


if __name__ == "__main__":
    typer.run(run)
