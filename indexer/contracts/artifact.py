"""A compiled contract: encode calls, decode what they return."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from eth_abi.abi import decode, encode
from eth_utils.abi import (
    abi_to_signature,
    event_abi_to_log_topic,
    filter_abi_by_type,
    function_signature_to_4byte_selector,
    get_abi_input_types,
    get_abi_output_types,
)

if TYPE_CHECKING:
    from eth_typing import ABIElement


@dataclass(frozen=True, slots=True)
class _Function:
    selector: bytes
    inputs: list[str]
    outputs: list[str]


@dataclass(frozen=True)
class Artifact:
    """One compiled contract."""

    name: str
    abi: "Sequence[ABIElement]"
    bytecode: str

    @classmethod
    def read(cls, name: str, text: bytes) -> "Artifact":
        """The contract in a compiler's output: ours, Truffle's, Hardhat's or Foundry's."""
        content = json.loads(text)
        code = content["bytecode"]
        if isinstance(code, dict):  # Foundry's shape; the others give the text itself
            code = code["object"]
        return cls(name, content["abi"], code if code.startswith("0x") else "0x" + code)

    def deployment(self, *arguments: Any) -> str:
        """Data of the transaction that creates the contract."""
        constructor = next(iter(filter_abi_by_type("constructor", self.abi)), None)
        types = [] if constructor is None else get_abi_input_types(constructor)
        return self.bytecode + encode(types, arguments).hex()

    def call(self, function: str, *arguments: Any) -> str:
        """Data of a call of ``function``: its name, or its whole signature where the name is overloaded."""
        found = self._functions[function]
        return "0x" + (found.selector + encode(found.inputs, arguments)).hex()

    def returns(self, function: str, answer: str) -> tuple[Any, ...]:
        """What ``function`` returned, out of its hexadecimal answer."""
        return decode(self._functions[function].outputs, bytes.fromhex(answer[2:]))

    def topic(self, event: str) -> str:
        """Topic 0 of an event."""
        return self._topics[event]

    def error(self, data: str) -> tuple[str, tuple[Any, ...]] | None:
        """The contract's custom error that this revert data holds, with its arguments; None when it holds none."""
        known = self._errors.get(data[:10])
        if known is None:
            return None
        name, types = known
        return name, decode(types, bytes.fromhex(data[10:]))

    def error_name(self, selector: str) -> str | None:
        """The name of the custom error with this selector, such as ``0x82b42900``; None when there is none."""
        known = self._errors.get(selector)
        return None if known is None else known[0]

    @cached_property
    def _functions(self) -> "dict[str, _Function]":
        found = {}
        for one in filter_abi_by_type("function", self.abi):
            signature = abi_to_signature(one)
            found[one["name"]] = found[signature] = _Function(
                function_signature_to_4byte_selector(signature), get_abi_input_types(one), get_abi_output_types(one)
            )
        return found

    @cached_property
    def _topics(self) -> dict[str, str]:
        return {
            event["name"]: "0x" + event_abi_to_log_topic(event).hex() for event in filter_abi_by_type("event", self.abi)
        }

    @cached_property
    def _errors(self) -> dict[str, tuple[str, list[str]]]:
        return {
            "0x" + function_signature_to_4byte_selector(abi_to_signature(error)).hex(): (
                error["name"],
                get_abi_input_types(error),
            )
            for error in filter_abi_by_type("error", self.abi)
        }
