"""Claims a token's registration: prove control, sign the transaction the service builds, wait, read it back.

    python docs/examples/claim.py --api http://127.0.0.1:8000 --api-key KEY --rpc http://127.0.0.1:8545 \
        --chain base --chain-id 8453 --symbol PEPE --token 0x... --private-key 0x...

Needs ``httpx``, ``eth-account``, and ``calls.py`` and ``sign_in.py`` beside it. The private key never leaves this
process: the service sees a signature of a message and, through the node, the signed transaction. The key can also come
from ``CLAIM_PRIVATE_KEY``.
"""

import argparse
import os
import time
from typing import Any

import httpx
from calls import TIMEOUT_SECONDS, ask, number, send
from eth_account import Account
from eth_account.messages import encode_defunct
from eth_account.signers.local import LocalAccount


def prove_control(api: httpx.Client, wallet: LocalAccount, claim: dict[str, Any]) -> str:
    """Sign the service's message with the wallet; the answer is the hash of the proof, good for 24 hours."""
    message = ask(api.post("/claim/message", json={**claim, "claimerAddress": wallet.address}))
    signature = wallet.sign_message(encode_defunct(text=message["message"])).signature.to_0x_hex()
    verdict = ask(
        api.post(
            "/claim/verify",
            json={
                **claim,
                "walletAddress": wallet.address,
                "signature": signature,
                "timestamp": message["timestamp"],
            },
        )
    )
    if not verdict["verified"]:
        raise SystemExit(f"not verified: {verdict['message']}")
    print(f"control proved as {verdict['verificationMethod']}")
    proof: str = verdict["proofHash"]
    return proof


def wait_for(api: httpx.Client, transaction_hash: str, chain_id: int) -> dict[str, Any]:
    """Poll the claim's status until the transaction is confirmed."""
    deadline = time.monotonic() + TIMEOUT_SECONDS
    while time.monotonic() < deadline:
        response = api.get(f"/claim/status/{transaction_hash}", params={"chainId": chain_id})
        # A node may need a moment to show a transaction it has just accepted.
        status = {"status": "pending"} if response.status_code == 404 else ask(response)
        if status["status"] == "failed":
            raise SystemExit(f"transaction {transaction_hash} failed")
        if status["status"] == "confirmed":
            return status
        time.sleep(1)
    raise SystemExit(f"transaction {transaction_hash} is not confirmed after {TIMEOUT_SECONDS} seconds")


def main() -> None:
    """Run the claim."""
    parser = argparse.ArgumentParser(description="Claim the registration of a token you control.")
    parser.add_argument("--api", default="http://127.0.0.1:8000", help="address of the service")
    parser.add_argument("--api-key", required=True)
    parser.add_argument("--rpc", required=True, help="a node of the token's chain")
    parser.add_argument("--chain", default="base")
    parser.add_argument("--chain-id", type=int, default=8453)
    parser.add_argument("--symbol", required=True)
    parser.add_argument("--token", required=True)
    parser.add_argument("--private-key", default=os.environ.get("CLAIM_PRIVATE_KEY"))
    arguments = parser.parse_args()
    if not arguments.private_key:
        parser.error("name the wallet with --private-key or CLAIM_PRIVATE_KEY")

    wallet: LocalAccount = Account.from_key(arguments.private_key)
    claim = {"symbol": arguments.symbol, "chainId": arguments.chain_id, "tokenAddress": arguments.token}
    with httpx.Client(base_url=f"{arguments.api}/api/v2", headers={"X-API-Key": arguments.api_key}, timeout=30) as api:
        proof = prove_control(api, wallet, claim)
        built = ask(api.post("/claim", json={**claim, "walletAddress": wallet.address, "proofHash": proof}))
        unsigned = built["transaction"]
        print(f"unsigned transaction to {unsigned['to']}, fee {number(unsigned['value'])} wei")
        transaction_hash = send(arguments.rpc, wallet, unsigned)
        print(f"sent {transaction_hash}")
        status = wait_for(api, transaction_hash, arguments.chain_id)
        print(f"{status['status']} in block {status['blockNumber']}")
        registration = ask(api.get(f"/registration/{arguments.symbol}/{arguments.chain}"))
        print(
            f"{arguments.symbol} on {arguments.chain}: registration {registration['tokenId']} "
            f"is owned by {registration['owner']}, status {registration['status']}"
        )


if __name__ == "__main__":
    main()
