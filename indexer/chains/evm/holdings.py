"""What a wallet holds of an ERC-20 token, or of the native coin, read from the chain."""

from typing import Any

from indexer.chains.errors import CallFailed, NodeUnavailable, RpcError
from indexer.chains.evm.reader import EvmReader, call_to, data_bytes, quantity
from indexer.chains.holding import WalletHolding
from indexer.chains.jsonrpc import Call
from warehouse.domain.selectors import balance_of

_CALL_GAS = 5_000_000


async def read_holding(reader: EvmReader, token: str, wallet: str) -> WalletHolding | None:
    """The balance of a wallet; None if there is no token at the address, whose calls fail or answer something else.

    Raises:
        RpcError: the chain could not be read.
    """
    method, (transaction, block) = call_to(token, balance_of(wallet))
    asked = (method, ({**transaction, "gas": hex(_CALL_GAS)}, block))
    # One batch, the block first: the balance is of that block or of the next.
    header, answer = await _with_latest_block(reader, asked)
    if isinstance(answer, CallFailed):
        return None
    data = data_bytes(answer)
    if len(data) != 32:
        return None
    return _holding(int.from_bytes(data, "big"), header)


async def read_native_holding(reader: EvmReader, wallet: str) -> WalletHolding:
    """The balance of a wallet in the chain's native coin.

    Raises:
        RpcError: the chain could not be read.
    """
    header, answer = await _with_latest_block(reader, ("eth_getBalance", (wallet, "latest")))
    return _holding(quantity(answer), header)


async def _with_latest_block(reader: EvmReader, asked: Call) -> tuple[dict[str, Any], Any]:
    header, answer = await reader.settle([("eth_getBlockByNumber", ("latest", False)), asked])
    if isinstance(header, RpcError) or not isinstance(header, dict):
        raise header if isinstance(header, RpcError) else NodeUnavailable("no latest block")
    return header, answer


def _holding(balance_raw: int, header: dict[str, Any]) -> WalletHolding:
    return WalletHolding(balance_raw, quantity(header.get("number")), quantity(header.get("timestamp")))
