"""What the chain says of vaults and of the tokens in them, and calls with words for whoever signs them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from api.deals.vaults.repository import VaultRecord
from api.deals.vaults.terms import vaults_of
from indexer.chains.evm.reader import EvmReader, call_to, quantity, returned, uint_word
from indexer.contracts import vaults
from warehouse.domain.addresses import checksum_address
from warehouse.domain.chains import Chain
from warehouse.domain.selectors import ALLOWANCE, APPROVE, balance_of


@dataclass(frozen=True, slots=True)
class DescribedCall:
    """A transaction to sign and send, and what it does in plain words."""

    to: str
    data: str
    value: int
    description: str


async def read_vault(reader: EvmReader, chain: Chain, vault: VaultRecord, block: str = "latest") -> dict[str, Any]:
    """The vault as of a block: ``vault`` is None where it is not open; amounts as ``indexer.contracts.vaults`` names
    them.

    Raises:
        RpcError: the chain cannot be read.
    """
    function, decoded = ("swapOf", vaults.swap_of) if vault.is_swap else ("redemptionOf", vaults.redemption_of)
    call = vaults.contract().call(function, bytes.fromhex(vault.vault_id[2:]))
    method, parameters = call_to(vaults_of(chain), call, block=block)
    answer = await reader.request(method, *parameters)
    return {"vault": None} if answer == "0x" else decoded(answer)  # "0x": the contract was not there yet


async def read_numbers(reader: EvmReader, calls: Sequence[tuple[str, str]]) -> list[int | None]:
    """The numbers that calls return, each a contract and data; None where a contract has no answer.

    Raises:
        RpcError: the chain cannot be read.
    """
    answers = await reader.settle([call_to(to, data) for to, data in calls])
    return [uint_word(returned(answer)) for answer in answers]


async def chain_time(reader: EvmReader) -> int:
    """The time of the newest block.

    Raises:
        RpcError: the chain cannot be read.
    """
    return quantity((await reader.request("eth_getBlockByNumber", "latest", False))["timestamp"])


def allowance_call(token: str, owner: str, spender: str) -> tuple[str, str]:
    """What a spender may take of a token."""
    return token, ALLOWANCE + owner[2:].lower().rjust(64, "0") + spender[2:].lower().rjust(64, "0")


def balance_call(token: str, owner: str) -> tuple[str, str]:
    """What an account holds of a token."""
    return token, balance_of(owner.lower())


def approval(token: str, spender: str, amount: int) -> DescribedCall:
    """What lets the contract of vaults take exactly an amount of a token from the sender."""
    data = f"{APPROVE}{spender[2:].lower().rjust(64, '0')}{amount:064x}"
    words = f"Lets {spender} take {amount} base units of {checksum_address(token)} from you, once."
    return DescribedCall(checksum_address(token), data, 0, words)
