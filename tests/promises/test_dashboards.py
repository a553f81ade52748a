"""The dashboard and the alert rules in docs/grafana ask only for what is exposed, and the dashboard shows all of it."""

import itertools
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from prometheus_client.parser import text_string_to_metric_families

from tests.fixtures.service import Serve

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "grafana"
DASHBOARD: dict[str, Any] = json.loads((FOLDER / "regalia.json").read_text())
RULES: list[dict[str, Any]] = yaml.safe_load((FOLDER / "alerts.yml").read_text())["groups"][0]["rules"]
NAME = re.compile(r"\b((?:regalia|process)_\w+)")
SUFFIXES = {"counter": ("_total",), "histogram": ("_bucket", "_sum", "_count"), "gauge": ("",)}


def expressions() -> Iterator[str]:
    for panel in DASHBOARD["panels"]:
        yield from (target["expr"] for target in panel.get("targets", ()))
    yield from (variable["definition"] for variable in DASHBOARD["templating"]["list"] if "definition" in variable)


async def families(serve: Serve) -> dict[str, str]:
    """Type of each exposed family by its name."""
    async with serve() as service:
        text = await service.metrics()
    return {
        family.name: family.type
        for family in text_string_to_metric_families(text)
        if not family.name.endswith("_created")
    }


async def test_every_expression_names_series_that_are_exposed(serve: Serve) -> None:
    exposed = {name + suffix for name, kind in (await families(serve)).items() for suffix in SUFFIXES[kind]}
    for expression in [*expressions(), *(rule["expr"] for rule in RULES)]:
        unknown = set(NAME.findall(expression)) - exposed
        assert not unknown, f"{unknown} in {expression}"


async def test_the_dashboard_shows_every_metric(serve: Serve) -> None:
    shown = set(NAME.findall("\n".join(expressions())))
    for name, kind in (await families(serve)).items():
        assert any(name + suffix in shown for suffix in SUFFIXES[kind]), name


def test_the_dashboard_has_what_grafana_needs_to_load_it() -> None:
    assert DASHBOARD["schemaVersion"] >= 36
    assert (DASHBOARD["title"], DASHBOARD["uid"]) == ("Regalia", "regalia")
    assert (
        DASHBOARD["templating"]["list"][0] | {"name": "datasource", "type": "datasource", "query": "prometheus"}
        == (DASHBOARD["templating"]["list"][0])
    )
    panels = DASHBOARD["panels"]
    assert len({panel["id"] for panel in panels}) == len(panels)
    rows = [panel["title"] for panel in panels if panel["type"] == "row"]
    assert rows == [
        "Overview",
        "Ingestion",
        "Derive",
        "API",
        "Queues and alerts",
        "Webhooks",
        "Engines and parts",
        "Storage",
    ]
    for panel in panels:
        if panel["type"] == "row":
            continue
        assert panel["title"]
        assert panel["datasource"]["uid"] == "${datasource}"
        ids = [target["refId"] for target in panel["targets"]]
        assert len(set(ids)) == len(ids) > 0
        assert all(target["datasource"]["uid"] == "${datasource}" for target in panel["targets"])


def test_no_panel_lies_on_another_or_outside_the_grid() -> None:
    places = [(panel["title"], panel["gridPos"]) for panel in DASHBOARD["panels"]]
    for title, place in places:
        assert 0 <= place["x"] < place["x"] + place["w"] <= 24, title
    for (one, a), (other, b) in itertools.combinations(places, 2):
        apart = (
            a["x"] + a["w"] <= b["x"] or b["x"] + b["w"] <= a["x"]
            or a["y"] + a["h"] <= b["y"] or b["y"] + b["h"] <= a["y"]
        )  # fmt: skip
        assert apart, f"{one} lies on {other}"


@pytest.mark.parametrize("expression", [*expressions(), *(rule["expr"] for rule in RULES)])
def test_brackets_of_expressions_match(expression: str) -> None:
    opened = []
    for character in re.sub(r'"[^"]*"', "", expression):
        if character in "([{":
            opened.append(character)
        elif character in ")]}":
            assert opened.pop() + character in ("()", "[]", "{}")
    assert opened == []


def test_alert_rules_are_named_once_and_say_what_is_wrong() -> None:
    names = [rule["alert"] for rule in RULES]
    assert len(set(names)) == len(names)
    for rule in RULES:
        assert rule["labels"]["severity"], rule["alert"]
        assert rule["annotations"]["summary"], rule["alert"]


def test_each_alert_links_to_its_own_section_of_the_runbooks() -> None:
    runbooks = (FOLDER.parent / "runbooks.md").read_text()
    sections = dict(re.findall(r"^## (\w+)\n(.*?)(?=^## |\Z)", runbooks, re.MULTILINE | re.DOTALL))
    assert set(sections) == {rule["alert"] for rule in RULES}
    for rule in RULES:
        assert rule["annotations"]["runbook_url"] == f"docs/runbooks.md#{rule['alert'].lower()}"
        for part in ("**Means**: ", "**Look at**: ", "**Do**: "):
            assert part in sections[rule["alert"]], rule["alert"]
