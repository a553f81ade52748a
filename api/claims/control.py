"""How a wallet controls a token on an EVM chain now: as deployer, owner, admin or majority holder, tried in this order.

A contract can answer anything. Questions about the wallet (roles, balances) are also asked about an unrelated address:
a contract that says yes to every address proves nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from eth_abi.abi import encode
from eth_utils.crypto import keccak

from api.claims.errors import Undecided
from api.claims.messages import Claim
from api.claims.methods import EVM, Control, first_that_holds
from api.claims.schemas import VerificationMethod
from api.warehouse import WarehouseReader
from indexer.chains.errors import NodeLied, NodeUnavailable, RpcError
from indexer.chains.evm.reader import EvmReader, address_word, data_bytes, quantity, returned, text, uint_word
from indexer.chains.jsonrpc import Call
from warehouse import sql
from warehouse.domain.chains import Chain
from warehouse.domain.selectors import GET_OWNER, OWNER, SYMBOL, TOTAL_SUPPLY, balance_of, function_selector
from warehouse.errors import WarehouseError

_HAS_ROLE = function_selector("hasRole(bytes32,address)")
_DEFAULT_ADMIN_ROLE = bytes(32)
# Far more than any token's views need, including proxies and rebasing tokens.
_CALL_GAS = 5_000_000
_ADMIN_SLOT = "0xb53127684a568b3173ae13b9f8a6016e243e63b6e8ee1178d6a717850b5d6103"


@dataclass(frozen=True, slots=True)
class TokenReading:
    """The token's answers about itself and about the wallet, and the time of the chain's newest block."""

    head_time: datetime
    symbol: str | None
    owners: tuple[str, ...]
    admins: tuple[str, ...]
    wallet_is_role_admin: bool
    balance_raw: int | None
    stranger_balance_raw: int | None
    supply_raw: int | None

    @property
    def absence(self) -> str:
        """Why the token has no symbol."""
        return "There is no token with a symbol at this address."


def ask(contract: str, data: str) -> Call:
    """A call of an unknown contract, with bounded gas so that it cannot keep a node busy."""
    return "eth_call", ({"to": contract, "data": data, "gas": hex(_CALL_GAS)}, "latest")


async def read_token(reader: EvmReader, token: str, wallet: str) -> TokenReading:
    """Ask the token about itself and the wallet in one batch; a second batch asks for the owner of an admin contract.

    Raises:
        RpcError: the chain does not answer.
    """
    stranger = "0x" + keccak(b"a stranger to " + bytes.fromhex(token[2:]))[12:].hex()
    calls: list[Call] = [
        ("eth_getCode", (token, "latest")),
        ask(token, SYMBOL),
        ask(token, OWNER),
        ask(token, GET_OWNER),
        ("eth_getStorageAt", (token, _ADMIN_SLOT, "latest")),
        ask(token, TOTAL_SUPPLY),
        *(ask(token, balance_of(who)) for who in (wallet, stranger)),
        *(ask(token, _has_admin_role(who)) for who in (wallet, stranger)),
        ("eth_getBlockByNumber", ("latest", False)),
    ]
    answers = await reader.settle(calls)
    owners = tuple(found for found in (address_word(returned(answer)) for answer in answers[2:4]) if found)
    admin = address_word(data_bytes(answers[4]))
    admins: tuple[str, ...] = (admin,) if admin else ()
    if admin and admin != wallet:
        behind = address_word(returned((await reader.settle([ask(admin, OWNER)]))[0]))
        admins = (admin, behind) if behind else admins
    balance, other_balance = (uint_word(returned(answer)) for answer in answers[6:8])
    role, other_role = (_is_true(answer) for answer in answers[8:10])
    return TokenReading(
        head_time=block_time(answers[10]),
        symbol=text(returned(answers[1])) if data_bytes(answers[0]) else None,
        owners=owners,
        admins=admins,
        wallet_is_role_admin=role and not other_role,
        balance_raw=balance,
        stranger_balance_raw=other_balance,
        supply_raw=uint_word(returned(answers[5])),
    )


async def find_control(
    claim: Claim,
    reading: TokenReading,
    reader: EvmReader,
    warehouse: WarehouseReader,
    methods: Sequence[VerificationMethod] = tuple(EVM),
) -> Control:
    """The first of the methods by which the wallet controls the token.

    Raises:
        Undecided: no other method shows control, and the deployer is unknown now.
    """
    try:
        is_deployer, unknown = await _is_deployer(claim, reader, warehouse), None
    except (WarehouseError, RpcError) as error:
        is_deployer, unknown = False, error
    holds = {
        VerificationMethod.DEPLOYER: is_deployer,
        VerificationMethod.OWNER: claim.wallet in reading.owners,
        VerificationMethod.ADMIN: reading.wallet_is_role_admin or claim.wallet in reading.admins,
        VerificationMethod.MAJORITY_HOLDER: _holds_majority(reading),
    }
    control = first_that_holds(methods, holds)
    if control.method is None and unknown is not None:
        raise Undecided("the deployer of the token is unknown now") from unknown
    return control


def _holds_majority(reading: TokenReading) -> bool:
    supply, balance = reading.supply_raw, reading.balance_raw
    if not supply or balance is None:
        return False
    return 2 * balance > supply >= 2 * (reading.stranger_balance_raw or 0)


async def _is_deployer(claim: Claim, reader: EvmReader, warehouse: WarehouseReader) -> bool:
    """Whether the wallet sent the transaction that created the token, or is the contract that created it directly.

    The warehouse's record is checked on the chain: the transaction exists and was sent by the wallet, and the token did
    not exist before it (as far as the node keeps old state).
    """
    chain = claim.chain
    rows = await warehouse.rows(
        sql.load("queries/claims/contract_creation"), {"chain_id": chain.chain_id, "address": claim.token[2:]}
    )
    if not rows:
        return False
    creation = rows[0]
    factory = "0x" + creation["factory"] if creation["factory"] else None
    if claim.wallet not in ("0x" + creation["creator"], factory):
        return False
    block = int(creation["block_number"])
    receipt, before = await reader.settle(
        [
            ("eth_getTransactionReceipt", ("0x" + creation["transaction_hash"],)),
            ("eth_getCode", (claim.token, hex(max(block - 1, 0)))),
        ]
    )
    if isinstance(receipt, RpcError):
        raise receipt
    if receipt is None:
        raise NodeUnavailable("the node does not know the transaction that created the token")
    return _confirms(receipt, before, claim, chain, factory)


def _confirms(receipt: dict[str, Any], before: Any, claim: Claim, chain: Chain, factory: str | None) -> bool:
    if receipt.get("status") != "0x1":
        return False
    if isinstance(before, str) and before != "0x":
        return False  # it existed before: someone else created it again after a self-destruct
    if factory is None:
        if str(receipt.get("contractAddress")).lower() != claim.token:
            return False
    elif claim.wallet == factory:
        return True
    sender, target = str(receipt.get("from")).lower(), str(receipt.get("to")).lower()
    through_relayer: Sequence[str] = (sender, target)
    return sender == claim.wallet and not any(address in chain.relayers for address in through_relayer)


def block_time(block: Any) -> datetime:
    """The time of a block, as a node answers it.

    Raises:
        RpcError: the node answered an error, or something that is not a block.
    """
    if isinstance(block, RpcError):
        raise block
    if not isinstance(block, dict) or "timestamp" not in block:
        raise NodeLied("a block has no timestamp")
    return datetime.fromtimestamp(quantity(block["timestamp"]), UTC)


def _has_admin_role(account: str) -> str:
    """Data of the call ``hasRole(DEFAULT_ADMIN_ROLE, account)`` (AccessControl)."""
    return _HAS_ROLE + encode(["bytes32", "address"], [_DEFAULT_ADMIN_ROLE, account]).hex()


def _is_true(answer: Any) -> bool:
    data = returned(answer)
    return data is not None and len(data) == 32 and int.from_bytes(data, "big") == 1
