"""Pictures of a run of the benchmarks, for ``docs/performance.md``; matplotlib draws them into ``build/bench/``.

Every part draws with the functions here, so that all pictures look alike and stay small. ``publish`` copies those of
one run to where the documentation shows them.
"""

import io
import math
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import matplotlib
from PIL import Image

matplotlib.use("Agg")
from matplotlib import pyplot
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogFormatter, StrMethodFormatter

PUBLISHED_BYTES = 60_000
"""No published picture is larger; they live in the repository."""

_COLOURS = ("#3b6ea8", "#d1803a", "#4f9a5b", "#b04a4a", "#7d63a8", "#7a6a58")
_MARK = {"color": "#666666", "linestyle": "--", "linewidth": 1}
_DASHES = ("--", ":", "-.")

Points = Sequence[tuple[float, float]]
"""Pairs (x, y), in any order."""


class PlotTooLarge(RuntimeError):
    """A picture is too large to be kept in the repository."""


@dataclass(frozen=True, slots=True)
class Panel:
    """One of several charts over a shared x axis."""

    y_label: str
    series: Mapping[str, Points]
    log_y: bool = False
    marks: Mapping[str, float] = field(default_factory=dict)
    """Horizontal dashed lines by name: limits the values are held to."""


def draw_series(
    series: Mapping[str, Points],
    path: Path,
    *,
    x_label: str,
    y_label: str,
    title: str | None = None,
    log_x: bool = False,
    log_y: bool = False,
    marks: Mapping[str, float] | None = None,
    spans: Sequence[tuple[float, float, str]] = (),
    dots: bool = False,
) -> None:
    """Lines over a common x axis: a measure over time, or cost by size (``dots`` marks each measured point).

    ``marks`` are dashed horizontal limits by name; ``spans`` shade (from, to, name) of x, such as an outage.
    """
    panel = Panel(y_label, series, log_y=log_y, marks=marks or {})
    draw_panels([panel], path, x_label=x_label, title=title, log_x=log_x, spans=spans, dots=dots)


def draw_panels(
    panels: Sequence[Panel],
    path: Path,
    *,
    x_label: str,
    title: str | None = None,
    log_x: bool = False,
    spans: Sequence[tuple[float, float, str]] = (),
    dots: bool = False,
) -> None:
    """Charts below each other that share their x axis: requests offered, accepted and shed above their latency."""
    figure, rows = pyplot.subplots(
        len(panels), 1, sharex=True, squeeze=False, figsize=(8, 3.6 if len(panels) == 1 else 2.5 * len(panels) + 0.4)
    )
    for panel, axes in zip(panels, rows[:, 0], strict=True):
        _draw_panel(axes, panel, dots=dots)
        for start, end, name in spans:
            axes.axvspan(start, end, color="#000000", alpha=0.08, linewidth=0, label=name)
        if log_x:
            axes.set_xscale("log")
        if len(panel.series) + len(panel.marks) + len(spans) > 1:
            axes.legend(fontsize=8, frameon=False)
    rows[-1, 0].set_xlabel(x_label)
    if title is not None:
        rows[0, 0].set_title(title, fontsize=10)
    _save(figure, path)


def draw_bars(
    values: Mapping[str, float],
    path: Path,
    *,
    label: str,
    title: str | None = None,
    log: bool = False,
    format_value: Callable[[float], str] = "{:,.0f}".format,
    mark: float | None = None,
) -> None:
    """Horizontal bars, the first on top. ``format_value`` formats a bar's value; ``mark`` is a dashed limit."""
    figure, axes = pyplot.subplots(figsize=(8, 0.45 * len(values) + 1.2))
    names = list(values)[::-1]
    bars = axes.barh(names, [values[name] for name in names], color=_COLOURS[0], height=0.65)
    axes.bar_label(bars, [format_value(values[name]) for name in names], padding=4, fontsize=9)
    if log:
        axes.set_xscale("log")
    if mark is not None:
        axes.axvline(mark, **_MARK)
    axes.set_xlabel(label)
    axes.margins(x=0.2)
    if title is not None:
        axes.set_title(title, fontsize=10)
    _save(figure, path)


def draw_percentiles(
    values: Mapping[str, Sequence[float]],
    path: Path,
    *,
    y_label: str = "milliseconds",
    title: str | None = None,
    log_y: bool = True,
    marks: Mapping[str, float] | None = None,
) -> None:
    """Each set of measurements by percentile; the axis is stretched towards 100, where the slow ones are."""
    series = {}
    for name, measured in values.items():
        ordered = sorted(measured)
        # Nines to the right: p50 at 0.3, p90 at 1, p99 at 2, so that the slowest one in a hundred can be seen.
        series[name] = [(-math.log10(1 - (at + 0.5) / len(ordered)), value) for at, value in enumerate(ordered)]
    figure, axes = pyplot.subplots(figsize=(8, 3.6))
    _draw_panel(axes, Panel(y_label, series, log_y=log_y, marks=marks or {}), dots=False)
    ticks = [0.0, 50.0, 90.0, 95.0, 99.0, 99.9]
    axes.set_xticks([-math.log10(1 - tick / 100) for tick in ticks], [f"{tick:g}" for tick in ticks])
    axes.set_xlabel("percentile")
    axes.legend(fontsize=8, frameon=False)
    if title is not None:
        axes.set_title(title, fontsize=10)
    _save(figure, path)


def draw_rates(rates: Mapping[str, float], path: Path) -> None:
    """Events a second of the index and of what it is held against, on a logarithmic axis."""
    draw_bars(rates, path, label="events a second (one run, node not the limit)", log=True)


def draw_memory(samples: Sequence[tuple[float, str, float]], path: Path) -> None:
    """Memory of each process over a run: samples of (seconds, process, MB)."""
    started = min((at for at, _, _ in samples), default=0.0)
    names = sorted({name for _, name, _ in samples})
    series = {name: [(at - started, size) for at, one, size in samples if one == name] for name in names}
    draw_series(series, path, x_label="seconds", y_label="PSS, MB")


def draw_latencies(latencies_ms: Mapping[str, Sequence[float]], path: Path) -> None:
    """Latency by percentile of each kind of request."""
    draw_percentiles(latencies_ms, path)


def draw_load(phases: Sequence[tuple[str, float, Sequence[tuple[float, float, int]]]], path: Path) -> None:
    """A load test over time: what was offered, answered and shed each second, and how long answers took.

    ``phases`` follow each other: name, length in seconds, and requests as (second of the phase it was due in, seconds
    until its answer, status). Every second phase is shaded.
    """
    counts: dict[str, dict[float, float]] = {"offered": {}, "answered": {}, "shed": {}}
    answered_ms: dict[float, list[float]] = {}
    spans, start = [], 0.0
    for number, (name, length, requests) in enumerate(phases):
        if number % 2:
            spans.append((start, start + length, name))
        for due, seconds, status in requests:
            if due >= length:
                continue
            at = start + int(due) + 0.5
            outcome = "shed" if status == 503 else "answered"
            for line in ("offered", outcome):
                counts[line][at] = counts[line].get(at, 0) + 1
            if outcome == "answered":
                answered_ms.setdefault(at, []).append(1000 * seconds)
        start += length
    seconds_of_all = sorted(counts["offered"])
    rates = {name: [(at, line.get(at, 0.0)) for at in seconds_of_all] for name, line in counts.items()}
    shares = {"median": 0.5, "p95": 0.95}
    latencies = {
        name: [(at, sorted(values)[int(len(values) * share)]) for at, values in answered_ms.items()]
        for name, share in shares.items()
    }
    panels = [Panel("requests a second", rates), Panel("milliseconds", latencies, log_y=True)]
    draw_panels(panels, path, x_label="seconds", spans=spans)


def publish(directory: Path, target: Path, since: float) -> list[Path]:
    """Copy the pictures that were drawn in ``directory`` at or after ``since`` (seconds of the epoch), and no others.

    Those already in ``target`` of parts that did not run stay. Raises `PlotTooLarge` before anything is copied.
    """
    drawn = [path for path in sorted(directory.glob("*.png")) if path.stat().st_mtime >= since]
    for path in drawn:
        if path.stat().st_size > PUBLISHED_BYTES:
            raise PlotTooLarge(f"{path.name} has {path.stat().st_size:,} bytes, more than {PUBLISHED_BYTES:,}")
    target.mkdir(parents=True, exist_ok=True)
    return [Path(shutil.copyfile(path, target / path.name)) for path in drawn]


def _draw_panel(axes: Axes, panel: Panel, *, dots: bool) -> None:
    for number, (name, points) in enumerate(panel.series.items()):
        ordered = sorted(points)
        axes.plot(
            [x for x, _ in ordered],
            [y for _, y in ordered],
            label=name,
            color=_COLOURS[number % len(_COLOURS)],
            linewidth=1.2,
            marker="o" if dots else "",
            markersize=4,
        )
    for number, (name, limit) in enumerate(panel.marks.items()):
        axes.axhline(limit, label=name, **{**_MARK, "linestyle": _DASHES[number % len(_DASHES)]})
    axes.set_ylabel(panel.y_label)
    if panel.log_y:
        axes.set_yscale("log")
        axes.yaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
        axes.yaxis.set_minor_formatter(LogFormatter(minor_thresholds=(2, 0.5)))
    else:
        highest = max((y for points in panel.series.values() for _, y in points), default=1.0)
        axes.set_ylim(0, 1.08 * max([highest, *panel.marks.values()]) or 1.0)
    axes.grid(alpha=0.25, linewidth=0.5)


def _save(figure: Figure, path: Path) -> None:
    """As PNG with a palette: a third of the size, and nothing in it that differs from run to run but the curves."""
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.tight_layout()
    drawn = io.BytesIO()
    figure.savefig(drawn, format="png", dpi=100)
    pyplot.close(figure)
    with Image.open(drawn) as picture:
        picture.convert("RGB").quantize(64).save(path, format="PNG", optimize=True)
