"""``python -m tests.torture``: faults, reorganisations and kills at once; then every row and balance is compared.

The exit status is 0 when every row equals a fresh index of the final chain and every balance what its token returns,
and 1, with the differences, when not. ``--seed`` repeats a run: blocks, faults and the order of kills follow from the
seed; the exact instant of a kill does not.
"""

import argparse
import random
import sys
import tempfile
import time
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from tests.torture.run import Outcome, Plan, Report, torture

_LINE_SECONDS = 10.0


def main() -> int:
    """Parse arguments and run; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.torture", description=__doc__)
    parser.add_argument("--seconds", type=float, default=420.0, help="how long to go on, before comparing (420)")
    parser.add_argument("--kills", type=int, default=60, help="processes to end with SIGKILL (60)")
    parser.add_argument("--reorganisations", type=int, default=24, help="of depth 1 to 64 (24)")
    parser.add_argument("--seed", type=int, help="repeat a run; default: one by chance, which is printed")
    parser.add_argument("--keep", action="store_true", help="leave the data directory and its logs")
    arguments = parser.parse_args()
    seed = arguments.seed if arguments.seed is not None else random.SystemRandom().randrange(10**6)
    plan = Plan(seed, arguments.seconds, arguments.kills, arguments.reorganisations)
    console = Console(highlight=False, soft_wrap=True)
    console.print(
        f"torture with seed {seed}: {plan.seconds:g} s, {plan.kills} kills, {plan.reorganisations} reorganisations"
    )
    folder = Path(tempfile.mkdtemp(prefix="torture-"))
    outcome = _run_with_progress(plan, folder, console)
    print_outcome(outcome, console)
    if arguments.keep or not outcome.passed:
        console.print(f"data and logs are in {folder}")
    else:
        _remove(folder)
    return 0 if outcome.passed else 1


def _run_with_progress(plan: Plan, folder: Path, console: Console) -> Outcome:
    """Run with a bar on a terminal, with a line every ten seconds elsewhere."""
    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    said = 0.0
    with Progress(*columns, console=console, disable=not console.is_terminal, transient=True) as bar:
        task = bar.add_task("starting", total=plan.seconds)

        def show(report: Report) -> None:
            nonlocal said
            text = (
                f"block {report.head}, {report.kills} kills, {report.reorganisations} reorganisations,"
                f" {report.faults} faults"
            )
            bar.update(task, completed=min(report.seconds, plan.seconds), description=text)
            if not console.is_terminal and time.monotonic() - said >= _LINE_SECONDS:
                said = time.monotonic()
                console.print(f"{report.seconds:6.0f} s  {text}")

        return torture(plan, folder, show)


def print_outcome(outcome: Outcome, console: Console) -> None:
    """Print what was done and what the comparison found."""
    done = Table("action", "times", title=f"seed {outcome.plan.seed}, {outcome.seconds:.0f} s", min_width=60)
    done.columns[1].justify = "right"
    for name, count in sorted(outcome.kills.items()):
        done.add_row(f"{name} killed (SIGKILL)", str(count))
    for name, count in sorted(outcome.phases.items()):
        done.add_row(f"... while the writer was in phase: {name}", str(count))
    depths = sorted(outcome.depths)
    done.add_row(f"reorganisations, of depths {', '.join(map(str, depths))}", str(len(depths)))
    for name, count in sorted(outcome.faults.items()):
        done.add_row(f"fault: {name}", str(count))
    for name, count in sorted(outcome.comparison.units.items()):
        done.add_row(f"units {name}", str(count))
    for name, count in sorted(outcome.ended.items()):
        done.add_row(f"{name} ended by itself and was restarted", str(count))
    done.add_row("blocks at the end", str(outcome.blocks))
    console.print(done)
    found = Table("comparison", "rows", "equal", min_width=60)
    found.columns[1].justify = "right"
    for name, count in outcome.comparison.compared.items():
        found.add_row(name, f"{count:,}", "NO" if name in outcome.comparison.wrong else "yes")
    console.print(found)
    for name, lines in outcome.comparison.wrong.items():
        for line in lines:
            console.print(f"{name}: {line}", markup=False)
    for line in outcome.shortfalls():
        console.print(line)
    console.print("everything is equal" if outcome.passed else f"FAILED; repeat with --seed {outcome.plan.seed}")


def _remove(folder: Path) -> None:
    import shutil

    shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
