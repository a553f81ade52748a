"""What a check declares about itself."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from pipelines.checks import parts
from pipelines.checks.parts import Part, Scope
from pipelines.resources import Connections
from warehouse import sql
from warehouse.domain.chains import Chain

MOST_ROWS = 100
"""Most violations that one look returns: the ``LIMIT`` of the statements."""

Row = Mapping[str, Any]


class Stops(StrEnum):
    """What a violation stops until it is gone or an operator overrides the check. All are reported to operators."""

    NOTHING = "nothing"
    CLAIMS = "claims"
    """Something wrong is served that decides about claims: they answer 503. Publication goes on, since it brings the
    correction."""
    PUBLICATION = "publication"
    """What served rows are made of is wrong: nothing new is published, and claims answer 503."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """A rule of the data. ``pipelines/checks/declared.py`` lists all of them."""

    name: str
    """The file of ``sql/checks`` that returns the rows that violate it, unless it has a ``find`` of its own."""
    asset: str
    """The Dagster asset that shows it."""
    scope: Scope
    """By what its data is divided into parts."""
    stops: Stops
    description: str = ""
    """What it looks for; by default the comment at the top of the statement."""
    find: Callable[[Connections, Chain, Part], Sequence[Row]] | None = None
    """Finds violations in a part of a chain where one statement cannot."""
    parameters: Callable[[Connections, Chain], Mapping[str, Any]] | None = None
    """Parameters of the statement besides the chain and the part."""

    def violations(self, connections: Connections, chain: Chain, part: Part) -> Sequence[Row]:
        """Rows that violate the rule in a part of a chain, at most ``MOST_ROWS``. Rows of a check whose scope is tokens
        name the token in ``token_hex``."""
        if self.find is not None:
            return self.find(connections, chain, part)
        more = self.parameters(connections, chain) if self.parameters is not None else {}
        load = parts.statement if self.scope is Scope.TOKENS else sql.load
        return connections.warehouse.rows(load(f"checks/{self.name}"), {"chain_id": chain.chain_id, **part, **more})

    def describe(self) -> str:
        """Its description."""
        if self.description:
            return self.description
        lines = sql.load(f"checks/{self.name}").splitlines()
        return " ".join(line.removeprefix("--").strip() for line in lines if line.startswith("--"))
