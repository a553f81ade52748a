"""Deploy our contracts to a development or test chain, for the service's own signer.

The command for all kinds of chains, and the deployment to EVM chains.
"""

import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path

from eth_account import Account
from eth_account.signers.local import LocalAccount
from eth_utils.address import is_address, to_checksum_address

from indexer.chains.errors import MethodMissing, RpcError
from indexer.chains.evm.rpc import EvmClient
from indexer.contracts import registry, vaults
from indexer.contracts.orders import Deployed, DeployError, Order
from indexer.contracts.registry import LOCAL_TERMS, PUBLIC_TERMS, Terms
from indexer.contracts.sending import SendError, send
from indexer.contracts.signer import SignerKeyError
from indexer.contracts.signing import open_signer
from warehouse.chains import facts
from warehouse.domain.chains import Chain
from warehouse.settings import EngineSettings

PRIVATE_KEY_NAME = "REGALIA_PRIVATE_KEY"
_DEVELOPMENT_NODE = re.compile(r"anvil|hardhat|ganache|testrpc|eth-?tester|tevm", re.IGNORECASE)
# The known main networks are far beyond this height: a shorter chain with their id is a test chain.
_YOUNG_BLOCKS = 100_000
_PATIENCE_SECONDS = 10.0


def deploy_command(
    chain_key: str,
    private_key: str | None = None,
    treasury: str | None = None,
    guardian: str | None = None,
    *,
    upgradeable: bool = False,
    yes: bool = False,
    settings: EngineSettings | None = None,
) -> Deployed:
    """Deploy to the chain of this key, with the settings of the environment.

    Args:
        chain_key: key or alias from the chains file; it must have ``rpc_urls``.
        private_key: key of the account that pays; ``REGALIA_PRIVATE_KEY`` when absent, on Solana
            ``REGALIA_SOLANA_PRIVATE_KEY``.
        treasury: receives fees; the deployer when absent.
        guardian: replaces the signer and decides about disputed ends; the deployer when absent.
        upgradeable: on Solana, the guardian may replace the code. Otherwise nobody can, as on EVM chains.
        yes: deploy even to what looks like a main network.
        settings: instead of those of the environment.

    Raises:
        DeployError: something is missing or wrong, or the chain refused.
    """
    found = settings or EngineSettings()
    chain = _chain(chain_key, found.chains)
    order = Order(
        chain=chain,
        private_key=private_key,
        treasury=treasury,
        guardian=guardian,
        upgradeable=upgradeable,
        yes=yes,
        settings=found,
    )
    return _DEPLOYERS[chain.kind](order)


def _deploy_evm(order: Order) -> Deployed:
    chain = order.chain
    if order.upgradeable:
        raise DeployError(f"a contract on {chain.key} cannot be upgraded")
    deployer = _deployer(order.private_key or os.environ.get(PRIVATE_KEY_NAME, ""))
    receiver = _address("--treasury", order.treasury) if order.treasury else deployer.address
    keeper = _address("--guardian", order.guardian) if order.guardian else deployer.address
    try:
        signer = open_signer(order.settings)
    except SignerKeyError as error:
        raise DeployError(str(error)) from error
    client = EvmClient(chain, patience_seconds=_PATIENCE_SECONDS)
    try:
        if not order.yes:
            _refuse_main_network(client, chain)
        terms = LOCAL_TERMS if _is_development_node(client) else PUBLIC_TERMS
        made = deploy_registry(client, deployer, signer.address, receiver, keeper, terms)
        return Deployed(registry=made, vaults=deploy_vaults(client, deployer, made))
    except RpcError as error:
        raise DeployError(f"chain {chain.key}: {error}") from error
    finally:
        client.close()


def _deploy_solana(order: Order) -> Deployed:
    from indexer.contracts.solana.deploy import deploy  # a command loads only the kind it deploys to

    return deploy(order)


_DEPLOYERS: Mapping[str, Callable[[Order], Deployed]] = {"evm": _deploy_evm, "solana": _deploy_solana}


def deploy_registry(
    client: EvmClient, deployer: LocalAccount, signer: str, treasury: str, guardian: str, terms: Terms
) -> str:
    """Send the registry's creation and wait until it is mined; returns its address, checksummed.

    Raises:
        DeployError: the deployer cannot pay, or the creation failed or was not mined.
        RpcError: the nodes do not answer.
    """
    return _create(client, deployer, registry.deployment_data(signer, treasury, guardian, terms))


def deploy_vaults(client: EvmClient, deployer: LocalAccount, registry_address: str) -> str:
    """Create the vaults of deals beside a registry; answers and raises as :func:`deploy_registry`."""
    return _create(client, deployer, vaults.deployment_data(registry_address))


def _create(client: EvmClient, deployer: LocalAccount, data: str) -> str:
    try:
        receipt = send(client, deployer, data=data, what="the deployment")
    except SendError as error:
        raise DeployError(str(error)) from error
    return str(receipt.contract)


def _refuse_main_network(client: EvmClient, chain: Chain) -> None:
    known = facts.load(None).by_id(chain.chain_id)
    if known is None:
        return
    from indexer.contracts.node_provider import connect

    if connect(client).eth.block_number < _YOUNG_BLOCKS or _is_development_node(client):
        return
    raise DeployError(
        f"{known.name} ({chain.chain_id}) behind a {_node_version(client) or 'silent'} node looks like the main "
        f"network; `python -m indexer contracts deploy --yes` deploys there anyway"
    )


def _is_development_node(client: EvmClient) -> bool:
    return _DEVELOPMENT_NODE.search(_node_version(client)) is not None


def _node_version(client: EvmClient) -> str:
    try:
        return str(client.call("web3_clientVersion"))
    except MethodMissing:
        return ""


def _chain(chain_key: str, chains_file: Path | None) -> Chain:
    try:
        chains = facts.load(chains_file)
    except facts.ChainFactsError as error:
        raise DeployError(str(error)) from error
    chain = chains.find(chain_key)
    if chain is None:
        raise DeployError(f"no chain is called {chain_key!r}; known are {', '.join(chains.by_key)}")
    if chain.kind not in _DEPLOYERS:
        raise DeployError(f"nothing of ours runs on chains of kind {chain.kind}")
    if not chain.enabled:
        raise DeployError(f"chain {chain.key} has no rpc_urls: name its node in the file of REGALIA_CHAINS")
    return chain


def _deployer(private_key: str) -> LocalAccount:
    if not private_key.strip():
        raise DeployError(f"no private key: give --private-key or set {PRIVATE_KEY_NAME}")
    try:
        account: LocalAccount = Account.from_key(bytes.fromhex(private_key.strip().removeprefix("0x")))
    except ValueError:  # its text may show the key
        raise DeployError("the private key is not 32 bytes in hexadecimal") from None
    return account


def _address(option: str, text: str) -> str:
    if not is_address(text):
        raise DeployError(f"{option} {text!r} is not an address")
    if int(text, 16) == 0:
        raise DeployError(f"{option} is the zero address: nobody has its key")
    return str(to_checksum_address(text))
