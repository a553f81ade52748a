"""SQL files: one statement each, below ``sql/``, named by their path without the ending."""

import sysconfig
from functools import cache
from pathlib import Path


class UnknownStatement(LookupError):
    """There is no such file below ``sql/``."""


@cache
def directory() -> Path:
    """The folder of all SQL: beside the packages in a checkout, under ``share/regalia`` where they are installed."""
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
        UnknownStatement: there is no such file.
    """
    path = (directory() / f"{name}.sql").resolve()
    if not path.is_relative_to(directory().resolve()) or not path.is_file():
        raise UnknownStatement(f"no SQL file {name}.sql")
    return path.read_text().strip().removesuffix(";")
