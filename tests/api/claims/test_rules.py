"""Who may claim what: copies, well-known coins, symbols; control by each method; a chain that cannot be read."""

from typing import Any

import pytest
from eth_account.signers.local import LocalAccount
from eth_utils.crypto import keccak

from tests.factories.registrations import add_registration
from tests.fixtures.claims import ClaimChain, Claimer, sign
from tests.fixtures.service import Serve, Service
from warehouse.postgres import Connection


async def build(service: Service, symbol: str, token: str, wallet: LocalAccount) -> Any:
    return await Claimer(service, symbol, token, wallet.address).build("0x" + "00" * 32)


async def qualify(service: Service, token: str, wallet: LocalAccount, **fields: Any) -> dict[str, Any]:
    body = {"wallet": wallet.address, "tokenAddress": token, "chainId": 8453, **fields}
    answer = await service.post("/registration/check-qualify", body)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


@pytest.mark.parametrize(
    ("own", "claimed", "check"),
    [
        ("USDC", "USDC", "copycat"),
        ("US\u0414C", "USDC", "symbol_format"),
        ("GOOD", "OTHER", "symbol_format"),
        ("123456", "123456", "symbol_format"),
        ("TOOLONGSYMBOL", "TOOLONG", "symbol_format"),
        ("Official", "OFFICIAL", "reserved_symbol"),
    ],
)
async def test_a_refused_token_names_the_rule(
    claim_chain: ClaimChain, claim_service: Service, own: str, claimed: str, check: str
) -> None:
    wallet = claim_chain.wallet()
    token = claim_chain.token(wallet, own)
    answer = await build(claim_service, claimed, token, wallet)
    body = answer.json()
    assert (answer.status_code, body["code"], body["check"]) == (422, "TOKEN_NOT_REGISTRABLE", check)
    assert body["supportEmail"] == body["claimability"]["supportEmail"] == "support@localhost"
    result = await qualify(claim_service, token, wallet, symbol=claimed)
    assert result["eligible"] is False
    assert result["reason"] == ("copycat" if check == "copycat" else "not_claimable")
    assert result["claimability"]["supportEmail"] == "support@localhost"


async def test_a_well_known_coin_itself_is_not_registered(
    claim_chain: ClaimChain, serve: Serve, warehouse_url: str
) -> None:
    wallet = claim_chain.wallet()
    token = claim_chain.token(wallet, "USDC")
    with claim_chain.chains_path.open("a") as file:
        file.write(f'[chains.base.assets]\nstablecoins = [{{ address = "{token}", symbol = "USDC", decimals = 18 }}]\n')
    async with serve(chains=claim_chain.chains_path, clickhouse_url=warehouse_url) as service:
        answer = await build(service, "USDC", token, wallet)
    assert (answer.status_code, answer.json()["check"]) == (422, "major_coin")


async def test_a_copy_is_refused_while_its_original_exists(claim_chain: ClaimChain, claim_service: Service) -> None:
    wallet = claim_chain.wallet()
    original, copy = claim_chain.token(wallet, "GENUINE"), claim_chain.token(wallet, "GENUINE")
    claim_chain.publish_token(original, "GENUINE")
    claim_chain.publish_token(
        copy, "GENUINE", is_copy=True, copy_rule="senior", copy_of_chain_id=8453, copy_of_address=original
    )
    refused = (await build(claim_service, "GENUINE", copy, wallet)).json()
    assert (refused["check"], refused["claimability"]["rule"]) == ("copycat", "senior")
    assert refused["claimability"]["original"]["tokenAddress"].lower() == original
    claim_chain.node.rpc("anvil_setCode", original, "0x")
    assert (await build(claim_service, "GENUINE", copy, wallet)).json()["code"] == "CLAIM_UNAUTHORIZED"


async def test_an_unindexed_token_waits_if_others_have_its_symbol(
    claim_chain: ClaimChain, claim_service: Service
) -> None:
    wallet = claim_chain.wallet()
    claim_chain.publish_token(claim_chain.token(wallet, "RIVAL"), "RIVAL")
    answer = await build(claim_service, "RIVAL", claim_chain.token(wallet, "RIVAL"), wallet)
    assert (answer.status_code, answer.json()["code"]) == (503, "TOKEN_UNVERIFIED")
    assert int(answer.headers["retry-after"]) > 0


async def test_each_method_of_control_and_its_confidence(claim_chain: ClaimChain, claim_service: Service) -> None:
    maker, wallet = claim_chain.wallet(), claim_chain.wallet()
    owned = claim_chain.deploy(maker, "OwnedToken", "Owned", "OWNED", 18, 10**24, wallet.address)
    roles = claim_chain.deploy(maker, "RoleToken", "Roles", "ROLES", 18, 10**24, wallet.address)
    majority = claim_chain.token(maker, "MAJOR", holder=wallet.address)
    deployed = claim_chain.token(wallet, "MADE", holder=maker.address)
    claim_chain.index()
    found = {}
    for token, symbol in ((deployed, "MADE"), (owned, "OWNED"), (roles, "ROLES"), (majority, "MAJOR")):
        result = await qualify(claim_service, token, wallet, symbol=symbol)
        assert result["eligible"] is True, result
        assert (result["price"], result["currency"], result["proTrialDays"]) == (25, "USD", 30)
        found[symbol] = (result["qualification"]["method"], result["qualification"]["confidence"])
    assert found == {
        "MADE": ("deployer", 1),
        "OWNED": ("owner", 0.9),
        "ROLES": ("admin", 0.85),
        "MAJOR": ("majority_holder", 0.8),
    }
    stranger = await qualify(claim_service, owned, claim_chain.wallet())
    assert (stranger["eligible"], stranger["reason"]) == (False, "not_eligible")


async def test_a_proxys_admin_and_the_admins_owner_control_it(claim_chain: ClaimChain, claim_service: Service) -> None:
    maker, wallet = claim_chain.wallet(), claim_chain.wallet()
    token = claim_chain.token(maker, "PROXIED", holder="0x" + "99" * 20)
    behind = claim_chain.deploy(maker, "OwnedToken", "Admin", "ADMIN1", 18, 1, wallet.address)
    slot = hex(int.from_bytes(keccak(text="eip1967.proxy.admin"), "big") - 1)
    claim_chain.index()
    for admin in (wallet.address.lower(), behind):
        claim_chain.node.rpc("anvil_setStorageAt", token, slot, "0x" + "00" * 12 + admin[2:])
        result = await qualify(claim_service, token, wallet)
        assert result["qualification"]["method"] == "admin"


async def test_a_contract_that_accepts_every_wallet_proves_nothing(
    claim_chain: ClaimChain, claim_service: Service
) -> None:
    wallet = claim_chain.wallet()
    token = claim_chain.token(claim_chain.wallet(), "YESMAN")
    symbol = "5a5a5a" + "00" * 29  # every call returns the same word, which reads as the symbol ZZZ
    claim_chain.node.rpc("anvil_setCode", token, f"0x7f{symbol}60005260206000f3")
    result = await qualify(claim_service, token, wallet)
    assert (result["eligible"], result["reason"]) == (False, "not_eligible")


async def test_a_relayer_is_not_the_deployer(claim_chain: ClaimChain, serve: Serve, warehouse_url: str) -> None:
    relayer = claim_chain.wallet()
    token = claim_chain.token(relayer, "RELAYED", holder=claim_chain.wallet().address)
    claim_chain.index()
    text = claim_chain.chains_path.read_text()
    claim_chain.chains_path.write_text(
        text.replace("finality_blocks = 5\n", f'finality_blocks = 5\nrelayers = ["{relayer.address.lower()}"]\n')
    )
    async with serve(chains=claim_chain.chains_path, clickhouse_url=warehouse_url) as service:
        assert (await qualify(service, token, relayer))["reason"] == "not_eligible"


async def test_an_existing_registration_is_already_claimed(claim_chain: ClaimChain, claim_service: Service) -> None:
    wallet = claim_chain.wallet()
    token, twin = claim_chain.token(wallet, "TAKEN"), claim_chain.token(wallet, "TAKEN")
    claim_chain.index()
    claim_chain.price_native()
    claimer = Claimer(claim_service, "TAKEN", token, wallet.address)
    transaction = (await claimer.build((await claimer.prove(wallet))["proofHash"])).json()["transaction"]
    claim_chain.send(wallet, transaction["to"], transaction["data"], int(transaction["value"], 16))
    for address in (token, twin):
        assert (await qualify(claim_service, address, wallet, symbol="TAKEN"))["reason"] == "already_claimed"
        answer = await build(claim_service, "TAKEN", address, wallet)
        assert (answer.status_code, answer.json()["code"]) == (409, "CLAIM_DUPLICATE")


async def test_a_token_holds_one_symbol_at_a_time(
    claim_chain: ClaimChain, claim_service: Service, store: Connection
) -> None:
    wallet = claim_chain.wallet()
    token = claim_chain.token(wallet, "SECOND")
    claim_chain.index()
    claim_chain.price_native()
    assert (await qualify(claim_service, token, wallet))["eligible"] is True
    add_registration(store, "FIRST", token_address=token.lower())
    assert (await qualify(claim_service, token, wallet))["reason"] == "already_claimed"
    answer = await build(claim_service, "SECOND", token, wallet)
    assert (answer.status_code, answer.json()["code"]) == (409, "CLAIM_DUPLICATE")
    assert answer.json()["error"].startswith("tokenAddress: is already registered as FIRST")


async def test_no_native_price_is_503(claim_chain: ClaimChain, claim_service: Service) -> None:
    wallet = claim_chain.wallet()
    token = claim_chain.token(wallet, "PRICELESS")
    claim_chain.index()
    claimer = Claimer(claim_service, "PRICELESS", token, wallet.address)
    assert (await claimer.message())["feeEstimate"]["contractFee"] is None
    answer = await claimer.build((await claimer.prove(wallet))["proofHash"])
    assert (answer.status_code, answer.json()["code"]) == (503, "PRICE_UNAVAILABLE")
    assert claim_chain.rows_written()["claim_authorization"] == 0


@pytest.mark.parametrize("node", ["dead", "wrong_chain"])
async def test_an_unreadable_chain_is_503_and_not_a_refusal(
    claim_chain: ClaimChain, serve: Serve, warehouse_url: str, node: str
) -> None:
    wallet = claim_chain.wallet()
    token = claim_chain.token(wallet, "UNREAD")
    text = claim_chain.chains_path.read_text()
    if node == "dead":
        text = text.replace(claim_chain.node.url, "http://127.0.0.1:9")
    else:
        text = text.replace("[chains.base]", "[chains.base]\nchain_id = 8454")
    claim_chain.chains_path.write_text(text)
    async with serve(chains=claim_chain.chains_path, clickhouse_url=warehouse_url, chain_timeout_seconds=2) as service:
        chain_id = 8453 if node == "dead" else 8454
        body = {"symbol": "UNREAD", "chainId": chain_id, "tokenAddress": token, "walletAddress": wallet.address}
        answers = (
            await service.post("/claim", {**body, "proofHash": "0x" + "00" * 32}),
            await service.post(
                "/registration/check-qualify",
                {"wallet": wallet.address, "tokenAddress": token, "chainId": chain_id},
            ),
            await service.get(f"/claim/status/{'0x' + 'ab' * 32}", chainId=chain_id),
        )
        for answer, code in zip(answers, ("TOKEN_UNVERIFIED", "TOKEN_UNVERIFIED", "TRANSACTION_UNREAD"), strict=True):
            assert (answer.status_code, answer.json()["code"]) == (503, code)
            assert int(answer.headers["retry-after"]) > 0


async def test_an_address_without_a_contract_is_not_a_token(claim_chain: ClaimChain, claim_service: Service) -> None:
    wallet = claim_chain.wallet()
    for chain in (8453, None):
        found = await qualify(claim_service, wallet.address, wallet, chainId=chain)
        assert (found["eligible"], found["reason"], found["claimability"]["rule"]) == (
            False,
            "not_claimable",
            "not_a_token",
        )
        assert found["claimability"]["supportEmail"]


async def test_a_contract_that_runs_forever_is_not_a_token_or_signer(
    claim_chain: ClaimChain, claim_service: Service
) -> None:
    wallet = claim_chain.wallet()
    # Its code is a loop: JUMPDEST, PUSH1 0, JUMP.
    loop = str(claim_chain.send(wallet, None, "0x635b60005660e01b60005260046000f3")["contractAddress"]).lower()
    found = await qualify(claim_service, loop, wallet)
    assert (found["reason"], found["claimability"]["rule"]) == ("not_claimable", "not_a_token")
    token = claim_chain.token(wallet, "LOOPED", holder=loop)
    claim_chain.index()
    claimer = Claimer(claim_service, "LOOPED", token, loop)
    message = await claimer.message()
    verdict = (await claimer.verify(sign(wallet, message["message"]), message["timestamp"])).json()
    assert (verdict["verified"], verdict["methodsAttempted"]) == (False, [])


async def test_a_second_node_replaces_a_dead_one(claim_chain: ClaimChain, serve: Serve, warehouse_url: str) -> None:
    wallet = claim_chain.wallet()
    token = claim_chain.token(wallet, "SPARE")
    claim_chain.index()
    text = claim_chain.chains_path.read_text()
    claim_chain.chains_path.write_text(text.replace('rpc_urls = ["', 'rpc_urls = ["http://127.0.0.1:9", "'))
    async with serve(chains=claim_chain.chains_path, clickhouse_url=warehouse_url) as service:
        assert (await qualify(service, token, wallet))["eligible"] is True


async def test_a_deployer_is_recognised_without_the_warehouse(claim_chain: ClaimChain, serve: Serve) -> None:
    wallet = claim_chain.wallet()
    token = claim_chain.token(wallet, "BLIND", holder=claim_chain.wallet().address)
    claim_chain.publish_token(token, "BLIND")
    async with serve(chains=claim_chain.chains_path, clickhouse_url="http://127.0.0.1:9/regalia") as service:
        answer = await service.post(
            "/registration/check-qualify", {"wallet": wallet.address, "tokenAddress": token, "chainId": 8453}
        )
    assert (answer.status_code, answer.json()["code"]) == (503, "TOKEN_UNVERIFIED")
