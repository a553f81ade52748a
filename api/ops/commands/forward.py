"""Runs a command of another package in this process, or in place of it."""

import os
import runpy
import sys
from collections.abc import Iterable
from typing import NoReturn


def become(module: str, *arguments: str) -> NoReturn:
    """Replace this process with ``python -m module …``, with the same id and terminal."""
    sys.stdout.flush()
    sys.stderr.flush()
    os.execv(sys.executable, [sys.executable, "-m", module, *arguments])  # noqa: S606


def run(module: str, *arguments: str) -> None:
    """Run ``python -m module …`` in this process: another interpreter would cost a short command a tenth more."""
    sys.argv = [module, *arguments]
    runpy.run_module(module, run_name="__main__", alter_sys=True)


def options(**values: str | int | bool | None) -> Iterable[str]:
    """Command-line options for the values that are set: ``to_block=5`` is ``--to-block 5``."""
    for name, value in values.items():
        option = "--" + name.rstrip("_").replace("_", "-")
        if value is True:
            yield option
        elif value is not None and value is not False:
            yield from (option, str(value))
