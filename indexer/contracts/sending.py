"""Sending a transaction from an account of ours and waiting for its receipt."""

import time
from typing import Any

from eth_account.signers.local import LocalAccount
from eth_utils.address import to_checksum_address

from indexer.chains.errors import MethodMissing, RpcError
from indexer.chains.evm.rpc import EvmClient

RECEIPT_SECONDS = 120.0
_FALLBACK_TIP_WEI = 10**9


class SendError(Exception):
    """The chain did not take the transaction, or it failed; the message is one line for a person."""


def send(client: EvmClient, account: LocalAccount, *, data: str, to: str | None = None, what: str) -> dict[str, Any]:
    """Send a transaction without value and wait until it is mined; its receipt. Without ``to`` it makes a contract.

    Args:
        what: what the transaction is, for messages.

    Raises:
        SendError: the account cannot pay, the chain refused it, or it failed or was not mined.
        RpcError: the nodes do not answer.
    """
    place = {"to": to_checksum_address(to)} if to is not None else {}
    transaction = _price(client, {"from": account.address, "data": data, "chainId": client.chain.chain_id, **place})
    cost = transaction["gas"] * transaction.get("maxFeePerGas", transaction.get("gasPrice", 0))
    balance = number(client.call("eth_getBalance", account.address, "latest"))
    if balance < cost:
        raise SendError(f"chain {client.chain.key}: {account.address} has {balance} wei, {what} may take {cost} wei")
    transaction["nonce"] = number(client.call("eth_getTransactionCount", account.address, "pending"))
    sender = transaction.pop("from")
    signed = account.sign_transaction(transaction)
    sent = "0x" + bytes(signed.hash).hex()
    try:
        client.call("eth_sendRawTransaction", "0x" + bytes(signed.raw_transaction).hex())
    except RpcError as error:
        # A repeated sending is refused though the first one arrived.
        if client.call("eth_getTransactionByHash", sent) is None:
            raise SendError(f"chain {client.chain.key} refused {what} from {sender}: {error}") from error
    return _mined(client, sent, what)


def number(quantity: Any) -> int:
    """The number a node answered."""
    return int(quantity, 16)


def _mined(client: EvmClient, sent: str, what: str) -> dict[str, Any]:
    deadline = time.monotonic() + RECEIPT_SECONDS
    pause = 0.02
    while time.monotonic() < deadline:
        receipt: dict[str, Any] | None = client.call("eth_getTransactionReceipt", sent)
        if receipt is not None:
            if receipt["status"] != "0x1":
                raise SendError(f"chain {client.chain.key}: {what}, {sent}, failed")
            return receipt
        time.sleep(pause)
        pause = min(pause * 1.5, 2.0)
    raise SendError(f"chain {client.chain.key}: {what}, {sent}, was not mined within {RECEIPT_SECONDS:g} s")


def _price(client: EvmClient, transaction: dict[str, Any]) -> dict[str, Any]:
    asked = {key: transaction[key] for key in ("from", "to", "data") if key in transaction}
    gas = number(client.call("eth_estimateGas", asked))
    head = client.call("eth_getBlockByNumber", "latest", False)
    priced = {**transaction, "gas": gas * 6 // 5, "value": 0}
    if "baseFeePerGas" not in head:
        return {**priced, "gasPrice": number(client.call("eth_gasPrice"))}
    try:
        tip = number(client.call("eth_maxPriorityFeePerGas"))
    except MethodMissing:
        tip = _FALLBACK_TIP_WEI
    return {**priced, "maxFeePerGas": 2 * number(head["baseFeePerGas"]) + tip, "maxPriorityFeePerGas": tip}
