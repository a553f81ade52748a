"""docs/settings.md lists exactly the settings there are, with their defaults and what they do."""

import re
from pathlib import Path

from pydantic.fields import FieldInfo

from api.ops.commands.checks import OTHER_VARIABLES
from api.ops.supervisor.settings import StackSettings
from api.settings import ApiSettings
from warehouse.settings import EngineSettings

ROOT = Path(__file__).resolve().parents[2]
DOCUMENT = (ROOT / "docs" / "settings.md").read_text()
PACKAGES = ("warehouse", "indexer", "pipelines", "api")


def default_of(field: FieldInfo) -> str:
    return "" if field.default is None else f"`{field.default}`"


def rows_of(settings: type[EngineSettings], without: type[EngineSettings] | None = None) -> list[str]:
    known = without.model_fields if without else {}
    return [
        f"| `REGALIA_{name.upper()}` | {default_of(field)} | {field.description} |"
        for name, field in settings.model_fields.items()
        if name not in known
    ]


def test_every_setting_is_listed_once_with_default_and_description() -> None:
    expected = [*rows_of(EngineSettings), *rows_of(ApiSettings, EngineSettings), *rows_of(StackSettings, ApiSettings)]
    listed = [line for line in DOCUMENT.splitlines() if re.match(r"\| `REGALIA_\w+` \|.*\|.*\|$", line)]
    missing = "\n".join(row for row in expected if row not in listed)
    assert not missing, f"missing from docs/settings.md:\n{missing}"
    names = [re.findall(r"REGALIA_\w+", line)[0] for line in listed]
    assert len(names) == len(set(names))
    others = {name for name in names if name not in "".join(expected)}
    assert others == OTHER_VARIABLES


def test_no_other_variable_is_mentioned_anywhere_in_the_code() -> None:
    mentioned = {
        name
        for package in PACKAGES
        for path in (ROOT / package).rglob("*.py")
        for name in re.findall(r"\bREGALIA_[A-Z_]*[A-Z]\b", path.read_text())
    }
    documented = set(re.findall(r"\| `(REGALIA_\w+)`", DOCUMENT))
    assert mentioned <= documented
