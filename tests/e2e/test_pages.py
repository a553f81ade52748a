"""The shell blocks of README.md and the pages work on the demo as they are written, pasted line by line.

A block that begins with three backticks and ``sh`` is run; one with ``sh not-run`` is not: it starts a service of its
own, takes minutes, or needs what only its reader has. The blocks of a page run in order in one shell, which stops at
the first line that fails, in a folder that looks like a checkout in which ``make demo`` runs.
"""

import os
import re
import subprocess
from pathlib import Path

import pytest

from tests.fixtures.checkout import CHECKOUT
from tests.fixtures.demo import running_demo

pytestmark = pytest.mark.slow

BLOCK = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# The claim comes first: other pages are about the registration that it makes. The history is signed once it has an
# entry, which a changed profile is at once.
FIRST = ("claim.md", "public-reads.md", "profiles.md", "history.md")
# Sells the registration.
LAST = "deals.md"
# Shows each line that is read, so that a failure names it.
PREAMBLE = "set -euo pipefail -o verbose\n"
PAGE_SECONDS = 400


def pages() -> list[Path]:
    """The pages with blocks to run, in the order in which they depend on each other."""
    found = [CHECKOUT / "README.md", *sorted((CHECKOUT / "docs").glob("*.md"))]
    order = {name: place for place, name in enumerate(FIRST)}
    order[LAST] = len(order) + 1
    return sorted((page for page in found if blocks(page)), key=lambda page: order.get(page.name, len(FIRST)))


def blocks(page: Path) -> list[str]:
    """The blocks of a page that are run."""
    return BLOCK.findall(page.read_text())


def test_the_blocks_of_the_pages_work_line_by_line(tmp_path: Path) -> None:
    folder = tmp_path / "checkout"
    (folder / ".regalia").mkdir(parents=True)
    (folder / "docs").symlink_to(CHECKOUT / "docs")
    with running_demo(tmp_path / "demo", solana=True):
        (folder / ".regalia" / "demo").symlink_to(tmp_path / "demo")
        failed = {page.name: said for page in pages() if (said := _problem(page, folder)) is not None}
    assert not failed, "\n\n".join(f"{name}:\n{said}" for name, said in failed.items())


def _problem(page: Path, folder: Path) -> str | None:
    """What the shell printed until a line of the page failed; None if all worked."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("REGALIA_")}
    # Read from standard input, a line is run before the next one is read, as when it is pasted.
    script = PREAMBLE + "".join(blocks(page))
    with (folder / "printed").open("w+") as printed:
        process = subprocess.Popen(
            ["bash"], stdin=subprocess.PIPE, stdout=printed, stderr=printed, cwd=folder, env=environment, text=True
        )
        try:
            process.communicate(script, timeout=PAGE_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        printed.seek(0)
        return None if process.returncode == 0 else printed.read()


def test_every_page_with_a_shell_block_is_run_or_says_why_not() -> None:
    odd = {
        page.name: tag
        for page in (CHECKOUT / "README.md", *(CHECKOUT / "docs").rglob("*.md"))
        for tag in re.findall(r"^```((?:sh|bash|shell|console)\b.*)$", page.read_text(), re.MULTILINE)
        if tag not in ("sh", "sh not-run")
    }
    assert odd == {}
    assert {page.name for page in pages()} >= {
        *FIRST,
        LAST,
        "alerts.md",
        "broadcasts.md",
        "webhooks.md",
        "metadata.md",
        "limits.md",
        "demo.md",
    }


@pytest.mark.parametrize(
    "line", ["false", "curl -sS --fail-with-body http://127.0.0.1:9/", "A=$(false)", "echo $UNSET"]
)
def test_a_line_that_fails_fails_its_page(line: str, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"```sh\necho before\n{line}\n```\n\n```sh\necho after\n```\n")
    said = _problem(page, tmp_path)
    assert said is not None
    assert "before\n" in said
    assert not said.endswith("after\n")
