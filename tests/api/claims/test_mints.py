"""Registrations read from receipts, also from receipts that a node cut short."""

from dataclasses import replace
from typing import Any

import pytest
from eth_abi.abi import encode

from api.claims.mints import read_mints
from indexer.chains.errors import NodeUnavailable
from warehouse.chains.facts import load
from warehouse.domain.registrations import REGISTERED

REGISTRY = f"0x{0xC0FFEE:040x}"
BASE = replace(load(None).by_key["base"], contracts={"registry": REGISTRY})
TOPICS = ["0x" + REGISTERED.topic.hex(), *(f"0x{value:064x}" for value in (7, 0xA11CE, 0xBEEF))]
DATA = encode(("string", "uint256", "bool"), ("PEPE", 10**15, True))


def receipt(data: bytes = DATA, topics: list[str] = TOPICS) -> dict[str, Any]:
    log = {"address": REGISTRY, "topics": topics, "data": "0x" + data.hex(), "logIndex": "0x3"}
    return {"logs": [log], "blockHash": "0x" + "ab" * 32, "blockNumber": "0x10", "transactionHash": "0x" + "cd" * 32}


def test_a_registration_is_read_from_its_log() -> None:
    [minted] = read_mints(BASE, receipt(), 1_700_000_000)
    assert (minted.token_id, minted.symbol, minted.fee_wei, minted.with_receipt) == (7, "PEPE", 10**15, True)
    assert (minted.owner, minted.token_address) == (f"0x{0xA11CE:040x}", f"0x{0xBEEF:040x}")


@pytest.mark.parametrize("data", [b"", DATA[:31], DATA[:96], DATA[:-32], DATA[:128]])
def test_a_log_that_was_cut_short_registers_nothing(data: bytes) -> None:
    with pytest.raises(NodeUnavailable):
        read_mints(BASE, receipt(data), 1_700_000_000)


def test_a_log_without_its_topics_registers_nothing() -> None:
    with pytest.raises(NodeUnavailable):
        read_mints(BASE, receipt(topics=TOPICS[:2]), 1_700_000_000)
