"""``python -m tests.abuse``: each attack in turn beside a paying client, whose p95 may at most double.

The status is 0 if the client was served during every attack and its p95 at most doubled. All of it happens on the
loopback interface, in some four minutes.
"""

import argparse
import asyncio
import sys
import tempfile
from pathlib import Path

from rich.console import Console

from tests.abuse.attacks import ATTACKS
from tests.abuse.run import compare
from tests.abuse.target import serving


def main() -> int:
    """Run with the given arguments. Returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.abuse", description=__doc__)
    parser.add_argument("--seconds", type=float, default=3.0, help="duration of each measurement (3)")
    parser.add_argument("--only", choices=sorted(ATTACKS), action="append", help="an attack; may be repeated")
    arguments = parser.parse_args()
    console = Console(highlight=False, soft_wrap=True)
    failed = []
    with tempfile.TemporaryDirectory(prefix="abuse-") as folder, serving(Path(folder)) as target:
        console.print(f"{'attack':<22}{'p95 before':>12}{'during':>12}{'ratio':>8}", markup=False)
        for name in arguments.only or ATTACKS:
            outcome = asyncio.run(compare(target, name, arguments.seconds))
            failed += [] if outcome.passed else [name]
            answers = ", ".join(f"{status or 'no answer'} x {n}" for status, n in sorted(outcome.statuses.items()))
            console.print(
                f"{name:<22}{outcome.before_ms:>9.1f} ms{outcome.during_ms:>9.1f} ms{outcome.ratio:>8.2f}"
                f"  {'ok' if outcome.passed else 'FAILED'}  {ATTACKS[name].what}; {answers}",
                markup=False,
            )
    console.print(f"{len(failed)} attacks slowed or stopped the customer" if failed else "the customer noticed none")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
