from pathlib import Path

import pytest

from warehouse.chains.facts import ChainFactsError, load
from warehouse.domain.addresses import AddressFormat
from warehouse.domain.chains import Capability


def written(folder: Path, text: str) -> Path:
    file = folder / "chains.toml"
    file.write_text(text)
    return file


def test_every_evm_chain_can_be_indexed_and_claimed_on() -> None:
    for chain in load(None).by_key.values():
        if chain.kind == "evm":
            assert (chain.address_format, chain.token_standard) == (AddressFormat.HEX, "ERC20")
            assert chain.caip2 == f"eip155:{chain.chain_id}"
            assert chain.can_index
            assert chain.can_claim
            assert chain.can_create
            assert chain.has_heartbeats


def test_solana_can_be_indexed() -> None:
    solana = load(None).by_key["solana"]
    assert (solana.address_format, solana.token_standard) == (AddressFormat.BASE58, "SPL")
    assert solana.caip2 == "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp"
    assert solana.can_index
    assert not solana.can_create
    assert not solana.has_heartbeats


@pytest.mark.parametrize(
    ("name", "key"),
    [("base", "base"), ("BASE", "base"), ("8453", "base"), ("arb", "arbitrum"), ("sol", "solana"), ("SOL", "solana"),
     ("900900", "solana")],
)  # fmt: skip
def test_finds_by_key_alias_and_id(name: str, key: str) -> None:
    found = load(None).find(name)
    assert found is not None
    assert found.key == key


def test_solanas_number_is_ours_and_not_of_eip_155() -> None:
    chains = load(None)
    assert chains.by_id(900900) is chains.by_key["solana"]
    assert not chains.by_key["solana"].has_eip155_id
    assert not chains.by_key["solana"].has_heartbeats


def test_a_file_can_add_a_kind_of_chain(tmp_path: Path) -> None:
    file = written(
        tmp_path,
        """
        [kinds.ledger]
        caip2_namespace = "ledger"
        address_format = "base58"
        token_standard = "COIN"
        capabilities = ["index"]

        [chains.memory]
        chain_id = 77
        name = "Memory"
        kind = "ledger"
        native_symbol = "MEM"
        explorer_url = "https://memory.example"
        finality_blocks = 8
        block_seconds = 1
        """,
    )
    chain = load(file).by_key["memory"]
    assert (chain.caip2, chain.address_format, chain.token_standard) == ("ledger:77", AddressFormat.BASE58, "COIN")
    assert chain.capabilities == {Capability.INDEX}
    assert chain.can_index
    assert not chain.can_claim
    assert not chain.has_eip155_id


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[chains.base]\nkind = 'moon'", "chains.base.kind: 'moon' is not one of evm, solana"),
        ("[chains.base.contracts]\nregistry = '0x12'", "chains.base.contracts.registry: .* not a 20-byte hex"),
        (
            "[chains.solana.contracts]\nregistry = '0x12'",
            "chains.solana.contracts.registry: .* not a 32-byte base58",
        ),
        ("[chains.new]\nchain_id = 5", "missing or malformed 'kind'"),
        ("[chains", "chains file .*: Expected"),
    ],
)
def test_refuses_impossible_files(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ChainFactsError, match=message):
        load(written(tmp_path, text))


def test_warns_of_a_contract_it_does_not_know(tmp_path: Path) -> None:
    file = written(tmp_path, f"[chains.base.contracts]\noracle = '0x{'ab' * 20}'")
    with pytest.warns(UserWarning, match="chains.base.contracts.oracle is not known"):
        assert load(file).by_key["base"].contracts == {}
