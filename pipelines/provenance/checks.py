"""Checks of who is served as controlling tokens."""

from pipelines.checks.check import Check, Stops
from pipelines.checks.parts import Scope

PROVENANCE_CHECKS = (
    Check(
        name="controls_without_authority",
        asset="serve_provenance",
        scope=Scope.TOKENS,
        stops=Stops.CLAIMS,
    ),
)
