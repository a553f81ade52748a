"""Compiles the local chain's exchange: ``python -m indexer.devchain.solana.build`` writes ``program/market.so``."""

from pathlib import Path

from indexer.contracts.solana.build import compile_program

FOLDER = Path(__file__).parent / "program"
PROGRAM = FOLDER / "market.so"


def build() -> bytes:
    """Compile and link the program; fails as ``compile_program`` does."""
    return compile_program(FOLDER / "market.c", "../../../contracts/solana/program")


if __name__ == "__main__":
    PROGRAM.write_bytes(build())
