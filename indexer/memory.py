"""Keeping a process that computes in many threads small."""

import ctypes
import functools
import gc

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
