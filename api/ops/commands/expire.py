"""``regalia expire``."""

import json
from dataclasses import asdict

from api.ops.commands.opened import open_services
from api.registrations.expiring import advance, find_announced, find_inactive
from api.services import Services
from api.settings import load
from warehouse import postgres
from warehouse.chains.facts import ChainFactsError
from warehouse.clickhouse import Warehouse


def expire_inactive(chain_key: str, days: int | None, submit: bool) -> None:
    """Print registrations that were inactive throughout as lines of JSON; with ``submit`` make their next step."""
    services = Services.of(load())
    chain = services.chains.find(chain_key)
    if chain is None or "registry" not in chain.contracts:
        raise ChainFactsError(f"chain {chain_key!r} is not one with a registry in the file of REGALIA_CHAINS")
    if not chain.has_heartbeats:
        raise ChainFactsError(f"chain {chain.key!r} has no heartbeats: no registration there becomes inactive")
    payer = services.payer if submit else None
    with (
        open_services(services),
        postgres.connect(services.urls.database_url, autocommit=True) as store,
        Warehouse.connect(services.urls.clickhouse_url) as warehouse,
    ):
        found = {
            one.token_id: one
            for one in find_inactive(store, warehouse, chain, days=days or services.settings.expiry_days)
        }
        announced = find_announced(store, chain)
    if payer is None:
        for one in found.values():
            print(json.dumps({**asdict(one), "transaction": None}))
        return
    for step in advance(chain, services.signer, payer, sorted(found), announced):
        known = asdict(found[step.token_id]) if step.token_id in found else {}
        print(json.dumps({**known, **asdict(step)}), flush=True)
