"""The whole claim: message, signature, proof, transaction, confirmation, registration."""

import asyncio
from collections.abc import AsyncIterator
from decimal import Decimal

import jwt
import pytest
from eth_abi.abi import encode

from api.claims.signing import Signing
from indexer.chains.errors import NodeUnavailable
from indexer.contracts.registry import contract
from indexer.contracts.signer import load_or_create
from indexer.contracts.signing import open_signer
from indexer.devchain import artifacts
from tests.factories.amounts import ETHER
from tests.fixtures.claims import NATIVE_USD, ClaimChain, Claimer, built, sign
from tests.fixtures.remote_signer import RemoteSignerDouble
from tests.fixtures.service import Serve, Service
from warehouse.settings import EngineSettings


async def test_a_deployer_claims_with_a_key(claim_chain: ClaimChain, claim_service: Service) -> None:
    wallet = claim_chain.wallet()
    token = claim_chain.token(wallet, "Aurum", holder=claim_chain.wallet().address)
    claim_chain.index()
    claim_chain.price_native()
    claimer = Claimer(claim_service, "aurum", token, wallet.address)

    message = await claimer.message()
    assert message["params"]["symbol"] == "AURUM"
    assert message["params"]["claimerAddress"] == wallet.address
    for fact in ("AURUM", wallet.address, "8453", str(message["timestamp"])):
        assert fact in message["message"]
    fee = int(Decimal(25) * ETHER / NATIVE_USD)
    assert int(message["feeEstimate"]["contractFee"], 16) == fee

    verdict = (await claimer.verify(sign(wallet, message["message"]), message["timestamp"])).json()
    assert (verdict["verified"], verdict["verificationMethod"]) == (True, "deployer")
    assert verdict["methodsAttempted"] == ["deployer"]
    assert verdict["expiresAt"] == message["timestamp"] + 24 * 3600
    key = jwt.PyJWK((await claim_service.get("/apps/jwks")).json()["keys"][0])
    said = jwt.decode(verdict["proofJws"], key.key, algorithms=["EdDSA"], options={"verify_iat": False})
    assert (said["typ"], said["sub"], said["symbol"]) == ("claim-proof+v1", wallet.address, "AURUM")
    assert (said["proofHash"], said["verificationMethod"]) == (verdict["proofHash"], "deployer")
    assert (said["chainId"], said["tokenAddress"].lower()) == (8453, token.lower())

    built_answer = await claimer.build(verdict["proofHash"])
    assert built_answer.status_code == 200, built_answer.text
    transaction, estimate = built_answer.json()["transaction"], built_answer.json()["feeEstimate"]
    assert transaction["to"].lower() == claim_chain.registry
    assert transaction["chainId"] == 8453
    assert int(transaction["value"], 16) == fee
    assert int(estimate["totalEstimate"], 16) == fee + int(estimate["totalGasCost"], 16)
    assert int(estimate["gasLimit"], 16) == int(transaction["gasLimit"], 16) > int(estimate["gasEstimate"], 16)

    receipt = claim_chain.send(wallet, transaction["to"], transaction["data"], fee)
    assert receipt["status"] == "0x1"
    assert int(receipt["gasUsed"], 16) <= int(transaction["gasLimit"], 16)
    status = await claimer.status(receipt["transactionHash"])
    assert status == {
        "txHash": receipt["transactionHash"],
        "status": "confirmed",
        "confirmations": 1,
        "blockNumber": int(receipt["blockNumber"], 16),
    }
    registered = (await claim_service.get("/registration/AURUM/base")).json()
    assert (registered["owner"], registered["status"]) == (wallet.address, "grace_period")
    assert registered["tokenId"] == 1
    assert registered["verificationMethod"] == "deployer"
    assert (await claim_service.get("/registration/1", chain="base")).json()["owner"] == wallet.address

    again = await claimer.build(verdict["proofHash"])
    assert (again.status_code, again.json()["code"]) == (409, "CLAIM_DUPLICATE")
    await claimer.status(receipt["transactionHash"])
    events = claim_chain.store.execute("SELECT type, subject FROM event_log WHERE account_id IS NULL").fetchall()
    assert events == [{"type": "claim.confirmed", "subject": "AURUM"}]


async def test_a_contract_wallet_claims_with_eip_1271(claim_chain: ClaimChain, claim_service: Service) -> None:
    key = claim_chain.wallet()
    wallet = claim_chain.deploy(key, "SignatureWallet", key.address)
    claim_chain.node.rpc("anvil_setBalance", wallet, hex(ETHER))
    token = claim_chain.deploy(claim_chain.wallet(), "OwnedToken", "Vault", "VAULT", 18, 10**24, wallet)
    claim_chain.index()
    claim_chain.price_native()
    claimer = Claimer(claim_service, "VAULT", token, wallet)

    verdict = await claimer.prove(key)
    assert (verdict["verificationMethod"], verdict["methodsAttempted"]) == ("owner", ["deployer", "owner"])
    transaction = (await claimer.build(verdict["proofHash"])).json()["transaction"]
    call = built("SignatureWallet").call(
        "execute", transaction["to"], int(transaction["value"], 16), bytes.fromhex(transaction["data"][2:])
    )
    receipt = claim_chain.send(key, wallet, call)
    assert (await claimer.status(receipt["transactionHash"]))["status"] == "confirmed"
    registered = (await claim_service.get("/registration/VAULT/base")).json()
    assert registered["owner"].lower() == wallet


async def test_an_undeployed_wallet_claims_with_erc_6492(claim_chain: ClaimChain, claim_service: Service) -> None:
    key = claim_chain.wallet()
    wallet, factory, call = claim_chain.counterfactual(key)
    token = claim_chain.token(claim_chain.wallet(), "FUTURE", holder=wallet)
    claim_chain.index()
    claim_chain.price_native()
    claimer = Claimer(claim_service, "FUTURE", token, wallet)

    message = await claimer.message()
    inner = bytes.fromhex(sign(key, message["message"])[2:])
    wrapped = encode(["address", "bytes", "bytes"], [factory, bytes.fromhex(call[2:]), inner]) + b"\x64\x92" * 16
    verdict = (await claimer.verify("0x" + wrapped.hex(), message["timestamp"])).json()
    assert (verdict["verified"], verdict["verificationMethod"]) == (True, "majorityHolder")
    assert verdict["methodsAttempted"] == ["deployer", "owner", "admin", "majorityHolder"]
    assert claim_chain.node.rpc("eth_getCode", wallet, "latest") == "0x"
    assert (await claimer.build(verdict["proofHash"])).status_code == 200

    stranger = bytes.fromhex(sign(claim_chain.wallet(), message["message"])[2:])
    forged = encode(["address", "bytes", "bytes"], [factory, bytes.fromhex(call[2:]), stranger]) + b"\x64\x92" * 16
    refused = (await claimer.verify("0x" + forged.hex(), message["timestamp"])).json()
    assert (refused["verified"], refused["proofHash"], refused["proofJws"]) == (False, None, None)


async def test_a_deployment_through_a_factory_counts(claim_chain: ClaimChain, claim_service: Service) -> None:
    wallet = claim_chain.wallet()
    maker = claim_chain.deploy(claim_chain.wallet(), "TokenMaker")
    call = artifacts.load("TokenMaker").call("makeQuietly", "Forged", "FORGED", 10**24, b"\x07" * 32)
    receipt = claim_chain.send(wallet, maker, call)
    token = str(receipt["logs"][0]["address"])
    claim_chain.send(wallet, token, artifacts.load("PlainToken").call("transfer", claim_chain.wallet().address, 10**24))
    claim_chain.index()
    verdict = await Claimer(claim_service, "FORGED", token, wallet.address).prove(wallet)
    assert verdict["verificationMethod"] == "deployer"


@pytest.fixture
async def patient_service(claim_chain: ClaimChain, serve: Serve, warehouse_url: str) -> AsyncIterator[Service]:
    """The API on that chain, with patience enough to serve every concurrent claim on a slow machine."""
    async with serve(
        chains=claim_chain.chains_path, clickhouse_url=warehouse_url, admission_queue_seconds=600
    ) as running:
        yield running


async def test_a_hundred_concurrent_claims_make_one_registration(
    claim_chain: ClaimChain, patient_service: Service
) -> None:
    wallet = claim_chain.wallet()
    token = claim_chain.token(wallet, "RACE")
    claim_chain.index()
    claim_chain.price_native()
    claimer = Claimer(patient_service, "RACE", token, wallet.address)
    proof = (await claimer.prove(wallet))["proofHash"]
    answers = await asyncio.gather(*(claimer.build(proof) for _ in range(100)))
    transactions = [answer.json()["transaction"] for answer in answers]
    assert len({transaction["data"] for transaction in transactions}) == 100

    node = claim_chain.node
    nonce = int(node.rpc("eth_getTransactionCount", wallet.address, "latest"), 16)
    node.rpc("evm_setAutomine", False)
    try:
        hashes = [
            node.rpc(
                "eth_sendRawTransaction",
                wallet.sign_transaction(
                    {
                        "to": transaction["to"],
                        "data": transaction["data"],
                        "value": int(transaction["value"], 16),
                        "gas": 400_000,
                        "gasPrice": 3 * 10**9,
                        "chainId": 8453,
                        "nonce": nonce + position,
                    }
                ).raw_transaction.to_0x_hex(),
            )
            for position, transaction in enumerate(transactions)
        ]
        assert (await claimer.status(hashes[0]))["status"] == "pending"
        node.mine()
    finally:
        node.rpc("evm_setAutomine", True)
    statuses = await asyncio.gather(*(claimer.status(sent) for sent in hashes))
    assert sorted(status["status"] for status in statuses) == ["confirmed"] + ["failed"] * 99
    counts = claim_chain.rows_written()
    assert (counts["registration"], counts["claim_authorization"], counts["event_log"]) == (1, 100, 1)


async def test_a_chain_that_stops_answering_leaves_nothing_written(
    claim_chain: ClaimChain, claim_service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    wallet = claim_chain.wallet()
    token = claim_chain.token(wallet, "SILENT")
    claim_chain.index()
    claim_chain.price_native()
    claimer = Claimer(claim_service, "SILENT", token, wallet.address)
    proof = (await claimer.prove(wallet))["proofHash"]

    async def fall_silent(*_: object) -> None:
        raise NodeUnavailable("gone")

    monkeypatch.setattr("api.claims.service.estimate_mint", fall_silent)
    answer = await claimer.build(proof)
    assert (answer.status_code, answer.json()["code"]) == (503, "TOKEN_UNVERIFIED")
    assert claim_chain.rows_written()["claim_authorization"] == 0


def add_lapsed(claim_chain: ClaimChain, owner: str, token: str) -> None:
    """A registration of LAPSED that expired."""
    claim_chain.store.execute(
        "INSERT INTO registration (chain_id, token_id, block_hash, log_index, block_number, transaction_hash, registry,"
        " symbol, owner, token_address, fee_wei, with_receipt, minted_at, expired_at, end_reason, is_final)"
        " VALUES (8453, 7, '0x0', 0, 1, '0x0', %s, 'LAPSED', %s, %s, 0, false, now(), now(), 'inactive', true)",
        (claim_chain.registry, owner.lower(), token),
    )


async def test_a_former_owner_reclaims_free_with_a_receipt(claim_chain: ClaimChain, claim_service: Service) -> None:
    wallet = claim_chain.wallet()
    token = claim_chain.token(wallet, "LAPSED")
    claim_chain.index()
    add_lapsed(claim_chain, wallet.address, token)
    claimer = Claimer(claim_service, "LAPSED", token, wallet.address)
    qualify = await claim_service.post(
        "/registration/check-qualify",
        {"wallet": wallet.address, "tokenAddress": token, "chainId": "8453", "symbol": "LAPSED"},
    )
    assert qualify.json()["price"] == 0
    transaction = (await claimer.build((await claimer.prove(wallet))["proofHash"])).json()["transaction"]
    assert transaction["value"] == "0x0"
    receipt = claim_chain.send(wallet, transaction["to"], transaction["data"])
    assert (await claimer.status(receipt["transactionHash"]))["status"] == "confirmed"
    assert (await claim_service.get("/registration/LAPSED/base")).json()["status"] == "grace_period"


async def test_nothing_is_signed_for_a_symbol_that_is_not_the_tokens(
    claim_chain: ClaimChain, claim_service: Service
) -> None:
    wallet = claim_chain.wallet()
    token = claim_chain.token(wallet, "GOOD")
    claim_chain.index()
    for symbol, address in (("OTHER", token), ("GOOD", wallet.address)):
        verdict = await Claimer(claim_service, symbol, address, wallet.address).prove(wallet)
        assert (verdict["verified"], verdict["proofHash"], verdict["proofJws"]) == (False, None, None)
        assert "symbol" in verdict["message"]
    assert claim_chain.rows_written()["claim_proof"] == 0


async def test_claim_methods_are_listed_in_the_order_of_checks(service: Service) -> None:
    answer = (await service.get("/claim/methods/evm")).json()
    assert answer["chainType"] == "evm"
    assert [(one["method"], one["confidence"]) for one in answer["methods"]] == [
        ("deployer", 1), ("owner", 0.9), ("admin", 0.85), ("majorityHolder", 0.8),
    ]  # fmt: skip
    on_solana = (await service.get("/claim/methods/solana")).json()
    assert [(one["method"], one["confidence"]) for one in on_solana["methods"]] == [
        ("deployer", 1), ("mintAuthority", 0.95), ("updateAuthority", 0.9), ("majorityHolder", 0.8),
    ]  # fmt: skip
    for kind in ("sol", "EVM", "x"):
        refused = await service.get(f"/claim/methods/{kind}")
        assert (refused.status_code, refused.json()["code"]) == (400, "VALIDATION_INVALID_INPUT")
        assert refused.json()["error"].startswith("chainType: ")
    assert (await service.anonymous.get("/api/v2/claim/methods/evm")).status_code == 401


async def test_a_status_says_that_the_transaction_could_not_be_read(indexed: Service) -> None:
    answer = await indexed.get(f"/claim/status/0x{'ab' * 32}", chainId=8453)  # its node does not answer
    assert (answer.status_code, answer.json()["code"]) == (503, "TRANSACTION_UNREAD")
    assert answer.json()["error"] == "txHash: the transaction could not be read from the chain now, try again"
    assert int(answer.headers["Retry-After"]) > 0


async def test_a_free_claim_waits_when_the_registry_takes_no_more_today(
    claim_chain: ClaimChain, claim_service: Service
) -> None:
    wallet = claim_chain.wallet()
    token = claim_chain.token(wallet, "LAPSED")
    claim_chain.index()
    add_lapsed(claim_chain, wallet.address, token)
    assert claim_chain.guardian is not None
    limits = contract().call("setMintLimits", 0, 10**14)
    assert claim_chain.send(claim_chain.guardian, claim_chain.registry, limits)["status"] == "0x1"
    claimer = Claimer(claim_service, "LAPSED", token, wallet.address)
    answer = await claimer.build((await claimer.prove(wallet))["proofHash"])
    assert (answer.status_code, answer.json()["code"]) == (503, "FREE_CLAIMS_USED_UP")
    assert 0 < int(answer.headers["Retry-After"]) <= 86_400
    assert claim_chain.rows_written()["claim_authorization"] == 0


async def test_a_remote_signer_signs_claims_and_its_outage_is_not_a_refusal(
    claim_chain: ClaimChain, claim_service: Service
) -> None:
    wallet = claim_chain.wallet()
    token = claim_chain.token(wallet, "Aurum")
    claim_chain.index()
    claim_chain.price_native()
    with RemoteSignerDouble(load_or_create(claim_service.services.settings.data_dir)) as remote:
        named = EngineSettings(signer_url=remote.url, signer_address=remote.account.address)
        claim_service.services.signing = Signing(open_signer(named))
        claimer = Claimer(claim_service, "AURUM", token, wallet.address)
        proof = (await claimer.prove(wallet))["proofHash"]
        transaction = (await claimer.build(proof)).json()["transaction"]
        value = int(transaction["value"], 16)
        sent = claim_chain.send(wallet, transaction["to"], transaction["data"], value)
        assert sent["status"] == "0x1"
        claim_chain.send(wallet, transaction["to"], contract().call("release", 1))
        remote.answer_with = lambda _: (500, b"")
        answer = await claimer.build(proof)
    assert (answer.status_code, answer.json()["code"]) == (503, "SIGNING_UNAVAILABLE")
    assert "Retry-After" in answer.headers
