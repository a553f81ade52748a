"""Baselines that the index is compared with, each in its own process: ``python -m tests.bench.baselines NAME ...``.

``fetch`` repeats every request of the index from as many threads, and parses the logs of each answer with
``polars.read_json`` (one document with all logs takes ten times as long). It also times the parse alone. ``web3`` is
the usual first implementation, ``get_logs`` and ``process_log``, over a sample of the same logs. Each prints one line
of JSON.
"""

import argparse
import http.client
import json
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import msgspec

TRANSFER = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"
DEPOSIT = "0xe1fffcc4923d04b559f4d29a8bfc6cda04eb5b0d3c460751c2402c5c5cc9109c"
WITHDRAWAL = "0x7fcf532c15f0a6db0bd6d0e038bea71d30d808c7d98cb3bf7268a95bf5081b65"
V2_SWAP = "0xd78ad95fa46c994b6551d0da85fc275fe613ce37657fb8d5e3d130840159d822"
V2_SYNC = "0x1c411e9a96e071241c2f21f7726b17ae89e3cab4c78be50e062b03a9fffbbad1"
V3_SWAP = "0xc42079f94a6350d7e6235f29174924f928cc2ac818eb64fed8004e115fbcca67"


class Envelope(msgspec.Struct):
    """A JSON-RPC answer with its result left unparsed."""

    result: msgspec.Raw


def fetch(port: int, requests: list[bytes], threads: int) -> dict[str, Any]:
    """Seconds to repeat all requests and parse their logs with Polars, and seconds of the parse alone."""
    import polars

    schema = dict.fromkeys(
        ("address", "data", "blockNumber", "transactionHash", "blockHash", "logIndex", "blockTimestamp"), polars.String
    ) | {"topics": polars.List(polars.String)}
    local = threading.local()

    def post(body: bytes) -> bytes:
        connection = getattr(local, "connection", None)
        if connection is None:
            connection = local.connection = http.client.HTTPConnection("127.0.0.1", port)
        connection.request("POST", "/", body, {"content-type": "application/json"})
        answer: bytes = connection.getresponse().read()
        return answer

    started = time.perf_counter()
    with ThreadPoolExecutor(threads) as pool:
        answers = list(pool.map(post, requests))
    fetched = time.perf_counter()
    parts = []
    for request, answer in zip(requests, answers, strict=True):
        if b"eth_getLogs" not in request or b'"error"' in answer[:60]:
            continue
        if answer.startswith(b"["):
            arrays = [bytes(one.result) for one in msgspec.json.decode(answer, type=list[Envelope])]
        else:
            arrays = [answer[answer.index(b"[") : answer.rindex(b"]") + 1]]
        parts += [array for array in arrays if len(array) > 2]
    parsing = time.perf_counter()
    logs = sum(polars.read_json(part, schema=schema).height for part in parts)
    parse_seconds = time.perf_counter() - parsing
    return {
        "seconds": fetched - started + parse_seconds,
        "fetch_seconds": fetched - started,
        "parse_seconds": parse_seconds,
        "logs": logs,
        "bytes": sum(map(len, answers)),
    }


def web3_loop(url: str, sample: int, block_step: int) -> dict[str, Any]:
    """Seconds of ``get_logs`` and ``process_log`` for the first ``sample`` logs."""
    from web3 import Web3
    from web3._utils.events import get_event_data
    from web3.exceptions import LogTopicError

    web3 = Web3(Web3.HTTPProvider(url))
    abis = {
        topic: _event(name, inputs)
        for topic, name, inputs in (
            (TRANSFER, "Transfer", "address* from,address* to,uint256 value"),
            (V2_SWAP, "Swap", "address* sender,uint256 a,uint256 b,uint256 c,uint256 d,address* to"),
            (V2_SYNC, "Sync", "uint112 reserve0,uint112 reserve1"),
            (V3_SWAP, "Swap", "address* s,address* r,int256 a,int256 b,uint160 p,uint128 l,int24 t"),
        )
    }
    contract = web3.eth.contract(abi=list(abis.values())[:1])
    process = contract.events.Transfer().process_log
    head = web3.eth.block_number
    done, first = 0, 0
    started = time.perf_counter()
    while done < sample and first <= head:
        last = min(head, first + block_step - 1)
        logs = web3.eth.get_logs({"fromBlock": first, "toBlock": last, "topics": [list(abis)]})
        for log in logs:
            topic = "0x" + log["topics"][0].hex().removeprefix("0x")
            try:
                if topic == TRANSFER:
                    process(log)
                else:
                    get_event_data(web3.codec, abis[topic], log)
            except LogTopicError:  # another standard's event of the same name
                continue
            done += 1
            if done == sample:
                break
        first = last + 1
    return {"seconds": time.perf_counter() - started, "logs": done}


def _event(name: str, inputs: str) -> Any:
    fields = []
    for part in inputs.split(","):
        kind, field = part.split()
        fields.append({"name": field, "type": kind.rstrip("*"), "indexed": kind.endswith("*")})
    return {"type": "event", "name": name, "anonymous": False, "inputs": fields}


def main() -> None:
    """Run one baseline from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name", choices=["fetch", "web3"])
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--threads", type=int, default=4)
    parser.add_argument("--sample", type=int, default=20_000)
    parser.add_argument("--block-step", type=int, default=20)
    arguments = parser.parse_args()
    if arguments.name == "fetch":
        requests = [body.encode() for body in json.load(sys.stdin)]
        result = fetch(arguments.port, requests, arguments.threads)
    else:
        result = web3_loop(f"http://127.0.0.1:{arguments.port}", arguments.sample, arguments.block_step)
    print(json.dumps(result))


if __name__ == "__main__":
    main()
