"""Compiles the registry program: ``python -m indexer.contracts.solana.build``.

Writes ``registry.so`` and its hash. The compiler comes from the development requirements (``ziglang``); the same
version gives the same bytes everywhere. With ``--check`` nothing is written, and another result is an error.
"""

import argparse
import hashlib
import subprocess
import sys
import tempfile
from pathlib import Path

from indexer.contracts.solana.link import link

FOLDER = Path(__file__).parent
PROGRAM = FOLDER / "registry.so"
HASH = FOLDER / "registry.so.sha256"
_COMPILER = (sys.executable, "-m", "ziglang", "cc")
_TARGET = ("-target", "bpfel-freestanding-none", "-mcpu=v2", "-mllvm", "-bpf-stack-size=4096")
_FLAGS = ("-std=c11", "-O2", "-fno-builtin", "-fno-unwind-tables", "-g0", "-Wall", "-Wextra", "-Werror")


def compile_program(source: Path, *include: str) -> bytes:
    """Compile and link one program. ``include`` are folders of headers, relative to the source's.

    Raises:
        subprocess.CalledProcessError: the compiler refuses the source.
        indexer.contracts.solana.link.LinkError: the object file cannot be linked.
    """
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder) / "program.o"
        # Relative paths, so that no path of the machine can reach the object file.
        headers = [word for path in include for word in ("-isystem", path)]
        command = [*_COMPILER, *_TARGET, *_FLAGS, *headers, "-c", source.name, "-o", str(made)]
        subprocess.run(command, cwd=source.parent, check=True)
        return link(made.read_bytes())


def build() -> bytes:
    """Compile and link the registry program; fails as ``compile_program`` does."""
    return compile_program(FOLDER / "program" / "registry.c")


def main() -> int:
    """Build the program; the exit status."""
    parser = argparse.ArgumentParser(prog="python -m indexer.contracts.solana.build", description=__doc__)
    parser.add_argument("--check", action="store_true", help="compare with the committed program; write nothing")
    check = parser.parse_args().check
    program = build()
    digest = hashlib.sha256(program).hexdigest()
    if check and program != PROGRAM.read_bytes():
        print(f"registry.so is not what the source gives (sha256 {digest})", file=sys.stderr)
        return 1
    if not check:
        PROGRAM.write_bytes(program)
        HASH.write_text(f"{digest}  registry.so\n")
    print(f"registry.so: {len(program)} bytes, sha256 {digest}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
