"""Pictures are small, and what is published is one run's."""

import os
import random
import re
import time
from pathlib import Path

import pytest

from tests.bench import plots

ROOT = Path(__file__).resolve().parents[2]
PERFORMANCE = ROOT / "docs" / "performance.md"
PUBLISHED = ROOT / "docs" / "plots"


def test_a_long_series_makes_a_small_picture(tmp_path: Path) -> None:
    source = random.Random(1)
    panels = [
        plots.Panel("MB", {name: [(at / 10, source.random()) for at in range(3_000)] for name in "abc"}),
        plots.Panel("ms", {"p95": [(at, source.expovariate(0.1)) for at in range(300)]}, log_y=True, marks={"mark": 9}),
    ]
    plots.draw_panels(panels, tmp_path / "long.png", x_label="seconds", spans=[(50, 60, "store down")])
    assert (tmp_path / "long.png").read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / "long.png").stat().st_size < plots.PUBLISHED_BYTES


def test_only_the_pictures_of_this_run_are_published(tmp_path: Path) -> None:
    bench, docs = tmp_path / "bench", tmp_path / "docs"
    bench.mkdir()
    for name, age in (("old.png", 100), ("new.png", 0)):
        (bench / name).write_bytes(b"picture")
        os.utime(bench / name, (time.time() - age,) * 2)
    (bench / "results.json").write_text("{}")
    assert plots.publish(bench, docs, time.time() - 50) == [docs / "new.png"]
    assert [path.name for path in docs.iterdir()] == ["new.png"]
    (bench / "huge.png").write_bytes(b"x" * (plots.PUBLISHED_BYTES + 1))
    with pytest.raises(plots.PlotTooLarge, match=r"huge\.png"):
        plots.publish(bench, docs, 0)


def test_the_documentation_shows_every_published_picture_and_no_other() -> None:
    shown = set(re.findall(r"\]\(plots/([\w-]+\.png)\)", PERFORMANCE.read_text()))
    published = {path.name for path in PUBLISHED.iterdir()}
    assert shown == published
    assert all((PUBLISHED / name).stat().st_size < plots.PUBLISHED_BYTES for name in published)
