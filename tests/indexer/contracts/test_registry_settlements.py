"""Deals: a registration goes to another owner by its holder's consent and the service's authorisation, never by one."""

from dataclasses import replace
from itertools import count
from typing import Any

from eth_account import Account
from eth_account.signers.local import LocalAccount

from indexer.contracts import registry
from indexer.contracts.artifact import Artifact
from indexer.contracts.registry import Reason
from indexer.contracts.signer import KeySigner
from indexer.contracts.statements import SettlementAuthorization, SettlementConsent, sign
from tests.indexer.contracts.deployed_registry import FEE, TERMS, TOKEN, Registry, artifact

_NONCES = count(2**90)
_DEAL = b"\xde" * 32
_ZERO = "0x" + "00" * 20
PRICE = 10**18


def _consent(timed: Registry, token_id: int, offerer: LocalAccount, **changes: Any) -> SettlementConsent:
    plain = SettlementConsent(
        _DEAL, token_id, offerer.address, _ZERO, PRICE, timed.anvil.chain_id, timed.now() + 900, next(_NONCES)
    )
    return replace(plain, **changes)


def _authorization(timed: Registry, consent: SettlementConsent, **changes: Any) -> SettlementAuthorization:
    return replace(SettlementAuthorization(consent.struct_hash, timed.now() + 900, next(_NONCES)), **changes)


def _data(timed: Registry, consent: SettlementConsent, by: LocalAccount, **changes: Any) -> str:
    authorization = _authorization(timed, consent, **changes)
    return registry.settlement_calldata(consent, timed.sign(consent, by=by), authorization, timed.sign(authorization))


def test_a_settlement_registers_the_symbol_for_the_offerer_with_nothing_of_the_holders(
    timed: Registry, holder: LocalAccount, offerer: LocalAccount, token_id: int
) -> None:
    helper = Account.create().address
    timed.call(holder, "setManager", token_id, helper, True)
    timed.call(holder, "setMaintainer", token_id, helper, True)
    timed.call(holder, "setMetadata", token_id, "bafyold")
    timed.call(holder, "setCanonicalPeer", token_id, 1, 9)
    timed.announce(token_id, Reason.INACTIVE)
    consent = _consent(timed, token_id, offerer)
    before = timed.balance(holder.address)
    mined = timed.send(offerer, _data(timed, consent, holder), value=PRICE)
    assert timed.balance(holder.address) == before + PRICE
    new_id = timed.token_id("AURUM")
    assert new_id == token_id + 1
    symbol, owner, token, registered_at, cid, peer_chain, peer_token = timed.read("registrationOf", new_id)
    assert (symbol, owner, token) == ("AURUM", offerer.address.lower(), TOKEN)
    assert (registered_at, cid, peer_chain, peer_token) == (timed.now(), "", 0, 0)
    assert not timed.read("isManager", new_id, helper)
    assert not timed.read("isMaintainer", new_id, helper)
    assert timed.end(new_id)[0] == timed.end(token_id)[0] == 0
    (event,) = timed.events(mined, "Settled")
    assert [int(word, 16) for word in event["topics"][1:]] == [token_id, new_id, int(holder.address, 16)]
    assert event["data"][2:66] == _DEAL.hex()
    assert len(timed.events(mined, "Registered")) == 1
    timed.wait(TERMS.end_delay + 1)
    for dead in (token_id, new_id):
        with timed.refuses("NoEndAnnounced"):
            timed.call(holder, "executeEnd", dead)
    with timed.refuses("NotOwner"):
        timed.call(holder, "release", new_id)
    timed.call(offerer, "setMetadata", new_id, "bafynew")


def test_a_stolen_signer_settles_nothing_without_the_holders_consent(
    timed: Registry, holder: LocalAccount, offerer: LocalAccount, token_id: int
) -> None:
    consent = _consent(timed, token_id, offerer)
    for key in (timed.signer, timed.guardian, offerer):
        with timed.refuses("InvalidSignature"):
            timed.ask(_data(timed, consent, key), offerer.address, PRICE)
    signed, authorization = timed.sign(consent, by=holder), _authorization(timed, consent)
    for change in (
        {"deal": bytes(32)}, {"offerer": timed.signer.address}, {"currency": TOKEN}, {"amount": 1},
        {"deadline": 2**40}, {"nonce": 5},
    ):  # fmt: skip
        changed = replace(consent, **change)
        bound = replace(authorization, consent=changed.struct_hash)
        with timed.refuses("InvalidSignature"):
            timed.ask(registry.settlement_calldata(changed, signed, bound, timed.sign(bound)), changed.offerer)


def test_a_holder_settles_nothing_without_the_services_authorization(
    timed: Registry, holder: LocalAccount, offerer: LocalAccount, token_id: int
) -> None:
    consent = _consent(timed, token_id, offerer)
    signed, authorization = timed.sign(consent, by=holder), _authorization(timed, consent)
    for key in (holder, offerer, timed.guardian):
        with timed.refuses("InvalidSignature"):
            timed.ask(
                registry.settlement_calldata(consent, signed, authorization, timed.sign(authorization, by=key)),
                offerer.address,
                PRICE,
            )
    other = _consent(timed, token_id, offerer, amount=1)
    with timed.refuses("WrongConsent"):
        timed.ask(
            registry.settlement_calldata(other, timed.sign(other, by=holder), authorization, b""),
            offerer.address,
            PRICE,
        )
    with timed.refuses("StatementExpired"):
        timed.ask(_data(timed, consent, holder, deadline=timed.now() - 1), offerer.address, PRICE)


def test_a_consent_ends_with_its_deadline_and_its_holder(
    timed: Registry, holder: LocalAccount, offerer: LocalAccount, token_id: int
) -> None:
    late = _consent(timed, token_id, offerer, deadline=timed.now() - 1)
    with timed.refuses("StatementExpired"):
        timed.ask(_data(timed, late, holder), offerer.address, PRICE)
    consent = _consent(timed, token_id, offerer)
    data = _data(timed, consent, holder)
    timed.call(holder, "release", token_id)
    timed.mint(holder, "AURUM")
    with timed.refuses("UnknownRegistration"):
        timed.ask(data, offerer.address, PRICE)


def test_a_consent_can_be_revoked_by_its_holder_only(
    timed: Registry, holder: LocalAccount, offerer: LocalAccount, token_id: int
) -> None:
    consent = _consent(timed, token_id, offerer)
    timed.call(offerer, "revokeConsent", consent.nonce)
    data = _data(timed, consent, holder)
    timed.ask(data, offerer.address, PRICE)
    assert len(timed.events(timed.call(holder, "revokeConsent", consent.nonce), "ConsentRevoked")) == 1
    with timed.refuses("NonceAlreadyUsed"):
        timed.ask(data, offerer.address, PRICE)
    with timed.refuses("NonceAlreadyUsed"):
        timed.call(holder, "revokeConsent", consent.nonce)


def test_consents_and_authorizations_work_once(
    timed: Registry, holder: LocalAccount, offerer: LocalAccount, token_id: int
) -> None:
    consent = _consent(timed, token_id, offerer)
    data = _data(timed, consent, holder)
    timed.send(offerer, data, value=PRICE)
    with timed.refuses("UnknownRegistration"):
        timed.ask(data, offerer.address, PRICE)
    again = timed.mint(holder, "BAUXITE")
    repeated = _consent(timed, again, offerer, nonce=consent.nonce)
    with timed.refuses("NonceAlreadyUsed"):
        timed.ask(_data(timed, repeated, holder), offerer.address, PRICE)


def test_consents_are_bound_to_one_chain_and_contract(
    timed: Registry, holder: LocalAccount, offerer: LocalAccount, token_id: int
) -> None:
    elsewhere = _consent(timed, token_id, offerer, chain_id=timed.anvil.chain_id + 1)
    with timed.refuses("WrongChain"):
        timed.ask(_data(timed, elsewhere, holder), offerer.address, PRICE)
    consent = _consent(timed, token_id, offerer)
    authorization = _authorization(timed, consent)
    key, chain_id = KeySigner(holder), timed.anvil.chain_id
    for signature in (sign(key, chain_id + 1, timed.address, consent), sign(key, chain_id, TOKEN, consent)):
        with timed.refuses("InvalidSignature"):
            timed.ask(
                registry.settlement_calldata(consent, signature, authorization, timed.sign(authorization)),
                offerer.address,
                PRICE,
            )


def _deploy(timed: Registry, artifact: Artifact, *arguments: Any) -> str:
    deployer = timed.anvil.rpc("eth_accounts")[0]
    data = artifact.deployment(*arguments)
    sent = timed.anvil.rpc("eth_sendTransaction", {"from": deployer, "data": data, "gas": hex(3_000_000)})
    return str(timed.anvil.receipt(sent)["contractAddress"])


def test_a_contract_wallet_consents_and_revokes(timed: Registry, offerer: LocalAccount) -> None:
    key, wallet_contract = timed.wallet(), artifact("SignatureWallet")
    wallet = _deploy(timed, wallet_contract, key.address)

    def execute(data: str, value: int = 0) -> None:
        payload = wallet_contract.call("execute", timed.address, value, bytes.fromhex(data[2:]))
        timed.send(key, payload, to=wallet)

    timed.anvil.rpc("anvil_setBalance", wallet, hex(10**18))
    execute(timed.mint_data(timed.authorization(wallet, "AURUM")), value=FEE)
    token_id = timed.token_id("AURUM")
    consent = _consent(timed, token_id, offerer)
    with timed.refuses("InvalidSignature"):
        timed.ask(_data(timed, consent, offerer), offerer.address, PRICE)
    execute(registry.contract().call("revokeConsent", consent.nonce))
    with timed.refuses("NonceAlreadyUsed"):
        timed.ask(_data(timed, consent, key), offerer.address, PRICE)
    fresh = _consent(timed, token_id, offerer)
    timed.send(offerer, _data(timed, fresh, key), value=PRICE)
    assert timed.read("ownerOf", timed.token_id("AURUM")) == offerer.address.lower()


def test_a_wallet_cannot_act_while_it_is_asked_for_its_consent(timed: Registry, offerer: LocalAccount) -> None:
    driver, hostile = timed.wallet(), artifact("ReentrantWallet")
    wallet = _deploy(timed, hostile)

    def run(data: str, value: int = 0) -> None:
        payload = hostile.call("run", timed.address, bytes.fromhex(data[2:]))
        timed.send(driver, payload, value=value, to=wallet)

    run(timed.mint_data(timed.authorization(wallet, "AURUM")), value=FEE)
    token_id = timed.token_id("AURUM")
    consent, second = _consent(timed, token_id, offerer), _consent(timed, token_id, driver)
    for attempt in (
        registry.contract().call("release", token_id),
        registry.contract().call("revokeConsent", 1),
        _data(timed, second, driver),
    ):
        timed.send(driver, hostile.call("set", timed.address, bytes.fromhex(attempt[2:])), to=wallet)
        # It says yes only where its own call failed.
        timed.ask(_data(timed, consent, driver), offerer.address, PRICE)
    timed.send(offerer, _data(timed, consent, driver), value=PRICE)
    assert timed.read("ownerOf", timed.token_id("AURUM")) == offerer.address.lower()


def test_nobody_settles_to_nobody(timed: Registry, holder: LocalAccount, offerer: LocalAccount, token_id: int) -> None:
    consent = replace(_consent(timed, token_id, offerer), offerer=_ZERO)
    with timed.refuses("NotOfferer"):
        timed.ask(_data(timed, consent, holder), offerer.address, PRICE)
