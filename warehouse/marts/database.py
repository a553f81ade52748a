"""Names of the databases."""

MAIN_DATABASE = "regalia"
"""The one of the embedded engine."""
MARTS_DATABASE = "marts"
MARTS_PATTERN = rf"(.+_)?{MARTS_DATABASE}"
"""Matches the database of the marts over any main database."""


def database_of(main_database: str) -> str:
    """The database of the marts over a main database: ``marts`` over ``regalia``, ``x_marts`` over ``x``."""
    return MARTS_DATABASE if main_database == MAIN_DATABASE else f"{main_database}_{MARTS_DATABASE}"
