"""Merges and redemptions on a real chain, from the offer to the return of the rest."""

from collections.abc import Iterator
from typing import Any

import pytest
from eth_account.signers.local import LocalAccount

from indexer.contracts.vaults import DEAD_ADDRESS
from indexer.devchain import artifacts
from indexer.devchain.anvil import Anvil
from tests.fixtures.claims import checksummed
from tests.fixtures.deals import DOLLAR
from tests.fixtures.sales import Sale
from warehouse.domain.merkle import build_tree

WINDOW_DAYS = 30
DAY = 86_400
SUPPLY = 10**24


@pytest.fixture
def registry_node() -> Iterator[Anvil]:
    """A node for each test: its time moves by months."""
    with Anvil.start() as node:
        yield node


def send_all(sale: Sale, wallet: LocalAccount, transactions: list[dict[str, Any]]) -> None:
    for one in transactions:
        assert sale.send(wallet, one)["status"] == "0x1", one["description"]


async def vault(sale: Sale, id: str) -> dict[str, Any]:
    answer = await sale.market.service.get(f"/deals/{id}/vault")
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def merged(sale: Sale, **terms: Any) -> tuple[str, str]:
    """An accepted merge of two new for three old, and the new token."""
    new = checksummed(sale.chain.token(sale.offerer.wallet, "AURUM2"))
    given = {"swapWindow": WINDOW_DAYS, "ratio": {"newTokens": 2, "oldTokens": 3}, "newToken": new, **terms}
    answer = await sale.offerer.offer(
        "AURUM", deal_type="merge", agreed_amount=None, agreed_currency=None,
        migration_terms={name: value for name, value in given.items() if value is not None},
    )  # fmt: skip
    assert answer.status_code == 200, answer.text
    id = str(answer.json()["dealId"])
    assert (await sale.holder.moved("accept", id))["stage"] == "swap_window"
    return id, new


async def test_a_merge_from_the_offer_to_the_return_of_the_rest(sale: Sale) -> None:
    id, new = await merged(sale)
    opening = (await sale.offerer.ask("POST", f"/{id}/vault")).json()
    assert (opening["swap"]["newUnits"], opening["swap"]["oldUnits"]) == ("2", "3")
    send_all(sale, sale.offerer.wallet, opening["transactions"])
    refused = await sale.offerer.move("cancel", id)
    assert (refused.status_code, refused.json()["code"]) == (400, "DEAL_INVALID_STATE")
    assert (await sale.market.trader(usdc=0).move("cancel", id)).status_code == 403
    assert await sale.deals.vaults.run() == 0  # the deposit is not final
    sale.mature()
    assert await sale.deals.vaults.run() == 1
    assert await sale.deals.vaults.run() == 0
    deal = await sale.offerer.read(id)
    assert (deal["status"], deal["stage"], deal["actions"]) == ("migrating", "swap_window", [])

    wallet = sale.holder.wallet
    path = f"/deals/{id}/vault/swap"
    built = (await sale.market.service.get(path, wallet=wallet.address, amount="3001")).json()
    assert built["minPaid"] == "2000"
    send_all(sale, wallet, built["transactions"])
    assert (sale.balance(wallet.address, new), sale.balance(DEAD_ADDRESS, sale.token)) == (2000, 3001)
    too_much = await sale.market.service.get(path, wallet=wallet.address, amount=str(SUPPLY))
    assert (too_much.status_code, too_much.json()["error"][:6]) == (400, "amount")
    sale.chain.index()
    state = await vault(sale, id)
    progress = {name: state["progress"][name] for name in ("given", "paid", "returned", "accounts")}
    assert progress == {"given": "3001", "paid": "2000", "returned": "0", "accounts": 1}
    early = await sale.market.service.get(f"/deals/{id}/vault/closing")
    assert (early.status_code, state["closesAt"] in early.json()["error"]) == (400, True)

    sale.mature((WINDOW_DAYS + 1) * DAY)
    late = await sale.market.service.get(path, wallet=wallet.address, amount="3")
    assert late.status_code == 400
    await sale.market.run_clock(days=WINDOW_DAYS + 1)  # a merge that migrates does not lapse
    sale.mature()
    assert await sale.deals.vaults.run() == 1
    deal = await sale.holder.read(id)
    assert (deal["status"], deal["events"][-1]["event_data"]) == ("completed", {"swapped": "3001"})
    assert [event["type"] for event in sale.market.events()][-2:] == ["deal.completed"] * 2
    closing = (await sale.market.service.get(f"/deals/{id}/vault/closing")).json()
    send_all(sale, wallet, [closing["transaction"]])
    assert sale.balance(sale.offerer.address, new) == SUPPLY - 2000
    assert sale.owner(1) == sale.holder.address.lower()  # a merge moves no registration


async def test_a_merge_is_opened_by_its_offerer_with_a_new_token_that_it_has(sale: Sale) -> None:
    id, _ = await merged(sale, newToken=None)
    unnamed = await sale.offerer.ask("POST", f"/{id}/vault")
    assert (unnamed.status_code, "newToken" in unnamed.json()["error"]) == (400, True)
    assert (await sale.holder.ask("POST", f"/{id}/vault")).status_code == 403
    assert (await sale.market.service.get(f"/deals/{id}/vault")).json()["code"] == "DEAL_INVALID_STATE"
    assert (await sale.offerer.moved("cancel", id))["status"] == "cancelled"
    id, _ = await merged(sale, ratio={"newTokens": 2, "oldTokens": 1})
    poor = await sale.offerer.ask("POST", f"/{id}/vault")
    assert (poor.status_code, str(2 * SUPPLY) in poor.json()["error"]) == (400, True)
    same = await sale.offerer.offer(
        "AURUM", deal_type="merge", agreed_amount=None, agreed_currency=None,
        migration_terms={"swapWindow": 1, "newToken": sale.token},
    )  # fmt: skip
    assert (same.status_code, same.json()["error"][:24]) == (400, "migration_terms.newToken")


async def test_a_deposit_that_a_reorganisation_takes_back_moves_nothing(sale: Sale) -> None:
    id, _ = await merged(sale)
    opening = (await sale.offerer.ask("POST", f"/{id}/vault")).json()
    snapshot = sale.chain.node.rpc("evm_snapshot")
    send_all(sale, sale.offerer.wallet, opening["transactions"])
    sale.chain.node.rpc("evm_revert", snapshot)
    sale.mature()
    assert await sale.deals.vaults.run() == 0
    assert (await sale.offerer.read(id))["status"] == "announced"
    again = (await sale.offerer.ask("POST", f"/{id}/vault")).json()
    assert again["vaultId"] == opening["vaultId"]


async def redeemable(sale: Sale) -> tuple[str, LocalAccount]:
    """A consented buyout of 25,000 USDC, of which 15,000 are the token's holders'; and a holder of a quarter."""
    other = sale.chain.wallet()
    data = artifacts.load("PlainToken").call("transfer", other.address, SUPPLY // 4)
    sale.chain.send(sale.holder.wallet, sale.token, data)
    sale.mature()
    sale.chain.index()
    terms = {"redemptionWindow": WINDOW_DAYS, "redemptionShareBps": 6000}
    id = await sale.offerer.offered("AURUM", buyout_terms=terms)
    await sale.holder.moved("accept", id)
    assert await sale.market.run_clock() == 1
    assert (await sale.consent(id)).status_code == 200
    return id, other


async def test_a_buyout_pays_the_tokens_holders(sale: Sale) -> None:
    id, other = await redeemable(sale)
    unfunded = await sale.offerer.ask("POST", f"/{id}/settlement")
    assert (unfunded.status_code, unfunded.json()["code"]) == (400, "DEAL_INVALID_STATE")
    answer = await sale.offerer.ask("POST", f"/{id}/vault")
    assert answer.status_code == 200, answer.text
    opening = answer.json()
    assert (opening["redemption"]["deposit"], opening["redemption"]["total"]) == (str(15_000 * DOLLAR), str(SUPPLY))
    # Tokens that move after the snapshot, and those made then, change nothing.
    data = artifacts.load("PlainToken").call("transfer", sale.chain.wallet().address, SUPPLY // 4)
    sale.chain.send(other, sale.token, data)
    again = (await sale.offerer.ask("POST", f"/{id}/vault")).json()
    assert again["vaultId"] == opening["vaultId"]
    send_all(sale, sale.offerer.wallet, opening["transactions"])
    unsure = await sale.offerer.ask("POST", f"/{id}/settlement")
    assert (unsure.status_code, "final" in unsure.json()["error"]) == (400, True)
    sale.mature()
    settlement = (await sale.offerer.ask("POST", f"/{id}/settlement")).json()
    early = await sale.market.service.get(f"/deals/{id}/vault/redemption", wallet=other.address)
    assert (early.status_code, "settled" in early.json()["error"]) == (400, True)
    assert sale.send(sale.offerer.wallet, settlement["approval"])["status"] == "0x1"
    mined = sale.send(sale.offerer.wallet, settlement["transaction"])
    assert mined["status"] == "0x1"
    assert sale.balance(sale.holder.address) == 10_000 * DOLLAR
    sale.index_settlement(mined)
    assert await sale.deals.following.run() == 1
    deal = await sale.offerer.read(id)
    assert (deal["status"], deal["payments"][0]["amount_raw"]) == ("completed", str(10_000 * DOLLAR))
    assert deal["migration_window_end"] > deal["completed_at"]

    await the_snapshot_can_be_computed_again(sale, id, opening["redemption"]["root"], other)
    path = f"/deals/{id}/vault/redemption"
    built = (await sale.market.service.get(path, wallet=other.address)).json()
    anybody = sale.chain.wallet()
    send_all(sale, anybody, [built["transaction"]])
    assert sale.balance(other.address) == int(built["paid"]) == 15_000 * DOLLAR // 4
    for wallet, words in ((other.address, "was paid"), (anybody.address, "held nothing")):
        refused = await sale.market.service.get(path, wallet=wallet)
        assert (refused.status_code, words in refused.json()["error"]) == (400, True)
    sale.chain.index()
    state = await vault(sale, id)
    assert (state["progress"]["paid"], state["progress"]["accounts"]) == (built["paid"], 1)
    sale.mature((WINDOW_DAYS + 1) * DAY)
    closing = (await sale.market.service.get(f"/deals/{id}/vault/closing")).json()
    before = sale.balance(sale.offerer.address)
    send_all(sale, anybody, [closing["transaction"]])
    assert sale.balance(sale.offerer.address) == before + 15_000 * DOLLAR - int(built["paid"])


async def the_snapshot_can_be_computed_again(sale: Sale, id: str, root: str, other: LocalAccount) -> None:
    held: list[tuple[str, int]] = []
    after = ""
    while True:
        page = (await sale.market.service.get(f"/deals/{id}/vault/snapshot", after=after, limit=1)).json()
        held += [(one["account"], int(one["held"])) for one in page["holders"]]
        if page["next"] is None:
            break
        after = page["next"]
    assert dict(held) == {sale.holder.address: SUPPLY * 3 // 4, other.address: SUPPLY // 4}
    assert page["root"] == root == "0x" + build_tree(held).root.hex()


async def test_the_deposit_of_a_redemption_that_is_not_settled_returns(sale: Sale) -> None:
    id, _ = await redeemable(sale)
    opening = (await sale.offerer.ask("POST", f"/{id}/vault")).json()
    send_all(sale, sale.offerer.wallet, opening["transactions"])
    open_already = await sale.offerer.ask("POST", f"/{id}/vault")
    assert (open_already.status_code, "open" in open_already.json()["error"]) == (400, True)
    before = sale.balance(sale.offerer.address)
    sale.mature(10 * DAY)
    closing = (await sale.market.service.get(f"/deals/{id}/vault/closing")).json()
    send_all(sale, sale.offerer.wallet, [closing["transaction"]])
    assert sale.balance(sale.offerer.address) == before + 15_000 * DOLLAR
    refused = await sale.offerer.ask("POST", f"/{id}/settlement")
    assert refused.status_code == 400
