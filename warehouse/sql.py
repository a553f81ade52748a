"""SQL files: one statement each, below ``sql/``, named by their path without the ending."""

import sysconfig
from functools import cache
from pathlib import Path

_names: dict[str, str] = {}
"""The name of each statement that was loaded, by its text."""


class UnknownStatement(LookupError):
    """No such file exists below ``sql/``."""


@cache
def directory() -> Path:
    """The folder of all SQL: next to the packages in a checkout, below ``share/regalia`` in an installation."""
    places = (
        Path(__file__).resolve().parent.parent / "sql",
        Path(sysconfig.get_path("data")) / "share" / "regalia" / "sql",
    )
    for place in places:
        if (place / "warehouse").is_dir():
            return place
    raise UnknownStatement(f"no SQL folder in {' or '.join(map(str, places))}")


@cache
def load(name: str) -> str:
    """The statement in ``sql/<name>.sql``.

    Raises:
        UnknownStatement: the file does not exist.
    """
    path = (directory() / f"{name}.sql").resolve()
    if not path.is_relative_to(directory().resolve()) or not path.is_file():
        raise UnknownStatement(f"no SQL file {name}.sql")
    text = path.read_text().strip().removesuffix(";")
    _names[text] = name
    return text


def name_of(statement: str) -> str:
    """The name of a statement that was loaded from its file, or the first word of another."""
    return _names.get(statement) or statement.split(maxsplit=1)[0].upper()


def quoted(name: str) -> str:
    """A name of a database, a table or a column, as statements of ClickHouse write any name."""
    return "`" + name.replace("\\", "\\\\").replace("`", "\\`") + "`"
