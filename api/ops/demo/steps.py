"""The lines that say what the demo did, and how long it took."""

import contextlib
import sys
import time
from collections.abc import Iterator


@contextlib.contextmanager
def step(what: str) -> Iterator[None]:
    """Print what is done, and at the end how long it took."""
    started = time.monotonic()
    if sys.stdout.isatty():
        print(f"         …  {what}", end="\r", flush=True)
    yield
    say(time.monotonic() - started, what)


def say(seconds: float, what: str) -> None:
    """Print how long something took."""
    print(f"  {seconds:6.1f} s  {what}", flush=True)
