"""Calls of the service and of a node, for the other examples in Python; copy it together with them.

Needs ``httpx`` and ``eth-account``. A private key never leaves the process: the service sees signatures, the node
signed transactions.
"""

import time
from typing import Any

import httpx
from eth_account.signers.local import LocalAccount
from sign_in import sign_in

TIMEOUT_SECONDS = 120


def ask(response: httpx.Response) -> dict[str, Any]:
    """The JSON of an answer; an error answer ends the script with what the service said."""
    body: dict[str, Any] = response.json()
    if response.is_error:
        raise SystemExit(f"{response.request.url.path}: {response.status_code} {body.get('code')}: {body.get('error')}")
    return body


def signed_in(api_url: str, wallet: LocalAccount, api_key: str | None = None) -> httpx.Client:
    """A client of the service with a session of the wallet, and the key where routes need one as well."""
    headers = {"Authorization": f"Bearer {sign_in(api_url, wallet)}"}
    if api_key is not None:
        headers["X-API-Key"] = api_key
    return httpx.Client(base_url=f"{api_url.rstrip('/')}/api/v2", headers=headers, timeout=30)


def call_node(rpc_url: str, method: str, *params: Any) -> Any:
    """One JSON-RPC call."""
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": list(params)}
    answer = httpx.post(rpc_url, json=body, timeout=30).json()
    if "error" in answer:
        raise SystemExit(f"{method}: {answer['error']['message']}")
    return answer["result"]


def number(value: str | int) -> int:
    """A quantity of the API: a number, decimal text or 0x text."""
    return value if isinstance(value, int) else int(value, 0)


def send(rpc_url: str, wallet: LocalAccount, unsigned: dict[str, Any]) -> str:
    """Add nonce, gas and fees to the unsigned transaction, sign it and hand it to a node."""
    value = number(unsigned["value"])
    call = {"from": wallet.address, "to": unsigned["to"], "data": unsigned["data"], "value": hex(value)}
    gas = number(call_node(rpc_url, "eth_estimateGas", call))
    price = number(call_node(rpc_url, "eth_gasPrice"))
    signed = wallet.sign_transaction(
        {
            "to": unsigned["to"],
            "data": unsigned["data"],
            "value": value,
            "chainId": unsigned["chainId"],
            "nonce": number(call_node(rpc_url, "eth_getTransactionCount", wallet.address, "pending")),
            "gas": gas + gas // 5,
            "maxFeePerGas": 2 * price,
            "maxPriorityFeePerGas": price // 10,
        }
    )
    transaction_hash: str = call_node(rpc_url, "eth_sendRawTransaction", signed.raw_transaction.to_0x_hex())
    return transaction_hash


def wait_until_mined(rpc_url: str, transaction_hash: str) -> None:
    """Wait for a transaction; one that failed ends the script."""
    deadline = time.monotonic() + TIMEOUT_SECONDS
    while (receipt := call_node(rpc_url, "eth_getTransactionReceipt", transaction_hash)) is None:
        if time.monotonic() > deadline:
            raise SystemExit(f"transaction {transaction_hash} is not mined after {TIMEOUT_SECONDS} seconds")
        time.sleep(0.5)
    if number(receipt["status"]) != 1:
        raise SystemExit(f"transaction {transaction_hash} failed")
