"""The registry on a real chain: what it does, and every reason to revert."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from eth_account import Account
from eth_account.signers.local import LocalAccount

from indexer.contracts import registry
from indexer.contracts.registry import LOCAL_TERMS
from indexer.contracts.signer import KeySigner
from indexer.contracts.statements import MintReceipt, sign
from indexer.devchain.anvil import Anvil
from tests.indexer.contracts.deployed_registry import FEE, TOKEN, Registry, Reverted

_TEST_FILES = tuple(Path(__file__).parent.glob("test_*.py"))
_ZERO = "0x" + "00" * 20
_CURVE_ORDER = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141


@pytest.fixture(scope="module")
def deployed(anvil: Anvil) -> Registry:
    return Registry.deploy(anvil)


@pytest.fixture
def wallet(deployed: Registry) -> LocalAccount:
    return deployed.wallet()


def _refused(name: str) -> Any:
    return pytest.raises(Reverted, match=rf"^{name}\(")


def _word(value: int) -> str:
    return f"0x{value:064x}"


def test_a_mint_registers_the_symbol_and_pays_the_treasury(deployed: Registry, wallet: LocalAccount) -> None:
    before = deployed.balance(deployed.treasury)
    authorization = deployed.authorization(wallet.address, "FIRST")
    mined = deployed.send(wallet, deployed.mint_data(authorization), value=FEE)
    token_id = deployed.token_id("FIRST")
    symbol, owner, token, registered_at, cid, *peer = deployed.read("registrationOf", token_id)
    assert (symbol, owner, token, cid, peer) == ("FIRST", wallet.address.lower(), TOKEN, "", [0, 0])
    assert registered_at == deployed.now()
    assert deployed.balance(deployed.treasury) == before + FEE
    assert deployed.balance(deployed.address) == 0
    (event,) = deployed.events(mined, "Registered")
    assert event["topics"][1:] == [
        _word(token_id), _word(int(wallet.address, 16)), _word(int(TOKEN, 16)),
    ]  # fmt: skip


def test_token_ids_count_from_one(anvil: Anvil) -> None:
    fresh = Registry.deploy(anvil)
    wallet = fresh.wallet()
    assert fresh.token_id("ANY") == 0
    assert [fresh.mint(wallet, symbol) for symbol in ("A1", "A2", "A3")] == [1, 2, 3]


def test_a_receipt_mints_free_of_charge(deployed: Registry, wallet: LocalAccount) -> None:
    receipt = deployed.receipt(wallet.address, "FREE")
    mined = deployed.send(wallet, registry.receipt_calldata(receipt, deployed.sign(receipt)))
    (event,) = deployed.events(mined, "Registered")
    assert int(event["data"][2 + 64 : 2 + 128], 16) == 0  # fee
    assert int(event["data"][2 + 128 : 2 + 192], 16) == 1  # receipt
    assert deployed.read("ownerOf", deployed.token_id("FREE")) == wallet.address.lower()


def test_a_free_authorization_needs_no_value(deployed: Registry, wallet: LocalAccount) -> None:
    assert deployed.mint(wallet, "GRATIS", fee=0) > 0


@pytest.mark.parametrize("symbol", ["", "abc", "TOOLONGSYMBOL", "A B", "123", "A-B", "Ä", "A\x00", "ＡＢ"])
def test_malformed_symbols_are_refused(deployed: Registry, wallet: LocalAccount, symbol: str) -> None:
    with _refused("InvalidSymbol"):
        deployed.mint(wallet, symbol)


@pytest.mark.parametrize("symbol", ["Z", "0X", "TWELVELETTER", "A1B2C3D4E5F6"])
def test_well_formed_symbols_are_accepted(deployed: Registry, wallet: LocalAccount, symbol: str) -> None:
    assert deployed.mint(wallet, symbol) > 0


@pytest.mark.parametrize("sent", [0, FEE - 1, FEE + 1])
def test_only_the_exact_fee_is_accepted(deployed: Registry, wallet: LocalAccount, sent: int) -> None:
    with _refused("WrongFee"):
        deployed.send(wallet, deployed.mint_data(deployed.authorization(wallet.address, "EXACT")), value=sent)


def test_a_receipt_refuses_money(deployed: Registry, wallet: LocalAccount) -> None:
    receipt = deployed.receipt(wallet.address, "NOPAY")
    with pytest.raises(Reverted):
        deployed.send(wallet, registry.receipt_calldata(receipt, deployed.sign(receipt)), value=1)


def test_only_the_claimer_may_use_a_statement(deployed: Registry, wallet: LocalAccount) -> None:
    thief = deployed.wallet()
    with _refused("NotClaimer"):
        deployed.send(thief, deployed.mint_data(deployed.authorization(wallet.address, "MINE")), value=FEE)
    receipt = deployed.receipt(wallet.address, "MINE")
    with _refused("NotClaimer"):
        deployed.send(thief, registry.receipt_calldata(receipt, deployed.sign(receipt)))


def test_a_statement_expires_after_its_deadline(deployed: Registry, wallet: LocalAccount) -> None:
    late = deployed.authorization(wallet.address, "LATE", deadline=deployed.now() - 1)
    with _refused("StatementExpired"):
        deployed.send(wallet, deployed.mint_data(late), value=FEE)
    receipt = deployed.receipt(wallet.address, "LATE", deadline=deployed.now() - 1)
    with _refused("StatementExpired"):
        deployed.send(wallet, registry.receipt_calldata(receipt, deployed.sign(receipt)))


def test_a_nonce_works_once_across_all_kinds(deployed: Registry, wallet: LocalAccount) -> None:
    used = deployed.authorization(wallet.address, "ONCE")
    data = deployed.mint_data(used)
    deployed.send(wallet, data, value=FEE)
    deployed.call(wallet, "release", deployed.token_id("ONCE"))
    with _refused("NonceAlreadyUsed"):
        deployed.send(wallet, data, value=FEE)
    receipt = deployed.receipt(wallet.address, "ONCE", nonce=used.nonce)
    with _refused("NonceAlreadyUsed"):
        deployed.send(wallet, registry.receipt_calldata(receipt, deployed.sign(receipt)))


@pytest.mark.parametrize(
    "tampering",
    [{"token": "0x" + "71" * 20}, {"symbol": "OTHER"}, {"fee": 1}, {"deadline": 2**40}, {"nonce": 2**200}],
    ids=lambda change: next(iter(change)),
)
def test_a_changed_field_breaks_the_signature(deployed: Registry, wallet: LocalAccount, tampering: Any) -> None:
    signed = deployed.authorization(wallet.address, "TAMPER")
    changed = replace(signed, **tampering)
    with _refused("InvalidSignature"):
        deployed.send(wallet, registry.mint_calldata(changed, deployed.sign(signed)), value=changed.fee)


def test_a_claimer_cannot_insert_its_own_address(deployed: Registry, wallet: LocalAccount) -> None:
    signed = deployed.authorization(Account.create().address, "NAMED")
    changed = replace(signed, claimer=wallet.address)
    with _refused("InvalidSignature"):
        deployed.send(wallet, registry.mint_calldata(changed, deployed.sign(signed)), value=FEE)


def test_an_authorization_is_not_accepted_as_a_receipt(deployed: Registry, wallet: LocalAccount) -> None:
    signed = deployed.authorization(wallet.address, "NOTFREE", fee=0)
    receipt = MintReceipt(signed.claimer, signed.token, signed.symbol, signed.deadline, signed.nonce)
    with _refused("InvalidSignature"):
        deployed.send(wallet, registry.receipt_calldata(receipt, deployed.sign(signed)))


def test_statements_are_bound_to_one_chain_and_contract(anvil: Anvil, deployed: Registry, wallet: LocalAccount) -> None:
    authorization = deployed.authorization(wallet.address, "BOUND")
    signer = KeySigner(deployed.signer)
    other_chain = sign(signer, anvil.chain_id + 1, deployed.address, authorization)
    other_contract = sign(signer, anvil.chain_id, TOKEN, authorization)
    for signature in (other_chain, other_contract):
        with _refused("InvalidSignature"):
            deployed.send(wallet, registry.mint_calldata(authorization, signature), value=FEE)


def _malleable(signature: bytes) -> bytes:
    s = _CURVE_ORDER - int.from_bytes(signature[32:64], "big")
    return signature[:32] + s.to_bytes(32, "big") + bytes([55 - signature[64]])


def _compact(signature: bytes) -> bytes:
    parity = (signature[64] - 27) << 255
    return signature[:32] + (int.from_bytes(signature[32:64], "big") | parity).to_bytes(32, "big")


@pytest.mark.parametrize(
    "spoil",
    [
        _malleable,
        _compact,
        lambda signature: signature[:64],
        lambda signature: signature + b"\x00",
        lambda signature: signature[:64] + bytes([signature[64] - 27]),
        lambda _: b"",
        lambda _: bytes(65),
    ],
    ids=["malleable", "compact", "short", "long", "low v", "empty", "zero"],
)
def test_only_canonical_signatures_are_accepted(deployed: Registry, wallet: LocalAccount, spoil: Any) -> None:
    authorization = deployed.authorization(wallet.address, "FORM")
    with _refused("InvalidSignature"):
        deployed.send(wallet, registry.mint_calldata(authorization, spoil(deployed.sign(authorization))), value=FEE)


def test_another_key_is_not_the_signer(anvil: Anvil, deployed: Registry, wallet: LocalAccount) -> None:
    authorization = deployed.authorization(wallet.address, "FORGED")
    forged = deployed.sign(authorization, by=wallet)
    with _refused("InvalidSignature"):
        deployed.send(wallet, registry.mint_calldata(authorization, forged), value=FEE)


def test_a_symbol_is_registered_once(deployed: Registry, wallet: LocalAccount) -> None:
    token_id = deployed.mint(wallet, "UNIQUE")
    with pytest.raises(Reverted) as caught:
        deployed.mint(deployed.wallet(), "UNIQUE")
    assert (caught.value.name, caught.value.arguments) == ("SymbolTaken", ("UNIQUE", token_id))


def test_of_a_hundred_mints_of_a_symbol_in_one_block_one_succeeds(anvil: Anvil) -> None:
    fresh = Registry.deploy(anvil)
    wallets = [fresh.wallet() for _ in range(100)]
    transactions = [
        fresh.signed(wallet, fresh.mint_data(fresh.authorization(wallet.address, "RUSH")), FEE, nonce=0)
        for wallet in wallets
    ]
    anvil.rpc("evm_setAutomine", False)
    try:
        hashes = anvil.batch(("eth_sendRawTransaction", (transaction,)) for transaction in transactions)
        anvil.mine()
    finally:
        anvil.rpc("evm_setAutomine", True)
    receipts = anvil.batch(("eth_getTransactionReceipt", (found,)) for found in hashes)
    assert len({receipt["blockNumber"] for receipt in receipts}) == 1
    assert sum(int(receipt["status"], 16) for receipt in receipts) == 1
    assert fresh.token_id("RUSH") == 1
    assert fresh.balance(fresh.treasury) == FEE


def test_a_released_symbol_can_be_registered_again_under_a_new_id(deployed: Registry, wallet: LocalAccount) -> None:
    first = deployed.mint(wallet, "AGAIN")
    deployed.call(wallet, "setManager", first, wallet.address, True)
    mined = deployed.call(wallet, "release", first)
    assert len(deployed.events(mined, "Released")) == 1
    assert deployed.token_id("AGAIN") == 0
    assert not deployed.read("isManager", first, wallet.address)
    second = deployed.mint(deployed.wallet(), "AGAIN")
    assert second > first
    for function in ("registrationOf", "tokenURI", "locked"):
        with _refused("UnknownRegistration"):
            deployed.read(function, first)
    with _refused("NotOwner"):
        deployed.call(wallet, "release", second)


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        ("release", ()),
        ("setManager", (TOKEN, True)),
        ("setMaintainer", (TOKEN, True)),
        ("setMetadata", ("abc",)),
        ("setCanonicalPeer", (1, 2)),
    ],
)
def test_strangers_cannot_change_anything(
    deployed: Registry, wallet: LocalAccount, function: str, arguments: tuple[Any, ...]
) -> None:
    token_id = deployed.token_id("GUARDED") or deployed.mint(deployed.wallet(), "GUARDED")
    with pytest.raises(Reverted, match=r"^NotOwner(OrManager)?\("):
        deployed.call(wallet, function, token_id, *arguments)
    with _refused("UnknownRegistration"):
        deployed.call(wallet, function, 10**9, *arguments)


def test_managers_edit_metadata_and_maintainers_but_not_the_registration(
    deployed: Registry, wallet: LocalAccount
) -> None:
    token_id = deployed.mint(wallet, "ROLES")
    manager, maintainer = deployed.wallet(), deployed.wallet()
    deployed.call(wallet, "setManager", token_id, manager.address, True)
    deployed.call(manager, "setMaintainer", token_id, maintainer.address, True)
    assert deployed.read("isManager", token_id, manager.address)
    assert deployed.read("isMaintainer", token_id, maintainer.address)
    deployed.call(manager, "setMetadata", token_id, "bafkreigh2akiscaildc")
    assert deployed.read("tokenURI", token_id) == "ipfs://bafkreigh2akiscaildc"
    for function, arguments in (("setManager", (TOKEN, True)), ("setCanonicalPeer", (1, 2)), ("release", ())):
        with _refused("NotOwner"):
            deployed.call(manager, function, token_id, *arguments)
    with _refused("NotOwnerOrManager"):
        deployed.call(maintainer, "setMetadata", token_id, "abc")
    deployed.call(wallet, "setManager", token_id, manager.address, False)
    with _refused("NotOwnerOrManager"):
        deployed.call(manager, "setMetadata", token_id, "abc")


def test_roles_go_to_accounts(deployed: Registry, wallet: LocalAccount) -> None:
    token_id = deployed.mint(wallet, "VACANT")
    for function in ("setManager", "setMaintainer"):
        with _refused("InvalidAccount"):
            deployed.call(wallet, function, token_id, _ZERO, True)


@pytest.mark.parametrize("cid", ["a/b", "Qm?x", "..", "x" * 129, "bafy\n", "é"])
def test_metadata_is_a_bare_cid(deployed: Registry, wallet: LocalAccount, cid: str) -> None:
    token_id = deployed.token_id("META1") or deployed.mint(wallet, "META1")
    owner = deployed.read("ownerOf", token_id)
    with _refused("InvalidCid"):
        deployed.ask(registry.contract().call("setMetadata", token_id, cid), owner)


def test_metadata_can_be_removed(deployed: Registry, wallet: LocalAccount) -> None:
    token_id = deployed.mint(wallet, "META2")
    assert deployed.read("tokenURI", token_id) == ""
    deployed.call(wallet, "setMetadata", token_id, "bafy")
    deployed.call(wallet, "setMetadata", token_id, "")
    assert deployed.read("tokenURI", token_id) == ""


def test_the_owner_sets_the_canonical_peer(deployed: Registry, wallet: LocalAccount) -> None:
    token_id = deployed.mint(wallet, "PEER")
    mined = deployed.call(wallet, "setCanonicalPeer", token_id, 42161, 7)
    assert deployed.read("registrationOf", token_id)[-2:] == (42161, 7)
    assert len(deployed.events(mined, "CanonicalPeerChanged")) == 1


@pytest.mark.parametrize(
    "function",
    ["transferFrom", "safeTransferFrom(address,address,uint256)", "safeTransferFrom(address,address,uint256,bytes)"],
)
def test_registrations_cannot_be_transferred(deployed: Registry, wallet: LocalAccount, function: str) -> None:
    token_id = deployed.token_id("BOUNDTO") or deployed.mint(wallet, "BOUNDTO")
    owner = deployed.read("ownerOf", token_id)
    rest = (b"",) if function.endswith("bytes)") else ()
    for sender in (owner, wallet.address):
        with _refused("Soulbound"):
            deployed.ask(registry.contract().call(function, owner, TOKEN, token_id, *rest), sender)


def test_approvals_are_refused(deployed: Registry, wallet: LocalAccount) -> None:
    token_id = deployed.mint(wallet, "APPROVE")
    with _refused("Soulbound"):
        deployed.call(wallet, "approve", TOKEN, token_id)
    with _refused("Soulbound"):
        deployed.call(wallet, "setApprovalForAll", TOKEN, True)


def test_supported_interfaces_are_reported(deployed: Registry, wallet: LocalAccount) -> None:
    spoken = {name: deployed.read("supportsInterface", bytes.fromhex(name)) for name in (
        "01ffc9a7", "80ac58cd", "5b5e139f", "b45a3c0e", "ffffffff",
    )}  # fmt: skip
    assert spoken == {
        "01ffc9a7": True, "80ac58cd": True, "5b5e139f": True, "b45a3c0e": True, "ffffffff": False,
    }  # fmt: skip
    assert deployed.read("locked", deployed.mint(wallet, "LOCKED"))


@pytest.mark.parametrize(
    ("signer", "treasury", "guardian", "name"),
    [
        (_ZERO, TOKEN, TOKEN, "InvalidSigner"),
        (TOKEN, _ZERO, TOKEN, "InvalidTreasury"),
        (TOKEN, TOKEN, _ZERO, "InvalidGuardian"),
    ],
)
def test_signer_treasury_and_guardian_must_not_be_zero(
    deployed: Registry, signer: str, treasury: str, guardian: str, name: str
) -> None:
    with _refused(name):
        deployed.ask_creation(registry.deployment_data(signer, treasury, guardian, LOCAL_TERMS))


@pytest.mark.parametrize("delay", ["end_delay", "objection_delay", "signer_delay"])
def test_delays_are_at_most_ninety_days(deployed: Registry, delay: str) -> None:
    longest, longer = (replace(LOCAL_TERMS, **{delay: 86_400 * 90 + more}) for more in (0, 1))
    deployed.ask_creation(registry.deployment_data(TOKEN, TOKEN, TOKEN, longest))
    with _refused("InvalidDelay"):
        deployed.ask_creation(registry.deployment_data(TOKEN, TOKEN, TOKEN, longer))


def test_plain_payments_are_refused(deployed: Registry, wallet: LocalAccount) -> None:
    with pytest.raises(Reverted):
        deployed.send(wallet, "0x", value=1)


def test_every_error_of_the_contract_is_tested() -> None:
    text = "".join(path.read_text() for path in _TEST_FILES)
    errors = {item["name"] for item in registry.contract().abi if item["type"] == "error"}
    inherited = {name for name in errors if name.startswith(("ERC721", "ECDSA"))} | {
        "InvalidShortString", "StringTooLong", "ReentrancyGuardReentrantCall",
    }  # fmt: skip
    assert {name for name in errors - inherited if f'"{name}"' not in text} == set()
