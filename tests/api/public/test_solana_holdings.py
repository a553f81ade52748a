"""What a wallet holds of an SPL token, read from a real node."""

from base64 import b64encode
from datetime import UTC, datetime
from pathlib import Path

import httpx
import pytest
from solders.keypair import Keypair
from solders.pubkey import Pubkey
from spl.token import instructions as spl
from spl.token import models
from spl.token.constants import TOKEN_2022_PROGRAM_ID, TOKEN_PROGRAM_ID
from starlette.applications import Starlette
from starlette.routing import Route

from indexer.devchain.solana.sender import Sender
from indexer.devchain.solana.surfpool import Surfpool
from tests.fixtures.canned_node import Node
from tests.fixtures.http_server import serving_http
from tests.fixtures.service import Serve, Service
from tests.fixtures.solana_claims import insert
from tests.fixtures.spl_token import Token
from warehouse.postgres import Connection

pytestmark = pytest.mark.slow
MAINNET = "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp"


@pytest.fixture
def chains(tmp_path: Path, surfpool: Surfpool) -> Path:
    return chains_file(tmp_path, surfpool.url, surfpool.caip2)


def chains_file(folder: Path, url: str, caip2: str) -> Path:
    path = folder / "chains.toml"
    path.write_text(f'[chains.solana]\ncaip2 = "{caip2}"\nrpc_urls = ["{url}"]\n')
    return path


async def holding(service: Service, token: object, wallet: object, chain: str = "solana") -> httpx.Response:
    service.services.public_reads._holdings.cache.clear()
    return await service.anonymous.get(f"/api/v2/public/holdings/{chain}/{token}/{wallet}")


async def balance(service: Service, token: Token, wallet: Keypair) -> int:
    answer = await holding(service, token.mint.pubkey(), wallet.pubkey())
    assert answer.status_code == 200, answer.text
    return int(answer.json()["balance"])


@pytest.mark.parametrize("program", [TOKEN_PROGRAM_ID, TOKEN_2022_PROGRAM_ID], ids=["spl_token", "token_2022"])
async def test_a_holding_is_the_sum_of_all_accounts_of_the_wallet(
    serve: Serve, chains: Path, surfpool: Surfpool, program: Pubkey
) -> None:
    token = Token(surfpool, program).create()
    mint, run = token.mint.pubkey(), Sender(surfpool).run
    async with serve(chains=chains) as service:
        answer = await holding(service, mint, token.wallet.pubkey())
        body = answer.json()
        reached = body.pop("asOf")
        assert body == {
            "chain": "solana", "chainId": surfpool.caip2, "token": str(mint), "wallet": str(token.wallet.pubkey()),
            "balance": "1234", "holds": True,
        }  # fmt: skip
        assert reached["block"] - surfpool.slot() in (0, 1)  # the node answers from the block that it is making
        assert reached["time"].startswith("20")
        assert answer.headers["cache-control"] == "public, max-age=30, stale-while-revalidate=30"
        assert await balance(service, token, token.other) == 5

        run(
            [
                spl.freeze_account(
                    models.FreezeAccountParams(
                        program_id=program, account=token.extra.pubkey(), mint=mint, authority=token.payer
                    )
                )
            ]
        )
        assert await balance(service, token, token.wallet) == 1_234
        source, target = token.associated(token.wallet), token.associated(token.other)
        moved = spl.transfer_checked(
            models.TransferCheckedParams(
                program_id=program,
                source=source,
                mint=mint,
                dest=target,
                owner=token.wallet.pubkey(),
                amount=1_000,
                decimals=6,
            )
        )
        run([moved], token.wallet)
        fee = 100 if program == TOKEN_2022_PROGRAM_ID else 0  # withheld: it is not the wallet's
        assert await balance(service, token, token.wallet) == 234
        assert await balance(service, token, token.other) == 1_005 - fee
        closed = models.CloseAccountParams(
            program_id=program, account=source, dest=token.payer, owner=token.wallet.pubkey()
        )
        run([spl.close_account(closed)], token.wallet)
        assert await balance(service, token, token.wallet) == 234
        assert await balance(service, token, Keypair()) == 0


async def test_what_is_no_mint_is_404(serve: Serve, chains: Path, surfpool: Surfpool) -> None:
    token = Token(surfpool, TOKEN_PROGRAM_ID).create()
    wallet, mint = token.wallet.pubkey(), token.mint.pubkey()
    nowhere, evm = Keypair().pubkey(), "0x" + "ab" * 20
    async with serve(chains=chains) as service:
        for address, holder in (
            (nowhere, wallet), (token.associated(token.wallet), wallet), (TOKEN_PROGRAM_ID, wallet), (wallet, wallet),
            (surfpool.payer.pubkey(), wallet), (evm, wallet), (mint, evm), (f"{mint}1", wallet),
            (str(mint)[:-2], wallet), (str(mint).lower(), wallet), (mint, f"{wallet}1"),
        ):  # fmt: skip
            answer = await holding(service, address, holder)
            assert (answer.status_code, answer.json()["code"]) == (404, "not_found"), (address, holder)
        for chain in ("sol", "SOLANA", "900900"):
            assert (await holding(service, mint, wallet, chain)).status_code == 404
        # A program can hold tokens: its address is no wallet's, and still has a balance.
        assert (await holding(service, mint, token.associated(token.wallet))).json()["balance"] == "0"


async def test_a_mint_of_the_index_that_a_node_does_not_know_is_503(
    serve: Serve, chains: Path, store: Connection
) -> None:
    mint, closed, wallet = (str(Keypair().pubkey()) for _ in range(3))
    row = {
        "chain_id": 900900, "name": "", "precedence": 0, "first_seen_at": datetime.now(UTC), "is_copy": False,
        "as_of_block": 1,
    }  # fmt: skip
    insert(store, "indexed_token", {**row, "address": mint, "symbol_key": "YOUNG"})
    insert(store, "indexed_token", {**row, "address": closed, "symbol_key": ""})
    async with serve(chains=chains) as service:
        unknown = await holding(service, mint, wallet)
        assert unknown.status_code == 503
        assert int(unknown.headers["retry-after"]) > 0
        assert (await holding(service, closed, wallet)).status_code == 404


async def test_a_wallet_with_too_many_accounts_is_503_with_the_reason(serve: Serve, tmp_path: Path) -> None:
    mint, wallet = Keypair().pubkey(), Keypair().pubkey()
    account = {"data": [b64encode(bytes(165)).decode(), "base64"], "owner": str(TOKEN_PROGRAM_ID), "lamports": 1}
    listed = {"context": {"slot": 1}, "value": [{"pubkey": str(wallet), "account": account}] * 20_000}
    node = Node(results={"getTokenAccountsByOwner": listed})
    app = Starlette(routes=[Route("/", node.answer, methods=["POST"])])
    async with serving_http(app) as url, serve(chains=chains_file(tmp_path, url, MAINNET)) as service:
        answer = await holding(service, mint, wallet)
    assert (answer.status_code, answer.json()["code"]) == (503, "unavailable"), answer.text
    assert answer.json()["message"].startswith("the wallet has too many accounts of this token to add up")
    assert (answer.headers["cache-control"], answer.headers["retry-after"]) == ("no-store", "3600")


@pytest.mark.parametrize("wrong", ["another cluster", "no node"])
async def test_an_unreadable_chain_is_503_and_never_zero(
    serve: Serve, tmp_path: Path, surfpool: Surfpool, wrong: str
) -> None:
    token = Token(surfpool, TOKEN_PROGRAM_ID).create()
    url = surfpool.url if wrong == "another cluster" else "http://127.0.0.1:9"
    caip2 = MAINNET if wrong == "another cluster" else surfpool.caip2
    async with serve(chains=chains_file(tmp_path, url, caip2), chain_timeout_seconds=1) as service:
        answer = await holding(service, token.mint.pubkey(), token.wallet.pubkey())
    assert (answer.status_code, answer.json()["code"]) == (503, "unavailable"), answer.text
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["retry-after"]
