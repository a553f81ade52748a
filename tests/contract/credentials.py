"""Credentials for the calls: an API key, and sessions of wallets that sign in through the API."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import urlsplit

import httpx
from eth_account import Account
from eth_account.messages import encode_defunct

from api.accounts.service import Accounts
from api.ops.demo.guide import RunningDemo
from api.security.scopes import KeyScope
from warehouse import engines
from warehouse.settings import EngineSettings

PLAN = "developer"


@dataclass(frozen=True, slots=True)
class Credentials:
    """An API key, and a session of another account, whose wallet owns the demo's registration. The operations
    in ``passing`` have sessions of other accounts: those that end sessions, so that they cannot end the others', and
    those of the wallet that makes offers."""

    api_key: str
    session: str
    passing: Mapping[str, str] = field(default_factory=dict)


def gather(place: RunningDemo, data_dir: Path, ending: Iterable[str], offering: Iterable[str]) -> Credentials:
    """Credentials for a demo in ``data_dir``, with a separate session for each operation in ``ending``, and one of the
    demo's offerer for those in ``offering``."""
    database = engines.locate(EngineSettings(data_dir=data_dir, database_url=None)).database_url
    accounts = Accounts(database)
    with httpx.Client(base_url=place.api_url, timeout=30) as client:
        offerer = _sign_in(client, accounts, place, place.offerer_private_key)
        return Credentials(
            accounts.create_key(Account.create().address, PLAN, "contract", scopes=list(KeyScope)).key,
            _sign_in(client, accounts, place, place.private_key),
            {
                **{name: _sign_in(client, accounts, place, Account.create().key) for name in ending},
                **dict.fromkeys(offering, offerer),
            },
        )


def _sign_in(client: httpx.Client, accounts: Accounts, place: RunningDemo, private_key: str | bytes) -> str:
    """Sign a wallet in and give its account the plan that webhooks need. Returns the access token."""
    wallet = Account.from_key(private_key)
    nonce = client.get("/api/v2/auth/nonce").json()["nonce"]
    message = (
        f"{urlsplit(place.api_url).netloc} wants you to sign in with your Ethereum account:\n{wallet.address}\n\n\n"
        f"URI: {place.api_url}\nVersion: 1\nChain ID: {place.chain_id}\nNonce: {nonce}\n"
        f"Issued At: {datetime.now(UTC).isoformat(timespec='seconds').replace('+00:00', 'Z')}"
    )
    signature = Account.sign_message(encode_defunct(text=message), wallet.key).signature
    body = {"message": message, "signature": f"0x{signature.hex().removeprefix('0x')}"}
    answer = client.post("/api/v2/auth/login/siwe", json=body)
    assert answer.status_code == 200, answer.text
    accounts.set_plan(wallet.address, PLAN)
    token: str = answer.json()["accessToken"]
    return token
