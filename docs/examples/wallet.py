"""What a wallet does in a claim, for shells: it signs a message, or signs and sends a transaction.

    python docs/examples/wallet.py sign < message.txt       # prints the signature (personal_sign)
    python docs/examples/wallet.py send < transaction.json  # prints the hash of the transaction

Needs ``httpx`` and ``eth-account``. ``PRIVATE_KEY`` is the wallet's key, which never leaves this process, and ``NODE``
the address of a node. The transaction is the ``transaction`` that ``POST /claim`` builds.
"""

import json
import os
import sys
from typing import Any

import httpx
from eth_account import Account
from eth_account.messages import encode_defunct


def call_node(method: str, *params: Any) -> Any:
    """One JSON-RPC call."""
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": list(params)}
    answer = httpx.post(os.environ["NODE"], json=body, timeout=30).json()
    if "error" in answer:
        raise SystemExit(f"{method}: {answer['error']['message']}")
    return answer["result"]


def sign(text: str) -> str:
    """The wallet's signature of a text."""
    signature: str = wallet.sign_message(encode_defunct(text=text)).signature.to_0x_hex()
    return signature


def send(unsigned: dict[str, Any]) -> str:
    """Add nonce and fees, sign, and hand the transaction to the node."""
    price = int(call_node("eth_gasPrice"), 16)
    signed = wallet.sign_transaction(
        {
            "to": unsigned["to"],
            "data": unsigned["data"],
            "value": int(unsigned["value"], 16),
            "chainId": unsigned["chainId"],
            "gas": int(unsigned["gasLimit"], 16),
            "nonce": int(call_node("eth_getTransactionCount", wallet.address, "pending"), 16),
            "maxFeePerGas": 2 * price,
            "maxPriorityFeePerGas": price // 10,
        }
    )
    transaction_hash: str = call_node("eth_sendRawTransaction", signed.raw_transaction.to_0x_hex())
    return transaction_hash


wallet = Account.from_key(os.environ["PRIVATE_KEY"])
given = sys.stdin.read()
if sys.argv[1:] == ["sign"]:
    print(sign(given.removesuffix("\n")))
elif sys.argv[1:] == ["send"]:
    print(send(json.loads(given)))
else:
    raise SystemExit(__doc__)
