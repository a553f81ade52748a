"""The status of a claim's transaction. It is ``confirmed`` only when registration reads show the registration: the
registration is written first, in one transaction with its event."""

from dataclasses import dataclass
from typing import Any

from api.chains import ChainReaders
from api.claims.errors import TokenUnverified, TransactionNotFound, unverified_if_unanswered
from api.claims.mints import read_mints
from api.claims.repository import ClaimRepository
from api.claims.schemas import ClaimStatus
from indexer.chains.errors import RpcError
from indexer.chains.evm.reader import EvmReader, quantity
from warehouse.domain.chains import Chain


@dataclass(frozen=True, slots=True)
class ClaimStatuses:
    """Reads the status of claims' transactions."""

    readers: ChainReaders
    repository: ClaimRepository

    async def status(self, chain: Chain, transaction_hash: str) -> ClaimStatus:
        """The transaction's status on the chain.

        Raises:
            TransactionNotFound: the chain's nodes do not know it.
            TokenUnverified: the chain does not answer now.
        """
        reader = self.readers.of(chain)
        with unverified_if_unanswered():
            receipt, known, head = await reader.settle(
                [
                    ("eth_getTransactionReceipt", (transaction_hash,)),
                    ("eth_getTransactionByHash", (transaction_hash,)),
                    ("eth_blockNumber", ()),
                ]
            )
            for answer in (receipt, known):
                if isinstance(answer, RpcError):
                    raise answer
            if receipt is None:
                if known is None:
                    raise TransactionNotFound(f"txHash: no such transaction on {chain.name}")
                return ClaimStatus(tx_hash=transaction_hash, status="pending", confirmations=0, block_number=None)
            try:
                return await self._mined(reader, receipt, quantity(head))
            except (KeyError, TypeError, ValueError) as error:  # a field is missing or malformed
                raise TokenUnverified from error

    async def _mined(self, reader: EvmReader, receipt: dict[str, Any], head: int) -> ClaimStatus:
        number, transaction_hash = quantity(receipt["blockNumber"]), receipt["transactionHash"].lower()
        block = await reader.request("eth_getBlockByNumber", receipt["blockNumber"], False)
        if block is None or block["hash"].lower() != receipt["blockHash"].lower():
            # A reorg just removed its block: the transaction waits to be mined again.
            return ClaimStatus(tx_hash=transaction_hash, status="pending", confirmations=0, block_number=None)
        minted = [] if receipt["status"] != "0x1" else read_mints(reader.chain, receipt, quantity(block["timestamp"]))
        for registration in minted:
            async with self.repository.store.transaction() as transaction:
                await self.repository.record_mint(transaction, registration)
        # A transaction that ran but registered nothing is a failed claim: a contract wallet may hide an inner failure.
        return ClaimStatus(
            tx_hash=transaction_hash,
            status="confirmed" if minted else "failed",
            confirmations=max(head - number + 1, 1),
            block_number=number,
        )
