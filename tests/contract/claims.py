"""An unfinished claim: an unregistered token of the demo's wallet, and the wallet's proof of control."""

from dataclasses import dataclass
from typing import Any

import httpx
from eth_account import Account
from eth_account.messages import encode_defunct
from eth_account.signers.local import LocalAccount

from api.ops.demo.guide import RunningDemo
from indexer.devchain import artifacts
from tests.fixtures.waiting import wait_until

SYMBOL = "SPARE"
_GAS = 3_000_000
_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class BegunClaim:
    """Inputs of the claim's steps. The signature is valid for ten minutes, the proof for a day."""

    symbol: str
    token: str
    wallet: str
    signature: str
    timestamp: int
    proof_hash: str


def begin(place: RunningDemo) -> BegunClaim:
    """Deploy a token with the demo's wallet and prove control of it."""
    wallet: LocalAccount = Account.from_key(place.private_key)
    claim = {"symbol": SYMBOL, "chainId": place.chain_id, "tokenAddress": _deploy(place, wallet)}
    headers = {"X-API-Key": place.api_key}
    with httpx.Client(base_url=f"{place.api_url}/api/v2/claim", headers=headers, timeout=30) as api:
        asked = api.post("/message", json={**claim, "claimerAddress": wallet.address}).json()
        signed = wallet.sign_message(encode_defunct(text=asked["message"])).signature.to_0x_hex()
        verdict = api.post(
            "/verify",
            json={**claim, "walletAddress": wallet.address, "signature": signed, "timestamp": asked["timestamp"]},
        ).json()
    assert verdict["verified"], verdict
    return BegunClaim(
        SYMBOL, str(claim["tokenAddress"]), wallet.address, signed, asked["timestamp"], verdict["proofHash"]
    )


def _deploy(place: RunningDemo, wallet: LocalAccount) -> str:
    """Deploy a token whose supply the wallet holds. Returns its address."""
    transaction = {
        "data": artifacts.load("PlainToken").deployment("Spare token", SYMBOL, 18, 10**24, wallet.address),
        "value": 0,
        "gas": _GAS,
        "gasPrice": 2 * int(_call(place, "eth_gasPrice"), 16),
        "chainId": place.chain_id,
        "nonce": int(_call(place, "eth_getTransactionCount", wallet.address, "pending"), 16),
    }
    sent = _call(place, "eth_sendRawTransaction", wallet.sign_transaction(transaction).raw_transaction.to_0x_hex())
    wait_until(lambda: _call(place, "eth_getTransactionReceipt", sent) is not None, "a token is deployed", _SECONDS)
    return str(_call(place, "eth_getTransactionReceipt", sent)["contractAddress"])


def _call(place: RunningDemo, method: str, *params: object) -> Any:
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": list(params)}
    return httpx.post(place.rpc_url, json=body, timeout=30).json()["result"]
