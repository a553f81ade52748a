"""A progress bar in bytes, on the terminal."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn, TransferSpeedColumn


class Steps:
    """The steps of one command, each a bar of its own."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress

    def counted(self, description: str, total: int) -> Callable[[int], None]:
        """A step of ``total`` bytes; call the result with each number of bytes done."""
        task = self._progress.add_task(description, total=total)
        return lambda count: self._progress.advance(task, count)

    def measured(self, description: str) -> Callable[[int, int], None]:
        """A step whose length is found out on the way; call the result with bytes done and bytes in all."""
        task = self._progress.add_task(description, total=None)

        def report(done: int, total: int) -> None:
            self._progress.update(task, completed=min(done, total), total=total or None)

        return report


@contextmanager
def shown_steps(show: bool | None = None) -> Iterator[Steps]:
    """Bars on standard error; by default only where that is a terminal."""
    visible = sys.stderr.isatty() if show is None else show
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        DownloadColumn(),
        TransferSpeedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), disable=not visible) as progress:
        yield Steps(progress)
