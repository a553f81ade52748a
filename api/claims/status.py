"""The status of a claim's transaction. It is ``confirmed`` only when registration reads show the registration: the
registration is written first, in one transaction with its event."""

from dataclasses import dataclass
from typing import Any

from api.chains import ChainReaders
from api.claims.errors import TransactionNotFound, TransactionUnread
from api.claims.mints import read_mints
from api.claims.repository import ClaimRepository
from api.claims.schemas import ClaimStatus, TransactionState
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
            TransactionUnread: the chain does not answer now.
        """
        reader = self.readers.of(chain)
        try:
            return await self._status(reader, transaction_hash)
        except (RpcError, KeyError, TypeError, ValueError) as error:  # no answer, or one with a field missing or wrong
            raise TransactionUnread from error

    async def _status(self, reader: EvmReader, transaction_hash: str) -> ClaimStatus:
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
        if receipt is not None:
            return await self._mined(reader, receipt, quantity(head))
        if known is None:
            raise TransactionNotFound(f"txHash: no such transaction on {reader.chain.name}")
        return _pending(transaction_hash)

    async def _mined(self, reader: EvmReader, receipt: dict[str, Any], head: int) -> ClaimStatus:
        number, transaction_hash = quantity(receipt["blockNumber"]), receipt["transactionHash"].lower()
        block = await reader.request("eth_getBlockByNumber", receipt["blockNumber"], False)
        if block is None or block["hash"].lower() != receipt["blockHash"].lower():
            # A reorg just removed its block: the transaction waits to be mined again.
            return _pending(transaction_hash)
        minted = [] if receipt["status"] != "0x1" else read_mints(reader.chain, receipt, quantity(block["timestamp"]))
        for registration in minted:
            async with self.repository.store.transaction() as transaction:
                await self.repository.record_mint(transaction, registration)
        # A transaction that ran but registered nothing is a failed claim: a contract wallet may hide an inner failure.
        return ClaimStatus(
            tx_hash=transaction_hash,
            status=TransactionState.CONFIRMED if minted else TransactionState.FAILED,
            confirmations=max(head - number + 1, 1),
            block_number=number,
        )


def _pending(transaction_hash: str) -> ClaimStatus:
    return ClaimStatus(tx_hash=transaction_hash, status=TransactionState.PENDING, confirmations=0, block_number=None)
