"""Whether a token is a migration of a senior one, which is not copying."""

from dataclasses import dataclass

from api.chains import ChainReaders
from api.claims.errors import Undecided
from api.warehouse import WarehouseReader
from indexer.chains.errors import RpcError
from warehouse import sql
from warehouse.domain.addresses import AddressFormat, digits_of, stored_from_digits
from warehouse.domain.chains import Chain
from warehouse.store import Store


@dataclass(frozen=True, slots=True)
class Migrations:
    """Recognises migrations by the senior controller's consent, or by one account that deployed both tokens."""

    store: Store
    warehouse: WarehouseReader

    async def is_migration(self, chain: Chain, readers: ChainReaders, *, senior: str, address: str) -> bool:
        """Whether ``address`` is a migration of ``senior``.

        Raises:
            Undecided, RpcError, WarehouseError, StoreUnavailable: it cannot be said now.
        """
        pair = {"chain_id": chain.chain_id, "senior_address": senior, "address": address}
        if await self.store.row("consents/find", pair) is not None:
            return True
        creator = await self._creator(chain, senior)
        if creator is None or creator != await self._creator(chain, address):
            return False
        if chain.address_format is AddressFormat.BASE58:
            return await self._is_author(chain, creator, senior, address)
        code = await readers.of(chain).request("eth_getCode", creator, "latest")
        if isinstance(code, RpcError):
            raise Undecided("the deployer of the tokens is unknown now") from code
        return bool(code == "0x")  # a contract that deploys for others is no author

    async def _is_author(self, chain: Chain, creator: str, *tokens: str) -> bool:
        """Whether a creator on Solana speaks for all of these tokens: not if it creates for others."""
        digits = [digits_of(token) for token in tokens]
        wanted = {"chain_id": chain.chain_id, "wallet": digits_of(creator), "tokens": digits}
        rows = await self.warehouse.rows(sql.load("queries/challenges/deployed_by"), wanted)
        return {row["token_hex"] for row in rows} == set(digits)

    async def _creator(self, chain: Chain, token: str) -> str | None:
        """The account that deployed the token itself; None if a factory or a relayer did."""
        wanted = {"chain_id": chain.chain_id, "address": digits_of(token)}
        rows = await self.warehouse.rows(sql.load("queries/claims/contract_creation"), wanted)
        if not rows or rows[0]["factory"]:
            return None
        creator = stored_from_digits(rows[0]["creator"])
        return None if creator in chain.relayers else creator
