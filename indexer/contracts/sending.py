"""Send a transaction from one of our accounts and wait for its receipt."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from eth_account.signers.local import LocalAccount
from eth_utils.address import to_checksum_address

from indexer.chains.errors import CallFailed, MethodMissing, RpcError
from indexer.chains.evm.rpc import EvmClient

if TYPE_CHECKING:
    from web3.eth import Eth
    from web3.types import TxParams

RECEIPT_SECONDS = 120.0
_MIN_POLL_SECONDS = 0.1
_MAX_POLL_SECONDS = 2.0
_FALLBACK_TIP_WEI = 10**9


class SendError(Exception):
    """The chain did not accept the transaction, or it failed; the message is one line for a person."""


@dataclass(frozen=True, slots=True)
class Receipt:
    """A mined transaction that succeeded. ``contract`` is the contract it created, checksummed."""

    transaction_hash: str
    contract: str | None


def send(client: EvmClient, account: LocalAccount, *, data: str, to: str | None = None, what: str) -> Receipt:
    """Send a transaction without value and wait until it is mined. Without ``to`` it creates a contract.

    Args:
        client: the chain's client.
        account: signs and pays.
        data: call data or creation code.
        to: the contract to call.
        what: what the transaction is, for messages.

    Raises:
        SendError: the account cannot pay, the chain refused it, or it failed or was not mined.
        RpcError: the nodes do not answer.
    """
    from web3.exceptions import TimeExhausted, TransactionNotFound

    from indexer.contracts.node_provider import connect

    key, eth = client.chain.key, connect(client).eth
    call: TxParams = {"from": account.address, "data": data}  # type: ignore[typeddict-item]
    if to is not None:
        call["to"] = to_checksum_address(to)
    try:
        gas = eth.estimate_gas(call) * 6 // 5
    except CallFailed as error:
        raise SendError(f"chain {key} refuses {what}: {error}") from error
    fees = _fees(eth)
    cost = gas * int(fees.get("maxFeePerGas", fees.get("gasPrice", 0)))
    balance = eth.get_balance(account.address)
    if balance < cost:
        raise SendError(f"chain {key}: {account.address} has {balance} wei, {what} may take {cost} wei")
    nonce = eth.get_transaction_count(account.address, "pending")
    unsigned: dict[str, Any] = {
        **call,
        **fees,
        "gas": gas,
        "nonce": nonce,
        "value": 0,
        "chainId": client.chain.chain_id,
    }
    sender = unsigned.pop("from")
    signed = account.sign_transaction(unsigned)
    name = "0x" + bytes(signed.hash).hex()
    try:
        eth.send_raw_transaction(signed.raw_transaction)
    except RpcError as error:
        # The client repeats what it got no answer to, and a node refuses the repetition of what it accepted.
        try:
            eth.get_transaction(signed.hash)
        except TransactionNotFound:
            raise SendError(f"chain {key} refused {what} from {sender}: {error}") from error
    poll_seconds = min(max(client.chain.block_seconds / 4, _MIN_POLL_SECONDS), _MAX_POLL_SECONDS)
    try:
        receipt = eth.wait_for_transaction_receipt(signed.hash, timeout=RECEIPT_SECONDS, poll_latency=poll_seconds)
    except TimeExhausted:
        raise SendError(f"chain {key}: {what}, {name}, was not mined within {RECEIPT_SECONDS:g} s") from None
    if receipt["status"] != 1:
        raise SendError(f"chain {key}: {what}, {name}, failed")
    return Receipt(name, receipt["contractAddress"])


def _fees(eth: "Eth") -> "TxParams":
    """Fees of EIP-1559 where the chain has them, else a gas price."""
    base = eth.get_block("latest").get("baseFeePerGas")
    if base is None:
        return {"gasPrice": eth.gas_price}
    try:
        tip = int(eth.max_priority_fee)
    except MethodMissing:
        tip = _FALLBACK_TIP_WEI
    return {"maxFeePerGas": 2 * base + tip, "maxPriorityFeePerGas": tip}  # type: ignore[typeddict-item]
