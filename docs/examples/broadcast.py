"""Sends a message to a token's holders: they subscribe, the owner sends, they read it.

    python docs/examples/broadcast.py --api http://127.0.0.1:8000 --api-key KEY --chain base --symbol PEPE \
        --segment all --owner-key 0x... --holder-key 0x... --holder-key 0x...

Needs ``httpx``, ``eth-account``, and ``calls.py`` and ``sign_in.py`` beside it. Here owner and holders act in turn; in
life each does its own part. The owner's key can also come from ``OWNER_PRIVATE_KEY``.
"""

import argparse
import os
import time
from uuid import uuid4

import httpx
from calls import TIMEOUT_SECONDS, ask, signed_in
from eth_account import Account
from eth_account.signers.local import LocalAccount


def subscribe(api: httpx.Client, holder: LocalAccount, token_id: int, chain: str) -> None:
    """A holder subscribes to the token's page, to be reached in its inbox."""
    wanted = {"wallet": holder.address, "channels": ["inapp"]}
    ask(api.put(f"/registration/{token_id}/subscription", params={"chain": chain}, json=wanted))
    print(f"{holder.address} subscribed")


def broadcast(api: httpx.Client, owner: LocalAccount, token_id: int, chain: str, segment: str) -> str:
    """The owner looks whom the message would reach, and sends it; its id."""
    audience = {"crownChain": chain, "segments": [segment], "channels": ["inapp"]}
    reached = ask(api.post(f"/broadcasts/{token_id}/preview", json=audience))
    print(f"segment {segment}: {reached['recipientCount']} recipients")
    message = {
        **audience,
        "wallet": owner.address,
        "type": "update",
        "title": "Version 2 is live",
        "body": "Everything you hold works with it; nothing is to be done.",
    }
    # With the key a repeated request, such as after a timeout, sends once.
    headers = {"Idempotency-Key": str(uuid4())}
    sent = ask(api.post(f"/broadcasts/{token_id}", json=message, headers=headers))
    print(f"broadcast {sent['id']} is {sent['status']}, {sent['recipientCount']} recipients")
    broadcast_id: str = sent["id"]
    return broadcast_id


def wait_until_sent(api: httpx.Client, token_id: int, chain: str, broadcast_id: str) -> None:
    """Read what became of the broadcast, until it is sent."""
    deadline = time.monotonic() + TIMEOUT_SECONDS
    path = f"/broadcasts/{token_id}/messages/{broadcast_id}"
    while (sent := ask(api.get(path, params={"crownChain": chain})))["status"] != "sent":
        if sent["status"] not in ("queued", "sending") or time.monotonic() > deadline:
            raise SystemExit(f"the broadcast is {sent['status']}: {sent['explanation']}")
        time.sleep(0.5)
    print(f"it was sent to {sent['recipients']} recipients")


def read_inbox(api: httpx.Client, holder: LocalAccount, token_id: int) -> None:
    """A holder reads the inbox."""
    inbox = ask(api.get("/inbox"))
    newest = next(message for message in inbox["messages"] if message["tokenId"] == token_id)
    left = ask(api.post("/inbox/read", json={"ids": [newest["id"]]}))
    print(f"{holder.address} read {newest['title']!r}: {inbox['unread']} unread before, {left['unread']} after")


def main() -> None:
    """Subscribe, send, read."""
    parser = argparse.ArgumentParser(description="Send a message to a token's holders.")
    parser.add_argument("--api", default="http://127.0.0.1:8000", help="address of the service")
    parser.add_argument("--api-key", required=True)
    parser.add_argument("--chain", default="base")
    parser.add_argument("--symbol", required=True)
    parser.add_argument("--segment", default="all", help="whom it is for: docs/broadcasts.md")
    parser.add_argument("--owner-key", default=os.environ.get("OWNER_PRIVATE_KEY"))
    parser.add_argument("--holder-key", action="append", required=True, help="a holder who subscribes and reads")
    arguments = parser.parse_args()
    if not arguments.owner_key:
        parser.error("name the owner's wallet with --owner-key or OWNER_PRIVATE_KEY")

    owner = Account.from_key(arguments.owner_key)
    holders = [Account.from_key(key) for key in arguments.holder_key]
    sessions = [signed_in(arguments.api, holder) for holder in holders]
    with signed_in(arguments.api, owner, arguments.api_key) as api:
        token_id = ask(api.get(f"/registration/{arguments.symbol}/{arguments.chain}"))["tokenId"]
        for holder, session in zip(holders, sessions, strict=True):
            subscribe(session, holder, token_id, arguments.chain)
        broadcast_id = broadcast(api, owner, token_id, arguments.chain, arguments.segment)
        wait_until_sent(api, token_id, arguments.chain, broadcast_id)
        for holder, session in zip(holders, sessions, strict=True):
            read_inbox(session, holder, token_id)


if __name__ == "__main__":
    main()
