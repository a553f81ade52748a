"""``regalia expire``."""

from pathlib import Path

import pytest
from solders.keypair import Keypair

from api.ops.commands.expire import expire_inactive
from warehouse.chains.facts import ChainFactsError


def test_no_registration_of_a_chain_without_heartbeats_expires(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chains = tmp_path / "chains.toml"
    chains.write_text(f'[chains.solana.contracts]\nregistry = "{Keypair().pubkey()}"\n')
    monkeypatch.setenv("REGALIA_CHAINS", str(chains))
    monkeypatch.setenv("REGALIA_DATA_DIR", str(tmp_path / "data"))
    with pytest.raises(ChainFactsError, match="no heartbeats"):
        expire_inactive("solana", None, submit=True)
