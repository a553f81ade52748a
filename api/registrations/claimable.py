"""What a wallet can claim, by the provenance index."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import orjson
import polars

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
        deployed = await self._deployed(wallet)
        if deployed.is_empty():
            return []
        free = await self._unregistered(deployed)
        shown = _with_checksums(free["address"], free["address_hash"])
        columns = (free[name].to_list() for name in ("chain_id", "symbol", "name"))
        return [
            {"address": address, "chainId": str(chain_id), "symbol": symbol, "name": name, "qualification": _DEPLOYER}
            for address, chain_id, symbol, name in zip(shown, *columns, strict=True)
        ]

    async def _deployed(self, wallet: str) -> polars.DataFrame:
        """What the wallet deployed whose symbol may be registered and is no major's: ``chain_id``, ``address``,
        ``address_hash`` (Keccak-256 of the address in hexadecimal, for its checksum), ``symbol``, ``name``."""
        scanned = [self.chains.by_key[key].chain_id for key in SCANNED]
        table = await self.warehouse.arrow(
            sql.load("queries/registrations/claimable"), {"wallet": wallet[2:], "chains": scanned}
        )
        deployed = polars.DataFrame(table)
        return deployed.filter([self._may_be_registered(symbol) for symbol in deployed["symbol"].to_list()])

    def _may_be_registered(self, symbol: str) -> bool:
        # A major itself and what imitates one: the folded symbol of either is the name of a major.
        return is_registrable_symbol(symbol) and not self.majors.is_name(fold(symbol))

    async def _unregistered(self, deployed: polars.DataFrame) -> polars.DataFrame:
        """Those of which neither the token nor, on its chain, the symbol is registered now."""
        names = deployed.select(
            "chain_id",
            token="0x" + polars.col("address").bin.encode("hex"),
            key=polars.col("symbol").str.to_uppercase(),
        )
        standing = await self.repository.standing_among(
            names.group_by("chain_id").all().rows_by_key("chain_id", unique=True)
        )
        return deployed.filter(
            [
                token not in standing[chain_id][0] and key not in standing[chain_id][1]
                for chain_id, token, key in names.rows()
            ]
        )


def _with_checksums(addresses: polars.Series, hashes: polars.Series) -> list[str]:
    """The addresses as clients see them (EIP-55), all at once: one by one, thousands take a tenth of a second."""
    letters = np.frombuffer(b"".join(addresses).hex().encode(), np.uint8)
    first = np.frombuffer(b"".join(hashes), np.uint8).reshape(-1, 32)[:, :20]
    raised = (np.stack((first >> 4, first & 15), axis=-1).ravel() >= 8) & (letters >= ord("a"))
    text = np.where(raised, letters - 32, letters).astype(np.uint8).tobytes().decode()
    return [f"0x{text[place : place + 40]}" for place in range(0, len(text), 40)]
