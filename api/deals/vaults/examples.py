"""Examples of the vault routes."""

from collections.abc import Mapping
from typing import Any, Final

from api.deals.examples import DEAL_ID, HOLDER
from api.http.examples import TOKEN, WALLET

_VAULTS: Final = "0x5FbDB2315678afecb367f032d93F642f64180aa3"
_VAULT: Final = "0xe7f1725E7734CE288F8367e1Bb143E90bb3F0512"
_NEW: Final = "0x9fE46736679d2D9a65F0992F2272dE9f3c7fa6e0"
_ID: Final = "0x" + "1d" * 32
_SWAP: Final[Mapping[str, Any]] = {"oldToken": TOKEN, "newToken": _NEW, "newUnits": "2", "oldUnits": "3"}


def _transaction(description: str) -> dict[str, Any]:
    return {"chainId": 8453, "to": _VAULTS, "data": "0x5e771e00", "value": "0x0", "description": description}


OPENING: Final[Mapping[str, Any]] = {
    "dealId": DEAL_ID,
    "kind": "swap",
    "vaultId": _ID,
    "swap": _SWAP,
    "transactions": [_transaction(f"Pays 2000 base units of {_NEW} into a vault.")],
}
STATE: Final[Mapping[str, Any]] = {
    "dealId": DEAL_ID,
    "chainId": 8453,
    "kind": "swap",
    "vaults": _VAULTS,
    "vaultId": _ID,
    "vault": _VAULT,
    "depositor": WALLET,
    "closesAt": "2027-02-20T12:00:00.000Z",
    "swap": _SWAP,
    "progress": {"given": "300", "paid": "200", "returned": "0", "accounts": 4, "asOfBlock": 38000000},
}
SNAPSHOT: Final[Mapping[str, Any]] = {
    "dealId": DEAL_ID,
    "snapshotBlock": 38000000,
    "root": "0x" + "40" * 32,
    "total": "1000",
    "accounts": 1,
    "holders": [{"account": HOLDER, "held": "1000"}],
    "next": None,
}
SWAP: Final[Mapping[str, Any]] = {
    "dealId": DEAL_ID,
    "minPaid": "200",
    "transactions": [_transaction(f"Burns 300 base units of {TOKEN}, and pays you at least 200 base units of {_NEW}.")],
}
REDEMPTION: Final[Mapping[str, Any]] = {
    "dealId": DEAL_ID,
    "account": HOLDER,
    "held": "1000",
    "paid": "25000000000",
    "proof": [],
    "transaction": _transaction(f"Pays {HOLDER} 25000000000 base units from the vault."),
}
CLOSING: Final[Mapping[str, Any]] = {
    "dealId": DEAL_ID,
    "transaction": _transaction(f"Returns what is left in the vault to {WALLET}."),
}
