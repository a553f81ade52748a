"""The tables of ``regalia status``."""

import time
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

if TYPE_CHECKING:
    from api.commands.status import Report

_WIDTH_ELSEWHERE = 200
_YIELDING = frozenset({"range", "last end", "listens"})
STYLES = {"ready": "green", "done": "green", "failing": "bold red", "restarting": "yellow"}


def print_report(report: "Report", *, clear: bool = False) -> None:
    """Print the report; on a terminal in place of the one before when ``clear``."""
    console = Console(soft_wrap=True)
    if not console.is_terminal:
        console.width = _WIDTH_ELSEWHERE
    if clear:
        console.clear()
    _stack(console, report)
    if report.store != "ok":
        console.print(f"\nstore: {escape(report.store)}", style="yellow")
    _chains(console, report)
    _assets(console, report)
    _queues(console, report)


def _stack(console: Console, report: "Report") -> None:
    if report.stack is None:
        console.print(f"service: not running on {escape(report.data_dir)}")
        return
    age = span(time.time() - report.stack["started_at"])
    console.print(f"service: running on {escape(report.data_dir)} for {age} (process {report.stack['pid']})")
    table = _table("part", "state", "for", "restarts", "last end", "listens")
    for name, part in report.stack["parts"].items():
        table.add_row(
            name,
            _styled(part["phase"]),
            span(time.time() - part["since"]),
            str(part["restarts"]),
            part["last_exit"] or "-",
            part["listens"] or "-",
        )
    console.print(table)


def _chains(console: Console, report: "Report") -> None:
    if not report.chains:
        console.print("\nno chain has a node; name rpc_urls in the file that REGALIA_CHAINS points to")
        return
    table = _table("chain", "head", "indexed", "lag", "last block", "final", "finality", "state")
    for chain in report.chains:
        table.add_row(
            chain.key,
            number(chain.head),
            number(chain.indexed),
            number(chain.lag_blocks),
            "-" if chain.lag_seconds is None else f"{span(chain.lag_seconds)} ago",
            number(chain.final),
            f"{chain.finality_blocks} blocks",
            f"[red]{escape(chain.state)}[/red]" if chain.state.startswith("halted") else escape(chain.state),
        )
    console.print()
    console.print(table)
    for chain in report.chains:
        for problem in chain.problems:
            console.print(f"  {chain.key}: {escape(problem)}", style="yellow")


def _assets(console: Console, report: "Report") -> None:
    if not report.assets:
        return
    table = _table("asset", "chain", "last run", "seconds", "rows", "range")
    for asset in report.assets:
        bounds = [bound for bound in (asset.range_from, asset.range_to) if bound is not None]
        table.add_row(
            asset.asset,
            asset.chain or "all",
            f"{span((report.taken_at - asset.last_run).total_seconds())} ago",
            f"{asset.seconds:.2f}",
            number(asset.rows),
            escape(" .. ".join(bounds)) or "-",
        )
    console.print()
    console.print(table)


def _queues(console: Console, report: "Report") -> None:
    if not report.queues:
        return
    table = _table("queue", "waiting", "running", "failed")
    for queue in report.queues:
        table.add_row(queue.queue, number(queue.waiting), number(queue.running), number(queue.failed))
    console.print()
    console.print(table)


def _table(*columns: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    right = {"head", "indexed", "lag", "final", "restarts", "seconds", "rows", "waiting", "running", "failed"}
    for column in columns:
        table.add_column(column, justify="right" if column in right else "left", no_wrap=column not in _YIELDING)
    return table


def _styled(phase: Any) -> str:
    style = STYLES.get(str(phase))
    return f"[{style}]{phase}[/{style}]" if style else str(phase)


def number(value: int | None) -> str:
    """An integer with thousands apart; a dash for none."""
    return "-" if value is None else f"{value:,}"


def span(seconds: float) -> str:
    """A length of time in its largest unit, or two."""
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
