"""`contracts deploy` on a real node."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
from solders.keypair import Keypair
from solders.pubkey import Pubkey

from indexer.contracts.deploy import deploy_command
from indexer.contracts.orders import DeployError
from indexer.contracts.solana import deploy as command
from indexer.contracts.solana import deployment, loader, program, sending
from indexer.contracts.solana.program import Config
from indexer.contracts.solana.signer import load_or_create
from indexer.devchain.solana.surfpool import LAMPORTS_PER_SOL, Surfpool
from tests.fixtures.solana_programs import account
from warehouse.chains import facts
from warehouse.settings import EngineSettings

pytestmark = pytest.mark.slow


@pytest.fixture
def settings(running_surfpool: Surfpool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> EngineSettings:
    monkeypatch.delenv("REGALIA_SOLANA_PRIVATE_KEY", raising=False)
    monkeypatch.delenv("REGALIA_SOLANA_SIGNER_PRIVATE_KEY", raising=False)
    chains = tmp_path / "chains.toml"
    chains.write_text(f'[chains.solana]\nrpc_urls = ["{running_surfpool.url}"]\ncaip2 = "{running_surfpool.caip2}"\n')
    return EngineSettings(data_dir=tmp_path / "data", chains=chains)


@pytest.fixture
def deployer(running_surfpool: Surfpool) -> Keypair:
    made = Keypair()
    running_surfpool.fund(made.pubkey())
    return made


def config(node: Surfpool, address: str) -> Config:
    found = account(node, program.config_address(Pubkey.from_string(address)))
    assert found is not None
    return Config.decode(found)


def test_deploys_for_the_signer_of_the_data_directory_once(
    running_surfpool: Surfpool, settings: EngineSettings, deployer: Keypair
) -> None:
    made = deploy_command("sol", str(deployer), settings=settings)
    assert json.loads(made.as_json()) == {"registry": made.registry}
    found = config(running_surfpool, made.registry)
    assert found.signer == load_or_create(settings.data_dir).pubkey()
    assert (found.guardian, found.treasury) == (deployer.pubkey(), deployer.pubkey())
    assert found.cluster == bytes(Pubkey.from_string(running_surfpool.genesis_hash))
    data = account(running_surfpool, loader.program_data_address(Pubkey.from_string(made.registry)))
    assert data is not None
    assert loader.ProgramData.decode(data).code == program.compiled()
    assert loader.ProgramData.decode(data).upgrade_authority is None
    balance = running_surfpool.rpc("getBalance", str(deployer.pubkey()))["value"]
    assert deploy_command("solana", str(deployer), settings=settings) == made
    assert running_surfpool.rpc("getBalance", str(deployer.pubkey()))["value"] == balance


def test_the_guardian_may_replace_the_code_only_if_it_is_asked_for(
    running_surfpool: Surfpool, settings: EngineSettings, deployer: Keypair
) -> None:
    guardian = Keypair().pubkey()
    made = deploy_command("solana", str(deployer), guardian=str(guardian), upgradeable=True, settings=settings)
    data = account(running_surfpool, loader.program_data_address(Pubkey.from_string(made.registry)))
    assert data is not None
    assert loader.ProgramData.decode(data).upgrade_authority == guardian


def test_a_treasury_that_does_not_exist_gets_the_least_balance(
    running_surfpool: Surfpool, settings: EngineSettings, deployer: Keypair
) -> None:
    """Otherwise it could not take small fees."""
    treasury = Keypair().pubkey()
    deploy_command("solana", str(deployer), str(treasury), settings=settings)
    assert running_surfpool.rpc("getBalance", str(treasury))["value"] == program.rent(0)


def test_a_killed_deployment_is_finished_by_the_same_command(
    running_surfpool: Surfpool, settings: EngineSettings, deployer: Keypair, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whichever transaction was the last: each one fails in turn, and the next call goes on from there."""
    expected, whole = len(program.compiled()), sending.send_all
    allowed, took = 0, 0

    async def limited(reader, payer, steps, *, what):  # type: ignore[no-untyped-def]
        nonlocal took
        took += 1
        if took > allowed:
            raise KeyboardInterrupt
        # Of the code, only some pieces are written before the end.
        some = steps if what != "the program's code" or len(steps) < 5 else steps[::2]
        done = await whole(reader, payer, some, what=what)
        if some is not steps:
            raise KeyboardInterrupt
        return done

    monkeypatch.setattr(sending, "send_all", limited)
    monkeypatch.setattr(deployment, "send_all", limited)
    for allowed in range(10):  # noqa: B007
        took = 0
        try:
            made = deploy_command("solana", str(deployer), settings=settings)
        except KeyboardInterrupt:
            continue
        break
    assert config(running_surfpool, made.registry).guardian == deployer.pubkey()
    data = account(running_surfpool, loader.program_data_address(Pubkey.from_string(made.registry)))
    assert data is not None
    assert len(data) == loader.PROGRAM_DATA_HEAD + expected


def test_a_deployment_ended_by_a_signal_is_finished(
    running_surfpool: Surfpool, settings: EngineSettings, deployer: Keypair
) -> None:
    environment = {
        **os.environ,
        "REGALIA_DATA_DIR": str(settings.data_dir),
        "REGALIA_CHAINS": str(settings.chains),
        "REGALIA_SOLANA_PRIVATE_KEY": str(deployer),
    }
    line = [sys.executable, "-m", "indexer", "contracts", "deploy", "--chain", "solana"]
    balance = running_surfpool.rpc("getBalance", str(deployer.pubkey()))["value"]
    killed = subprocess.Popen(line, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    while running_surfpool.rpc("getBalance", str(deployer.pubkey()))["value"] == balance and killed.poll() is None:
        time.sleep(0.05)
    killed.send_signal(signal.SIGKILL)
    killed.communicate()
    ran = subprocess.run(line, env=environment, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.count("\n") == 1
    assert config(running_surfpool, json.loads(ran.stdout)["registry"]).guardian == deployer.pubkey()


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ((None,), "no private key"),
        (("0x" + "5a" * 32,), "64 bytes"),
        ((str(Keypair()), "0x" + "5a" * 20), "not an address"),
        ((str(Keypair()), "1" * 32), "nobody has its key"),
        ((str(Keypair()),), "has 0 lamports"),
    ],
)
def test_what_is_wrong_is_said(settings: EngineSettings, arguments: tuple[str | None, ...], complaint: str) -> None:
    with pytest.raises(DeployError, match=complaint):
        deploy_command("solana", *arguments, settings=settings)


def test_another_cluster_than_the_chains_files_is_refused(
    settings: EngineSettings, deployer: Keypair, running_surfpool: Surfpool
) -> None:
    assert settings.chains is not None
    another = f"solana:{str(Keypair().pubkey())[:32]}"
    settings.chains.write_text(f'[chains.solana]\nrpc_urls = ["{running_surfpool.url}"]\ncaip2 = "{another}"\n')
    with pytest.raises(DeployError, match="genesis"):
        deploy_command("solana", str(deployer), settings=settings)


def test_the_main_network_is_refused_without_yes(
    settings: EngineSettings, deployer: Keypair, running_surfpool: Surfpool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As if the main network had the local node's genesis. The node says that it is alone, as a hosted one may."""
    known = facts.load(settings.chains)
    monkeypatch.setattr(command, "facts", SimpleNamespace(load=lambda _: known))
    with pytest.raises(DeployError, match="main network"):
        deploy_command("solana", str(deployer), settings=settings)
    balance = running_surfpool.rpc("getBalance", str(deployer.pubkey()))["value"]
    assert balance == 100 * LAMPORTS_PER_SOL


def test_a_public_cluster_gets_the_public_terms_whatever_its_node_says(
    settings: EngineSettings, deployer: Keypair, running_surfpool: Surfpool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "_TEST_NETWORKS", frozenset({running_surfpool.caip2}))
    made = deploy_command("solana", str(deployer), settings=settings)
    found = config(running_surfpool, made.registry)
    terms = deployment.PUBLIC_TERMS
    assert (found.end_delay, found.signer_delay) == (terms.end_delay, terms.signer_delay)


def test_a_config_address_that_somebody_funded_is_still_initialised(
    settings: EngineSettings, deployer: Keypair, running_surfpool: Surfpool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Anybody can send lamports there, once the program's address is known."""
    addresses: list[Pubkey] = []

    async def die(self: deployment.Deployment, _: object) -> None:
        addresses.append(program.config_address(self.address))
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(deployment.Deployment, "_initialize", die)
        with pytest.raises(KeyboardInterrupt):
            deploy_command("solana", str(deployer), settings=settings)
    running_surfpool.fund(addresses[0], 1_000_000)
    made = deploy_command("solana", str(deployer), settings=settings)
    assert config(running_surfpool, made.registry).guardian == deployer.pubkey()
