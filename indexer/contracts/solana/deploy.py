"""``contracts deploy`` on chains of Solana's kind."""

import asyncio
import json
import os
from typing import Any

from solders.pubkey import Pubkey

from indexer.chains.errors import MethodMissing, RpcError
from indexer.chains.solana.reader import SolanaReader
from indexer.contracts.orders import Deployed, DeployError, Order
from indexer.contracts.sending import SendError
from indexer.contracts.signer import SignerKeyError
from indexer.contracts.solana.deployment import LOCAL_TERMS, PUBLIC_TERMS, Deployment, Plan
from indexer.contracts.solana.payer import PAYER_NAME
from indexer.contracts.solana.signer import read_keypair
from indexer.contracts.solana.signing import open_signer
from warehouse.chains import facts

_QUESTION_SECONDS = 20.0
_TEST_NETWORKS = frozenset({"solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1", "solana:4uhcVJyU9pJkvQyS88uRDiswHXSCkY3z"})
"""Devnet and testnet."""


def deploy(order: Order) -> Deployed:
    """Deploy the registry program, or finish what an earlier, killed call with the same options began.

    Raises:
        DeployError: something is missing or wrong, or the chain refused.
    """
    return asyncio.run(_deploy(order))


async def _deploy(order: Order) -> Deployed:
    given = order.private_key or os.environ.get(PAYER_NAME, "")
    if not given.strip():
        raise DeployError(f"no private key: give --private-key or set {PAYER_NAME}")
    try:
        deployer = read_keypair(given, "the private key")
        signer = open_signer(order.settings)
    except SignerKeyError as error:
        raise DeployError(str(error)) from error
    guardian = _address("--guardian", order.guardian) if order.guardian else deployer.pubkey()
    treasury = _address("--treasury", order.treasury) if order.treasury else deployer.pubkey()
    reader = SolanaReader(order.chain, timeout_seconds=_QUESTION_SECONDS)
    try:
        # A node proves by its genesis hash that it serves the cluster of the chain's facts.
        main = next((one for one in facts.load(None).by_key.values() if one.caip2 == order.chain.caip2), None)
        if main is not None and not order.yes:
            raise DeployError(
                f"{main.name} is the main network; `python -m indexer contracts deploy --yes` deploys there anyway"
            )
        is_public = main is not None or order.chain.caip2 in _TEST_NETWORKS
        is_development = not is_public and await _is_development(reader)
        plan = Plan(
            signer=signer.address,
            guardian=guardian,
            treasury=treasury,
            upgrade_authority=guardian if order.upgradeable else None,
            terms=LOCAL_TERMS if is_development else PUBLIC_TERMS,
        )
        genesis = await reader.request("getGenesisHash")
        deployment = Deployment(reader, deployer, plan, bytes(Pubkey.from_string(genesis)))
        await deployment.finish()
    except SendError as error:
        raise DeployError(str(error)) from error
    except RpcError as error:
        raise DeployError(f"chain {order.chain.key}: {error}") from error
    finally:
        await reader.close()
        signer.close()
    return Deployed(registry=str(deployment.address))


async def _is_development(reader: SolanaReader) -> bool:
    """Whether the node is a cluster of its own: a Surfpool, or a test validator. Ask it only of clusters that are not
    known to be public: hosted nodes may list themselves alone."""
    version: Any = await reader.request("getVersion")
    if isinstance(version, dict) and "surfnet-version" in version:
        return True
    try:
        nodes = await reader.request("getClusterNodes")
    except MethodMissing:
        return False
    return isinstance(nodes, list) and len(nodes) == 1


def _address(option: str, text: str) -> Pubkey:
    try:
        address = Pubkey.from_string(text)
    except ValueError:
        raise DeployError(f"{option} {json.dumps(text)} is not an address") from None
    if address == Pubkey.default():
        raise DeployError(f"{option} is the system program: nobody has its key")
    return address
