"""Checks of served rows."""

import dagster as dg

from pipelines.checks import violations_checks
from pipelines.documents.replay import replay_holders
from pipelines.resources import Engines

_MAX_SHOWN = 10

document_checks = violations_checks("serve_token", "unknown_is_not_zero", "served_without_identity")


@dg.asset_check(
    asset="serve_token",
    name="served_holders_equal_transfers",
    description="Holder counts of a thousand served tokens on every chain against their transfers up to the block "
    "that the row names. Left out: rows that a reorganisation touched and no refresh run has written since.",
)
def served_holders_equal_transfers(engines: Engines) -> dg.AssetCheckResult:
    """Replay the transfers of sampled tokens."""
    with engines.connect() as connections:
        found = [
            replay_holders(connections.warehouse, connections.store, chain) for chain in connections.chains.enabled()
        ]
    differences = [count for replay in found for count in replay.differences]
    return dg.AssetCheckResult(
        passed=not differences,
        severity=dg.AssetCheckSeverity.ERROR,
        metadata={
            "compared": sum(len(replay.compared) for replay in found),
            "waiting": sum(replay.waiting for replay in found),
            "differences": len(differences),
            "first": "\n".join(map(str, differences[:_MAX_SHOWN])) or "none",
        },
    )
