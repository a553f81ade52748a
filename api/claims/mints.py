"""Registrations that a transaction minted, decoded from its receipt."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from eth_abi.abi import decode
from eth_abi.exceptions import DecodingError

from indexer.chains.errors import NodeUnavailable
from indexer.chains.evm.reader import quantity
from warehouse.domain.chains import Chain
from warehouse.domain.registrations import REGISTERED, Registration, decode_registry_log


def read_mints(chain: Chain, receipt: dict[str, Any], block_time: int) -> list[Registration]:
    """The registrations in a receipt.

    Raises:
        NodeUnavailable: the node cut a log of the registry short, so that nothing it says may be recorded.
    """
    registry = chain.contracts["registry"]
    minted = []
    for log in receipt["logs"]:
        topics = [bytes.fromhex(topic[2:]) for topic in log["topics"]]
        if log["address"].lower() != registry or not topics or topics[0] != REGISTERED.topic:
            continue
        data = bytes.fromhex(log["data"][2:])
        _require_complete(topics, data)
        event = decode_registry_log(REGISTERED, topics, data)
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


def _require_complete(topics: Sequence[bytes], data: bytes) -> None:
    """Decode strictly: the shared decoder reads what is missing as zeros, which must never become a registration."""
    try:
        decode(("string", "uint256", "bool"), data)
    except DecodingError as error:
        raise NodeUnavailable(f"a node sent an incomplete registry log: {error}") from error
    if len(topics) != REGISTERED.topics:
        raise NodeUnavailable(f"a node sent a registry log with {len(topics)} topics")
