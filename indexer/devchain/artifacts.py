"""Compiled contracts, and how to speak to them: ours from the committed build output, Uniswap's from npm.

The exchanges' code is under licences of its own, so it is read from the npm packages and never kept here.
"""

from functools import cache
from importlib.resources import files
from pathlib import Path

from indexer.contracts.artifact import Artifact
from indexer.devchain.anvil import node_modules_candidates

_UNISWAP = {
    "WETH9": "v2-periphery/build/WETH9.json",
    "UniswapV2Factory": "v2-core/build/UniswapV2Factory.json",
    "UniswapV2Pair": "v2-core/build/UniswapV2Pair.json",
    "UniswapV2Router02": "v2-periphery/build/UniswapV2Router02.json",
    "UniswapV3Factory": "v3-core/artifacts/contracts/UniswapV3Factory.sol/UniswapV3Factory.json",
    "UniswapV3Pool": "v3-core/artifacts/contracts/UniswapV3Pool.sol/UniswapV3Pool.json",
    "SwapRouter": "v3-periphery/artifacts/contracts/SwapRouter.sol/SwapRouter.json",
    "NonfungiblePositionManager": (
        "v3-periphery/artifacts/contracts/NonfungiblePositionManager.sol/NonfungiblePositionManager.json"
    ),
    "PoolManager": "v4-core/out/PoolManager.sol/PoolManager.json",
    "PoolModifyLiquidityTest": "v4-core/out/PoolModifyLiquidityTest.sol/PoolModifyLiquidityTest.json",
    "PoolSwapTest": "v4-core/out/PoolSwapTest.sol/PoolSwapTest.json",
}


class ArtifactError(LookupError):
    """There is no such contract, or the npm package that has it is not installed."""


@cache
def load(name: str) -> Artifact:
    """The contract called ``name``, ours or Uniswap's.

    Raises:
        ArtifactError: it is unknown, or the npm packages are not installed.
    """
    if name in _UNISWAP:
        return Artifact.read(name, _npm_file("@uniswap/" + _UNISWAP[name]).read_bytes())
    for package in ("indexer.devchain", "indexer.contracts"):
        source = files(package).joinpath("build", f"{name}.json")
        if source.is_file():
            return Artifact.read(name, source.read_bytes())
    raise ArtifactError(f"no contract called {name} was built: run `npm run build`")


def _npm_file(path: str) -> Path:
    for folder in node_modules_candidates():
        if (folder / path).is_file():
            return folder / path
    raise ArtifactError(f"{path} is not among the npm packages: run `make install` (or `npm ci`)")
