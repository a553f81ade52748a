"""Signs in with an EVM wallet and prints the session's access token.

    python docs/examples/sign_in.py --api http://127.0.0.1:8000 --site https://crowns.example --private-key 0x...

Needs ``httpx`` and ``eth-account``. The private key never leaves this process. It can also come from
``SIGN_IN_PRIVATE_KEY``.
"""

import argparse
import os
from datetime import UTC, datetime
from urllib.parse import urlsplit

import httpx
from eth_account import Account
from eth_account.messages import encode_defunct
from eth_account.signers.local import LocalAccount


def sign_in(api_url: str, wallet: LocalAccount, site: str | None = None, chain_id: int = 1) -> str:
    """Ask for a nonce, sign the message with it, hand it in; the access token of the session."""
    site = (site or api_url).rstrip("/")
    with httpx.Client(base_url=f"{api_url.rstrip('/')}/api/v2/auth", timeout=30) as auth:
        message = "\n".join(
            (
                f"{urlsplit(site).netloc} wants you to sign in with your Ethereum account:",
                wallet.address,
                "",
                "Sign in.",
                "",
                f"URI: {site}",
                "Version: 1",
                f"Chain ID: {chain_id}",
                f"Nonce: {auth.get('/nonce').raise_for_status().json()['nonce']}",
                f"Issued At: {datetime.now(UTC).isoformat(timespec='milliseconds').replace('+00:00', 'Z')}",
            )
        )
        signature = wallet.sign_message(encode_defunct(text=message)).signature.to_0x_hex()
        answer = auth.post("/login/siwe", json={"message": message, "signature": signature})
    if answer.is_error:
        raise SystemExit(f"{answer.status_code}: {answer.json()['error']}")
    token: str = answer.json()["accessToken"]
    return token


def main() -> None:
    """Sign in and print the access token."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--api", required=True, help="the API's address")
    parser.add_argument("--site", help="the site's address, which the message names; default: the API's")
    parser.add_argument("--chain-id", type=int, default=1)
    parser.add_argument("--private-key", default=os.environ.get("SIGN_IN_PRIVATE_KEY"))
    options = parser.parse_args()
    if not options.private_key:
        parser.error("--private-key or SIGN_IN_PRIVATE_KEY is needed")
    print(sign_in(options.api, Account.from_key(options.private_key), options.site, options.chain_id))


if __name__ == "__main__":
    main()
