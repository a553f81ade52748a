"""Solana blocks of token transfers as a node would answer them, and a server that answers from memory.

``python -m tests.bench.solana_chain --blocks 60 --transactions 1000`` serves them on a free port, which it prints. The
answers have everything that a real ``getBlock`` has, log lines included; a fixed seed makes them.
"""

import argparse
import hashlib
import random
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import orjson

from indexer.chains.solana.base58 import key_text, signature_text

FIRST_SLOT = 100
GENESIS = key_text(hashlib.sha256(b"the benchmark's cluster").digest())
START_TIME = 1_750_000_000
TOKEN = "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA"
_BUDGET = "ComputeBudget111111111111111111111111111111"
_WALLETS, _MINTS, _DECIMALS = 20_000, 300, 6
_LOGS = [
    f"Program {_BUDGET} invoke [1]",
    f"Program {_BUDGET} success",
    f"Program {TOKEN} invoke [1]",
    "Program log: Instruction: TransferChecked",
    f"Program {TOKEN} consumed 6147 of 60000 compute units",
    f"Program {TOKEN} success",
]


class Economy:
    """Wallets that send each other tokens."""

    def __init__(self, seed: int) -> None:
        self._rng = random.Random(seed)
        self._wallets = [key_text(self._rng.randbytes(32)) for _ in range(_WALLETS)]
        self._mints = [key_text(self._rng.randbytes(32)) for _ in range(_MINTS)]
        self._held: dict[tuple[int, int], tuple[str, int]] = {}

    def transaction(self) -> dict[str, Any]:
        """One transfer between two wallets."""
        mint = min(int(self._rng.paretovariate(1.2)) - 1, _MINTS - 1)
        sender, receiver = self._rng.sample(range(_WALLETS), 2)
        before = [self._account(mint, wallet) for wallet in (sender, receiver)]
        amount = self._rng.randrange(1, before[0][1] + 1)
        after = [(before[0][0], before[0][1] - amount), (before[1][0], before[1][1] + amount)]
        self._held[mint, sender], self._held[mint, receiver] = after
        keys = [self._wallets[sender], before[0][0], before[1][0], self._mints[mint], TOKEN, _BUDGET]
        lamports = [self._rng.randrange(10**9) + 10**7, 2_039_280, 2_039_280, 1_461_600, 1, 1]
        owners = (self._wallets[sender], self._wallets[receiver])
        pre, post = (
            [
                _balance(place, keys[3], owner, held)
                for place, owner, (_, held) in zip((1, 2), owners, side, strict=True)
            ]
            for side in (before, after)
        )
        return {
            "transaction": {
                "signatures": [signature_text(self._rng.randbytes(64))],
                "message": {
                    "header": {
                        "numRequiredSignatures": 1, "numReadonlySignedAccounts": 0, "numReadonlyUnsignedAccounts": 3
                    },
                    "accountKeys": keys,
                    "recentBlockhash": GENESIS,
                    "instructions": [
                        {"programIdIndex": 5, "accounts": [], "data": "3DTZbgwsozUF", "stackHeight": 1},
                        {"programIdIndex": 4, "accounts": [1, 3, 2, 0], "data": "i8Gx1tPgJxCMs", "stackHeight": 1},
                    ],
                    "addressTableLookups": [],
                },
            },
            "meta": {
                "err": None,
                "status": {"Ok": None},
                "fee": 5000,
                "preBalances": lamports,
                "postBalances": [lamports[0] - 5000, *lamports[1:]],
                "innerInstructions": [],
                "logMessages": _LOGS,
                "preTokenBalances": pre,
                "postTokenBalances": post,
                "rewards": None,
                "loadedAddresses": {"writable": [], "readonly": []},
                "computeUnitsConsumed": 6297,
            },
            "version": 0,
        }  # fmt: skip

    def _account(self, mint: int, wallet: int) -> tuple[str, int]:
        found = self._held.get((mint, wallet))
        return found or (key_text(self._rng.randbytes(32)), self._rng.randrange(10**9, 10**12))


def _balance(place: int, mint: str, owner: str, held: int) -> dict[str, Any]:
    shown = {"amount": str(held), "decimals": _DECIMALS, "uiAmount": held / 10**_DECIMALS, "uiAmountString": str(held)}
    return {"accountIndex": place, "mint": mint, "owner": owner, "programId": TOKEN, "uiTokenAmount": shown}


def make_blocks(blocks: int, transactions: int, seed: int = 1) -> dict[int, dict[str, Any]]:
    """Blocks by slot. Every seventh slot is skipped."""
    economy = Economy(seed)
    found: dict[int, dict[str, Any]] = {}
    slot, parent, parent_hash = FIRST_SLOT, FIRST_SLOT - 1, key_text(bytes(32))
    while len(found) < blocks:
        if slot % 7:
            own = key_text(hashlib.sha256(b"block %d" % slot).digest())
            found[slot] = {
                "blockhash": own,
                "previousBlockhash": parent_hash,
                "parentSlot": parent,
                "blockTime": START_TIME + slot * 2 // 5,
                "blockHeight": FIRST_SLOT + len(found),
                "transactions": [economy.transaction() for _ in range(transactions)],
            }
            parent, parent_hash = slot, own
        slot += 1
    return found


class Answers:
    """Results by method, encoded once. Single transactions are those of the last block."""

    def __init__(self, blocks: dict[int, dict[str, Any]]) -> None:
        self.slots = sorted(blocks)
        self._blocks: dict[tuple[int, str], bytes] = {}
        for slot, block in blocks.items():
            bare = {name: value for name, value in block.items() if name != "transactions"}
            signatures = [one["transaction"]["signatures"][0] for one in block["transactions"]]
            self._blocks[slot, "full"] = orjson.dumps(block)
            self._blocks[slot, "signatures"] = orjson.dumps({**bare, "signatures": signatures})
            self._blocks[slot, "none"] = orjson.dumps(bare)
        last = blocks[self.slots[-1]]
        times = {"slot": self.slots[-1], "blockTime": last["blockTime"]}
        self._transactions = {
            one["transaction"]["signatures"][0]: orjson.dumps({**one, **times}) for one in last["transactions"]
        }
        self._signatures = orjson.dumps(
            [{**times, "signature": one, "err": None, "memo": None} for one in self._transactions]
        )

    def result(self, method: str, params: list[Any]) -> bytes:
        """The result of a request. solana-py asks for whole blocks with null."""
        if method == "getBlock":
            return self._blocks[params[0], params[1]["transactionDetails"] or "full"]
        if method == "getTransaction":
            return self._transactions[params[0]]
        if method == "getSignaturesForAddress":
            return self._signatures
        if method == "getBlocks":
            return orjson.dumps([slot for slot in self.slots if params[0] <= slot <= params[1]])
        if method == "getBlocksWithLimit":
            return orjson.dumps([slot for slot in self.slots if params[0] <= slot][: params[1]])
        if method == "getMultipleAccounts":
            return orjson.dumps({"context": {"slot": self.slots[-1]}, "value": [None] * len(params[0])})
        return orjson.dumps({"getGenesisHash": GENESIS, "getSlot": self.slots[-1]}[method])

    def full(self) -> list[bytes]:
        """The results about whole blocks."""
        return [self._blocks[slot, "full"] for slot in self.slots]


def serve(answers: Answers) -> None:
    """Answer until the process is ended; the first line printed is the port."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_POST(self) -> None:
            asked = orjson.loads(self.rfile.read(int(self.headers["Content-Length"])))
            items = [
                b'{"jsonrpc":"2.0","result":%b,"id":%b}'
                % (answers.result(one["method"], one.get("params", [])), orjson.dumps(one["id"]))
                for one in (asked if isinstance(asked, list) else [asked])
            ]
            body = b"[" + b",".join(items) + b"]" if isinstance(asked, list) else items[0]
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    print(server.server_address[1], flush=True)
    server.serve_forever()


def main() -> None:
    """Serve a chain."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--blocks", type=int, default=60)
    parser.add_argument("--transactions", type=int, default=1000)
    arguments = parser.parse_args()
    serve(Answers(make_blocks(arguments.blocks, arguments.transactions)))


if __name__ == "__main__":
    main()
