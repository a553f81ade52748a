"""The economy of the local Solana chain: its tokens are what their plans say, and its history ends now."""

import base64
import time
import tomllib

from indexer.chains.solana.mint_accounts import Metadata, read_metaplex
from indexer.devchain.solana import mints
from indexer.devchain.solana.plans import SOL_PRICE_USD, plans_of
from indexer.devchain.solana.world import Minted, World

CONFIRMED = {"commitment": "confirmed", "maxSupportedTransactionVersion": 0, "rewards": False}


def test_the_history_ends_now_and_nothing_in_it_failed(solana_world: World) -> None:
    node = solana_world.node
    slots = node.rpc("getBlocks", 0, None, {"commitment": "confirmed"})
    blocks = node.batch([("getBlock", (slot, CONFIRMED)) for slot in slots])
    times = [block["blockTime"] for block in blocks]
    assert times == sorted(times)
    assert times[-1] - times[0] == solana_world.scale.hours * 3600
    assert abs(times[-1] - time.time()) < 600
    transactions = [one for block in blocks for one in block["transactions"]]
    assert len(transactions) > 100
    assert [one["meta"]["err"] for one in transactions if one["meta"]["err"]] == []


def test_mints_have_their_supply_and_authority(solana_world: World) -> None:
    assert [token.plan for token in solana_world.tokens] == list(plans_of("small"))
    for token in solana_world.tokens:
        info = solana_world.node.rpc("getAccountInfo", str(token.mint), {"encoding": "jsonParsed"})["value"]
        parsed = info["data"]["parsed"]["info"]
        assert parsed["supply"] == str(token.plan.supply * 10**token.plan.decimals)
        assert parsed["mintAuthority"] == (str(token.authority.pubkey()) if token.authority else None)
        assert (parsed["freezeAuthority"] is not None) == token.plan.freezable
        if token.plan.kind == "spl":
            found = metaplex_metadata(solana_world, token)
            stated = (found.name, found.symbol, found.update_authority) if found else ("", "", b"")
            assert stated == (
                (token.plan.name, token.plan.symbol, bytes(token.creator.pubkey()))
                if token.plan.symbol
                else ("", "", b"")
            )
        else:
            stated = {one["extension"]: one["state"] for one in parsed["extensions"]}
            assert stated["tokenMetadata"]["symbol"] == token.plan.symbol
            assert stated["metadataPointer"]["metadataAddress"] == str(token.mint)


def metaplex_metadata(world: World, token: Minted) -> Metadata | None:
    address = str(mints.metaplex_address(token.mint))
    account = world.node.rpc("getAccountInfo", address, {"encoding": "base64"})["value"]
    return account and read_metaplex(account["owner"], base64.b64decode(account["data"][0]))


def test_pools_have_the_prices_and_depths_of_their_plans(solana_world: World) -> None:
    def held(account: object) -> float:
        value = solana_world.node.rpc("getTokenAccountBalance", str(account), {"commitment": "confirmed"})["value"]
        return float(value["uiAmountString"])

    traded = [token for token in solana_world.tokens if token.market]
    assert len(traded) >= 4
    for token in traded:
        assert token.market is not None
        pool = token.market.address
        base, quote = (held(side.account_of(pool)) for side in (token.market.base, token.market.quote))
        dollars = quote * (SOL_PRICE_USD if token.plan.quote == "SOL" else 1)
        assert 0.6 < dollars / base * 10**6 / token.plan.price_micro_usd < 1.6
        assert dollars < token.plan.depth_usd


def test_the_economy_goes_on_by_the_clock(solana_world: World) -> None:
    node = solana_world.node
    before = node.slot()
    solana_world.step(3)
    node.mine()
    solana_world.sender.check(tolerate=("swap",))
    assert node.slot() == before + 1


def test_the_chains_file_names_the_chain_and_its_coins(solana_world: World) -> None:
    table = tomllib.loads(solana_world.chain_toml())["chains"]["solana"]
    assert table["rpc_urls"] == [solana_world.node.url]
    assert table["caip2"] == f"solana:{solana_world.node.genesis_hash[:32]}"
    assert [coin["address"] for coin in table["assets"]["stablecoins"]] == [str(solana_world.usdc.mint)]
    assert [exchange["factory"] for exchange in table["exchanges"]] == [str(solana_world.program)]
