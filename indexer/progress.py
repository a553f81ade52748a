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
    remaining = f", {left * progress.seconds / done:.0f} s left" if done > 0 and left > 0 else ""
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
    from tqdm import tqdm

    with tqdm(desc=name, unit=" blocks", dynamic_ncols=True, leave=False) as bar:

        def report(progress: IndexProgress) -> None:
            bar.total = progress.target - progress.first + 1
            bar.set_postfix_str(describe(progress), refresh=False)
            bar.update(progress.published - progress.first + 1 - bar.n)

        yield report
