"""Swaps of merges: paid for what was burned, up to the deposit, until the window ends; the rest returns."""

import pytest
from eth_account.signers.local import LocalAccount
from hypothesis import given, settings
from hypothesis import strategies as st

from indexer.contracts import vaults
from indexer.contracts.vaults import DEAD_ADDRESS, SwapTerms, ratio_in_base_units
from tests.indexer.contracts.deployed_registry import Registry, Reverted
from tests.indexer.contracts.deployed_vaults import COIN, SUPPLY, Token, Vaults


@pytest.fixture
def kept(timed: Registry) -> Vaults:
    return Vaults.deploy(timed)


@pytest.fixture
def old(kept: Vaults) -> Token:
    return kept.token()


@pytest.fixture
def new(kept: Vaults) -> Token:
    return kept.token()


@pytest.fixture
def swapper(kept: Vaults, old: Token) -> LocalAccount:
    return kept.give(old, kept.timed.wallet(), 3_000)


def test_holders_swap_until_the_end_and_the_rest_returns(
    kept: Vaults, old: Token, new: Token, swapper: LocalAccount
) -> None:
    old.send(old.issuer, "transfer", DEAD_ADDRESS, 3 * 10**20)
    terms = kept.opened_swap(old, new)
    state = kept.swap_state(terms)
    assert (state["swappable"], state["deposit"]) == (SUPPLY - 3 * 10**20, (SUPPLY - 3 * 10**20) * 2 // 3)
    assert new.balance(state["vault"]) == state["deposit"] == terms.deposit_for(state["swappable"])
    dead = old.balance(DEAD_ADDRESS)
    kept.swap(terms, swapper, 2_999, least=1_999)
    assert (old.balance(DEAD_ADDRESS) - dead, new.balance(swapper.address)) == (2_999, 1_999)
    with kept.timed.refuses("TooEarly"):
        kept.ask(swapper, vaults.contract().call("closeSwap", terms.id))
    kept.timed.anvil.rpc("evm_setNextBlockTimestamp", terms.closes_at)
    kept.timed.anvil.rpc("evm_mine")
    with kept.timed.refuses("PaysTooLittle"):  # a last unit is worth less than one; in time all the same
        kept.ask(swapper, vaults.swap_calldata(terms.id, 1, 0))
    kept.timed.wait(1)
    with kept.timed.refuses("TooLate"):
        kept.ask(swapper, vaults.swap_calldata(terms.id, 1, 0))
    before = new.balance(new.issuer.address)
    kept.send(swapper, vaults.contract().call("closeSwap", terms.id))
    assert new.balance(new.issuer.address) == before + state["deposit"] - 1_999
    with kept.timed.refuses("NothingLeft"):
        kept.ask(swapper, vaults.contract().call("closeSwap", terms.id))


def test_only_the_depositor_opens_once_and_with_the_whole_deposit(kept: Vaults, old: Token, new: Token) -> None:
    terms, stranger = kept.swap_terms(old, new), kept.timed.wallet()
    data = vaults.open_swap_calldata(terms, terms.deposit_for(SUPPLY))
    with kept.timed.refuses("NotDepositor"):
        kept.ask(stranger, data)
    with kept.timed.refuses("DepositAboveLimit"):
        kept.ask(new.issuer, vaults.open_swap_calldata(terms, terms.deposit_for(SUPPLY) - 1))
    with kept.timed.refuses("WrongDeposit"):
        kept.ask(new.issuer, data, 1)
    new.send(new.issuer, "approve", kept.address, terms.deposit_for(SUPPLY) - 1)
    with pytest.raises(Reverted):
        kept.ask(new.issuer, data)
    new.send(new.issuer, "approve", kept.address, 2**256 - 1)
    kept.send(new.issuer, data)
    with kept.timed.refuses("AlreadyOpened"):
        kept.ask(new.issuer, data)


def test_terms_that_make_no_sense_are_refused(kept: Vaults, old: Token, new: Token) -> None:
    now = kept.timed.now()
    for changes, error in (
        ({"new_units": 0}, "InvalidTerms"),
        ({"old_units": 0}, "InvalidTerms"),
        ({"new_token": old.address}, "InvalidTerms"),
        ({"new_token": COIN}, "InvalidTerms"),
        ({"old_units": 2**128 - 1, "new_units": 1}, "InvalidTerms"),
        ({"closes_at": now}, "TooLate"),
        ({"closes_at": now + 732 * 86_400}, "InvalidTerms"),
    ):
        terms = kept.swap_terms(old, new, **changes)
        with kept.timed.refuses(error):
            kept.ask(new.issuer, vaults.open_swap_calldata(terms, 2**256 - 1))
    flooded = kept.token(supply=2**255)
    terms = kept.swap_terms(flooded, new, new_units=2**128 - 1, old_units=1)
    with pytest.raises(Reverted):  # the deposit would not fit 256 bits
        kept.ask(new.issuer, vaults.open_swap_calldata(terms, 2**256 - 1))
    unknown = SwapTerms(bytes(32), new.issuer.address, old.address, new.address, 1, 1, 1).id
    for data in (vaults.swap_calldata(unknown, 1, 0), vaults.contract().call("closeSwap", unknown)):
        with kept.timed.refuses("UnknownVault"):
            kept.ask(new.issuer, data)


def test_the_id_is_the_contracts(kept: Vaults, old: Token, new: Token) -> None:
    terms = kept.swap_terms(old, new)
    values = (
        terms.deal, terms.depositor, terms.old_token, terms.new_token, terms.new_units, terms.old_units,
        terms.closes_at,
    )  # fmt: skip
    assert kept.timed.ask(vaults.contract().call("swapIdOf", values), to=kept.address) == "0x" + terms.id.hex()


def test_new_tokens_that_take_a_fee_fill_no_vault_and_never_pay_less_than_asked(
    kept: Vaults, old: Token, new: Token, swapper: LocalAccount
) -> None:
    new.send(new.issuer, "setFee", 100)
    with kept.timed.refuses("WrongDeposit"):
        kept.opened_swap(old, new)
    new.send(new.issuer, "setFee", 0)
    terms = kept.opened_swap(old, new)
    new.send(new.issuer, "setFee", 100)  # only once the vault is full
    with kept.timed.refuses("PaysTooLittle"):
        kept.swap(terms, swapper, 3_000, least=2_000)
    new.send(new.issuer, "setFee", 10_000)
    with kept.timed.refuses("PaysTooLittle"):
        kept.swap(terms, swapper, 3_000)
    assert old.balance(swapper.address) == 3_000


def test_old_tokens_that_take_a_fee_count_as_they_arrive(
    kept: Vaults, old: Token, new: Token, swapper: LocalAccount
) -> None:
    terms = kept.opened_swap(old, new)
    old.send(old.issuer, "setFee", 1_000)
    with kept.timed.refuses("PaysTooLittle"):
        kept.swap(terms, swapper, 3_000, least=2_000)
    kept.swap(terms, swapper, 3_000, least=1_800)
    assert (kept.swap_state(terms)["swapped"], old.balance(DEAD_ADDRESS)) == (2_700, 2_700)


def test_tokens_that_return_nothing_are_swapped_and_those_that_answer_false_are_not(kept: Vaults) -> None:
    old, new = kept.token("SilentToken"), kept.token("SilentToken")
    terms = kept.opened_swap(old, new)
    wallet = kept.give(old, kept.timed.wallet(), 30)
    kept.swap(terms, wallet, 30)
    assert new.balance(wallet.address) == 20
    declining = kept.token()
    declining.send(declining.issuer, "decline")
    with kept.timed.refuses("SafeERC20FailedOperation"):
        kept.opened_swap(old, declining)


def test_a_flood_of_new_old_tokens_empties_nothing(kept: Vaults, old: Token, new: Token, swapper: LocalAccount) -> None:
    terms = kept.opened_swap(old, new)
    flood = kept.timed.wallet()
    old.send(old.issuer, "issue", flood.address, SUPPLY)
    old.send(flood, "approve", kept.address, 2**256 - 1)
    for wallet in (flood, swapper):
        with kept.timed.refuses("SupplyGrew"):
            kept.swap(terms, wallet, 3)
    old.send(old.issuer, "destroy", flood.address, SUPPLY)
    kept.swap(terms, swapper, 3_000)
    # Tokens that are taken from the dead address and made anew are no growth, and are worth no more than the deposit.
    old.send(old.issuer, "destroy", DEAD_ADDRESS, 3_000)
    old.send(old.issuer, "issue", old.issuer.address, 3_000)
    with kept.timed.refuses("BeyondDeposit"):
        kept.swap(terms, old.issuer, SUPPLY)
    kept.swap(terms, old.issuer, SUPPLY - 3_000)
    assert new.balance(kept.swap_state(terms)["vault"]) <= 1


@pytest.mark.parametrize("calling", ["old", "new"])
def test_a_token_that_calls_back_finds_every_vault_locked(kept: Vaults, calling: str) -> None:
    old = kept.token("CallingToken" if calling == "old" else "IssuedToken")
    new = kept.token("CallingToken" if calling == "new" else "IssuedToken")
    terms = kept.opened_swap(old, new)
    other = kept.opened_swap(old, new, deal=b"\x0e" * 32, new_units=1)
    wallet, hostile = kept.give(old, kept.timed.wallet(), 300), old if calling == "old" else new
    for data in (
        vaults.swap_calldata(other.id, 3, 0),
        vaults.contract().call("closeSwap", terms.id),
        vaults.open_swap_calldata(kept.swap_terms(old, new, depositor=hostile.address), 2**256 - 1),
    ):
        hostile.send(hostile.issuer, "set", kept.address, bytes.fromhex(data[2:]))
        kept.swap(terms, wallet, 30, least=20)


def test_a_barred_wallet_stops_nobody_else(kept: Vaults, old: Token, new: Token, swapper: LocalAccount) -> None:
    terms = kept.opened_swap(old, new)
    barred = kept.give(old, kept.timed.wallet(), 30)
    new.send(new.issuer, "bar", barred.address)
    with pytest.raises(Reverted):
        kept.swap(terms, barred, 30)
    assert old.balance(barred.address) == 30
    kept.swap(terms, swapper, 3_000)
    assert new.balance(swapper.address) == 2_000


def test_nobody_pays_out_of_a_vault_past_the_rules(kept: Vaults, old: Token, new: Token) -> None:
    vault = str(kept.swap_state(kept.opened_swap(old, new))["vault"])
    pay = vaults.vault().call("pay", new.address, new.issuer.address, 1)
    for sender in (new.issuer, kept.timed.guardian, kept.timed.signer):
        with pytest.raises(Reverted):
            kept.timed.ask(pay, sender.address, to=vault)


@settings(max_examples=50, deadline=None)
@given(st.data())
def test_payments_never_exceed_the_deposit(data: st.DataObject) -> None:
    supply = data.draw(st.integers(1, 60))
    units = data.draw(st.tuples(st.integers(1, 50), st.integers(1, 50)))
    terms = SwapTerms(bytes(32), COIN, COIN, COIN, *units, closes_at=1)
    left, paid = supply, 0
    while left:
        part = data.draw(st.integers(1, left))
        paid += part * terms.new_units // terms.old_units
        left -= part
    assert paid <= terms.deposit_for(supply)


def test_ratios_of_whole_tokens_become_base_units_in_lowest_terms() -> None:
    assert ratio_in_base_units(3, 18, 6, 6) == (5 * 10**11, 1)
    assert ratio_in_base_units(10**18, 18, 10**18, 18) == (1, 1)
    with pytest.raises(ValueError, match="128 bits"):
        ratio_in_base_units(10**18, 77, 1, 0)
