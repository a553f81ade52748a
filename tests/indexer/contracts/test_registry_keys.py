"""What the signer, the guardian and the factory of a registry may do, and what a stolen key of each cannot."""

from dataclasses import replace
from itertools import count
from typing import Any

import pytest
from eth_account import Account
from eth_account.signers.local import LocalAccount

from indexer.contracts import registry
from indexer.contracts.statements import FactoryAuthorization, SignerAcceptance
from indexer.devchain.anvil import Anvil
from tests.indexer.contracts.deployed_registry import FEE, TERMS, TOKEN, Registry, artifact

_ZERO = "0x" + "00" * 20
_DAY = 86_400
_NONCES = count(2**100)
_RELAY = artifact("Relay")


def _call(function: str, *arguments: Any) -> str:
    return registry.contract().call(function, *arguments)


def _accept(deployed: Registry, key: LocalAccount, name: str | None = None) -> str:
    return _call("activateSigner", deployed.sign(SignerAcceptance(name or key.address), by=key))


def _relay(anvil: Anvil) -> str:
    deployer = anvil.rpc("eth_accounts")[0]
    sent = anvil.rpc("eth_sendTransaction", {"from": deployer, "data": _RELAY.bytecode, "gas": hex(3_000_000)})
    return str(anvil.receipt(sent)["contractAddress"])


GUARDIAN_CALLS = (
    _call("announceSigner", TOKEN),
    _call("cancelSigner"),
    _call("suspendSigner"),
    _call("announceGuardian", TOKEN),
    _call("setFactory", TOKEN),
    _call("setMintLimits", 1, 1),
    _call("vetoEnd", 1),
    _call("confirmEnd", 1),
)


@pytest.mark.parametrize("data", GUARDIAN_CALLS)
def test_the_guardians_calls_are_its_own(timed: Registry, data: str) -> None:
    for sender in (timed.signer.address, timed.treasury, timed.wallet().address):
        with timed.refuses("NotGuardian"):
            timed.ask(data, sender)


def test_the_guardian_replaces_the_signer_after_the_delay(timed: Registry) -> None:
    wallet, heir = timed.wallet(), Account.create()
    before = timed.mint_data(timed.authorization(wallet.address, "BEFORE", deadline=2**40))
    timed.call(timed.guardian, "announceSigner", heir.address)
    assert timed.read("nextSigner") == heir.address.lower()
    with timed.refuses("TooEarly"):
        timed.ask(_accept(timed, heir))
    timed.mint(wallet, "MEANWHILE")
    timed.wait(TERMS.signer_delay)
    for key in (timed.signer, wallet, timed.guardian):
        with timed.refuses("InvalidSignature"):
            timed.ask(_accept(timed, key, heir.address))
    mined = timed.send(wallet, _accept(timed, heir))
    assert len(timed.events(mined, "SignerChanged")) == 1
    assert timed.read("signer") == heir.address.lower()
    with timed.refuses("InvalidSignature"):
        timed.send(wallet, before, value=FEE)
    authorization = timed.authorization(wallet.address, "AFTER")
    timed.send(wallet, registry.mint_calldata(authorization, timed.sign(authorization, by=heir)), value=FEE)
    with timed.refuses("NothingAnnounced"):
        timed.ask(_accept(timed, heir))


@pytest.mark.parametrize("who", ["zero", "signer"])
def test_the_next_signer_is_another_account(timed: Registry, who: str) -> None:
    with timed.refuses("InvalidSigner"):
        timed.call(timed.guardian, "announceSigner", _ZERO if who == "zero" else timed.signer.address)


def test_an_announced_signer_can_be_cancelled_or_replaced(timed: Registry) -> None:
    wrong, right = Account.create(), Account.create()
    with timed.refuses("NothingAnnounced"):
        timed.call(timed.guardian, "cancelSigner")
    timed.call(timed.guardian, "announceSigner", wrong.address)
    timed.call(timed.guardian, "cancelSigner")
    timed.wait(TERMS.signer_delay)
    with timed.refuses("NothingAnnounced"):
        timed.ask(_accept(timed, wrong))
    timed.call(timed.guardian, "announceSigner", wrong.address)
    timed.wait(TERMS.signer_delay)
    timed.call(timed.guardian, "announceSigner", right.address)
    with timed.refuses("TooEarly"):
        timed.ask(_accept(timed, right))


def test_a_suspended_signer_does_nothing_until_one_is_activated(timed: Registry) -> None:
    wallet = timed.wallet()
    authorization = timed.mint_data(timed.authorization(wallet.address, "AURUM", deadline=2**40))
    timed.call(timed.guardian, "suspendSigner")
    assert timed.read("signer") == _ZERO
    with timed.refuses("InvalidSignature"):
        timed.send(wallet, authorization, value=FEE)
    with timed.refuses("InvalidSigner"):
        timed.call(timed.guardian, "suspendSigner")
    timed.call(timed.guardian, "announceSigner", timed.signer.address)
    timed.wait(TERMS.signer_delay)
    timed.send(wallet, _accept(timed, timed.signer))
    timed.send(wallet, authorization, value=FEE)
    assert timed.token_id("AURUM") == 1


def test_a_new_signer_voids_what_the_old_one_announced(timed: Registry) -> None:
    wallet, heir = timed.wallet(), Account.create()
    token_id = timed.mint(wallet, "AURUM")
    timed.call(timed.guardian, "announceSigner", heir.address)
    timed.wait(TERMS.signer_delay)
    timed.announce(token_id)
    timed.send(wallet, _accept(timed, heir))
    assert timed.end(token_id)[0] == 0
    timed.wait(TERMS.end_delay + 1)
    with timed.refuses("NoEndAnnounced"):
        timed.call(wallet, "executeEnd", token_id)


def test_the_guardian_hands_over_after_the_delay(timed: Registry) -> None:
    heir, thief = timed.wallet(), timed.wallet()
    with timed.refuses("InvalidGuardian"):
        timed.call(timed.guardian, "announceGuardian", timed.guardian.address)
    timed.call(timed.guardian, "announceGuardian", thief.address)
    timed.call(timed.guardian, "announceGuardian", _ZERO)
    timed.wait(TERMS.signer_delay)
    with timed.refuses("NotGuardian"):
        timed.call(thief, "acceptGuardian")
    timed.call(timed.guardian, "announceGuardian", heir.address)
    with timed.refuses("TooEarly"):
        timed.call(heir, "acceptGuardian")
    timed.wait(TERMS.signer_delay)
    with timed.refuses("NotGuardian"):
        timed.call(thief, "acceptGuardian")
    timed.call(heir, "acceptGuardian")
    assert timed.read("guardian") == heir.address.lower()
    with timed.refuses("NotGuardian"):
        timed.call(timed.guardian, "suspendSigner")
    with timed.refuses("NotGuardian"):
        timed.call(heir, "acceptGuardian")
    timed.call(heir, "suspendSigner")


def test_a_stolen_guardian_mints_ends_and_moves_nothing(timed: Registry) -> None:
    """Without the signer it cannot; a signer of its own takes the delay and is announced."""
    wallet, thief = timed.wallet(), timed.guardian
    token_id = timed.mint(wallet, "AURUM")
    authorization = timed.authorization(thief.address, "LOOT")
    with timed.refuses("InvalidSignature"):
        timed.send(thief, registry.mint_calldata(authorization, timed.sign(authorization, by=thief)), value=FEE)
    with timed.refuses("NoEndAnnounced"):
        timed.call(thief, "confirmEnd", token_id)
    with timed.refuses("NotOwner"):
        timed.call(thief, "release", token_id)
    own = timed.wallet()
    timed.call(thief, "announceSigner", own.address)
    with timed.refuses("TooEarly"):
        timed.ask(_accept(timed, own))


def _limited(node: Anvil, free: int) -> Registry:
    return Registry.deploy(node, terms=replace(TERMS, free_mints_per_day=free))


def test_free_mints_are_limited_by_the_day(clock_node: Anvil) -> None:
    deployed = _limited(clock_node, 3)
    deployed.wait(_DAY - deployed.now() % _DAY)  # midnight
    wallet = deployed.wallet()

    def receipt(symbol: str) -> str:
        statement = deployed.receipt(wallet.address, symbol)
        return registry.receipt_calldata(statement, deployed.sign(statement))

    deployed.send(wallet, receipt("FREEA"))
    deployed.mint(wallet, "FREEB", fee=0)
    deployed.mint(wallet, "FREEC", fee=TERMS.paid_from - 1)
    assert deployed.read("freeMintsLeft") == 0
    for data, value in (
        (receipt("FREED"), 0),
        (deployed.mint_data(deployed.authorization(wallet.address, "FREED", fee=0)), 0),
        (deployed.mint_data(deployed.authorization(wallet.address, "FREED", fee=1)), 1),
    ):
        with deployed.refuses("FreeMintsUsedUp"):
            deployed.send(wallet, data, value=value)
    deployed.mint(wallet, "PAID", fee=TERMS.paid_from)
    deployed.wait(_DAY - deployed.now() % _DAY)
    assert deployed.read("freeMintsLeft") == 3
    deployed.send(wallet, receipt("FREED"))
    assert deployed.read("freeMintsLeft") == 2


def test_the_guardian_changes_the_limits(timed: Registry) -> None:
    wallet = timed.wallet()
    timed.call(timed.guardian, "setMintLimits", 0, 2 * FEE)
    assert timed.read("freeMintsLeft") == 0
    with timed.refuses("FreeMintsUsedUp"):
        timed.mint(wallet, "CHEAP")
    timed.mint(wallet, "DEAR", fee=2 * FEE)
    timed.call(timed.guardian, "setMintLimits", 5, FEE)
    timed.mint(wallet, "CHEAP")
    assert (timed.read("freeMintsPerDay"), timed.read("paidFrom"), timed.read("freeMintsLeft")) == (5, FEE, 5)


def _factory_mint(deployed: Registry, creator: str, symbol: str, fee: int = FEE) -> str:
    statement = FactoryAuthorization(creator, symbol, fee, deployed.now() + 900, next(_NONCES))
    return registry.factory_calldata(statement, TOKEN, deployed.sign(statement))


def test_only_the_factory_mints_for_a_creator(timed: Registry) -> None:
    creator, caller = Account.create().address, timed.wallet()
    data = _factory_mint(timed, creator, "AURUM")
    relay = _relay(timed.anvil)
    wrapped = _RELAY.call("run", timed.address, bytes.fromhex(data[2:]))
    for sender, to, payload in (
        (caller, timed.address, data),
        (timed.guardian, timed.address, data),
        (caller, relay, wrapped),
    ):
        with timed.refuses("NotFactory"):
            timed.send(sender, payload, value=FEE, to=to)
    timed.call(timed.guardian, "setFactory", relay)
    before = timed.balance(timed.treasury)
    mined = timed.send(caller, wrapped, value=FEE, to=relay)
    (event,) = timed.events(mined, "Registered")
    assert event["topics"][2].endswith(creator.lower()[2:])
    assert event["topics"][3].endswith(TOKEN[2:])
    assert timed.balance(timed.treasury) == before + FEE
    with timed.refuses("NonceAlreadyUsed"):
        timed.send(caller, wrapped, value=FEE, to=relay)


def test_a_stolen_factory_needs_the_signers_word(timed: Registry) -> None:
    caller, relay = timed.wallet(), _relay(timed.anvil)
    timed.call(timed.guardian, "setFactory", relay)

    def run(data: str, value: int = FEE) -> None:
        timed.send(caller, _RELAY.call("run", timed.address, bytes.fromhex(data[2:])), value=value, to=relay)

    signed = FactoryAuthorization(Account.create().address, "AURUM", FEE, timed.now() + 900, next(_NONCES))
    for tampering in ({"creator": caller.address}, {"symbol": "LOOT"}, {"deadline": 2**40}, {"nonce": 7}):
        changed = replace(signed, **tampering)
        with timed.refuses("InvalidSignature"):
            run(registry.factory_calldata(changed, TOKEN, timed.sign(signed)))
    with timed.refuses("WrongFee"):
        run(_factory_mint(timed, caller.address, "AURUM"), value=0)
    with timed.refuses("InvalidSymbol"):
        run(_factory_mint(timed, caller.address, "aurum"))
    timed.call(timed.guardian, "setMintLimits", 0, FEE)
    with timed.refuses("FreeMintsUsedUp"):
        run(_factory_mint(timed, caller.address, "AURUM", fee=0), value=0)


def test_the_factory_is_set_once_and_is_a_contract(timed: Registry) -> None:
    with timed.refuses("InvalidFactory"):
        timed.call(timed.guardian, "setFactory", Account.create().address)
    timed.call(timed.guardian, "setFactory", _relay(timed.anvil))
    with timed.refuses("InvalidFactory"):
        timed.call(timed.guardian, "setFactory", _relay(timed.anvil))
