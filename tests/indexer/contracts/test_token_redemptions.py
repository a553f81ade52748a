"""Redemptions of buyouts: each holder of the snapshot is paid its share once, after the settlement and in time."""

from typing import Any

import pytest
from eth_account import Account
from eth_account.signers.local import LocalAccount
from eth_utils.address import to_checksum_address
from eth_utils.crypto import keccak

from indexer.contracts import vaults
from indexer.contracts.vaults import RedemptionTerms
from tests.indexer.contracts.deployed_registry import Registry, Reverted
from tests.indexer.contracts.deployed_vaults import COIN, DEAL, WINDOW, Vaults
from warehouse.domain.merkle import build_tree, leaf_hash, proof_places

DEPOSIT = 10**18


@pytest.fixture
def kept(timed: Registry) -> Vaults:
    return Vaults.deploy(timed)


@pytest.fixture
def held() -> dict[str, int]:
    """Five accounts and what they held; together 22, so that shares do not come out even."""
    return {Account.create().address: amount for amount in (1, 2, 4, 7, 8)}


@pytest.fixture
def terms(kept: Vaults, offerer: LocalAccount, held: dict[str, int]) -> RedemptionTerms:
    """An open redemption of coins."""
    found = kept.redemption_terms(offerer.address, held, COIN)
    kept.send(offerer, kept.redemption_data(found), DEPOSIT)
    return found


def close(terms: RedemptionTerms) -> str:
    return vaults.contract().call("closeRedemption", terms.id)


def test_everybody_is_paid_a_share_once_and_the_rest_returns(
    kept: Vaults, holder: LocalAccount, offerer: LocalAccount, held: dict[str, int], terms: RedemptionTerms
) -> None:
    timed, anybody = kept.timed, kept.timed.wallet()
    *paid, absent = held
    with timed.refuses("NotSettled"):
        kept.ask(anybody, kept.redeem_data(terms, held, absent))
    kept.settle(holder, offerer)
    for account in paid:
        kept.send(anybody, kept.redeem_data(terms, held, account))
        assert timed.balance(account) == DEPOSIT * held[account] // 22 == terms.share_of(held[account])
        with timed.refuses("AlreadyRedeemed"):
            kept.ask(anybody, kept.redeem_data(terms, held, account))
    with timed.refuses("TooEarly"):
        kept.ask(offerer, close(terms))
    settled_at = int(timed.read("settledAt", DEAL))
    timed.anvil.rpc("evm_setNextBlockTimestamp", settled_at + WINDOW)
    timed.anvil.rpc("evm_mine")
    kept.ask(anybody, kept.redeem_data(terms, held, absent))  # in the last second
    timed.wait(1)
    with timed.refuses("TooLate"):
        kept.ask(anybody, kept.redeem_data(terms, held, absent))
    before, state = timed.balance(offerer.address), kept.redemption_state(terms)
    assert (state["redeemed"], state["paid"]) == (14, sum(terms.share_of(held[account]) for account in paid))
    kept.send(anybody, close(terms))
    assert timed.balance(offerer.address) == before + DEPOSIT - state["paid"]
    with timed.refuses("NothingLeft"):
        kept.ask(anybody, close(terms))


def test_a_deal_that_is_not_settled_in_time_returns_the_deposit(
    kept: Vaults, offerer: LocalAccount, terms: RedemptionTerms
) -> None:
    vault = str(kept.redemption_state(terms)["vault"])
    kept.timed.anvil.rpc("anvil_setBalance", vault, hex(DEPOSIT + 5))  # coins forced on it
    kept.timed.anvil.rpc("evm_setNextBlockTimestamp", terms.settle_by)
    kept.timed.anvil.rpc("evm_mine")
    with kept.timed.refuses("TooEarly"):
        kept.ask(offerer, close(terms))
    kept.timed.wait(1)
    before = kept.timed.balance(offerer.address)
    kept.send(kept.timed.wallet(), close(terms))
    assert kept.timed.balance(offerer.address) == before + DEPOSIT + 5


def test_a_settlement_after_its_time_opens_nothing(
    kept: Vaults, holder: LocalAccount, offerer: LocalAccount, held: dict[str, int], terms: RedemptionTerms
) -> None:
    kept.timed.wait(90_000)
    kept.settle(holder, offerer)
    with kept.timed.refuses("TooLate"):
        kept.ask(offerer, kept.redeem_data(terms, held, next(iter(held))))
    kept.send(offerer, close(terms))


def test_only_proofs_of_the_snapshot_count(
    kept: Vaults, holder: LocalAccount, offerer: LocalAccount, held: dict[str, int], terms: RedemptionTerms
) -> None:
    kept.settle(holder, offerer)
    tree, accounts, thief = kept.tree(held), list(held), kept.timed.wallet()
    proof = tree.proof(tree.places[0])
    inner = [tree.nodes[32 * at : 32 * at + 32] for at in (1, 2)]
    forged: tuple[tuple[str, int, list[bytes]], ...] = (
        (accounts[0], held[accounts[0]] + 1, proof),
        (thief.address, held[accounts[0]], proof),
        (accounts[0], held[accounts[0]], proof[:-1]),
        (accounts[0], held[accounts[0]], [*proof, bytes(32)]),
        (accounts[1], held[accounts[1]], proof),
        (thief.address, 1, []),
        # Second preimage: the two hashes below the root, read as an account and an amount.
        (to_checksum_address("0x" + inner[0][12:].hex()), int.from_bytes(inner[1], "big"), []),
    )
    for account, amount, given in forged:
        with kept.timed.refuses("WrongProof"):
            kept.ask(thief, vaults.redeem_calldata(terms.id, account, amount, given))


def test_terms_need_the_service_and_the_depositor_and_open_once(
    kept: Vaults, holder: LocalAccount, offerer: LocalAccount, held: dict[str, int]
) -> None:
    timed = kept.timed
    terms = kept.redemption_terms(offerer.address, held, COIN)
    data = kept.redemption_data(terms)
    with timed.refuses("NotDepositor"):
        kept.ask(timed.wallet(), data, DEPOSIT)
    with timed.refuses("InvalidSignature"):
        kept.ask(offerer, kept.redemption_data(terms, by=offerer), DEPOSIT)
    for value in (0, DEPOSIT - 1, DEPOSIT + 1):
        with timed.refuses("WrongDeposit"):
            kept.ask(offerer, data, value)
    changed = vaults.open_redemption_calldata(terms, bytes(65))
    with timed.refuses("InvalidSignature"):
        kept.ask(offerer, changed, DEPOSIT)
    now = timed.now()
    refused: tuple[tuple[dict[str, Any], str], ...] = (
        ({"deposit": 0}, "InvalidTerms"),
        ({"total": 0}, "InvalidTerms"),
        ({"window": 0}, "InvalidTerms"),
        ({"window": 732 * 86_400}, "InvalidTerms"),
        ({"settle_by": now}, "TooLate"),
        ({"settle_by": now + 92 * 86_400}, "InvalidTerms"),
    )
    for changes, error in refused:
        wrong = kept.redemption_terms(offerer.address, held, COIN, **changes)
        with timed.refuses(error):
            kept.ask(offerer, kept.redemption_data(wrong), wrong.deposit)
    kept.send(offerer, data, DEPOSIT)
    with timed.refuses("AlreadyOpened"):
        kept.ask(offerer, data, DEPOSIT)
    kept.settle(holder, offerer)
    late = kept.redemption_terms(offerer.address, held, COIN, settle_by=now + 99)
    with timed.refuses("AlreadySettled"):
        kept.ask(offerer, kept.redemption_data(late), DEPOSIT)
    kept.timed.call(timed.guardian, "suspendSigner")
    other = kept.redemption_terms(offerer.address, held, COIN, deal=b"\x0e" * 32)
    with timed.refuses("InvalidSignature"):
        kept.ask(offerer, kept.redemption_data(other), DEPOSIT)


def test_a_deal_is_settled_once(kept: Vaults, holder: LocalAccount, offerer: LocalAccount) -> None:
    kept.settle(holder, offerer)
    with kept.timed.refuses("AlreadySettled"):
        kept.settle(holder, offerer)


def test_currencies_that_take_a_fee_fill_no_vault_and_barred_accounts_stop_nobody_else(
    kept: Vaults, holder: LocalAccount, held: dict[str, int]
) -> None:
    dollar, anybody = kept.token(), kept.timed.wallet()
    terms = kept.redemption_terms(dollar.issuer.address, held, dollar.address)
    dollar.send(dollar.issuer, "transfer", anybody.address, 10**24 - 2 * DEPOSIT)
    dollar.send(dollar.issuer, "setFee", 1)
    with kept.timed.refuses("WrongDeposit"):
        kept.send(dollar.issuer, kept.redemption_data(terms))
    dollar.send(dollar.issuer, "setFee", 0)
    with kept.timed.refuses("WrongDeposit"):
        kept.ask(dollar.issuer, kept.redemption_data(terms), 1)
    kept.send(dollar.issuer, kept.redemption_data(terms))
    kept.settle(holder, dollar.issuer)
    barred, other, *_ = held
    dollar.send(dollar.issuer, "bar", barred)
    with pytest.raises(Reverted):
        kept.ask(anybody, kept.redeem_data(terms, held, barred))
    kept.send(anybody, kept.redeem_data(terms, held, other))
    assert dollar.balance(other) == terms.share_of(held[other])


def test_a_currency_that_calls_back_finds_every_vault_locked(
    kept: Vaults, holder: LocalAccount, held: dict[str, int]
) -> None:
    hostile, anybody = kept.token("CallingToken"), kept.timed.wallet()
    terms = kept.redemption_terms(hostile.issuer.address, held, hostile.address)
    kept.send(hostile.issuer, kept.redemption_data(terms))
    kept.settle(holder, hostile.issuer)
    first, second, *_ = held
    for again in (kept.redeem_data(terms, held, second), close(terms), kept.redeem_data(terms, held, first)):
        hostile.send(hostile.issuer, "set", kept.address, bytes.fromhex(again[2:]))
        kept.ask(anybody, kept.redeem_data(terms, held, first))


def test_an_account_whose_share_is_nothing_is_told_so(
    kept: Vaults, holder: LocalAccount, offerer: LocalAccount
) -> None:
    small, large = Account.create().address, Account.create().address
    held = {small: 1, large: 10**30}
    terms = kept.redemption_terms(offerer.address, held, COIN, deal=DEAL)
    kept.send(offerer, kept.redemption_data(terms), DEPOSIT)
    kept.settle(holder, offerer)
    with kept.timed.refuses("NothingToPay"):
        kept.ask(offerer, kept.redeem_data(terms, held, small))
    kept.send(offerer, kept.redeem_data(terms, held, large))


def test_the_id_is_the_hash_of_the_terms_and_the_tree_is_the_standard_one(terms: RedemptionTerms) -> None:
    assert len(terms.id) == 32
    # From the documentation of OpenZeppelin's merkle-tree: keccak256(bytes.concat(keccak256(abi.encode(...)))).
    account = "0x" + "11" * 20
    assert leaf_hash(account, 5) == keccak(keccak(bytes(12) + b"\x11" * 20 + (5).to_bytes(32, "big")))
    alone = build_tree([(account, 5)])
    assert (alone.root, alone.proof(alone.places[0])) == (leaf_hash(account, 5), [])
    assert proof_places(4) == [3, 2]
