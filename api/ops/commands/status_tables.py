"""The tables of ``regalia status``. Narrow terminals omit less important columns."""

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

if TYPE_CHECKING:
    from api.ops.commands.status import Report

_WIDTH_ELSEWHERE = 200
_RIGHT = frozenset(
    {"head", "indexed", "lag", "final", "restarts", "seconds", "rows", "failed", "waiting", "running"}
)  # fmt: skip
# Terminal widths from which a column is shown; other columns are always shown.
_SHOWN_FROM = {
    "last end": 100, "listens": 120, "final": 80, "finality": 100, "head": 70, "range": 120, "seconds": 80, "rows": 70
}  # fmt: skip
_YIELDING = frozenset({"range", "last end", "listens", "state", "what"})
STYLES = {"ready": "green", "done": "green", "failing": "bold red", "restarting": "yellow"}


def print_report(report: "Report", *, watch: bool = False) -> None:
    """Print the report. When watching, a terminal's screen is replaced; other outputs get a date."""
    console = Console(highlight=False)
    if not console.is_terminal:
        console.width = _WIDTH_ELSEWHERE
    if watch:
        console.clear()
        console.print(f"{report.taken_at:%Y-%m-%d %H:%M:%S} UTC", style="dim")
    _stack(console, report)
    if report.store != "ok":
        console.print(f"\nstore: {escape(' '.join(report.store.split()))}", style="yellow")
    _notices(console, report)
    _chains(console, report)
    _steps(console, report)
    _queues(console, report)
    if watch and not console.is_terminal:
        console.print()


def _stack(console: Console, report: "Report") -> None:
    if report.stack is None:
        console.print(f"service: not running on {escape(report.data_dir)}", soft_wrap=True)
        return
    age = span(time.time() - report.stack["started_at"])
    line = f"service: running on {escape(report.data_dir)} for {age} (process {report.stack['pid']})"
    console.print(line, soft_wrap=True)
    rows = [
        (
            name,
            _styled(part["phase"]),
            span(time.time() - part["since"]),
            str(part["restarts"]),
            escape(part["last_exit"] or "-"),
            escape(part["listens"] or "-"),
        )
        for name, part in report.stack["parts"].items()
    ]
    _print_table(console, ("part", "state", "for", "restarts", "last end", "listens"), rows)


def _notices(console: Console, report: "Report") -> None:
    if not report.alerts:
        return
    console.print()
    rows = [
        (
            f"[{'bold red' if notice.severity == 'error' else 'yellow'}]{notice.severity}[/]",
            f"{span((report.taken_at - notice.started_at).total_seconds())}",
            escape(" ".join(notice.summary.split())),
        )
        for notice in report.alerts
    ]
    _print_table(console, ("notice", "for", "what"), rows)


def _chains(console: Console, report: "Report") -> None:
    console.print()
    if not report.chains:
        console.print("no chain has a node; name rpc_urls in the file that REGALIA_CHAINS points to", soft_wrap=True)
        return
    rows = [
        (
            chain.key,
            number(chain.head),
            number(chain.indexed),
            number(chain.lag_blocks),
            "-" if chain.lag_seconds is None else f"{span(chain.lag_seconds)} ago",
            number(chain.final),
            f"{chain.finality_blocks} blocks",
            "[bold red]halted[/bold red]" if chain.state.startswith("halted") else escape(chain.state),
        )
        for chain in report.chains
    ]
    _print_table(console, ("chain", "head", "indexed", "lag", "last block", "final", "finality", "state"), rows)
    for chain in report.chains:
        if chain.state.startswith("halted"):
            console.print(f"  {chain.key} is {escape(' '.join(chain.state.split()))}", style="red")
            if "--rewind" not in chain.state:
                console.print(f"  the way out: regalia index --chain {chain.key} --rewind BLOCK", soft_wrap=True)
        for problem in chain.problems:
            console.print(f"  {chain.key}: {escape(' '.join(problem.split()))}", style="yellow")


def _steps(console: Console, report: "Report") -> None:
    if not report.steps:
        return
    rows = []
    for step in report.steps:
        bounds = [bound for bound in (step.range_from, step.range_to) if bound]
        ago = "never" if step.last_run is None else f"{span((report.taken_at - step.last_run).total_seconds())} ago"
        rows.append(
            (
                step.step,
                step.chain or "all",
                ago,
                "-" if step.seconds is None else f"{step.seconds:.2f}",
                number(step.rows),
                number(step.failures),
                escape(" .. ".join(bounds)) or "-",
            )
        )
    console.print()
    _print_table(console, ("step", "chain", "last run", "seconds", "rows", "failed", "range"), rows)


def _queues(console: Console, report: "Report") -> None:
    if not report.queues:
        return
    console.print()
    rows = [
        (queue.queue, number(queue.waiting), number(queue.running), number(queue.failed)) for queue in report.queues
    ]
    _print_table(console, ("queue", "waiting", "running", "failed"), rows)


def _print_table(console: Console, columns: Sequence[str], rows: Sequence[tuple[str, ...]]) -> None:
    visible = [at for at, column in enumerate(columns) if console.width >= _SHOWN_FROM.get(column, 0)]
    table = Table(box=None, pad_edge=False, header_style="bold")
    for at in visible:
        column = columns[at]
        table.add_column(
            column, justify="right" if column in _RIGHT else "left", no_wrap=column not in _YIELDING, overflow="fold"
        )
    for row in rows:
        table.add_row(*(row[at] for at in visible))
    console.print(table)


def _styled(phase: Any) -> str:
    style = STYLES.get(str(phase))
    return f"[{style}]{phase}[/{style}]" if style else str(phase)


def number(value: int | None) -> str:
    """An integer with thousands separators; a dash for None."""
    return "-" if value is None else f"{value:,}"


def span(seconds: float) -> str:
    """A duration in its largest one or two units."""
    whole = max(0, int(seconds))
    days, rest = divmod(whole, 86400)
    hours, rest = divmod(rest, 3600)
    minutes, left = divmod(rest, 60)
    if days:
        return f"{days} d {hours} h"
    if hours:
        return f"{hours} h {minutes} min"
    if minutes:
        return f"{minutes} min {left} s"
    return f"{left} s"
