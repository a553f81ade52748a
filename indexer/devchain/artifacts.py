"""Compiled contracts, and how to speak to them: ours from the committed build output, Uniswap's from npm.

The exchanges' code is under licences of its own, so it is read from the npm packages and never kept here.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from pathlib import Path
from typing import Any

import orjson
from eth_abi.abi import decode, encode
from eth_utils.crypto import keccak

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


@dataclass(frozen=True)
class Artifact:
    """One compiled contract."""

    name: str
    abi: Sequence[Mapping[str, Any]]
    bytecode: str

    def deployment(self, *arguments: Any) -> str:
        """Data of the transaction that creates the contract."""
        inputs = next((item["inputs"] for item in self.abi if item["type"] == "constructor"), ())
        return self.bytecode + encode([_type(item) for item in inputs], arguments).hex()

    def call(self, function: str, *arguments: Any) -> str:
        """Data of a call of ``function``: its name, or its whole signature where the name is overloaded."""
        selector, inputs, _ = self._functions[function]
        return "0x" + (selector + encode(inputs, arguments)).hex()

    def returns(self, function: str, answer: str) -> tuple[Any, ...]:
        """What ``function`` returned, out of its hexadecimal answer."""
        return decode(self._functions[function][2], bytes.fromhex(answer[2:]))

    def topic(self, event: str) -> str:
        """Topic 0 of an event."""
        return self._events[event]

    @cached_property
    def _functions(self) -> dict[str, tuple[bytes, list[str], list[str]]]:
        found = {}
        for item in self.abi:
            if item["type"] == "function":
                inputs = [_type(part) for part in item["inputs"]]
                signature = f"{item['name']}({','.join(inputs)})"
                entry = (keccak(text=signature)[:4], inputs, [_type(part) for part in item["outputs"]])
                found[item["name"]] = found[signature] = entry
        return found

    @cached_property
    def _events(self) -> dict[str, str]:
        return {
            item["name"]: "0x" + keccak(text=f"{item['name']}({','.join(map(_type, item['inputs']))})").hex()
            for item in self.abi
            if item["type"] == "event"
        }


@cache
def load(name: str) -> Artifact:
    """The contract called ``name``, ours or Uniswap's.

    Raises:
        ArtifactError: it is unknown, or the npm packages are not installed.
    """
    if name in _UNISWAP:
        return _read(name, _npm_file("@uniswap/" + _UNISWAP[name]).read_bytes())
    for package in ("indexer.devchain", "indexer.contracts"):
        source = files(package).joinpath("build", f"{name}.json")
        if source.is_file():
            return _read(name, source.read_bytes())
    raise ArtifactError(f"no contract called {name} was built: run `npm run build`")


def _read(name: str, text: bytes) -> Artifact:
    content = orjson.loads(text)
    code = content["bytecode"]
    if isinstance(code, dict):  # Foundry's shape; the others give the text itself
        code = code["object"]
    return Artifact(name, content["abi"], code if code.startswith("0x") else "0x" + code)


def _npm_file(path: str) -> Path:
    for folder in node_modules_candidates():
        if (folder / path).is_file():
            return folder / path
    raise ArtifactError(f"{path} is not among the npm packages: run `make install` (or `npm ci`)")


def _type(item: Mapping[str, Any]) -> str:
    kind = str(item["type"])
    if kind.startswith("tuple"):
        return f"({','.join(map(_type, item['components']))}){kind[5:]}"
    return kind
