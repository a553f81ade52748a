"""What became of a claim's transaction. ``confirmed`` is said only once registration reads show it: the registration
of the receipt is written first, in one transaction with the event that tells of it."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from api.chains import ChainReaders
from api.claims.eligibility import unverified
from api.claims.repository import ClaimRepository
from api.claims.schemas import ClaimStatus
from api.http.errors import NotFound
from indexer.chains.errors import RpcError
from indexer.chains.evm.reader import EvmReader, quantity
from warehouse.domain.chains import Chain
from warehouse.domain.registrations import REGISTERED, Registration, decode_registry_log


@dataclass(frozen=True, slots=True)
class ClaimStatuses:
    """Follows claims' transactions."""

    readers: ChainReaders
    repository: ClaimRepository

    async def status(self, chain: Chain, transaction_hash: str) -> ClaimStatus:
        """The transaction's state on the chain.

        Raises:
            NotFound: the chain's nodes do not know it.
            Unavailable: the chain cannot be read now.
        """
        reader = self.readers.of(chain)
        try:
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
                    raise NotFound(f"txHash: no such transaction on {chain.name}")
                return ClaimStatus(tx_hash=transaction_hash, status="pending", confirmations=0, block_number=None)
            return await self._mined(reader, receipt, quantity(head))
        except (RpcError, KeyError, TypeError, ValueError) as error:
            raise unverified() from error

    async def _mined(self, reader: EvmReader, receipt: dict[str, Any], head: int) -> ClaimStatus:
        number, transaction_hash = quantity(receipt["blockNumber"]), receipt["transactionHash"].lower()
        block = await reader.request("eth_getBlockByNumber", receipt["blockNumber"], False)
        if block is None or block["hash"].lower() != receipt["blockHash"].lower():
            # Its block was just orphaned: the transaction waits to be mined again.
            return ClaimStatus(tx_hash=transaction_hash, status="pending", confirmations=0, block_number=None)
        minted = [] if receipt["status"] != "0x1" else read_mints(reader.chain, receipt, quantity(block["timestamp"]))
        for registration in minted:
            async with self.repository.store.transaction() as transaction:
                await self.repository.record_mint(transaction, registration)
        # A transaction that ran but registered nothing (a contract wallet may swallow a failure) is a failed claim.
        return ClaimStatus(
            tx_hash=transaction_hash,
            status="confirmed" if minted else "failed",
            confirmations=max(head - number + 1, 1),
            block_number=number,
        )


def read_mints(chain: Chain, receipt: dict[str, Any], block_time: int) -> list[Registration]:
    """The registrations a receipt tells of."""
    registry = chain.contracts["registry"]
    minted = []
    for log in receipt["logs"]:
        topics = [bytes.fromhex(topic[2:]) for topic in log["topics"]]
        if log["address"].lower() != registry or not topics or topics[0] != REGISTERED.topic:
            continue
        event = decode_registry_log(REGISTERED, topics, bytes.fromhex(log["data"][2:]))
        minted.append(
            Registration(
                chain_id=chain.chain_id,
                token_id=event.token_id,
                block_hash=receipt["blockHash"].lower(),
                log_index=quantity(log["logIndex"]),
                block_number=quantity(receipt["blockNumber"]),
                transaction_hash=receipt["transactionHash"].lower(),
                registry=registry,
                symbol=event.symbol.decode(),
                owner=f"0x{event.owner.hex()}",
                token_address=f"0x{event.token_address.hex()}",
                fee_wei=event.fee_wei,
                with_receipt=event.with_receipt,
                minted_at=datetime.fromtimestamp(block_time, UTC),
            )
        )
    return minted
