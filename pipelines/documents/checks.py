"""Checks of served rows."""

from collections.abc import Sequence
from dataclasses import asdict

from pipelines.checks.check import MOST_ROWS, Check, Row, Stops
from pipelines.checks.parts import Part, Scope
from pipelines.documents.replay import replay_holders
from pipelines.resources import Connections
from warehouse.domain.chains import Chain


def _wrong_holder_counts(connections: Connections, chain: Chain, part: Part) -> Sequence[Row]:
    replay = replay_holders(connections.warehouse, connections.store, chain, tokens=part)
    found = [{"chain_id": chain.chain_id, **asdict(count)} for count in replay.differences]
    return found[:MOST_ROWS]


DOCUMENT_CHECKS = (
    Check(name="unknown_is_not_zero", asset="serve_token", scope=Scope.TOKENS, stops=Stops.NOTHING),
    Check(name="served_without_identity", asset="serve_token", scope=Scope.TOKENS, stops=Stops.CLAIMS),
    Check(
        name="served_holders_equal_transfers",
        asset="serve_token",
        scope=Scope.TOKENS,
        stops=Stops.NOTHING,
        description="Holder counts of up to a thousand served tokens in each look against their transfers up to the "
        "block that the row names. Left out: rows that a reorganisation touched and no refresh run has written since.",
        find=_wrong_holder_counts,
    ),
)
