"""The local Solana node answers about blocks as real nodes do."""

import asyncio
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from solana.rpc.async_api import AsyncClient
from solana.rpc.commitment import Confirmed
from solders.keypair import Keypair
from solders.system_program import TransferParams, transfer

from indexer.devchain.solana import surfpool as surfpool_module
from indexer.devchain.solana.sender import Sender
from indexer.devchain.solana.surfpool import Surfpool, SurfpoolError, SurfpoolUnavailable, find_programs
from tests.fixtures.waiting import wait_until

CONFIRMED = {"commitment": "confirmed", "maxSupportedTransactionVersion": 0, "rewards": False}


def pay(sender: Sender, lamports: int = 10**9) -> str:
    """A transaction in a block of its own; returns its signature."""
    to = Keypair().pubkey()
    return sender.run([transfer(TransferParams(from_pubkey=sender.payer.pubkey(), to_pubkey=to, lamports=lamports))])


def blocks(node: Surfpool, first: int) -> list[dict[str, Any]]:
    slots = node.rpc("getBlocks", first, None, {"commitment": "confirmed"})
    found = node.batch([("getBlock", (slot, CONFIRMED)) for slot in slots])
    return [{"slot": slot, **block} for slot, block in zip(slots, found, strict=True)]


def test_blocks_name_their_parents(surfpool: Surfpool) -> None:
    first = surfpool.mine(2)
    sender = Sender(surfpool)
    pay(sender)
    surfpool.skip(5)
    pay(sender)
    surfpool.mine(2)
    chain = blocks(surfpool, first)
    assert len(chain) == 6
    assert sum(len(block["transactions"]) for block in chain) == 2
    for parent, block in pairwise(chain):
        assert block["previousBlockhash"] == parent["blockhash"]
        assert block["parentSlot"] == parent["slot"]
        assert block["blockHeight"] == parent["blockHeight"] + 1
    assert len({block["blockhash"] for block in chain}) == len(chain)
    assert chain[-1]["blockHeight"] == surfpool.rpc("getBlockHeight", {"commitment": "confirmed"})


def test_block_times_are_unix_seconds_everywhere(surfpool: Surfpool) -> None:
    signature = pay(Sender(surfpool))
    slot = surfpool.slot()
    (block,) = blocks(surfpool, slot)
    # The clock of a paused node goes on by a slot a block, so it falls behind; milliseconds would be years away.
    assert abs(block["blockTime"] - time.time()) < 86_400
    assert surfpool.rpc("getBlockTime", slot) == block["blockTime"]
    assert surfpool.rpc("getTransaction", signature, CONFIRMED)["blockTime"] == block["blockTime"]
    payer = str(surfpool.payer.pubkey())
    newest = surfpool.rpc("getSignaturesForAddress", payer, {"limit": 1, "commitment": "confirmed"})
    assert [(one["signature"], one["blockTime"]) for one in newest] == [(signature, block["blockTime"])]


def test_a_slot_without_a_block_is_told_from_one_to_come(surfpool: Surfpool) -> None:
    before = surfpool.skip(3)
    after = surfpool.mine()
    assert surfpool.rpc("getBlocks", before, after, {"commitment": "confirmed"}) == [before, after]
    assert after - before == 4
    for slot, code in ((before + 1, -32009), (after + 1, -32004), (0, -32001)):
        with pytest.raises(SurfpoolError) as refused:
            surfpool.rpc("getBlock", slot, CONFIRMED)
        assert refused.value.code == code


def test_a_block_is_final_31_slots_later(surfpool: Surfpool) -> None:
    slot = surfpool.mine()
    surfpool.mine(29)
    with pytest.raises(SurfpoolError):
        surfpool.rpc("getBlock", slot, {**CONFIRMED, "commitment": "finalized"})
    surfpool.mine()
    assert surfpool.slot("finalized") == slot
    assert surfpool.rpc("getBlock", slot, {**CONFIRMED, "commitment": "finalized"})["parentSlot"] < slot


def test_a_batch_is_carried_out_in_its_order(surfpool: Surfpool) -> None:
    slot = surfpool.slot()
    results = surfpool.batch([("getSlot", (CONFIRMED,)), ("devnode_mine", (2,)), ("getSlot", (CONFIRMED,))])
    assert results == [slot, slot + 2, slot + 2]


def test_a_failed_transaction_is_in_its_block_and_raised(surfpool: Surfpool) -> None:
    sender = Sender(surfpool, Keypair())
    surfpool.fund(sender.payer.pubkey(), 10**9)
    with pytest.raises(SurfpoolError, match="failed"):
        pay(sender, 10**10)
    (block,) = blocks(surfpool, surfpool.slot())
    assert [one["meta"]["err"] is None for one in block["transactions"]] == [False]


def test_solana_py_sends_and_confirms(running_surfpool: Surfpool) -> None:
    async def scenario() -> None:
        async with AsyncClient(running_surfpool.url, commitment=Confirmed) as client:
            assert str((await client.get_genesis_hash()).value) == running_surfpool.genesis_hash
            signature = (await client.request_airdrop(Keypair().pubkey(), 10**9)).value
            status = (await client.confirm_transaction(signature, Confirmed, sleep_seconds=0.05)).value[0]
            assert status is not None
            block = (await client.get_block(status.slot, max_supported_transaction_version=0)).value
            assert block is not None
            assert [one.transaction.signatures[0] for one in block.transactions or []] == [signature]

    asyncio.run(scenario())


def test_the_clock_of_a_running_node_keeps_up(running_surfpool: Surfpool) -> None:
    running_surfpool.pause()
    time.sleep(3)
    running_surfpool.resume()
    wait_until(
        lambda: abs(running_surfpool.rpc("getBlockTime", running_surfpool.slot()) - time.time()) < 3, "on time", 60
    )


@pytest.fixture
def own_node() -> Iterator[Surfpool]:
    with Surfpool.start(slot_ms=100, paused=True) as node:
        yield node


def test_times_of_a_history_can_be_stated(own_node: Surfpool) -> None:
    own_node.mine(9)
    own_node.spread_times(1_700_000_000, 1_700_000_900)
    own_node.mine()
    times = [block["blockTime"] for block in blocks(own_node, 0)]
    assert times[0] == 1_700_000_000
    assert times[-2] == 1_700_000_900
    assert abs(times[-1] - time.time()) < 600
    assert times == sorted(times)


def test_two_nodes_are_two_chains(surfpool: Surfpool, own_node: Surfpool) -> None:
    assert surfpool.genesis_hash != own_node.genesis_hash
    assert surfpool.caip2 != own_node.caip2
    own_node.stop()
    own_node.stop()
    with pytest.raises(SurfpoolError):
        own_node.slot()


def test_a_node_that_takes_too_much_memory_stops_and_says_so() -> None:
    with Surfpool.start(paused=True, memory_limit_mb=50) as node:
        node.process.wait(60)
        with pytest.raises(SurfpoolError, match="MB of memory and was stopped"):
            node.slot()


def test_clients_that_leave_in_the_middle_of_a_request_do_not_stop_it(surfpool: Surfpool) -> None:
    for _ in range(3):
        with socket.create_connection(("127.0.0.1", surfpool.port)) as client:
            client.sendall(b"POST / HTTP/1.1\r\nHost: node\r\nContent-Length: 100\r\n\r\n{")
    with pytest.raises(SurfpoolError, match="Method not found"):
        surfpool.rpc("sendBundle", [])
    assert surfpool.process.poll() is None


def test_bundles_are_refused(surfpool: Surfpool) -> None:
    """Surfpool's own answer would never come, and take all memory meanwhile."""
    with pytest.raises(SurfpoolError, match="Method not found"):
        surfpool.rpc("sendBundle", [])


SCRIPT = """
import time
from indexer.devchain.solana.surfpool import Surfpool
print(Surfpool.start(paused=True).process.pid, flush=True)
time.sleep(600)
"""


@pytest.mark.slow
def test_the_node_ends_with_a_killed_parent() -> None:
    find_programs()
    with subprocess.Popen([sys.executable, "-c", SCRIPT], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        parent.send_signal(signal.SIGKILL)
    wait_until(lambda: not _runs(pid), "the node ended")


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return "Z (zombie)" not in Path(f"/proc/{pid}/status").read_text()


def test_other_machines_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(surfpool_module.platform, "machine", lambda: "aarch64")
    with pytest.raises(SurfpoolUnavailable, match="x86-64 only, and this is Linux on aarch64"):
        Surfpool.start()
