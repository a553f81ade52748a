"""Solana's client libraries read a registration, see the same holding, and sign in as its owner."""

import asyncio
import json
import subprocess
from pathlib import Path

import pytest
from solders.keypair import Keypair
from solders.pubkey import Pubkey
from spl.token.constants import TOKEN_2022_PROGRAM_ID, TOKEN_PROGRAM_ID

from indexer.devchain.nodejs import find_node
from indexer.devchain.solana.surfpool import Surfpool
from tests.factories.tokens import publish
from tests.fixtures.checkout import CHECKOUT
from tests.fixtures.http_server import serving_http
from tests.fixtures.service import Serve
from tests.fixtures.sign_in import SITE
from tests.fixtures.solana_reads import MANAGER, PROGRAM, SOLANA, add_solana_registration, solana_address, solana_token
from tests.fixtures.spl_token import Token
from warehouse.clickhouse import Warehouse
from warehouse.postgres import Connection

pytestmark = pytest.mark.slow
SCRIPT = CHECKOUT / "tests" / "fixtures" / "clients" / "solana_reads.mjs"


@pytest.mark.parametrize("program", [TOKEN_PROGRAM_ID, TOKEN_2022_PROGRAM_ID], ids=["spl_token", "token_2022"])
async def test_client_libraries_agree_with_what_is_served(
    serve: Serve, store: Connection, warehouse: Warehouse, warehouse_url: str, tmp_path: Path, surfpool: Surfpool,
    program: Pubkey,
) -> None:  # fmt: skip
    token = Token(surfpool, program).create()
    owner, mint = token.wallet, str(token.mint.pubkey())
    register(store, warehouse, owner, mint)
    chains = tmp_path / "chains.toml"
    chains.write_text(
        f'[chains.solana]\ncaip2 = "{surfpool.caip2}"\n'
        f'rpc_urls = ["{surfpool.url}"]\n[chains.solana.contracts]\nregistry = "{PROGRAM}"\n'
    )
    node = find_node()
    assert node is not None
    async with (
        serve(chains=chains, clickhouse_url=warehouse_url, site_url=SITE) as service,
        serving_http(service.app) as api,
    ):
        given = {
            "api": api, "site": SITE, "key": service.key, "rpc": surfpool.url, "program": str(program), "mint": mint,
            "symbol": "BONK", "secret": list(bytes(owner)),
        }  # fmt: skip
        done = await asyncio.create_subprocess_exec(
            node, SCRIPT, json.dumps(given), stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        output, errors = await done.communicate()
        assert done.returncode == 0, errors.decode()
    found, address = json.loads(output), str(owner.pubkey())
    assert found["owner"] == address
    people = [address, str(MANAGER.pubkey()), solana_address("maintainer")]
    assert found["addresses"] == sorted([mint, PROGRAM, *people])
    assert (found["holding"]["balance"], found["inAll"], found["inAssociated"]) == ("1234", "1234", "1000")
    assert found["holding"]["chainId"] == surfpool.caip2
    assert (found["outputHolds"], found["keyHolds"], found["wallets"]) == (True, True, [address])
    assert found["website"] == "https://bonk.example"


def register(store: Connection, warehouse: Warehouse, owner: Keypair, mint: str) -> None:
    """BONK, registered by a mint for an owner."""
    add_solana_registration(store, owner=str(owner.pubkey()), token_address=mint)
    store.execute("INSERT INTO chain_checkpoint (chain_id, generation, block_number) VALUES (%s, 1, 77)", (SOLANA,))
    row = solana_token(
        "BONK", mint, registered=True, registration_token_id=7, registration_owner=bytes(owner.pubkey()),
        registry_address=bytes(Pubkey.from_string(PROGRAM)), heartbeat_score=None,
    )  # fmt: skip
    publish(warehouse, [row], chains=(SOLANA,))
