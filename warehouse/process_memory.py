"""Memory settings of a process that computes in many threads: one heap, fewer garbage collections."""

import atexit
import ctypes
import functools
import gc

# Of glibc's malloc.h.
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD, _M_ARENA_MAX = -1, -3, -8
_KEPT_BYTES, _MAPPED_BYTES = 512 << 20, 32 << 20


@functools.cache
def share_heap() -> None:
    """Let all threads of this process allocate from one heap, answers of megabytes too, and keep what they free.

    By default glibc has up to eight heaps per core, and each stays as large as the largest answers it ever held. Pages
    that are returned to the system and taken again are cleared each time, which takes longer than filling them. Does
    nothing where the C library is not glibc.
    """
    library = _glibc()
    if library is not None:
        library.mallopt(_M_ARENA_MAX, 1)
        library.mallopt(_M_MMAP_THRESHOLD, _MAPPED_BYTES)
        library.mallopt(_M_TRIM_THRESHOLD, _KEPT_BYTES)


def release_free_memory() -> None:
    """Return the heap's unused memory to the system, after work that needed more than what follows."""
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
def collect_garbage_less() -> None:
    """Run Python's cyclic garbage collection less often, and exempt everything imported so far.

    Answers become thousands of short-lived objects without cycles. Searching them and all modules for cycles took a
    tenth of the indexer's CPU. The exemption ends when the process does: Python's last collection has to free the
    modules, or libraries made with nanobind (DuckDB) report their types as leaked.
    """
    gc.freeze()
    atexit.register(gc.unfreeze)
    gc.set_threshold(50_000, 20, 50)
