"""The parts of ``make bench``. Each imports its modules when it runs."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.bench.result import Result


@dataclass(frozen=True, slots=True)
class Run:
    """What every part receives: its directory, a function to report progress, and sizes."""

    directory: Path
    progress: Callable[[str], None]
    transfers: int
    tokens: int
    longest: bool = False


def index(run: Run) -> list[Result]:
    """A cold index of a recorded chain, compared with the usual ways to read one."""
    from tests.bench import indexing, plots

    figures = indexing.measure(run.directory, run.transfers, run.progress)
    plots.draw_rates(figures.rates, run.directory / "rates.png")
    plots.draw_memory(figures.memory, run.directory / "memory.png")
    return figures.results


def search(run: Run) -> list[Result]:
    """Searches over generated tokens, compared with an empty endpoint."""
    from tests.bench import plots
    from tests.bench import search as search_part

    figures = search_part.measure(run.directory, run.tokens, run.progress)
    plots.draw_latencies(figures.latencies_ms, run.directory / "search.png")
    return figures.results


def freshness(run: Run) -> list[Result]:
    """How soon a mined block is in the facts and a new token is found, at 20 blocks and 2,000 events a second."""
    from tests.bench import freshness as freshness_part
    from tests.bench import plots

    figures = freshness_part.measure(run.directory, run.progress)
    plots.draw_series(
        figures.over_time,
        run.directory / "freshness.png",
        x_label="seconds since the first block",
        y_label="seconds after it was mined",
        marks={"p95 of facts": 1, "p95 of search": 2},
    )
    return figures.results


def overload(run: Run) -> list[Result]:
    """The API under twice the load it can serve."""
    from tests.bench import overload as overload_part
    from tests.bench import plots

    figures = overload_part.measure(run.directory, run.progress)
    plots.draw_load(figures.course, run.directory / "overload.png")
    return figures.results


def relevance(run: Run) -> list[Result]:
    """How well search ranks generated tokens whose right order is known."""
    from tests.bench import relevance as relevance_part

    return relevance_part.measure(run.directory, run.progress)


def reads(run: Run) -> list[Result]:
    """Registrations, heartbeats and claimable lists, compared with an empty endpoint."""
    from tests.bench import plots
    from tests.bench import reads as reads_part

    figures = reads_part.measure(run.directory, run.tokens, run.progress)
    plots.draw_latencies(figures.latencies_ms, run.directory / "reads.png")
    return figures.results


def limits(run: Run) -> list[Result]:
    """What counting requests against limits costs, in the process and in the store."""
    from tests.bench import limits as limits_part

    return limits_part.measure(run.directory, run.progress)


def public(run: Run) -> list[Result]:
    """Public reads, compared with an empty endpoint, and a token list of ten thousand tokens."""
    from tests.bench import public as public_part

    return public_part.measure(run.directory, run.progress)


def scale(run: Run) -> list[Result]:
    """What it costs to index an event as histories grow."""
    from tests.bench import plots
    from tests.bench import scale as scale_part

    figures = scale_part.measure(run.directory, run.transfers, run.progress, longest=run.longest)
    plots.draw_memory(figures.memory, run.directory / "scale-memory.png")
    plots.draw_series(
        {"cold index": figures.cost},
        run.directory / "scale.png",
        x_label="events in the chain",
        y_label="microseconds an event",
        log_x=True,
        dots=True,
    )
    return figures.results


def incremental(run: Run) -> list[Result]:
    """What 10,000 new events cost on a warehouse of three million, compared with deriving all of it."""
    from tests.bench import incremental as incremental_part
    from tests.bench import plots

    figures = incremental_part.measure(run.directory, run.progress)
    full = next(iter(figures.seconds.values()))
    slowest = sorted(full, key=lambda step: -full[step])[:6]
    plots.draw_bars(
        {f"{step}, {name}": spent.get(step, 0.0) for step in slowest for name, spent in figures.seconds.items()},
        run.directory / "incremental.png",
        label="seconds of the step",
        format_value="{:.2f}".format,
    )
    return figures.results


def warehouse(run: Run) -> list[Result]:
    """What queries over the marts read of a year of events, and what the checks cost."""
    from tests.bench import warehouse as warehouse_part

    return warehouse_part.measure(run.directory, run.progress, longest=run.longest)


def webhooks(run: Run) -> list[Result]:
    """Deliveries of one worker to a receiver on the same machine, and how soon events arrive."""
    from tests.bench import webhooks as webhooks_part

    return webhooks_part.measure(run.directory, run.progress).results


def broadcasts(run: Run) -> list[Result]:
    """How long it takes to queue a broadcast to fifty thousand recipients."""
    from tests.bench import broadcasts as broadcasts_part

    return broadcasts_part.measure(run.directory, run.progress)


def solana(run: Run) -> list[Result]:
    """A cold index of Solana blocks, compared with parsing their JSON and with a solana-py loop."""
    from tests.bench import solana as solana_part

    return solana_part.measure(run.directory, run.progress)


def idle(run: Run) -> list[Result]:
    """Memory and CPU of ``regalia up`` on a chain without new blocks."""
    from tests.bench import idle as idle_part

    return idle_part.measure(run.directory, run.progress)


def chains(run: Run) -> list[Result]:
    """What one, four and eight chains cost that are followed at once, and how late they are."""
    from tests.bench import chains as chains_part

    return chains_part.measure(run.directory, run.progress)


def alerts(run: Run) -> list[Result]:
    """A million alert rules on a hundred thousand tokens, compared with scoring these tokens."""
    from tests.bench import alerts as alerts_part

    return alerts_part.measure(run.directory, run.progress)


PARTS: dict[str, Callable[[Run], list[Result]]] = {
    "index": index,
    "solana": solana,
    "search": search,
    "reads": reads,
    "limits": limits,
    "public": public,
    "freshness": freshness,
    "overload": overload,
    "relevance": relevance,
    "scale": scale,
    "incremental": incremental,
    "warehouse": warehouse,
    "webhooks": webhooks,
    "broadcasts": broadcasts,
    "idle": idle,
    "chains": chains,
    "alerts": alerts,
}
"""Name of a part, as ``--only`` takes it, and its function."""
