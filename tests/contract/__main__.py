"""``python -m tests.contract``: the running service against its OpenAPI document, for a given time.

A small demo is started, its token is claimed, and Schemathesis tries every operation with the demo's credentials. The
status is 0 if every answer conforms to the document. To repeat a run, pass the seed that it prints.
"""

import argparse
import shutil
import sys
import tempfile
from pathlib import Path

from rich.console import Console

from tests.contract.configuration import Extent
from tests.contract.run import Outcome, prepared, run


def main() -> int:
    """Run with the given arguments. Returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.contract", description=__doc__)
    parser.add_argument("--seconds", type=int, default=300, help="duration of the run (300)")
    parser.add_argument("--examples", type=int, default=60, help="cases for each operation at a time (60)")
    parser.add_argument("--paths", help="an expression for the paths to try, such as '/deals|/alerts' (all)")
    parser.add_argument("--seed", type=int, help="repeat a run")
    arguments = parser.parse_args()
    extent = Extent(arguments.examples, arguments.seconds, paths=arguments.paths, seed=arguments.seed)
    console = Console(highlight=False, soft_wrap=True)
    folder = Path(tempfile.mkdtemp(prefix="contract-"))
    console.print("starting a small demo")
    with prepared(folder) as target:
        console.print(f"trying every operation of {target.place.api_url}/openapi.json for {arguments.seconds} s")
        outcome = run(target, extent, folder)
    _print(outcome, console)
    if outcome.passed:
        shutil.rmtree(folder)
    else:
        console.print(f"reports are in {folder}, the service's logs in {folder / 'demo' / 'logs'}")
    return 0 if outcome.passed else 1


def _print(outcome: Outcome, console: Console) -> None:
    console.print(outcome.output, markup=False)
    for name, seen in outcome.statuses.items():
        answers = ", ".join(f"{status} x {count}" for status, count in sorted(seen.items()))
        console.print(f"{name:<68} {answers or 'not tried'}", markup=False)
    console.print(
        f"{outcome.cases} cases: {'every answer conforms to the document' if outcome.passed else 'see above'}"
    )


if __name__ == "__main__":
    sys.exit(main())
