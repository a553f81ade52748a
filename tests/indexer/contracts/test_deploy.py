import json
import os
import re
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from eth_account import Account

from indexer.contracts import deploy, registry
from indexer.contracts.deploy import deploy_command
from indexer.contracts.orders import DeployError
from indexer.contracts.registry import LOCAL_TERMS, PUBLIC_TERMS
from indexer.contracts.signer import key_path, load_or_create
from indexer.devchain.anvil import Anvil
from warehouse.settings import EngineSettings

_DEPLOYER = "0x" + "5a" * 32


@pytest.fixture
def settings(anvil: Anvil, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> EngineSettings:
    monkeypatch.delenv("REGALIA_SIGNER_PRIVATE_KEY", raising=False)
    monkeypatch.delenv("REGALIA_PRIVATE_KEY", raising=False)
    chains = tmp_path / "chains.toml"
    chains.write_text(f'[chains.base]\nrpc_urls = ["{anvil.url}"]\n[chains.gnosis]\nrpc_urls = ["{anvil.url}"]\n')
    anvil.rpc("anvil_setBalance", Account.from_key(_DEPLOYER).address, hex(10**20))
    return EngineSettings(data_dir=tmp_path / "data", chains=chains)


def _read(anvil: Anvil, address: str, function: str) -> str:
    contract = registry.contract()
    answer = anvil.rpc("eth_call", {"to": address, "data": contract.call(function)}, "latest")
    return str(contract.returns(function, answer)[0])


def test_deploys_for_the_signer_of_the_data_directory(anvil: Anvil, settings: EngineSettings) -> None:
    made = deploy_command("base", _DEPLOYER, settings=settings)
    assert _read(anvil, made.registry, "signer") == load_or_create(settings.data_dir).address.lower()
    assert _read(anvil, made.registry, "treasury") == Account.from_key(_DEPLOYER).address.lower()
    assert json.loads(made.as_json()) == {"registry": made.registry, "vaults": made.vaults}
    assert stat.S_IMODE(key_path(settings.data_dir).stat().st_mode) == 0o600


def test_fees_go_to_the_given_treasury(anvil: Anvil, settings: EngineSettings) -> None:
    treasury = Account.create().address
    made = deploy_command("8453", _DEPLOYER, treasury, settings=settings)
    assert _read(anvil, made.registry, "treasury") == treasury.lower()


def test_the_command_prints_one_line_and_takes_the_key_from_the_environment(
    anvil: Anvil, settings: EngineSettings
) -> None:
    environment = {
        **os.environ,
        "REGALIA_DATA_DIR": str(settings.data_dir),
        "REGALIA_CHAINS": str(settings.chains),
        "REGALIA_PRIVATE_KEY": _DEPLOYER,
    }
    command = [sys.executable, "-m", "indexer", "contracts", "deploy", "--chain", "base"]
    ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.count("\n") == 1
    assert len(anvil.rpc("eth_getCode", json.loads(ran.stdout)["registry"], "latest")) > 2
    assert stat.S_IMODE(key_path(settings.data_dir).stat().st_mode) == 0o600


@pytest.mark.parametrize(
    ("chain", "key", "treasury", "complaint"),
    [
        ("base", None, None, "no private key"),
        ("base", "0x1234", None, "32 bytes"),
        ("base", _DEPLOYER, "0x1234", "not an address"),
        ("base", _DEPLOYER, "0x" + "00" * 20, "zero address"),
        ("nowhere", _DEPLOYER, None, "no chain is called"),
        ("solana", _DEPLOYER, None, "no rpc_urls"),
        ("eth", _DEPLOYER, None, "no rpc_urls"),
        ("gnosis", _DEPLOYER, None, "chain gnosis"),  # the node behind it says 8453
        ("base", "0x" + "77" * 32, None, "has 0 wei"),
    ],
)
def test_errors_are_one_line(
    settings: EngineSettings, chain: str, key: str | None, treasury: str | None, complaint: str
) -> None:
    with pytest.raises(DeployError, match=complaint) as caught:
        deploy_command(chain, key, treasury, settings=settings)
    assert "\n" not in str(caught.value)
    assert key is None or key not in str(caught.value)


def test_a_missing_chains_file_is_named(settings: EngineSettings, tmp_path: Path) -> None:
    with pytest.raises(DeployError, match=r"absent\.toml"):
        deploy_command("base", _DEPLOYER, settings=settings.model_copy(update={"chains": tmp_path / "absent.toml"}))


def test_a_long_chain_with_a_main_networks_id_is_refused_unless_a_development_node_serves_it(
    settings: EngineSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(deploy, "_YOUNG_BLOCKS", 0)  # every chain is old
    deploy_command("base", _DEPLOYER, settings=settings)
    monkeypatch.setattr(deploy, "_DEVELOPMENT_NODE", re.compile("no node is called this"))
    with pytest.raises(DeployError, match="looks like the main network"):
        deploy_command("base", _DEPLOYER, settings=settings)
    deploy_command("base", _DEPLOYER, settings=settings, yes=True)


def test_the_deployer_is_the_guardian_unless_another_is_named(anvil: Anvil, settings: EngineSettings) -> None:
    made = deploy_command("base", _DEPLOYER, settings=settings)
    assert _read(anvil, made.registry, "guardian") == Account.from_key(_DEPLOYER).address.lower()
    guardian = Account.create().address
    made = deploy_command("base", _DEPLOYER, None, guardian, settings=settings)
    assert _read(anvil, made.registry, "guardian") == guardian.lower()
    for wrong, complaint in (("0x1234", "--guardian '0x1234' is not an address"), ("0x" + "00" * 20, "zero address")):
        with pytest.raises(DeployError, match=complaint):
            deploy_command("base", _DEPLOYER, None, wrong, settings=settings)


def test_delays_are_short_on_development_nodes_only(
    anvil: Anvil, settings: EngineSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = deploy_command("base", _DEPLOYER, settings=settings)
    assert int(_read(anvil, made.registry, "endDelay")) == LOCAL_TERMS.end_delay
    monkeypatch.setattr(deploy, "_DEVELOPMENT_NODE", re.compile("no node is called this"))
    made = deploy_command("base", _DEPLOYER, settings=settings)
    read = {name: int(_read(anvil, made.registry, name)) for name in ("endDelay", "objectionDelay", "signerDelay")}
    assert read == {"endDelay": 3 * 86_400, "objectionDelay": 7 * 86_400, "signerDelay": 2 * 86_400}
    assert int(_read(anvil, made.registry, "freeMintsPerDay")) == PUBLIC_TERMS.free_mints_per_day


def test_a_registry_is_deployed_for_the_remote_signer(anvil: Anvil, settings: EngineSettings, tmp_path: Path) -> None:
    signer = Account.create().address
    remote = EngineSettings(
        data_dir=tmp_path / "other", chains=settings.chains, signer_url="http://127.0.0.1:1/", signer_address=signer
    )
    made = deploy_command("base", _DEPLOYER, settings=remote)
    assert _read(anvil, made.registry, "signer") == signer.lower()
    assert not key_path(tmp_path / "other").exists()
