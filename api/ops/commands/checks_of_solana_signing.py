"""Checks of ``regalia doctor`` about the signer on Solana and the registries that must know it."""

import asyncio
from collections.abc import Iterable, Sequence

from api.ops.commands.checks import Finding
from api.ops.commands.checks_of_registries import RegistryKeys, signing_findings
from api.ops.commands.nodes import TIMEOUT_SECONDS
from indexer.chains.solana.reader import SolanaReader
from indexer.contracts.solana.program import Config
from indexer.contracts.solana.registry_state import read_registry
from indexer.contracts.solana.signer import has_key
from indexer.contracts.solana.signing import open_signer
from warehouse.domain.chains import Chain
from warehouse.settings import EngineSettings


def solana_signing(settings: EngineSettings, chains: Sequence[Chain]) -> Iterable[Finding]:
    """Whether the signer can sign, and each registry of these chains accepts what it signs. Makes no key."""
    if settings.solana_signer_url is None and not has_key(settings.data_dir):
        return ()
    return signing_findings(
        chains,
        open_signer=lambda: open_signer(settings),
        read_keys=_keys,
        advice_if_silent="start it, or correct REGALIA_SOLANA_SIGNER_URL; until then no claim can be built on Solana",
    )


def _keys(chain: Chain) -> RegistryKeys:
    config = asyncio.run(_config(chain))
    return RegistryKeys(
        signer=None if config.suspended else str(config.signer),
        guardian=str(config.guardian),
        announced=str(config.next_signer) if config.next_signer_at else None,
    )


async def _config(chain: Chain) -> Config:
    reader = SolanaReader(chain, timeout_seconds=TIMEOUT_SECONDS)
    try:
        return (await read_registry(reader, chain.contracts["registry"])).config
    finally:
        await reader.close()
