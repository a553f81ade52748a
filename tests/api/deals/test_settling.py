"""Settlements on a real chain with our registry: paid and handed over in one call, or not at all."""

import time
from collections.abc import Iterator
from typing import Any
from uuid import UUID

import pytest
from eth_abi.abi import encode

from indexer.contracts import registry
from indexer.contracts import signer as signers
from indexer.contracts.registry import Reason
from indexer.contracts.signer import KeySigner
from indexer.contracts.statements import EndAnnouncement, MintReceipt
from indexer.contracts.statements import sign as sign_statement
from indexer.devchain.anvil import Anvil
from tests.factories.registrations import BASE
from tests.fixtures.claims import Claimer, checksummed
from tests.fixtures.deals import DOLLAR
from tests.fixtures.sales import Sale

PRICE = 25_000 * DOLLAR


@pytest.fixture(scope="module")
def registry_node() -> Iterator[Anvil]:
    """A node whose time these tests may move."""
    with Anvil.start() as node:
        yield node


def told(sale: Sale) -> list[str]:
    return [event["type"] for event in sale.market.events()]


async def test_a_deal_settles_in_one_transaction_and_completes_when_that_is_final(sale: Sale) -> None:
    id, made = await sale.dispatched()
    mined = sale.send(sale.offerer.wallet, made["transaction"])
    assert mined["status"] == "0x1"
    assert (sale.owner(1), sale.owner(2)) == (None, sale.offerer.address.lower())
    assert (sale.balance(sale.holder.address), sale.balance(sale.chain.registry)) == (PRICE, 0)
    confirmed = await sale.offerer.ask("POST", f"/{id}/settlement/confirm", {"txHash": mined["transactionHash"]})
    assert confirmed.json()["deal"]["mint_tx_hash"] == mined["transactionHash"], confirmed.text
    sale.index_settlement(mined, is_final=False)
    assert await sale.deals.following.run() == 0
    assert (await sale.offerer.read(id))["stage"] == "settling"
    sale.market.store.execute("UPDATE registration SET is_final = true")
    assert await sale.deals.following.run() == 1
    assert await sale.deals.following.run() == 0
    deal = await sale.holder.read(id)
    assert (deal["status"], deal["stage"], deal["actions"]) == ("completed", "completed", [])
    (payment,) = deal["payments"]
    assert (payment["amount_raw"], payment["tx_hash"]) == (str(PRICE), mined["transactionHash"])
    assert told(sale)[-2:] == ["deal.completed"] * 2


async def test_the_seller_can_neither_claim_nor_challenge_afterwards(sale: Sale) -> None:
    _, made = await sale.dispatched()
    mined = sale.send(sale.offerer.wallet, made["transaction"])
    sale.index_settlement(mined)
    seller = sale.holder.wallet
    claimer = Claimer(sale.market.service, "AURUM", sale.token, seller.address)
    sale.chain.publish_progress()
    sale.chain.index()
    proof = await claimer.prove(seller)
    refused = await claimer.build(proof["proofHash"])
    assert (refused.status_code, refused.json()["code"]) == (409, "CLAIM_DUPLICATE")
    senior = sale.chain.deploy(seller, "OwnedToken", "AURUM", "AURUM", 18, 10**24, seller.address)
    for token, check in ((sale.token, "same_token"), (senior, "sold")):
        path = "/registration/2/challenge"
        wallet = {"tokenAddress": token, "walletAddress": seller.address}
        message = (await sale.market.service.post(f"{path}/message?chain=base", wallet)).json()
        body = {**wallet, "signature": "0x" + "1b" * 65, "timestamp": message["timestamp"]}
        answer = await sale.market.service.post(f"{path}?chain=base", body)
        assert (answer.status_code, answer.json()["check"]) == (422, check), answer.text


async def test_no_cancellation_while_an_authorisation_lives(sale: Sale) -> None:
    id, made = await sale.dispatched()
    for party in (sale.offerer, sale.holder):
        answer = await party.move("cancel", id)
        assert (answer.status_code, answer.json()["code"]) == (400, "DEAL_INVALID_STATE")
        assert made["authorizedUntil"] in answer.json()["error"]
    again = (await sale.offerer.ask("POST", f"/{id}/settlement")).json()
    assert again["transaction"] == made["transaction"]
    assert await sale.deals.following.run() == 0
    sale.mature(121)
    # The authorisation has ended, and the final blocks are not beyond it yet.
    late = await sale.offerer.ask("POST", f"/{id}/settlement")
    assert late.json()["code"] == "DEAL_INVALID_STATE"
    with pytest.raises(Exception, match=r"revert|0x"):
        sale.chain.node.rpc("eth_call", {**_call(made), "from": sale.offerer.address}, "latest")
    sale.mature()
    assert await sale.deals.following.run() == 1
    assert (await sale.offerer.read(id))["stage"] == "awaiting_dispatch"
    assert (await sale.holder.moved("cancel", id))["status"] == "cancelled"
    assert sale.owner(1) == sale.holder.address.lower()


def _call(made: dict[str, Any]) -> dict[str, str]:
    return {"to": made["transaction"]["to"], "data": made["transaction"]["data"]}


async def test_an_authorisation_that_ended_unused_is_given_anew(sale: Sale) -> None:
    id, _ = await sale.dispatched()
    sale.mature(121)
    sale.mature()
    assert await sale.deals.following.run() == 1
    made = (await sale.offerer.ask("POST", f"/{id}/settlement")).json()
    assert "approval" not in made
    assert sale.send(sale.offerer.wallet, made["transaction"])["status"] == "0x1"


async def test_the_consent_is_the_holders_and_nobody_sees_it(sale: Sale) -> None:
    id = await sale.accepted()
    forged = await sale.consent(id, sale.offerer.wallet)
    assert (forged.status_code, forged.json()["error"][:9]) == (400, "signature")
    assert (await sale.consent(id, deadline=int(time.time()) + 60)).status_code == 400
    for stranger in (sale.offerer, sale.market.trader(usdc=0)):
        assert (await stranger.ask("GET", f"/{id}/consent")).status_code == 403
        assert (await stranger.ask("POST", f"/{id}/settlement")).status_code in (400, 403)
    kept = await sale.consent(id)
    assert kept.status_code == 200, kept.text
    row = sale.market.store.execute("SELECT consent_signature FROM deal").fetchone()
    assert row is not None
    for trader in (sale.offerer, sale.holder):
        read = str(await trader.read(id)) + str((await trader.ask("GET", "/mine")).json())
        assert row["consent_signature"] not in read
        assert "'burn_consent_recorded': True" in read
    assert (await sale.holder.ask("POST", f"/{id}/settlement")).status_code == 403


async def test_a_consent_of_an_undeployed_wallet_is_refused_by_name(sale: Sale) -> None:
    id = await sale.accepted()
    wrapped = encode(["address", "bytes", "bytes"], [sale.chain.registry, b"\1", b"\2" * 65]) + b"\x64\x92" * 16
    answer = await sale.consent(id, signature="0x" + wrapped.hex())
    assert (answer.status_code, answer.json()["error"][:9]) == (400, "signature")
    assert "ERC-6492" in answer.json()["error"]


@pytest.mark.parametrize("form", ["compact", "parity"])
async def test_every_form_of_a_keys_signature_settles(sale: Sale, form: str) -> None:
    """The registry takes one form only, so the others are kept in that one."""
    id = await sale.accepted()

    def rewritten(signature: bytes) -> bytes:
        parity = signature[64] - 27
        compact = signature[:32] + bytes([signature[32] | parity << 7]) + signature[33:64]
        return compact if form == "compact" else signature[:64] + bytes([parity])

    assert (await sale.consent(id, rewritten=rewritten)).status_code == 200
    made = (await sale.offerer.ask("POST", f"/{id}/settlement")).json()
    sale.send(sale.offerer.wallet, made["approval"])
    assert sale.send(sale.offerer.wallet, made["transaction"])["status"] == "0x1"


async def test_a_revoked_consent_or_an_announced_end_stops_the_settlement(sale: Sale) -> None:
    id = await sale.accepted()
    assert (await sale.consent(id)).status_code == 200
    signer = KeySigner(signers.load_or_create(sale.market.service.services.settings.data_dir))
    statement = EndAnnouncement(1, Reason.INACTIVE, int(time.time()) + 10**6, 77)
    signed = sign_statement(signer, BASE, sale.chain.registry, statement)
    announced = registry.announcement_calldata(statement, signed)
    snapshot = sale.chain.node.rpc("evm_snapshot")
    sale.chain.send(sale.holder.wallet, sale.chain.registry, announced)
    answer = await sale.offerer.ask("POST", f"/{id}/settlement")
    assert (answer.status_code, "end of the registration" in answer.json()["error"]) == (400, True)
    sale.chain.node.rpc("evm_revert", snapshot)
    nonce = sale.market.store.execute("SELECT consent_nonce FROM deal").fetchone()
    assert nonce is not None
    revoked = registry.contract().call("revokeConsent", int(nonce["consent_nonce"]))
    sale.chain.send(sale.holder.wallet, sale.chain.registry, revoked)
    answer = await sale.offerer.ask("POST", f"/{id}/settlement")
    assert (answer.status_code, "revoked" in answer.json()["error"]) == (400, True)


async def test_a_registration_released_meanwhile_fails_the_deal(sale: Sale) -> None:
    id, made = await sale.dispatched()
    release = registry.contract().call("release", 1)
    assert sale.chain.send(sale.holder.wallet, sale.chain.registry, release)["status"] == "0x1"
    assert sale.send(sale.offerer.wallet, made["transaction"])["status"] == "0x0"
    assert sale.balance(sale.holder.address) == 0
    now = sale.market.clock.now()
    sale.market.store.execute("UPDATE registration SET released_at = %s, end_reason = 'released'", (now,))
    assert await sale.deals.following.run() == 0
    sale.market.clock.advance(minutes=61)
    assert await sale.deals.following.run() == 1
    assert (await sale.offerer.read(id))["status"] == "failed"
    assert told(sale)[-2:] == ["deal.failed"] * 2


def reorganise(sale: Sale, **changes: Any) -> None:
    """Put another mint under the registration's id, as the index does after a reorganisation."""
    given = {"transaction_hash": "0x" + "0e" * 32, "is_final": True, **changes}
    names = ", ".join(f"{name} = %s" for name in given)
    sale.market.store.execute(f"UPDATE registration SET {names} WHERE token_id = 1", list(given.values()))


@pytest.mark.parametrize("stage", ["awaiting_consent", "awaiting_dispatch", "settling"])
async def test_a_mint_that_a_reorganisation_replaced_fails_its_deal_once_that_is_final(sale: Sale, stage: str) -> None:
    id = await sale.accepted()
    if stage != "awaiting_consent":
        assert (await sale.consent(id)).status_code == 200
    if stage == "settling":
        assert (await sale.offerer.ask("POST", f"/{id}/settlement")).status_code == 200
    reorganise(sale, symbol="OTHER", is_final=False)
    if stage == "awaiting_consent":
        assert (await sale.holder.ask("GET", f"/{id}/consent")).status_code == 403
    elif stage == "awaiting_dispatch":
        assert (await sale.offerer.ask("POST", f"/{id}/settlement")).json()["code"] == "DEAL_INVALID_STATE"
    assert await sale.market.run_clock() + await sale.deals.following.run() == 0
    assert (await sale.offerer.read(id))["stage"] == stage
    reorganise(sale, symbol="OTHER")
    assert await sale.market.run_clock() + await sale.deals.following.run() == 1
    assert (await sale.offerer.read(id))["status"] == "failed"


async def test_another_holder_than_the_one_who_accepted_settles_nothing(sale: Sale) -> None:
    id = await sale.accepted()
    heir = sale.market.trader(usdc=0)
    sale.market.store.execute("UPDATE registration SET owner = %s", (heir.address.lower(),))
    assert (await sale.holder.ask("GET", f"/{id}/consent")).status_code == 403
    sale.market.store.execute("UPDATE registration SET owner = %s", (sale.holder.address.lower(),))
    assert (await sale.consent(id)).status_code == 200
    sale.market.store.execute("UPDATE registration SET owner = %s", (heir.address.lower(),))
    refused = await sale.offerer.ask("POST", f"/{id}/settlement")
    assert (refused.status_code, refused.json()["code"]) == (400, "DEAL_INVALID_STATE")


async def test_the_symbol_registered_anew_is_not_what_was_sold(sale: Sale) -> None:
    id, made = await sale.dispatched()
    release = registry.contract().call("release", 1)
    assert sale.chain.send(sale.holder.wallet, sale.chain.registry, release)["status"] == "0x1"
    receipt = MintReceipt(sale.holder.address, checksummed(sale.token), "AURUM", int(time.time()) + 10**6, 2)
    signer = KeySigner(signers.load_or_create(sale.market.service.services.settings.data_dir))
    signed = sign_statement(signer, BASE, sale.chain.registry, receipt)
    anew = sale.chain.send(sale.holder.wallet, sale.chain.registry, registry.receipt_calldata(receipt, signed))
    assert (anew["status"], sale.owner(2)) == ("0x1", sale.holder.address.lower())
    assert sale.send(sale.offerer.wallet, made["transaction"])["status"] == "0x0"
    assert (sale.owner(2), sale.balance(sale.holder.address)) == (sale.holder.address.lower(), 0), id


async def test_another_transaction_confirms_nothing(sale: Sale) -> None:
    id, made = await sale.dispatched()
    other = sale.chain.send(sale.holder.wallet, sale.market.usdc, "0x")
    for hash in (other["transactionHash"], "0x" + "12" * 32):
        answer = await sale.offerer.ask("POST", f"/{id}/settlement/confirm", {"txHash": hash})
        assert (answer.status_code, answer.json()["error"][:6]) == (400, "txHash"), made


async def test_a_reorganisation_of_the_settlement_changes_nothing_before_it_is_final(sale: Sale) -> None:
    id, made = await sale.dispatched()
    snapshot = sale.chain.node.rpc("evm_snapshot")
    mined = sale.send(sale.offerer.wallet, made["transaction"])
    sale.index_settlement(mined, is_final=False)
    assert await sale.deals.following.run() == 0
    sale.chain.node.rpc("evm_revert", snapshot)
    sale.market.store.execute("DELETE FROM registration WHERE token_id = 2")
    sale.market.store.execute("UPDATE registration SET released_at = NULL, end_reason = NULL, settled_token_id = NULL")
    assert await sale.deals.following.run() == 0
    assert (await sale.deals.answers.find(UUID(id))).stage == "settling"
    assert sale.send(sale.offerer.wallet, made["transaction"])["status"] == "0x1"
