"""How texts that clients send are written, for the OpenAPI document alone: routes check them in words of their own."""

from typing import Any

SYMBOL: dict[str, Any] = {"pattern": "^[A-Za-z0-9]{1,20}$"}
CLAIM_SYMBOL: dict[str, Any] = {"pattern": "^[A-Za-z0-9]{1,12}$"}
EVM_ADDRESS: dict[str, Any] = {"pattern": "^0x[0-9a-fA-F]{40}$"}
WALLET: dict[str, Any] = {"pattern": "^(0x[0-9a-fA-F]{40}|[1-9A-HJ-NP-Za-km-z]{32,44})$"}
HASH: dict[str, Any] = {"pattern": "^0x[0-9a-fA-F]{64}$"}
SIGNATURE: dict[str, Any] = {"pattern": "^0x([0-9a-fA-F]{2}){1,32768}$"}
