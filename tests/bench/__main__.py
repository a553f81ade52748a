"""``python -m tests.bench``: all benchmarks as ratios in one run; a table, ``build/bench.json`` and plots."""

import argparse
import json
import sys
import time
from pathlib import Path

from rich.console import Console
from rich.table import Table

from tests.bench import plots
from tests.bench.directories import remove_runs
from tests.bench.parts import PARTS, Run
from tests.bench.result import Result

ROOT = Path(__file__).resolve().parents[2]


def main() -> int:
    """Run what is asked for; the status is 1 when a mark does not hold."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("--only", choices=list(PARTS), action="append", help="one part alone; may be given again")
    parser.add_argument("--transfers", type=int, default=300_000, help="transfers of the index benchmark")
    parser.add_argument("--tokens", type=int, default=1_000_000, help="generated tokens of the search benchmark")
    parser.add_argument("--longest", action="store_true", help="ten million events, too (scale, warehouse)")
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "bench.json")
    parser.add_argument("--publish-plots", action="store_true", help="copy this run's plots to docs/plots")
    arguments = parser.parse_args()
    console = Console(highlight=False, soft_wrap=True)
    started, began_at = time.perf_counter(), time.time()

    def progress(line: str) -> None:
        console.print(f"[dim]{time.perf_counter() - started:6.1f} s[/dim]  {line}")

    run = Run(
        ROOT / "build" / "bench",
        progress,
        transfers=arguments.transfers,
        tokens=arguments.tokens,
        longest=arguments.longest,
    )
    results: list[Result] = []
    try:
        for name in arguments.only or PARTS:
            progress(f"[bold]{name}[/bold]")
            results += PARTS[name](run)
            # Written part by part: what was measured is kept when a later part fails.
            arguments.out.parent.mkdir(parents=True, exist_ok=True)
            arguments.out.write_text(json.dumps([result.as_dict() for result in results], indent=1) + "\n")
    finally:
        remove_runs(run.directory)
    # Piped into a file it is wide enough for every name.
    Console(highlight=False, width=None if sys.stdout.isatty() else 120).print(_table(results))
    progress(f"written to {arguments.out}")
    if arguments.publish_plots:
        for path in plots.publish(run.directory, ROOT / "docs" / "plots", began_at):
            progress(f"published {path.relative_to(ROOT)}")
    return 1 if any(result.holds is False for result in results) else 0


def _table(results: list[Result]) -> Table:
    table = Table("benchmark", "value", "unit", "mark", "holds")
    for column in table.columns[1:2]:
        column.justify = "right"
    for result in results:
        holds = "" if result.holds is None else "yes" if result.holds else "NO"
        table.add_row(result.name, f"{result.value:,.4g}", result.unit, result.mark or "", holds)
    return table


if __name__ == "__main__":
    sys.exit(main())
