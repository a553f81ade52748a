"""Progress of a running index: a bar on a terminal, a line every two seconds elsewhere."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from indexer.run import IndexProgress, ReportProgress

_SECONDS_BETWEEN_LINES = 2.0


def describe(progress: IndexProgress) -> str:
    """Rows, events a second and the remaining time, in words."""
    rate = progress.events / progress.seconds if progress.seconds > 0 else 0.0
    done = progress.published - progress.first + 1
    left = progress.target - progress.published
    share = progress.share if progress.share is not None else done / (done + left) if done + left > 0 else 1.0
    remaining = f", {progress.seconds * (1 - share) / share:.0f} s left" if share > 0 and left > 0 else ""
    return f"{progress.rows:,} rows, {rate:,.0f} events/s{remaining}"


@dataclass(slots=True)
class LogLines:
    """A line at most every two seconds."""

    name: str
    last: float = field(default=0.0)

    def report(self, progress: IndexProgress) -> None:
        """Print a line if it is time."""
        now = time.monotonic()
        if now - self.last < _SECONDS_BETWEEN_LINES:
            return
        self.last = now
        print(f"{self.name}: block {progress.published:,} of {progress.target:,}, {describe(progress)}", flush=True)


@contextmanager
def show_progress(name: str) -> Iterator[ReportProgress]:
    """A function to report progress to, for as long as the block runs."""
    if not sys.stderr.isatty():
        yield LogLines(name).report
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[found]}"))
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(name, total=None, found="")

        def report(progress: IndexProgress) -> None:
            blocks, done = progress.target - progress.first + 1, progress.published - progress.first + 1
            bar.update(task, total=blocks, completed=done, found=describe(progress))

        yield report
