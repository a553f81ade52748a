"""Rows of fact_token by column."""

from collections.abc import Sequence

from indexer.chains.solana.decoders.frame import Columns
from indexer.known import UNREAD, Identity


def token_columns(rows: Sequence[tuple[tuple[bytes, int], Identity]]) -> Columns:
    """Rows of fact_token by column, from ((mint, block), what is known of it then)."""
    found = [identity for _, identity in rows]
    nothing = [b""] * len(rows)
    return {
        "address": [mint for (mint, _), _ in rows],
        "name": [identity.name.encode() for identity in found],
        "symbol": [identity.symbol.encode() for identity in found],
        "decimals": [identity.decimals for identity in found],
        "total_supply_raw": [identity.total_supply_raw for identity in found],
        "owner": nothing,
        "proxy_admin": nothing,
        "implementation": nothing,
        "program": [identity.program.encode() for identity in found],
        "traits": [[trait.encode() for trait in sorted(identity.traits)] for identity in found],
        "read_status": [_status(identity).encode() for identity in found],
        "first_block": [identity.origin.block for identity in found],
        "first_time": [identity.origin.time for identity in found],
        "read_block": [block for (_, block), _ in rows],
    }


def _status(identity: Identity) -> str:
    if identity.unread:
        return UNREAD
    return "ok" if identity.symbol and identity.decimals is not None else "partial"
