"""Keeping a process that computes in many threads small, and its threads out of each other's way."""

import ctypes
import functools
import gc
import sys

_M_ARENA_MAX = -8  # of glibc's malloc.h


@functools.cache
def share_heaps(count: int = 2) -> None:
    """Let all threads of this process allocate from ``count`` heaps instead of up to eight a core.

    Threads that take turns with answers of megabytes otherwise leave every heap as large as the largest they held.
    Heaps that exist already stay. Where the C library is not glibc nothing is done.
    """
    try:
        library = ctypes.CDLL(None)
        library.gnu_get_libc_version  # noqa: B018 - is it glibc?
        library.mallopt(_M_ARENA_MAX, count)
    except (OSError, AttributeError):
        return


@functools.cache
def spare_collections() -> None:
    """Let Python look for cyclic garbage less often, and not among what is imported already.

    Answers become thousands of short-lived objects without cycles; looking through them and all modules each time took
    a tenth of the indexer's CPU.
    """
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)


@functools.cache
def hand_over_soon(seconds: float = 0.0005) -> None:
    """Let a thread that computes hand the interpreter over after half a millisecond, not after five.

    The threads that write and ask need it for moments only, many times a unit, and wait for it each time behind those
    that decode.
    """
    sys.setswitchinterval(seconds)
