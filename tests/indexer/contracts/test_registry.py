from dataclasses import replace

from eth_account import Account
from eth_account.messages import encode_typed_data
from eth_utils.crypto import keccak

from indexer.contracts import registry
from indexer.contracts.registry import ExpiryStatement, MintAuthorization, MintReceipt, SignerRotation, Statement
from warehouse.domain.registrations import REGISTRY_LOGS

_SIGNER = Account.from_key("0x" + "11" * 32)
_REGISTRY = "0x" + "ab" * 20
_MINT = MintAuthorization("0x" + "01" * 20, "0x" + "02" * 20, "ABC", 3, 4, 5)
_STATEMENTS = (
    _MINT,
    MintReceipt(_MINT.claimer, _MINT.token, "ABC", 4, 5),
    ExpiryStatement(7, 8, 9),
    SignerRotation(_MINT.claimer, 8, 9),
)


def _recovered(chain_id: int, statement: Statement, signature: bytes) -> str:
    message = encode_typed_data(full_message=statement.typed_data(chain_id, _REGISTRY))
    return str(Account.recover_message(message, signature=signature))


def test_statements_are_recovered_to_their_signer() -> None:
    for statement in _STATEMENTS:
        signature = registry.sign(_SIGNER, 8453, _REGISTRY, statement)
        assert len(signature) == 65
        assert _recovered(8453, statement, signature) == _SIGNER.address
        assert _recovered(1, statement, signature) != _SIGNER.address


def test_signatures_ignore_the_case_of_addresses() -> None:
    upper = replace(_MINT, claimer="0x" + "Ab" * 20)
    lower = replace(_MINT, claimer="0x" + "ab" * 20)
    assert registry.sign(_SIGNER, 1, _REGISTRY, upper) == registry.sign(_SIGNER, 1, _REGISTRY, lower)


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


def test_topics_are_the_hashes_of_the_events_signatures() -> None:
    assert len(REGISTRY_LOGS) == 7
    for topic, log in REGISTRY_LOGS.items():
        name = log.signature.partition("(")[0]
        assert registry.contract().topic(name) == "0x" + topic.hex() == "0x" + keccak(text=log.signature).hex()


def test_revert_data_names_the_error() -> None:
    assert registry.contract().error("0x" + keccak(text="Soulbound()")[:4].hex()) == ("Soulbound", ())
    assert registry.contract().error("0x08c379a0") is None
    assert registry.contract().error("0x") is None
