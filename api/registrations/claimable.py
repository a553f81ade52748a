"""What a wallet can claim, by the provenance index."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import orjson

from api.claims.control import CONFIDENCE, MEANING
from api.core.addresses import is_registrable_symbol
from api.core.rendering import dumps
from api.core.warehouse import WarehouseReader
from api.registrations.repository import RegistrationRepository
from indexer.chains.facts import Chains
from indexer.chains.majors import Majors
from warehouse import sql
from warehouse.symbols import fold

SCANNED = ("arbitrum", "base", "polygon", "bnb", "gnosis", "eth")
# The same for every token, so it is written once.
_DEPLOYER = orjson.Fragment(
    dumps({"method": "deployer", "confidence": CONFIDENCE["deployer"], "message": MEANING["deployer"]})
)
Found = tuple[int, str, str, str, str]
"""Chain id, address in hexadecimal, the hash of its text, symbol, name."""


@dataclass(frozen=True, slots=True)
class ClaimableFinder:
    """Lists a wallet's claimable tokens."""

    warehouse: WarehouseReader
    repository: RegistrationRepository
    chains: Chains
    majors: Majors

    async def find(self, wallet: str) -> list[dict[str, Any]]:
        """Tokens the wallet deployed that are registrable and not registered, in the order of the chains scanned, as
        they are on the wire. A wallet may have thousands.

        Raises:
            WarehouseError, StoreUnavailable: it cannot be said now.
        """
        if not wallet.startswith("0x"):
            return []
        found = await self._deployed(wallet)
        if not found:
            return []
        standing = await self.repository.standing_among(
            [chain_id for chain_id, *_ in found],
            [f"0x{address}" for _, address, *_ in found],
            [symbol.upper() for _, _, _, symbol, _ in found],
        )
        tokens = {(row["chain_id"], row["token_address"]) for row in standing}
        symbols = {(row["chain_id"], row["symbol"]) for row in standing}
        free = [
            token
            for token in found
            if (token[0], f"0x{token[1]}") not in tokens and (token[0], token[3].upper()) not in symbols
        ]
        return [
            {"address": shown, "chainId": str(chain_id), "symbol": symbol, "name": name, "qualification": _DEPLOYER}
            for shown, (chain_id, _, _, symbol, name) in zip(_with_checksums(free), free, strict=True)
        ]

    async def _deployed(self, wallet: str) -> list[Found]:
        scanned = [self.chains.by_key[key].chain_id for key in SCANNED]
        table = await self.warehouse.arrow(
            sql.load("queries/registrations/claimable"), {"wallet": wallet[2:], "chains": scanned}
        )
        rows = zip(*(table.column(name).to_pylist() for name in table.column_names), strict=True)
        return [row for row in rows if self._is_registrable(row[0], f"0x{row[1]}", row[3])]

    def _is_registrable(self, chain_id: int, address: str, symbol: str) -> bool:
        if not is_registrable_symbol(symbol):
            return False
        folded = fold(symbol)
        imitates = self.majors.original_of(chain_id, address, folded) is not None
        return not imitates and not self.majors.is_major(chain_id, address, folded)


def _with_checksums(tokens: Sequence[Found]) -> list[str]:
    """The addresses as clients see them (EIP-55), all at once: one by one, thousands take a tenth of a second."""
    letters = np.frombuffer("".join(address for _, address, *_ in tokens).encode(), np.uint8)
    hashed = np.frombuffer("".join(digest[:40] for _, _, digest, *_ in tokens).encode(), np.uint8)
    raised = (hashed >= ord("8")) & (letters >= ord("a"))
    text = np.where(raised, letters - 32, letters).astype(np.uint8).tobytes().decode()
    return [f"0x{text[place : place + 40]}" for place in range(0, len(text), 40)]
