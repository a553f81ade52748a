import re
from dataclasses import fields

from eth_abi.abi import encode
from hypothesis import given
from hypothesis import strategies as st

from warehouse import sql
from warehouse.domain.registrations import (
    CANONICAL_PEER_CHANGED,
    REGISTERED,
    REGISTRY_LOGS,
    SIGNER_CHANGED,
    SIGNER_SUSPENDED,
    Registration,
    RegistryEvent,
    RegistryLog,
    decode_registry_log,
)

OWNER, TOKEN = b"\xaa" * 20, b"\xbb" * 20
accounts = st.binary(min_size=20, max_size=20)


def topics(log: RegistryLog, token_id: int, *accounts: bytes) -> list[bytes]:
    return [log.topic, token_id.to_bytes(32, "big"), *(account.rjust(32, b"\0") for account in accounts)]


@given(st.integers(0, 2**256 - 1), st.text(max_size=80), st.integers(0, 2**256 - 1), st.booleans(), accounts, accounts)
def test_reads_back_what_the_contract_encodes(
    token_id: int, symbol: str, fee: int, with_receipt: bool, owner: bytes, token: bytes
) -> None:
    data = encode(["string", "uint256", "bool"], [symbol, fee, with_receipt])
    event = decode_registry_log(REGISTERED, topics(REGISTERED, token_id, owner, token), data)
    assert event == RegistryEvent(
        token_id,
        symbol=symbol.encode(),
        owner=owner,
        token_address=token,
        fee_wei=fee,
        with_receipt=with_receipt,
    )


@given(st.sampled_from(list(REGISTRY_LOGS.values())), st.binary(max_size=200))
def test_no_data_breaks_the_decoder(log: RegistryLog, data: bytes) -> None:
    accounts = [OWNER, TOKEN][: log.topics - 2]
    of_all = log in (SIGNER_CHANGED, SIGNER_SUSPENDED)
    assert decode_registry_log(log, topics(log, 7, *accounts), data).token_id == (0 if of_all else 7)


def test_numbers_of_a_peer_stop_at_64_bits() -> None:
    data = encode(["uint256", "uint256"], [1, 2**70])
    event = decode_registry_log(CANONICAL_PEER_CHANGED, topics(CANONICAL_PEER_CHANGED, 7), data)
    assert (event.peer_chain_id, event.peer_token_id) == (1, 2**64 - 1)


def test_the_upsert_takes_every_field_of_a_registration() -> None:
    statement = sql.load("store/registrations/upsert")
    found = re.search(r"AS told \((.*?)\n    \)", statement, re.DOTALL)
    assert found is not None
    columns = [column.split()[0] for column in found[1].split(",")]
    assert columns == [field.name for field in fields(Registration)]
