"""Handing a command over to another package: its process takes the place of this one."""

import os
import sys
from collections.abc import Iterable
from typing import NoReturn


def become(module: str, *arguments: str) -> NoReturn:
    """Become ``python -m module …``: same process id, same terminal, its exit status is ours."""
    sys.stdout.flush()
    sys.stderr.flush()
    os.execv(sys.executable, [sys.executable, "-m", module, *arguments])  # noqa: S606


def options(**values: str | int | bool | None) -> Iterable[str]:
    """Command-line options for those values that are set: ``to_block=5`` is ``--to-block 5``."""
    for name, value in values.items():
        option = "--" + name.rstrip("_").replace("_", "-")
        if value is True:
            yield option
        elif value is not None and value is not False:
            yield from (option, str(value))
