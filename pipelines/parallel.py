"""Running a few statements at the same time."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar, overload

from warehouse.contexts import carry

First = TypeVar("First")
Second = TypeVar("Second")
Third = TypeVar("Third")


@overload
def run_parallel(first: Callable[[], First], second: Callable[[], Second], /) -> tuple[First, Second]: ...


@overload
def run_parallel(
    first: Callable[[], First], second: Callable[[], Second], third: Callable[[], Third], /
) -> tuple[First, Second, Third]: ...


@overload
def run_parallel(*functions: Callable[[], First]) -> Sequence[First]: ...


def run_parallel(*functions: Callable[[], Any]) -> Sequence[Any]:
    """Call the functions in threads and return their results in order. The first error is raised after all have ended.

    A short ClickHouse statement spends most of its time in planning, which uses one core. At most one of the functions
    may use the store: its connection serves one thread at a time.
    """
    if len(functions) == 1:
        return (functions[0](),)
    with ThreadPoolExecutor(len(functions)) as threads:
        running = [threads.submit(carry(function)) for function in functions]
    return tuple(one.result() for one in running)
