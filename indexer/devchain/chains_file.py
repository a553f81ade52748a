"""The chains file that describes a local chain."""

from indexer.devchain.anvil import Anvil
from indexer.devchain.dexes import Dexes


def chains_file(
    anvil: Anvil,
    dexes: Dexes,
    stablecoin: str,
    *,
    key: str = "base",
    registry: str | None = None,
    finality_blocks: int = 12,
) -> str:
    """TOML that names the node, and what prices and pools on it rest on."""
    contracts = f'[chains.{key}.contracts]\nregistry = "{registry}"\n' if registry else ""
    exchange = f"[[chains.{key}.exchanges]]\n"
    return (
        f'[chains.{key}]\nchain_id = {anvil.chain_id}\nrpc_urls = ["{anvil.url}"]\nstart_block = 0\n'
        f"finality_blocks = {finality_blocks}\n{contracts}"
        f'[chains.{key}.assets]\nwrapped_native = "{dexes.weth}"\n'
        f'stablecoins = [{{ address = "{stablecoin}", symbol = "USDC", decimals = 6 }}]\n'
        f'{exchange}protocol = "uniswap_v2"\nname = "uniswap"\n'
        f'factory = "{dexes.v2_factory}"\nrouter = "{dexes.v2_router}"\n'
        f'{exchange}protocol = "uniswap_v3"\nname = "uniswap"\n'
        f'factory = "{dexes.v3_factory}"\nrouter = "{dexes.v3_router}"\n'
        f'{exchange}protocol = "uniswap_v4"\nname = "uniswap"\npool_manager = "{dexes.v4_manager}"\n'
    )
