"""Keeping a process that computes in many threads small."""

import ctypes
import functools
import gc

# Of glibc's malloc.h.
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD, _M_ARENA_MAX = -1, -3, -8
_KEPT_BYTES, _MAPPED_BYTES = 512 << 20, 32 << 20


@functools.cache
def share_heap() -> None:
    """Let all threads of this process allocate from one heap, answers of megabytes too, and keep what they free.

    Threads that take turns with answers otherwise leave each of up to eight heaps a core as large as the largest it
    held; and pages given back to the system and taken again are cleared each time, which takes longer than filling
    them. Where the C library is not glibc nothing is done.
    """
    library = _glibc()
    if library is not None:
        library.mallopt(_M_ARENA_MAX, 1)
        library.mallopt(_M_MMAP_THRESHOLD, _MAPPED_BYTES)
        library.mallopt(_M_TRIM_THRESHOLD, _KEPT_BYTES)


def give_back() -> None:
    """Return to the system what the heap keeps and nobody uses, after work that needed more than what follows."""
    library = _glibc()
    if library is not None:
        library.malloc_trim(0)


def _glibc() -> ctypes.CDLL | None:
    try:
        library = ctypes.CDLL(None)
        library.gnu_get_libc_version  # noqa: B018 - is it glibc?
    except (OSError, AttributeError):
        return None
    return library


@functools.cache
def spare_collections() -> None:
    """Let Python look for cyclic garbage less often, and not among what is imported already.

    Answers become thousands of short-lived objects without cycles; looking through them and all modules each time took
    a tenth of the indexer's CPU.
    """
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)
