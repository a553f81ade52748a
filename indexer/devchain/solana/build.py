"""Compiles the local chain's programs: ``python -m indexer.devchain.solana.build`` writes their ``.so`` files."""

from pathlib import Path

from indexer.contracts.solana.build import compile_program

FOLDER = Path(__file__).parent / "program"
PROGRAMS = ("market", "metadata")


def build(name: str) -> bytes:
    """Compile and link a program; fails as ``compile_program`` does."""
    return compile_program(FOLDER / f"{name}.c", "../../../contracts/solana/program")


if __name__ == "__main__":
    for program in PROGRAMS:
        (FOLDER / f"{program}.so").write_bytes(build(program))
