"""The payment of a settlement: the whole of it arrives at the holder in the call that hands the registration over, or
nothing happens."""

import secrets
from collections.abc import Callable
from typing import Any

import pytest
from eth_account.signers.local import LocalAccount

from indexer.contracts import registry
from indexer.contracts.artifact import Artifact
from indexer.contracts.statements import SettlementAuthorization, SettlementConsent
from tests.indexer.contracts.deployed_registry import Registry, Reverted, artifact

NATIVE = "0x" + "00" * 20
PRICE = 10**18


@pytest.fixture
def settlement(timed: Registry, holder: LocalAccount, offerer: LocalAccount, token_id: int) -> Callable[..., str]:
    """The data of a settlement that holder and service agree to."""

    def build(currency: str = NATIVE, amount: int = PRICE, id: int = token_id) -> str:
        deadline = timed.now() + 900
        consent = SettlementConsent(
            b"\xde" * 32, id, offerer.address, currency, amount, timed.anvil.chain_id, deadline, secrets.randbits(256)
        )
        authorization = SettlementAuthorization(consent.struct_hash, deadline, secrets.randbits(256))
        return registry.settlement_calldata(
            consent, timed.sign(consent, by=holder), authorization, timed.sign(authorization)
        )

    return build


def deploy(timed: Registry, by: LocalAccount, contract: Artifact, *arguments: Any) -> str:
    data = contract.deployment(*arguments)
    timed.anvil.rpc("anvil_impersonateAccount", by.address)
    sent = timed.anvil.rpc("eth_sendTransaction", {"from": by.address, "data": data, "gas": hex(3_000_000)})
    return str(timed.anvil.receipt(sent)["contractAddress"])


def balance(timed: Registry, token: str, wallet: str) -> int:
    return int(timed.ask(artifact("SilentToken").call("balanceOf", wallet), to=token), 16)


def token_of(timed: Registry, issuer: LocalAccount, kind: str, offerer: LocalAccount) -> tuple[str, Artifact]:
    """A token, all of it the offerer's, who lets the registry take any amount."""
    contract = artifact(kind)
    token = deploy(timed, issuer, contract, offerer.address, 10 * PRICE)
    timed.send(offerer, contract.call("approve", timed.address, 2**256 - 1), to=token)
    return token, contract


def test_coins_go_straight_to_the_holder(
    timed: Registry, holder: LocalAccount, offerer: LocalAccount, settlement: Callable[..., str]
) -> None:
    before, data = timed.balance(holder.address), settlement()
    for wrong in (0, PRICE - 1, PRICE + 1):
        with timed.refuses("WrongPayment"):
            timed.ask(data, offerer.address, wrong)
    timed.send(offerer, data, value=PRICE)
    assert timed.balance(holder.address) == before + PRICE
    assert timed.balance(timed.address) == 0
    assert timed.read("ownerOf", timed.token_id("AURUM")) == offerer.address.lower()


@pytest.mark.parametrize("kind", ["SilentToken", "IssuedToken"])
def test_tokens_go_straight_to_the_holder_also_those_that_return_nothing(
    timed: Registry, holder: LocalAccount, offerer: LocalAccount, settlement: Callable[..., str], kind: str
) -> None:
    token, _ = token_of(timed, timed.wallet(), kind, offerer)
    data = settlement(token)
    with timed.refuses("WrongPayment"):
        timed.ask(data, offerer.address, 1)
    timed.send(offerer, data)
    assert (balance(timed, token, holder.address), balance(timed, token, timed.address)) == (PRICE, 0)


def test_only_the_offerer_hands_it_in_so_no_leftover_allowance_is_used(
    timed: Registry, holder: LocalAccount, offerer: LocalAccount, settlement: Callable[..., str]
) -> None:
    token, _ = token_of(timed, timed.wallet(), "IssuedToken", offerer)
    data = settlement(token)
    for sender in (holder, timed.wallet(), timed.signer):
        with timed.refuses("NotOfferer"):
            timed.ask(data, sender.address)
    timed.send(offerer, data)
    # The allowance is left over; whoever else settles pays with what is theirs.
    again = timed.mint(holder, "BAUXITE")
    thief = timed.wallet()
    consent = SettlementConsent(
        bytes(32), again, thief.address, token, PRICE, timed.anvil.chain_id, timed.now() + 900, secrets.randbits(256)
    )
    authorization = SettlementAuthorization(consent.struct_hash, timed.now() + 900, secrets.randbits(256))
    stolen = registry.settlement_calldata(
        consent, timed.sign(consent, by=holder), authorization, timed.sign(authorization)
    )
    with pytest.raises(Reverted):
        timed.ask(stolen, thief.address)
    assert balance(timed, token, offerer.address) == 9 * PRICE


def test_a_token_that_takes_a_fee_or_bars_the_holder_moves_nothing(
    timed: Registry, holder: LocalAccount, offerer: LocalAccount, token_id: int, settlement: Callable[..., str]
) -> None:
    issuer = timed.wallet()
    token, contract = token_of(timed, issuer, "IssuedToken", offerer)
    data = settlement(token)
    timed.send(issuer, contract.call("setFee", 1), to=token)
    with timed.refuses("WrongPayment"):
        timed.ask(data, offerer.address)
    timed.send(issuer, contract.call("setFee", 0), to=token)
    timed.send(issuer, contract.call("bar", holder.address), to=token)
    with pytest.raises(Reverted):
        timed.ask(data, offerer.address)
    assert timed.read("ownerOf", token_id) == holder.address.lower()


def test_a_token_that_answers_false_moves_nothing(
    timed: Registry, holder: LocalAccount, offerer: LocalAccount, token_id: int, settlement: Callable[..., str]
) -> None:
    issuer = timed.wallet()
    token, contract = token_of(timed, issuer, "IssuedToken", offerer)
    timed.send(issuer, contract.call("decline"), to=token)
    with timed.refuses("SafeERC20FailedOperation"):
        timed.ask(settlement(token), offerer.address)
    assert timed.read("ownerOf", token_id) == holder.address.lower()


def test_no_allowance_or_no_token_moves_nothing(
    timed: Registry, holder: LocalAccount, offerer: LocalAccount, token_id: int, settlement: Callable[..., str]
) -> None:
    token, contract = token_of(timed, timed.wallet(), "IssuedToken", offerer)
    timed.send(offerer, contract.call("approve", timed.address, PRICE - 1), to=token)
    for currency in (token, timed.wallet().address, timed.address):
        with pytest.raises(Reverted):
            timed.ask(settlement(currency), offerer.address)
    assert timed.read("ownerOf", token_id) == holder.address.lower()


def test_a_holder_that_takes_no_coins_stops_its_own_deal_only(timed: Registry, offerer: LocalAccount) -> None:
    driver, contract = timed.wallet(), artifact("RefusingWallet")
    wallet = deploy(timed, driver, contract)
    mint = timed.mint_data(timed.authorization(wallet, "AURUM"))
    timed.send(driver, contract.call("run", timed.address, bytes.fromhex(mint[2:])), value=10**15, to=wallet)
    consent = SettlementConsent(
        bytes(32), timed.token_id("AURUM"), offerer.address, NATIVE, PRICE, timed.anvil.chain_id, timed.now() + 900, 7
    )
    authorization = SettlementAuthorization(consent.struct_hash, timed.now() + 900, secrets.randbits(256))
    data = registry.settlement_calldata(consent, b"", authorization, timed.sign(authorization))
    with timed.refuses("PaymentRefused"):
        timed.ask(data, offerer.address, PRICE)


def test_a_currency_that_calls_back_finds_every_door_closed(
    timed: Registry, holder: LocalAccount, offerer: LocalAccount, token_id: int, settlement: Callable[..., str]
) -> None:
    token, contract = token_of(timed, timed.wallet(), "CallingToken", offerer)
    other = timed.mint(holder, "BAUXITE")
    for attempt in (
        settlement(NATIVE, 0, other),
        registry.contract().call("release", token_id),
        registry.contract().call("withdraw"),
        timed.mint_data(timed.authorization(token, "COBALT", fee=0)),
    ):
        timed.send(offerer, contract.call("set", timed.address, bytes.fromhex(attempt[2:])), to=token)
        timed.ask(settlement(token), offerer.address)
