"""The marts: views for analysts, with text addresses, names, units and comments. Each is declared once.

``warehouse.marts.views`` makes them; the export, the data dictionary and Dagster's column schemas read the same
declarations. To add one, add a :class:`Mart` to a module here and its statement to ``sql/marts/``.
"""

from warehouse.marts import activity, prices, registry, tokens
from warehouse.marts.mart import Column, Mart

MARTS: tuple[Mart, ...] = (*tokens.MARTS, *activity.MARTS, *prices.MARTS, *registry.MARTS)
"""All marts, in the order of the documentation."""

__all__ = ["MARTS", "Column", "Mart"]
