"""A compiled contract, and how to speak to it: data of calls in, values out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import orjson
from eth_abi.abi import decode, encode
from eth_utils.crypto import keccak


@dataclass(frozen=True)
class Artifact:
    """One compiled contract."""

    name: str
    abi: Sequence[Mapping[str, Any]]
    bytecode: str

    @classmethod
    def read(cls, name: str, text: bytes) -> "Artifact":
        """The contract in a compiler's output: ours, Truffle's, Hardhat's or Foundry's."""
        content = orjson.loads(text)
        code = content["bytecode"]
        if isinstance(code, dict):  # Foundry's shape; the others give the text itself
            code = code["object"]
        return cls(name, content["abi"], code if code.startswith("0x") else "0x" + code)

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

    def error(self, data: str) -> tuple[str, tuple[Any, ...]] | None:
        """The custom error, and its arguments, that this revert data says; None when it is none of the contract's."""
        known = self._errors.get(data[:10])
        if known is None:
            return None
        name, inputs = known
        return name, decode(inputs, bytes.fromhex(data[10:]))

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
        return {item["name"]: "0x" + _hash(item).hex() for item in self.abi if item["type"] == "event"}

    @cached_property
    def _errors(self) -> dict[str, tuple[str, list[str]]]:
        return {
            "0x" + _hash(item)[:4].hex(): (item["name"], [_type(part) for part in item["inputs"]])
            for item in self.abi
            if item["type"] == "error"
        }


def _hash(item: Mapping[str, Any]) -> bytes:
    return keccak(text=f"{item['name']}({','.join(map(_type, item['inputs']))})")


def _type(item: Mapping[str, Any]) -> str:
    kind = str(item["type"])
    if kind.startswith("tuple"):
        return f"({','.join(map(_type, item['components']))}){kind[5:]}"
    return kind
