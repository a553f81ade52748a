"""``python -m tests.attacks``: generated attempts to register copies, on a real chain and through the service.

The exit status is 0 when no copy was registered, no original was refused and no honest namesake without a market was
blocked, and 1, with their names, when not. ``--seed`` repeats a run.
"""

import argparse
import asyncio
import random
import shutil
import sys
import tempfile
import time
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from tests.attacks.plan import Kind, Plan, make_plan
from tests.attacks.run import Outcome, run_attacks
from warehouse import engines
from warehouse.settings import EngineSettings

_LINE_SECONDS = 10.0


def main() -> int:
    """Parse arguments and run; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.attacks", description=__doc__)
    parser.add_argument("--attacks", type=int, default=320, help="how many (320)")
    parser.add_argument("--seed", type=int, help="repeat a run; default: one by chance, which is printed")
    arguments = parser.parse_args()
    seed = arguments.seed if arguments.seed is not None else random.SystemRandom().randrange(10**6)
    plan = make_plan(seed, arguments.attacks)
    console = Console(highlight=False, soft_wrap=True)
    console.print(f"seed {seed}: {len(plan.attacks)} attacks on {len(plan.originals)} originals")
    folder = Path(tempfile.mkdtemp(prefix="attacks-"))
    try:
        outcome = _run_with_progress(plan, folder, console)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print_outcome(outcome, console)
    return 0 if outcome.passed else 1


def _run_with_progress(plan: Plan, folder: Path, console: Console) -> Outcome:
    """Run with a bar on a terminal, with a line every ten seconds elsewhere."""
    columns = (TextColumn("{task.description:40}"), BarColumn(), TimeElapsedColumn())
    began = said = time.monotonic()
    settings = EngineSettings(data_dir=folder / "engines", clickhouse_url=None, database_url=None)
    with Progress(*columns, console=console, disable=not console.is_terminal, transient=True) as bar:
        task = bar.add_task("starting", total=1.0)

        def show(share: float, what: str) -> None:
            nonlocal said
            bar.update(task, completed=share, description=what)
            if not console.is_terminal and time.monotonic() - said >= _LINE_SECONDS:
                said = time.monotonic()
                console.print(f"{said - began:6.0f} s  {share:4.0%}  {what}")

        with engines.ensure(settings) as urls:
            return asyncio.run(run_attacks(plan, folder, urls, show))


def print_outcome(outcome: Outcome, console: Console) -> None:
    """Print what the service answered, and what should not have happened."""
    table = Table("claims of", "made", "registered", "answers", title=f"seed {outcome.plan.seed}")
    for column in table.columns[1:3]:
        column.justify = "right"
    for kind in Kind:
        answers = outcome.answers[kind]
        told = ", ".join(f"{code} {count}" for code, count in answers.most_common())
        table.add_row(f"attackers: {kind}", str(answers.total()), str(answers["registered"]), told)
    for name, answers in (("originals", outcome.original_answers), ("namesakes", outcome.namesake_answers)):
        told = ", ".join(f"{code} {count}" for code, count in answers.most_common())
        table.add_row(name, str(answers.total()), str(answers["registered"]), told)
    console.print(table)
    for title, found in (
        ("copies registered", outcome.registered_copies),
        ("originals refused", outcome.refused_originals),
        ("honest namesakes blocked", outcome.blocked_namesakes),
    ):
        console.print(f"{title}: {len(found)}")
        for line in found:
            console.print(f"  {line}", markup=False)
    console.print("passed" if outcome.passed else f"FAILED; repeat with --seed {outcome.plan.seed}")


if __name__ == "__main__":
    sys.exit(main())
