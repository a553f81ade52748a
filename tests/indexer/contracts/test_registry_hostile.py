"""Hostile contracts: treasuries that refuse, burn gas or call back, and claimers that try to re-enter."""

import pytest
from eth_account.signers.local import LocalAccount

from indexer.contracts import registry
from indexer.contracts.artifact import Artifact
from indexer.devchain.anvil import Anvil
from tests.indexer.contracts.deployed_registry import FEE, Registry, Reverted, artifact

_ACCEPT, _REFUSE, _BURN = range(3)


_TREASURY, _CLAIMER = artifact("HostileTreasury"), artifact("HostileClaimer")


def _deploy(anvil: Anvil, artifact: Artifact) -> str:
    deployer = anvil.rpc("eth_accounts")[0]
    sent = anvil.rpc("eth_sendTransaction", {"from": deployer, "data": artifact.bytecode, "gas": hex(3_000_000)})
    return str(anvil.receipt(sent)["contractAddress"])


@pytest.fixture
def treasury(anvil: Anvil) -> str:
    return _deploy(anvil, _TREASURY)


@pytest.fixture
def deployed(anvil: Anvil, treasury: str) -> Registry:
    return Registry.deploy(anvil, treasury)


@pytest.fixture
def wallet(deployed: Registry) -> LocalAccount:
    return deployed.wallet()


def _arm(deployed: Registry, wallet: LocalAccount, manner: int, target: str, data: str) -> None:
    call = _TREASURY.call("set", manner, target, bytes.fromhex(data[2:]))
    deployed.send(wallet, call, to=deployed.treasury)


def _count(deployed: Registry, name: str) -> int:
    return int(deployed.ask(_TREASURY.call(name), to=deployed.treasury), 16)


@pytest.mark.parametrize("manner", [_REFUSE, _BURN])
def test_a_treasury_that_refuses_payment_blocks_no_claim(deployed: Registry, wallet: LocalAccount, manner: int) -> None:
    _arm(deployed, wallet, manner, "0x" + "00" * 20, "0x")
    assert deployed.mint(wallet, "PAID") == 1
    assert deployed.balance(deployed.address) == FEE
    with pytest.raises(Reverted, match="WithdrawalFailed"):
        deployed.call(wallet, "withdraw")
    _arm(deployed, wallet, _ACCEPT, "0x" + "00" * 20, "0x")
    deployed.call(wallet, "withdraw")
    assert deployed.balance(deployed.treasury) == FEE
    assert deployed.balance(deployed.address) == 0


def test_a_treasury_cannot_mint_while_it_is_paid(deployed: Registry, wallet: LocalAccount) -> None:
    inner = deployed.authorization(deployed.treasury, "INNER", fee=0)
    _arm(deployed, wallet, _ACCEPT, deployed.address, deployed.mint_data(inner))
    deployed.mint(wallet, "OUTER")
    assert deployed.token_id("INNER") == 0
    assert (_count(deployed, "attempts"), _count(deployed, "successes")) == (1, 0)
    assert deployed.balance(deployed.treasury) == FEE


def test_a_treasury_cannot_withdraw_twice(deployed: Registry, wallet: LocalAccount) -> None:
    _arm(deployed, wallet, _REFUSE, "0x" + "00" * 20, "0x")
    deployed.mint(wallet, "TWICE")
    _arm(deployed, wallet, _ACCEPT, deployed.address, registry.contract().call("withdraw"))
    deployed.call(wallet, "withdraw")
    assert (_count(deployed, "attempts"), _count(deployed, "successes")) == (1, 0)
    assert deployed.balance(deployed.treasury) == FEE


def test_a_claiming_contract_gets_no_callback_and_one_registration(
    anvil: Anvil, deployed: Registry, wallet: LocalAccount
) -> None:
    claimer = _deploy(anvil, _CLAIMER)
    first = deployed.mint_data(deployed.authorization(claimer, "CLAIM1"))
    second = deployed.mint_data(deployed.authorization(claimer, "CLAIM2", fee=0))
    call = _CLAIMER.call("claim", deployed.address, bytes.fromhex(first[2:]), bytes.fromhex(second[2:]))
    deployed.send(wallet, call, value=FEE, to=claimer)
    assert deployed.read("balanceOf", claimer) == 1
    assert deployed.token_id("CLAIM2") == 0
    assert int(deployed.ask(_CLAIMER.call("received"), to=claimer), 16) == 0


def test_a_contract_cannot_use_another_contracts_statement(
    anvil: Anvil, deployed: Registry, wallet: LocalAccount
) -> None:
    claimer = _deploy(anvil, _CLAIMER)
    stolen = deployed.mint_data(deployed.authorization(wallet.address, "STOLEN"))
    call = _CLAIMER.call("claim", deployed.address, bytes.fromhex(stolen[2:]), b"")
    with pytest.raises(Reverted, match="NotClaimer"):
        deployed.send(wallet, call, value=FEE, to=claimer)
