"""``regalia expire``."""

import json
import os
from dataclasses import asdict

from eth_account import Account
from eth_account.signers.local import LocalAccount

from api.ops.commands.opened import open_services
from api.registrations.expiring import expire, find_inactive
from api.services import Services
from api.settings import load
from indexer.contracts.sending import SendError
from warehouse import postgres
from warehouse.chains.facts import ChainFactsError
from warehouse.clickhouse import Warehouse

PRIVATE_KEY_NAME = "REGALIA_PRIVATE_KEY"


def expire_inactive(chain_key: str, days: int | None, submit: bool) -> None:
    """Print registrations that were inactive throughout, one line of JSON each; with ``submit`` expire them."""
    services = Services.of(load())
    chain = services.chains.find(chain_key)
    if chain is None or "registry" not in chain.contracts:
        raise ChainFactsError(f"chain {chain_key!r} is not one with a registry in the file of REGALIA_CHAINS")
    payer = _payer() if submit else None
    with (
        open_services(services),
        postgres.connect(services.urls.database_url, autocommit=True) as store,
        Warehouse.connect(services.urls.clickhouse_url) as warehouse,
    ):
        found = find_inactive(store, warehouse, chain, days=days or services.settings.expiry_days)
    for one in found:
        hashes = expire(chain, services.signer, payer, [one]) if payer is not None else []
        print(json.dumps({**asdict(one), "transaction": hashes[0] if hashes else None}))


def _payer() -> LocalAccount:
    text = os.environ.get(PRIVATE_KEY_NAME, "").strip()
    try:
        account: LocalAccount = Account.from_key(bytes.fromhex(text.removeprefix("0x")))
    except ValueError:  # its text may show the key
        raise SendError(f"{PRIVATE_KEY_NAME} must hold the key that pays, in hexadecimal") from None
    return account
