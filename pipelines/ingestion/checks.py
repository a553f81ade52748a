"""Checks of the facts."""

from pipelines.checks.check import Check, Stops
from pipelines.checks.parts import Scope

INGESTION_CHECKS = tuple(
    Check(name=name, asset="raw_block", scope=Scope.BLOCKS, stops=stops)
    for name, stops in (
        ("contiguous_blocks", Stops.PUBLICATION),
        ("orphaned_rows", Stops.PUBLICATION),
        ("repeated_logs", Stops.PUBLICATION),
        ("tokens_without_block", Stops.NOTHING),
    )
)
