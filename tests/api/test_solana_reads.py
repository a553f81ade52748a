"""What every read answers about a token and a registration on Solana."""

from collections.abc import Iterator
from typing import Any

from api.app import create_app
from api.settings import ApiSettings
from tests.factories.registrations import add_registration, address
from tests.fixtures.examples import contains_example
from tests.fixtures.solana_reads import (
    CAIP2,
    MANAGER,
    MINT,
    OTHER_MINT,
    OWNER,
    PROGRAM,
    SOLANA,
    SolanaReads,
    solana_address,
)

FLAGS = ["mintable", "mutable_metadata", "permanent_delegate"]
REGISTRATION = {"tokenId": 7, "chainId": SOLANA}
PUBLIC = {"symbol": "BONK", "chain": "solana", "chainId": CAIP2, "crownId": 7}
LISTED = {"chainId": SOLANA, "address": MINT, "symbol": "BONK", "decimals": 5, "extensions": {"crownId": 7}}
ANSWERS: dict[str, tuple[str, dict[str, Any]]] = {
    "/api/v2/registration/{id}": (
        "/api/v2/registration/7?chain=sol",
        {**REGISTRATION, "owner": str(OWNER.pubkey()), "symbol": "BONK", "identity": {"displayName": "Bonk"}},
    ),
    "/api/v2/registration/{id}/history": ("/api/v2/registration/BONK/history?chain=solana", REGISTRATION),
    "/api/v2/registration/{id}/attestations": ("/api/v2/registration/BONK/attestations", REGISTRATION),
    "/api/v2/registration/{id}/challenges": (
        "/api/v2/registration/7/challenges?chain=solana",
        {
            **REGISTRATION,
            "challenges": [{
                "registeredToken": MINT, "challengerToken": OTHER_MINT, "challengerWallet": str(MANAGER.pubkey()),
                "verificationMethod": "mintAuthority", "state": "ended",
                "announcementTransaction": str(OWNER.sign_message(b"1")),
            }],
        },
    ),
    "/api/v2/registration/{id}/profile": ("/api/v2/registration/7/profile?chain=sol", REGISTRATION),
    "/api/v2/registration/{id}/apps": ("/api/v2/registration/7/apps?chain=solana", {"apps": []}),
    "/api/v2/registration/{id}/sites": ("/api/v2/registration/7/sites?chain=solana", {"verifiedDomains": []}),
    "/api/v2/registration/{id}/domains": ("/api/v2/registration/BONK/domains?chain=900900", {"domains": []}),
    "/api/v2/registration/{symbol}/{chain}": (
        f"/api/v2/registration/bonk/sol?tokenAddress={MINT}",
        {
            **REGISTRATION, "chain": "solana", "status": "claimed", "tokenAddress": MINT, "heartbeat": None,
            "owner": str(OWNER.pubkey()), "managers": [str(MANAGER.pubkey())], "crownContractAddress": PROGRAM,
            "registrable": False, "reason": "already_registered",
        },
    ),
    "/registration/unified/{symbol}": (
        "/registration/unified/BONK",
        {**REGISTRATION, "primaryType": "solana", "status": "confirmed", "owner": str(OWNER.pubkey())},
    ),
    "/registration/v2/symbol/{symbol}/all-chains": (
        f"/registration/v2/symbol/bonk/all-chains?excludeEvm={address(0xA11CE)}",
        {
            "symbol": "BONK",
            "crowns": [{
                **REGISTRATION, "ownerType": "solana", "chainType": "solana", "primaryChainId": None, "isActive": True,
                "isLinked": False, "deploymentCount": 1,
            }],
        },
    ),
    "/registration/{id}/roles": (
        "/registration/BONK/roles?chain=solana",
        {
            **REGISTRATION, "owner": str(OWNER.pubkey()), "manager": str(MANAGER.pubkey()),
            "maintainers": [solana_address("maintainer")], "asOfBlock": 77,
        },
    ),
    "/api/v2/token/{symbol}/{chain}": (
        "/api/v2/token/bonk/sol",
        {
            "chainId": SOLANA, "chainKey": "solana", "chainName": "Solana", "hasCrown": True,
            "shareUrl": "https://crowns.example/solana/BONK",
            "token": {
                "address": MINT, "symbol": "Bonk", "program": "token_2022", "trustFlags": FLAGS,
                "authorities": {"mint": str(OWNER.pubkey()), "freeze": None, "update": str(MANAGER.pubkey())},
            },
            "registration": {
                "status": "claimed", "tokenId": 7, "owner": str(OWNER.pubkey()), "manager": str(MANAGER.pubkey()),
                "tokenAddress": MINT, "crownContractAddress": PROGRAM,
            },
        },
    ),
    "/api/v2/search": (
        "/api/v2/search?symbol=BONK&chain=SOL&explain=true&crownsOnly=true",
        {
            "filters": {"chain": "solana"}, "meta": {"chainCounts": {"solana": 1}, "statusCounts": {"claimed": 1}},
            "results": [{"chainId": SOLANA, "token": {"address": MINT}, "explain": {"isCopy": False}}],
        },
    ),
    "/api/v2/token/{symbol}/{chain}/candles": (
        "/api/v2/token/BONK/sol/candles",
        {"chainId": SOLANA, "tokenAddress": MINT, "interval": "1h", "asOf": {"block": None}},
    ),
    "/api/v2/tokenlist": (f"/api/v2/tokenlist?chainId={SOLANA}", {"tokens": [LISTED]}),
    "/api/v2/tokenlist/address/{address}": (
        f"/api/v2/tokenlist/address/{OWNER.pubkey()}", {"tokens": [LISTED]},
    ),
    "/api/v2/tokenlist/export/{symbol}/{chain}": (
        "/api/v2/tokenlist/export/BONK/sol", {"data": {"contractAddress": MINT, "chainId": SOLANA}, "chain": "solana"},
    ),
    "/api/v2/tokenlist/lint/{symbol}/{chain}": ("/api/v2/tokenlist/lint/BONK/solana", {"symbol": "BONK"}),
    "/api/v2/tokenlist/{platform}/{symbol}/{chain}": (
        "/api/v2/tokenlist/asset/BONK/solana",
        {"type": "SPL", "id": MINT, "explorer": f"https://solscan.io/token/{MINT}"},
    ),
    "/api/v2/public/coins/{chain}/{symbol}": (
        "/api/v2/public/coins/solana/BONK",
        {**PUBLIC, "tokenAddress": MINT, "market": {"priceUsd": 0.00002}, "holders": 12, "trustFlags": FLAGS},
    ),
    "/api/v2/public/coins/{chain}/{symbol}/apps": ("/api/v2/public/coins/solana/BONK/apps", PUBLIC),
    "/api/v2/public/crowns/{chain}/{crownId}/sites": ("/api/v2/public/crowns/solana/7/sites", PUBLIC),
    "/api/v2/registration/{id}/deals": ("/api/v2/registration/7/deals?chain=solana", {"deals": []}),
    "/api/v2/deals/symbol/{symbol}": ("/api/v2/deals/symbol/BONK", {"deals": []}),
    "/api/v2/deals/address/{address}": (f"/api/v2/deals/address/{OWNER.pubkey()}", {"deals": []}),
    "/api/v2/alerts/rules": (
        f"/api/v2/alerts/rules?chainId={CAIP2}&tokenAddress={MINT}", {"success": True, "data": {"rules": []}},
    ),
    "/api/v2/alerts/active": (
        f"/api/v2/alerts/active?chainId={CAIP2}&tokenAddress={MINT}", {"success": True, "data": {"alerts": []}},
    ),
    "/api/v2/alerts/history": (
        f"/api/v2/alerts/history?chainId={CAIP2}&tokenAddress={MINT}", {"success": True, "data": {"alerts": []}},
    ),
    "/api/v2/deals/fee-preview": (
        "/api/v2/deals/fee-preview?dealValue=500000000&chainId=solana", {"dealValueUsd": 500_000_000},
    ),
}  # fmt: skip
"""A request to every route that names a chain, a symbol, a registration or an address, and some of its answer."""
ELSEWHERE = {
    "/api/v2/public/holdings/{chain}/{token}/{wallet}": "tests/api/public/test_solana_holdings.py",
    "/api/v2/claim/status/{txHash}": "EVM transactions",
    "/api/v2/claim/methods/{chainType}": "tests/api/claims",
    "/api/v2/claim/solana/status/{symbol}": "tests/api/claims",
    "/api/v2/registration/{id}/subscription": "tests/api/subscriptions",
    "/api/v2/heartbeat/at-risk": "EVM chains only",
    "/api/v2/heartbeat/{symbol}/{chain}": "EVM chains only",
    "/api/v2/heartbeat/{symbol}/{chain}/history": "EVM chains only",
}
WITH_SESSION = ("profile", "apps", "sites", "domains")
ABOUT = {"chain", "chainId", "symbol", "address", "token", "tokenAddress", "crownId", "chainType", "txHash"}


def reads_of_chains() -> Iterator[str]:
    for path, methods in create_app(ApiSettings()).openapi()["paths"].items():
        if "get" in methods and ABOUT & {one["name"] for one in methods["get"].get("parameters", ())}:
            yield path


def test_every_read_that_names_a_chain_is_asked_about_solana() -> None:
    assert set(reads_of_chains()) <= ANSWERS.keys() | ELSEWHERE.keys()


def texts(value: Any) -> Iterator[str]:
    """Every text in an answer."""
    if isinstance(value, dict):
        for each in value.values():
            yield from texts(each)
    elif isinstance(value, list):
        for each in value:
            yield from texts(each)
    elif isinstance(value, str):
        yield value


async def test_every_read_answers_for_solana(solana_reads: SolanaReads) -> None:
    solana_reads.store.execute("UPDATE account SET plan = 'pro'")
    session = await solana_reads.session()
    wrong = {}
    for template, (path, expected) in ANSWERS.items():
        headers = session if template.rsplit("/", 1)[-1] in WITH_SESSION or "/alerts/" in template else {}
        answer = await solana_reads.service.client.get(path, headers=headers)
        hexadecimal = [text for text in texts(answer.json()) if text.startswith("0x")]
        if answer.status_code != 200 or hexadecimal or not contains_example(answer.json(), expected):
            wrong[path] = answer.text
    assert wrong == {}


EVM_WALLET, UNKNOWN = address(0x70CE), solana_address("unknown")
LOWER = MINT.lower()
"""Case counts in base58: this is another address, or none."""
REFUSED = [
    (f"/registration/BONK/solana?tokenAddress={EVM_WALLET}", 400, "tokenAddress: is an EVM address; on Solana"),
    (f"/registration/PEPE/base?tokenAddress={MINT}", 400, "tokenAddress: is a Solana address; on Base"),
    (f"/registration/BONK/solana?tokenAddress={MINT[:-2]}", 400, "tokenAddress: must be 32 bytes in base58"),
    (f"/registration/BONK/solana?tokenAddress={MINT}0", 400, "tokenAddress: must be 32 bytes in base58"),
    (f"/registration/BONK/solana?tokenAddress=%20{MINT}", 400, "tokenAddress: must be 32 bytes in base58"),
    (f"/registration/BONK/solana?tokenAddress={UNKNOWN}", 404, "tokenAddress: no token at"),
    (f"/registration/PEPE/solana?tokenAddress={MINT}", 400, "tokenAddress: has the symbol BONK, not PEPE"),
    (f"/token/BONK/solana?tokenAddress={EVM_WALLET}", 400, "tokenAddress: is an EVM address; on Solana"),
    (f"/token/PEPE/base?tokenAddress={MINT}", 400, "tokenAddress: is a Solana address; on Base"),
    (f"/token/BONK/solana?tokenAddress={UNKNOWN}", 404, "tokenAddress: no token at"),
    (f"/token/BONK/solana?tokenAddress={MINT.swapcase()}", (400, 404), "tokenAddress: "),
    (f"/token/BONK/solana?tokenAddress={LOWER}", (400, 404), "tokenAddress: "),
    ("/token/BONK/solan", 400, "chain: 'solan' is not a chain served here"),
    ("/token/BONK/solana:mainnet", 400, "chain: 'solana:mainnet' is not a chain served here"),
    ("/search?symbol=BONK&chain=solan", 400, "chain: "),
    ("/heartbeat/BONK/solana", 400, "chain: heartbeats cover EVM chains only, not Solana"),
    ("/heartbeat/BONK/900900/history", 400, "chain: heartbeats cover EVM chains only, not Solana"),
    ("/heartbeat/at-risk?chain=sol", 400, "chain: heartbeats cover EVM chains only, not Solana"),
    (f"/tokenlist/address/{MINT[:-2]}", 400, "address: must be 0x and 40 hexadecimal digits (EVM), or 32 bytes"),
    (f"/tokenlist/address/{OWNER.pubkey()}0", 400, "address: "),
    (f"/../../registration/v2/symbol/BONK/all-chains?excludeEvm={OWNER.pubkey()}", 400, "excludeEvm: "),
]


async def test_addresses_of_other_chains_and_bad_base58_are_refused(solana_reads: SolanaReads) -> None:
    for path, status, problem in REFUSED:
        answer = await solana_reads.service.client.get(f"/api/v2{path}".replace("/api/v2/../..", ""))
        assert answer.status_code in (status if isinstance(status, tuple) else (status,)), (path, answer.text)
        assert answer.json()["error"].startswith(problem), (path, answer.text)


async def test_public_reads_take_chain_keys_only(solana_reads: SolanaReads) -> None:
    for path in (
        "/coins/sol/BONK", "/coins/SOLANA/BONK", "/coins/900900/BONK", f"/coins/{CAIP2}/BONK", "/coins/solana/PEPE",
        "/crowns/sol/7/sites", "/crowns/solana/8/sites",
    ):  # fmt: skip
        answer = await solana_reads.service.anonymous.get(f"/api/v2/public{path}")
        assert (answer.status_code, answer.json()["code"]) == (404, "not_found"), path


async def test_a_session_of_a_solana_wallet_uploads_metadata(solana_reads: SolanaReads) -> None:
    headers = {**await solana_reads.session(), "Content-Type": "application/json"}
    client = solana_reads.service.anonymous
    answer = await client.post("/api/v2/metadata/upload", content=b'{"name": "Bonk"}', headers=headers)
    assert answer.status_code == 200, answer.text
    served = await client.get(f"/api/v2/public/metadata/{answer.json()['cid']}")
    assert (served.status_code, served.content) == (200, b'{"name": "Bonk"}')


async def test_one_token_of_a_symbol_is_selected_by_its_mint(solana_reads: SolanaReads) -> None:
    service = solana_reads.service
    copy = (await service.get("/token/BONK/solana", tokenAddress=OTHER_MINT)).json()
    assert (copy["token"]["address"], copy["hasCrown"]) == (OTHER_MINT, False)
    assert copy["shareUrl"] == f"https://crowns.example/solana/BONK?token={OTHER_MINT}"
    assert copy["copyVerdict"]["original"] == f"{CAIP2}:{MINT}"
    assert copy["copyVerdict"]["evidence"]["weightUsd"] == 12.5
    status = (await service.get("/registration/BONK/sol", tokenAddress=OTHER_MINT)).json()
    assert (status["status"], status["tokenId"]) == ("unclaimed", None)
    assert status["takenBy"] == {"tokenId": 7, "tokenAddress": MINT, "owner": str(OWNER.pubkey())}


async def test_tokens_of_evm_chains_have_no_trust_flags(solana_reads: SolanaReads) -> None:
    token = (await solana_reads.service.get("/token/PEPE/base")).json()["token"]
    assert not {"program", "authorities", "trustFlags"} & token.keys()


async def test_a_search_over_all_chains_shows_solana_and_explains_its_copies(solana_reads: SolanaReads) -> None:
    found = (await solana_reads.service.get("/search", symbol="bonk", explain="true")).json()
    shown = [(one["chainId"], one["token"]["address"], one["explain"]["copyOf"]) for one in found["results"]]
    tokens = [each for each in shown if each[1] is not None]
    assert tokens == [(SOLANA, MINT, None), (SOLANA, OTHER_MINT, f"{CAIP2}:{MINT}")]
    (first, copy) = (one["explain"]["trustFlags"] for one in found["results"] if one["token"]["address"] is not None)
    assert (list(first), first["mintable"], copy) == (FLAGS, "An account can mint more tokens.", {})
    assert "solana" not in found["meta"]["notIndexed"]
    assert found["meta"]["asOf"]["blocks"]["solana"] == 100


async def test_a_free_symbol_is_available_on_solana(solana_reads: SolanaReads) -> None:
    found = (await solana_reads.service.get("/search", symbol="NEWCOIN", chain="sol")).json()["results"]
    assert [(one["chainId"], one["token"]["address"], one["registration"]) for one in found] == [(SOLANA, None, None)]
    status = (await solana_reads.service.get("/registration/NEWCOIN/solana")).json()
    assert (status["status"], status["registrable"]) == ("available", True)


async def test_a_registered_symbol_is_verified_with_its_mint(solana_reads: SolanaReads) -> None:
    body = (await solana_reads.service.post("/verify/symbol", {"symbol": "BONK"})).json()
    assert (body["status"], body["canonicalAsset"]) == (
        "warning", {"symbol": "BONK", "chainId": SOLANA, "chain": "solana", "address": MINT},
    )  # fmt: skip


async def test_a_registration_without_a_score_never_becomes_inactive(solana_reads: SolanaReads) -> None:
    for path in ("/registration/BONK/solana", "/public/coins/solana/BONK"):
        body = (await solana_reads.service.get(path)).json()
        assert body.get("status", "claimed") == "claimed"
    inactive = (await solana_reads.service.get("/search", symbol="BONK", status="inactive")).json()
    assert inactive["results"] == []


async def test_chains_are_linked_only_by_peers_that_name_each_other(solana_reads: SolanaReads) -> None:
    store, path = solana_reads.store, "/registration/v2/symbol/BONK/all-chains"
    add_registration(store, "BONK", token_id=3, peer_chain_id=SOLANA, peer_token_id=7, log_index=3)

    async def linked() -> list[tuple[Any, ...]]:
        crowns = (await solana_reads.service.client.get(path)).json()["crowns"]
        return sorted((one["chainType"], one["isLinked"], one["primaryChainId"]) for one in crowns)

    assert await linked() == [("evm", False, 8453), ("solana", False, None)]
    store.execute(
        "UPDATE registration SET peer_chain_id = 8453, peer_token_id = 3, minted_at = minted_at - interval '1 day'"
        " WHERE chain_id = %s",
        (SOLANA,),
    )
    assert await linked() == [("evm", True, None), ("solana", True, None)]


async def test_webhooks_are_filtered_by_the_chain_in_caip_2(solana_reads: SolanaReads) -> None:
    solana_reads.store.execute("UPDATE account SET plan = 'developer'")
    body = {"url": "https://hooks.example/", "events": ["token.minted"], "filter": {"chains": [CAIP2, "eip155:8453"]}}
    shown = await solana_reads.service.post("/webhooks", body)
    assert shown.status_code in (200, 201), shown.text
    assert sorted(shown.json()["filter"]["chains"]) == ["eip155:8453", CAIP2]
    for name in ("solana", "solana:mainnet", "eip155:900900", str(SOLANA)):
        refused = await solana_reads.service.post("/webhooks", {**body, "filter": {"chains": [name]}})
        assert (refused.status_code, refused.json()["error"].partition(":")[0]) == (400, "filter.chains"), name
