from dataclasses import replace

from eth_account import Account
from eth_account.messages import encode_typed_data

from indexer.contracts.signer import KeySigner
from indexer.contracts.statements import (
    EndAnnouncement,
    EndWithdrawal,
    FactoryAuthorization,
    MintAuthorization,
    MintReceipt,
    SettlementAuthorization,
    SettlementConsent,
    SignerAcceptance,
    Statement,
    digest,
    sign,
)

_SIGNER = KeySigner(Account.from_key("0x" + "11" * 32))
_REGISTRY = "0x" + "ab" * 20
_MINT = MintAuthorization("0x" + "01" * 20, "0x" + "02" * 20, "ABC", 3, 4, 5)
_CONSENT = SettlementConsent(b"\x07" * 32, 1, _MINT.claimer, _MINT.token, 10**24, 8453, 8, 9)
_STATEMENTS = (
    _MINT,
    MintReceipt(_MINT.claimer, _MINT.token, "ABC", 4, 5),
    FactoryAuthorization(_MINT.claimer, "ABC", 3, 4, 5),
    EndAnnouncement(7, 1, 8, 9),
    EndWithdrawal(7, 8, 9),
    _CONSENT,
    SettlementAuthorization(_CONSENT.struct_hash, 8, 9),
    SignerAcceptance(_MINT.claimer),
)


def _recovered(chain_id: int, statement: Statement, signature: bytes) -> str:
    message = encode_typed_data(full_message=statement.typed_data(chain_id, _REGISTRY))
    return str(Account.recover_message(message, signature=signature))


def test_statements_are_recovered_to_their_signer() -> None:
    for statement in _STATEMENTS:
        signature = sign(_SIGNER, 8453, _REGISTRY, statement)
        assert len(signature) == 65
        assert _recovered(8453, statement, signature) == _SIGNER.address
        assert _recovered(1, statement, signature) != _SIGNER.address


def test_signatures_ignore_the_case_of_addresses() -> None:
    upper = replace(_MINT, claimer="0x" + "Ab" * 20)
    lower = replace(_MINT, claimer="0x" + "ab" * 20)
    assert sign(_SIGNER, 1, _REGISTRY, upper) == sign(_SIGNER, 1, _REGISTRY, lower)


def test_typed_data_is_what_the_contract_hashes() -> None:
    document = _MINT.typed_data(8453, _REGISTRY)
    fields = ",".join(f"{field['type']} {field['name']}" for field in document["types"]["MintAuthorization"])
    assert f"MintAuthorization({fields})" == (
        "MintAuthorization(address claimer,address token,string symbol,uint256 fee,uint256 deadline,uint256 nonce)"
    )
    assert document["domain"] == {
        "name": "Regalia Registry",
        "version": "1",
        "chainId": 8453,
        "verifyingContract": _REGISTRY,
    }


def test_the_digest_is_what_is_signed() -> None:
    for statement in _STATEMENTS:
        signature = sign(_SIGNER, 8453, _REGISTRY, statement)
        assert Account._recover_hash(digest(statement, 8453, _REGISTRY), signature=signature) == _SIGNER.address
