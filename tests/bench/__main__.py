"""``python -m tests.bench``: all benchmarks as ratios in one run; a table, ``build/bench.json`` and plots."""

import argparse
import json
import sys
import time
from pathlib import Path

from rich.console import Console
from rich.table import Table

from tests.bench import indexing, plots
from tests.bench.result import Result

ROOT = Path(__file__).resolve().parents[2]


def main() -> int:
    """Run what is asked for; the status is 1 when a mark does not hold."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("--only", choices=["index", "search"], help="one part alone")
    parser.add_argument("--transfers", type=int, default=300_000)
    parser.add_argument("--tokens", type=int, default=100_000, help="generated tokens of the search benchmark")
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "bench.json")
    arguments = parser.parse_args()
    console = Console(highlight=False, soft_wrap=True)
    started = time.perf_counter()

    def progress(line: str) -> None:
        console.print(f"[dim]{time.perf_counter() - started:6.1f} s[/dim]  {line}")

    pictures = ROOT / "build" / "bench"
    results: list[Result] = []
    if arguments.only in (None, "index"):
        indexed = indexing.measure(ROOT / "build" / "bench", arguments.transfers, progress)
        results += indexed.results
        plots.draw_rates(indexed.rates, pictures / "rates.png")
        plots.draw_memory(indexed.memory, pictures / "memory.png")
    if arguments.only in (None, "search"):
        from tests.bench import search

        searched = search.measure(ROOT / "build" / "bench", arguments.tokens, progress)
        results += searched.results
        plots.draw_latencies(searched.latencies_ms, pictures / "search.png")
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    arguments.out.write_text(json.dumps([result.as_dict() for result in results], indent=1) + "\n")
    # Piped into a file it is wide enough for every name.
    Console(highlight=False, width=None if sys.stdout.isatty() else 120).print(_table(results))
    progress(f"written to {arguments.out}")
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
