"""Tokens as the store lists them (``indexed_token``), for reads by a single key."""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

from pipelines.copies import Verdict
from pipelines.documents.inputs import TokenInputs
from pipelines.documents.rows import Document
from pipelines.documents.verdicts import candidate, places
from pipelines.windows import Window
from warehouse.domain.addresses import stored_from_digits


def listings(
    window: Window,
    rows: Iterable[Document],
    verdicts: Mapping[str, Verdict],
    inputs: Mapping[str, TokenInputs],
    made: Mapping[str, Document],
) -> list[dict[str, Any]]:
    """Rows of ``indexed_token``: the judged tokens with their place among those of their symbol, and their scores.
    Tokens without a symbol are listed too, in place 0."""
    listed = {row.address: row for row in made.values() if not row.symbol_key}
    judged = [
        row
        for row in rows
        if row.chain_id == window.chain.chain_id and not row.deleted and row.stored_address in verdicts
    ]
    listed.update({row.address: row for row in judged})
    candidates = [candidate(row, window.chain) for row in judged]
    found = places(candidates, [row.symbol_key for row in judged], verdicts)
    return [_listing(row, found.get(row.stored_address, 0), inputs.get(row.address), window) for row in listed.values()]


def _listing(row: Document, place: int, token: TokenInputs | None, window: Window) -> dict[str, Any]:
    listing: dict[str, Any] = {
        "chain_id": row.chain_id,
        "address": row.stored_address,
        "symbol_key": row.symbol_key,
        "name": row.name,
        "decimals": row.decimals,
        "deployer": stored_from_digits(row.deployer) if row.deployer else None,
        "deployed_at": _text(row.deployed_at),
        "first_seen_at": _text(row.first_seen_at),
        "precedence": place,
        "is_copy": bool(row.is_copy),
        "copy_of_chain_id": row.copy_of_chain_id or None,
        "copy_of_address": stored_from_digits(row.copy_of_address) if row.copy_of_address else None,
        "copy_rule": row.copy_rule or None,
        "copy_unknown": row.copy_unknown or None,
        "copy_until": _text(row.copy_until),
        "deployed_block": row.deployed_block,
        "deployed_index": row.deployed_index,
        "named_at": _text(row.named_at),
        "trust_flags": list(row.trust_flags),
        "as_of_block": window.through,
    }
    if token is not None and token.has_score:
        listing |= {
            "timestamp_score": str(token.timestamp_score),
            "volume_score": str(token.volume_score),
            "holders_score": str(token.holders_score),
            "confidence_score": str(token.confidence_score),
            "score": str(token.heartbeat_score),
            "weights_version": token.weights_version,
            "scored_at": _text(token.scored_at_seconds),
            "as_of_block": token.scored_block,
        }
    return listing


def _text(seconds: int | None) -> str | None:
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC).isoformat()
