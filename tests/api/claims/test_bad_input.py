"""Bad input to the claim routes: status, code, the field's name, and nothing written."""

import time
from typing import Any

import pytest
from eth_utils.address import to_checksum_address

from tests.fixtures.claims import ClaimChain, Claimer, sign
from tests.fixtures.service import Service

WALLET = to_checksum_address("0x" + "1a" * 20)
TOKEN = to_checksum_address("0x" + "2b" * 20)
CLAIM: dict[str, Any] = {"symbol": "PEPE", "chainId": 8453, "tokenAddress": TOKEN}
REQUESTS: dict[str, dict[str, Any]] = {
    "/claim/message": {**CLAIM, "claimerAddress": WALLET},
    "/claim/verify": {**CLAIM, "walletAddress": WALLET, "signature": "0x" + "00" * 65, "timestamp": 0},
    "/claim": {**CLAIM, "walletAddress": WALLET, "proofHash": "0x" + "00" * 32},
}
WRONG_CHECKSUM = WALLET.swapcase().replace("0X", "0x")
COMMON = [
    ("symbol", "PE PE"),
    ("symbol", "A" * 21),
    ("symbol", ""),
    ("symbol", "ПЕПЕ"),
    ("symbol", 5),
    ("chainId", 999999),
    ("chainId", "nowhere"),
    ("chainId", 1),  # known, but no node
    ("chainId", "solana"),
    ("chainId", True),
    ("chainId", 8453.5),
    ("chainId", None),
    ("tokenAddress", "0x1234"),
    ("tokenAddress", TOKEN[:-1] + "g"),
    ("tokenAddress", TOKEN.swapcase().replace("0X", "0x")),
    ("tokenAddress", None),
]
CASES = [
    *((path, field, value) for path in REQUESTS for field, value in COMMON),
    *(("/claim/message", "claimerAddress", value) for value in ("0xabc", WRONG_CHECKSUM, 7)),
    *((path, "walletAddress", value) for path in ("/claim/verify", "/claim") for value in ("0xabc", WRONG_CHECKSUM)),
    *(("/claim/verify", "signature", value) for value in ("", "0x", "00" * 65, "0xzz", "0x" + "0" * 131, "0x11 11", 5)),
    *(("/claim/verify", "timestamp", value) for value in ("0", 1.5, True, None)),
    *(("/claim", "proofHash", value) for value in ("0x12", "00" * 33, "0x" + "g" * 64, 5)),
]


async def test_each_wrong_field_is_400_and_named(claim_chain: ClaimChain, claim_service: Service) -> None:
    for path, field, value in CASES:
        body = {**REQUESTS[path], field: value}
        answer = await claim_service.post(path, body)
        assert answer.status_code == 400, (path, field, value, answer.text)
        assert answer.json()["code"] == "VALIDATION_INVALID_INPUT"
        assert answer.json()["error"].startswith(f"{field}: "), (path, field, value, answer.text)
    assert set(claim_chain.rows_written().values()) == {0}


async def test_each_missing_field_is_400_and_named(claim_chain: ClaimChain, claim_service: Service) -> None:
    for path, body in REQUESTS.items():
        for field in body:
            if field == "proofHash":
                continue
            answer = await claim_service.post(path, {key: value for key, value in body.items() if key != field})
            assert answer.json() == {"error": f"{field}: is required", "code": "VALIDATION_INVALID_INPUT"}
            assert answer.status_code == 400
    for body in (None, [], "text", 5):
        assert (await claim_service.post("/claim", body)).status_code == 400
    assert set(claim_chain.rows_written().values()) == {0}


@pytest.mark.parametrize("age", [601, 86_400, -120])
async def test_a_stale_or_future_timestamp_is_400(claim_chain: ClaimChain, claim_service: Service, age: int) -> None:
    wallet = claim_chain.wallet()
    token = claim_chain.token(wallet, "STALE")
    claim_chain.index()
    claimer = Claimer(claim_service, "STALE", token, wallet.address)
    message = await claimer.message()
    moment = int(time.time()) - age
    text = message["message"].replace(str(message["timestamp"]), str(moment))
    answer = await claimer.verify(sign(wallet, text), moment)
    assert (answer.status_code, answer.json()["code"]) == (400, "VALIDATION_INVALID_INPUT")
    assert answer.json()["error"].startswith("timestamp: ")
    assert set(claim_chain.rows_written().values()) == {0}


async def test_a_signature_of_another_wallet_or_message_is_refused(
    claim_chain: ClaimChain, claim_service: Service
) -> None:
    wallet, other = claim_chain.wallet(), claim_chain.wallet()
    token = claim_chain.token(wallet, "OTHERS")
    claim_chain.index()
    claimer = Claimer(claim_service, "OTHERS", token, wallet.address)
    message = await claimer.message()
    for signature in (
        sign(other, message["message"]),
        sign(wallet, message["message"] + " "),
        "0x" + "11" * 65,
        "0x" + "11" * 64,
        "0x11",
        "0x" + "11" * 40 + "6492" * 16,
    ):
        answer = await claimer.verify(signature, message["timestamp"])
        assert answer.status_code == 200, answer.text
        verdict = answer.json()
        assert (verdict["verified"], verdict["proofHash"], verdict["methodsAttempted"]) == (False, None, [])
        assert "signature" in verdict["message"]
    assert set(claim_chain.rows_written().values()) == {0}


async def test_the_proof_of_another_claim_is_403(claim_chain: ClaimChain, claim_service: Service) -> None:
    wallet = claim_chain.wallet()
    first, second = claim_chain.token(wallet, "FIRST"), claim_chain.token(wallet, "SECOND")
    claim_chain.index()
    claim_chain.price_native()
    proof = (await Claimer(claim_service, "FIRST", first, wallet.address).prove(wallet))["proofHash"]
    for hash_text in (proof, "0x" + "77" * 32):
        answer = await Claimer(claim_service, "SECOND", second, wallet.address).build(hash_text)
        assert (answer.status_code, answer.json()["code"]) == (403, "CLAIM_UNAUTHORIZED")
        assert answer.json()["error"].startswith("proofHash: ")
    claim_chain.store.execute("UPDATE claim_proof SET expires_at = now() - interval '1 second'")
    expired = await Claimer(claim_service, "FIRST", first, wallet.address).build(proof)
    assert (expired.status_code, expired.json()["code"]) == (403, "CLAIM_UNAUTHORIZED")
    assert claim_chain.rows_written()["claim_authorization"] == 0


async def test_the_proof_may_be_omitted_while_an_earlier_one_is_valid(
    claim_chain: ClaimChain, claim_service: Service
) -> None:
    wallet = claim_chain.wallet()
    token = claim_chain.token(wallet, "LEFTOUT")
    claim_chain.index()
    claim_chain.price_native()
    claimer = Claimer(claim_service, "LEFTOUT", token, wallet.address)
    before = await claimer.build(None)
    assert (before.status_code, before.json()["code"]) == (400, "VALIDATION_INVALID_INPUT")
    assert before.json()["error"].startswith("proofHash: is required")
    await claimer.prove(wallet)
    assert (await claimer.build(None)).status_code == 200


async def test_the_status_of_unknown_and_unrelated_transactions(
    claim_chain: ClaimChain, claim_service: Service
) -> None:
    unknown = "0x" + "ab" * 32
    missing = await claim_service.get(f"/claim/status/{unknown}", chainId=8453)
    assert (missing.status_code, missing.json()["code"]) == (404, "NOT_FOUND")
    # Without chainId Arbitrum is read, where this chain's transactions are missing.
    known = claim_chain.send(claim_chain.wallet(), claim_chain.wallet().address, "0x")["transactionHash"]
    assert (await claim_service.get(f"/claim/status/{known}")).status_code == 404
    not_a_claim = (await claim_service.get(f"/claim/status/{known}", chainId=8453)).json()
    assert not_a_claim["status"] == "failed"
    for path, field in (("/claim/status/0x12", "txHash"), (f"/claim/status/{unknown}?chainId=nowhere", "chainId")):
        answer = await claim_service.client.get(f"/api/v2{path}")
        assert (answer.status_code, answer.json()["code"]) == (400, "VALIDATION_INVALID_INPUT")
        assert answer.json()["error"].startswith(f"{field}: ")
