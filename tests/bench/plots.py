"""Pictures of a run of the benchmarks, for ``docs/performance.md``; matplotlib draws them into ``build/bench/``."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot


def draw_rates(rates: Mapping[str, float], path: Path) -> None:
    """Bars of events a second, on a logarithmic axis."""
    figure, axes = pyplot.subplots(figsize=(8, 0.6 * len(rates) + 1.2))
    names = list(rates)[::-1]
    bars = axes.barh(names, [rates[name] for name in names], color="#4c72b0")
    axes.bar_label(bars, [f"{rates[name]:,.0f}" for name in names], padding=4)
    axes.set_xscale("log")
    axes.set_xlabel("events a second (one run, node not the limit)")
    axes.margins(x=0.2)
    _save(figure, path)


def draw_memory(samples: Sequence[tuple[float, str, float]], path: Path) -> None:
    """Memory of each process over a cold index."""
    figure, axes = pyplot.subplots(figsize=(8, 4))
    started = min((at for at, _, _ in samples), default=0.0)
    for name in sorted({name for _, name, _ in samples}):
        points = [(at - started, megabytes) for at, one, megabytes in samples if one == name]
        axes.plot([at for at, _ in points], [megabytes for _, megabytes in points], label=name)
    axes.set_xlabel("seconds")
    axes.set_ylabel("PSS, MB")
    axes.set_ylim(bottom=0)
    axes.legend()
    _save(figure, path)


def draw_latencies(latencies_ms: Mapping[str, Sequence[float]], path: Path) -> None:
    """Latency by percentile of each kind of request."""
    figure, axes = pyplot.subplots(figsize=(8, 4))
    for name, values in latencies_ms.items():
        ordered = sorted(values)
        axes.plot([100 * (at + 0.5) / len(ordered) for at in range(len(ordered))], ordered, label=name)
    axes.set_yscale("log")
    axes.set_xlabel("percentile")
    axes.set_ylabel("milliseconds")
    axes.legend()
    _save(figure, path)


def _save(figure: "pyplot.Figure", path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.tight_layout()
    figure.savefig(path, dpi=110)
    pyplot.close(figure)
