"""Takes a registration over for a price: offer, acceptance, consent, settlement, until the deal is complete.

    python docs/examples/deal.py --api http://127.0.0.1:8000 --api-key KEY --rpc http://127.0.0.1:8545 \
        --chain base --chain-id 8453 --symbol PEPE --amount 250000 --currency USDC \
        --offerer-key 0x... --holder-key 0x...

Needs ``httpx``, ``eth-account``, and ``calls.py`` and ``sign_in.py`` beside it. Here both parties act in turn; in life
each does its own part. The keys can also come from ``OFFERER_PRIVATE_KEY`` and ``HOLDER_PRIVATE_KEY``.
"""

import argparse
import os
import time
from typing import Any

import httpx
from calls import ask, send, signed_in, wait_until_mined
from eth_account import Account
from eth_account.messages import encode_typed_data
from eth_account.signers.local import LocalAccount


def make_offer(api: httpx.Client, offerer: LocalAccount, offer: dict[str, Any]) -> str:
    """The offerer shows the funds and makes the offer; the id of the deal."""
    wanted = {
        "walletAddress": offerer.address,
        "currency": offer["agreed_currency"],
        "offerAmount": float(offer["agreed_amount"]),
        "chainId": offer["chain_id"],
    }
    shown = ask(api.post("/deals/verify-funds", json=wanted))
    if not shown["verified"]:
        raise SystemExit(f"the offerer lacks {shown['shortfall']} of {shown['requiredAmount']} base units")
    made = ask(api.post("/deals/offer", json={**offer, "buyer_address": offerer.address}))
    deal_id: str = made["dealId"]
    print(f"{offerer.address} offered {offer['agreed_amount']} {offer['agreed_currency']}: deal {deal_id}")
    return deal_id


def consent(api: httpx.Client, deal_id: str, holder: LocalAccount) -> None:
    """The holder signs the consent: this offerer becomes the owner, for this price, until a deadline."""
    given = ask(api.get(f"/deals/{deal_id}/consent"))
    document = given["document"]
    for field in document["types"][document["primaryType"]]:
        if field["type"] == "uint256":  # as text, since JSON readers round large numbers
            document["message"][field["name"]] = int(document["message"][field["name"]])
    signature = holder.sign_message(encode_typed_data(full_message=document)).signature.to_0x_hex()
    answer = {"nonce": given["nonce"], "deadline": given["deadline"], "signature": signature}
    ask(api.post(f"/deals/{deal_id}/consent", json=answer))


def settle(api: httpx.Client, deal_id: str, rpc_url: str, offerer: LocalAccount) -> None:
    """The offerer sends the transaction that pays the holder and takes the registration over, within two minutes."""
    built = ask(api.post(f"/deals/{deal_id}/settlement"))
    if built["approval"] is not None:
        wait_until_mined(rpc_url, send(rpc_url, offerer, built["approval"]))
    transaction_hash = send(rpc_url, offerer, built["transaction"])
    print(f"settled by {transaction_hash}")
    wait_until_mined(rpc_url, transaction_hash)
    ask(api.post(f"/deals/{deal_id}/settlement/confirm", json={"txHash": transaction_hash}))


def wait_for(api: httpx.Client, deal_id: str, stage: str, seconds: float) -> dict[str, Any]:
    """Read the deal until it is in a stage; one that ends otherwise ends the script."""
    deadline = time.monotonic() + seconds
    while (deal := ask(api.get(f"/deals/{deal_id}")))["stage"] != stage:
        if deal["stage"] in ("completed", "closed"):
            raise SystemExit(f"the deal is {deal['status']}: {deal.get('failure_reason')}")
        if time.monotonic() > deadline:
            raise SystemExit(f"the deal is {deal['stage']} until {deal['deadline']}")
        time.sleep(1)
    return deal


def main() -> None:
    """Run the deal."""
    parser = argparse.ArgumentParser(description="Take a registration over for a price.")
    parser.add_argument("--api", default="http://127.0.0.1:8000", help="address of the service")
    parser.add_argument("--api-key", required=True)
    parser.add_argument("--rpc", required=True, help="a node of the registration's chain")
    parser.add_argument("--chain", default="base")
    parser.add_argument("--chain-id", type=int, default=8453)
    parser.add_argument("--symbol", required=True)
    parser.add_argument("--amount", required=True, help="the price in whole units")
    parser.add_argument("--currency", default="USDC", help="USDC, USDT, ETH or a token's address")
    parser.add_argument("--offerer-key", default=os.environ.get("OFFERER_PRIVATE_KEY"))
    parser.add_argument("--holder-key", default=os.environ.get("HOLDER_PRIVATE_KEY"))
    parser.add_argument("--patience", type=float, default=300, help="seconds to wait for each stage")
    arguments = parser.parse_args()
    if not arguments.offerer_key or not arguments.holder_key:
        parser.error("name the parties with --offerer-key and --holder-key, or in the environment")

    offerer, holder = Account.from_key(arguments.offerer_key), Account.from_key(arguments.holder_key)
    offer = {
        "deal_type": "buyout",
        "symbol": arguments.symbol,
        "chain_id": arguments.chain_id,
        "agreed_amount": arguments.amount,
        "agreed_currency": arguments.currency,
        "message": "We would like to take this over.",
    }
    with (
        signed_in(arguments.api, offerer, arguments.api_key) as offering,
        signed_in(arguments.api, holder, arguments.api_key) as holding,
    ):
        deal_id = make_offer(offering, offerer, offer)
        answer = {"response_message": "Agreed."}
        accepted = ask(holding.post(f"/deals/{deal_id}/accept", json=answer))["deal"]
        print(f"{holder.address} accepted; announced until {accepted['deadline']}")
        wait_for(holding, deal_id, "awaiting_consent", arguments.patience)
        consent(holding, deal_id, holder)
        print("the holder consented")
        settle(offering, deal_id, arguments.rpc, offerer)
        wait_for(offering, deal_id, "completed", arguments.patience)
        registration = ask(offering.get(f"/registration/{arguments.symbol}/{arguments.chain}"))
        print(
            f"the deal is complete: registration {registration['tokenId']} of {arguments.symbol} "
            f"is owned by {registration['owner']}"
        )


if __name__ == "__main__":
    main()
