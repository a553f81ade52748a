"""What a wallet can claim, by the provenance index."""

from dataclasses import dataclass

from api.claims.control import CONFIDENCE, MEANING
from api.core.addresses import is_registrable_symbol, shown
from api.core.warehouse import WarehouseReader
from api.registrations.repository import RegistrationRepository
from api.registrations.schemas import ClaimableToken, ClaimableTokens, Qualification
from indexer.chains.facts import Chains
from indexer.chains.majors import Majors
from warehouse import sql
from warehouse.symbols import fold

SCANNED = ("arbitrum", "base", "polygon", "bnb", "gnosis", "eth")


@dataclass(frozen=True, slots=True)
class ClaimableFinder:
    """Lists a wallet's claimable tokens."""

    warehouse: WarehouseReader
    repository: RegistrationRepository
    chains: Chains
    majors: Majors
    timeout_seconds: float

    async def find(self, wallet: str) -> ClaimableTokens:
        """Tokens the wallet deployed that are registrable and not registered, in the order of the chains scanned.

        Raises:
            WarehouseError, StoreUnavailable: it cannot be said now.
        """
        if not wallet.startswith("0x"):
            return ClaimableTokens(tokens=[], total=0)
        scanned = [self.chains.by_key[key].chain_id for key in SCANNED]
        rows = await self.warehouse.rows(
            sql.load("queries/registrations/claimable"),
            {"wallet": wallet[2:], "chains": scanned},
            timeout_seconds=self.timeout_seconds,
        )
        rows = [row for row in rows if self._is_registrable(row["chain_id"], "0x" + row["address"], row["symbol"])]
        if not rows:
            return ClaimableTokens(tokens=[], total=0)
        standing = await self.repository.standing_among(
            scanned, ["0x" + row["address"] for row in rows], [row["symbol"].upper() for row in rows]
        )
        tokens = {(row["chain_id"], row["token_address"]) for row in standing}
        symbols = {(row["chain_id"], row["symbol"]) for row in standing}
        found = [
            ClaimableToken(
                address=shown("0x" + row["address"]),
                chain_id=str(row["chain_id"]),
                symbol=row["symbol"],
                name=row["name"],
                qualification=Qualification(
                    method="deployer", confidence=CONFIDENCE["deployer"], message=MEANING["deployer"]
                ),
            )
            for row in sorted(rows, key=lambda row: (scanned.index(row["chain_id"]), row["symbol"], row["address"]))
            if (row["chain_id"], "0x" + row["address"]) not in tokens
            and (row["chain_id"], row["symbol"].upper()) not in symbols
        ]
        return ClaimableTokens(tokens=found, total=len(found))

    def _is_registrable(self, chain_id: int, address: str, symbol: str) -> bool:
        folded = fold(symbol)
        imitates = self.majors.original_of(chain_id, address, folded) is not None
        return is_registrable_symbol(symbol) and not imitates and not self.majors.is_major(chain_id, address, folded)
