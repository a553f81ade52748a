"""Limits by plan: built-in values and the operator's file."""

import logging
import os
from pathlib import Path

import pytest

from api.limits.plans import LimitsError, LimitsFile, load
from warehouse.domain.plans import PLANS


def test_every_plan_has_limits_and_a_higher_one_allows_more() -> None:
    plans = load(None).plans
    assert list(plans) == list(PLANS)
    for name in ("per_second", "burst", "per_day", "keys", "new_keys"):
        values = [getattr(plans[plan], name) for plan in PLANS]
        assert values == sorted(set(values)), name


def test_the_documentation_has_the_built_in_limits() -> None:
    text = (Path(__file__).parents[3] / "docs" / "limits.md").read_text()
    for plan, limits in load(None).plans.items():
        figures = (limits.per_second, limits.burst, limits.per_day, limits.keys, limits.new_keys)
        assert f"| `{plan}` | " + " | ".join(f"{figure:,}" for figure in figures) + " |" in text


def test_public_reads_have_the_specified_limits() -> None:
    public = load(None).public
    assert (public.per_minute, public.holdings_per_minute, public.wrong_keys_per_minute) == (400, 60, 60)
    assert public.uncounted_per_minute == 600


def test_a_file_overrides_built_in_limits(limits_file: Path) -> None:
    limits_file.write_text("[plans.pro]\nper_day = 7\n")
    limits = load(limits_file)
    assert limits.plans["pro"].per_day == 7
    assert limits.plans["pro"].per_second == load(None).plans["pro"].per_second
    assert limits.plans["free"] == load(None).plans["free"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[plans.pro]\nper_day = 0", "plans.pro.per_day"),
        ("[plans.pro]\nper_day = '7'", "plans.pro.per_day"),
        ("[plans.pro]\nper_hour = 7", "plans.pro.per_hour"),
        ("[plans.gold]\nper_second = 1\nburst = 1\nper_day = 1\nkeys = 1\nnew_keys = 1", "plans.gold is not a plan"),
        ("[plans.pro]\nper_second = 1\nburst = 61", "burst is more than 60 times per_second"),
        ("[public]\nper_minute = -1", "public.per_minute"),
        ("[plans", "limits.toml"),
    ],
)
def test_an_invalid_limit_is_refused_by_name(limits_file: Path, text: str, message: str) -> None:
    limits_file.write_text(text)
    with pytest.raises(LimitsError, match=message):
        load(limits_file)


def test_a_file_that_is_missing_is_refused(tmp_path: Path) -> None:
    with pytest.raises(LimitsError, match="No such file"):
        LimitsFile(tmp_path / "none.toml")


def test_a_changed_file_is_used_unless_it_is_invalid(limits_file: Path, caplog: pytest.LogCaptureFixture) -> None:
    limits_file.write_text("[plans.pro]\nper_day = 7\n")
    file = LimitsFile(limits_file)
    for stamp, text, expected in ((1, "per_day = 8", 8), (2, "per_day = 'many'", 8), (3, "per_day = 9", 9)):
        limits_file.write_text(f"[plans.pro]\n{text}\n")
        os.utime(limits_file, (stamp, stamp))
        with caplog.at_level(logging.CRITICAL if expected != 8 or stamp == 1 else logging.ERROR):
            file.look_again()
        assert file.current.plans["pro"].per_day == expected
    assert "what was read before stays in force: limits file" in caplog.text
