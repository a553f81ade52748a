"""Examples of the Solana claim routes' answers."""

from typing import Any

_MINT = "DezXAZ8z7PnrnRJjz3wXBoRgixCa6xjnB7YaB1pPB263"
_CLAIMER = "9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM"
_CROWN = "5ZiE3vAkrdXBgyFL7KqG3RoEGBws4CjRcXVbABDLZTgx"
_COSTS: dict[str, Any] = {
    "registrationFee": 166666667,
    "rent": 4565760,
    "networkFee": 10000,
    "total": 171242427,
}
BUILT: dict[str, Any] = {
    "success": True,
    "transaction": "AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
    "crownPda": _CROWN,
    "symbol": "BONK",
    "tokenMint": _MINT,
    "claimer": _CLAIMER,
    "costs": _COSTS,
    "blockhash": "EkSnNWid2cvwEVnVx9aBqawnmiCNiDgp3gUdkDPTKN1N",
    "lastValidBlockHeight": 341000150,
    "blockHeight": 341000000,
    "blockhashSeconds": 60,
    "expiresAt": 1767226500,
    "message": (
        f"Sign and send this transaction with {_CLAIMER} within about 60 seconds to register BONK on Solana. Until the "
        "authorisation expires you may put a newer blockhash in; you may also ask for another transaction."
    ),
}
QUOTED: dict[str, Any] = {
    "success": True,
    "symbol": "BONK",
    "tokenMint": _MINT,
    "claimer": _CLAIMER,
    "crownPda": _CROWN,
    "price": 25,
    "currency": "USD",
    "costs": _COSTS,
    "balance": 2000000000,
}
INSUFFICIENT_FUNDS: dict[str, Any] = {"requiredLamports": 171242427, "balanceLamports": 1000000}
CONFIRMED: dict[str, Any] = {
    "symbol": "BONK",
    "status": "confirmed",
    "crownPda": _CROWN,
    "tokenId": 7,
    "owner": _CLAIMER,
    "tokenMint": _MINT,
    "signature": "5VERv8NMvzbJMEkV8xnrLkEaWRtSz9CosKDYjCJjBRnbJLgp8uirBgmQpjKhoR4tjF3ZpRzrFmBV6UjKdiSZkQUW",
    "slot": 362000000,
    "expiresAt": None,
}
PENDING: dict[str, Any] = {
    "symbol": "BONK",
    "status": "pending",
    "crownPda": _CROWN,
    "tokenId": None,
    "owner": None,
    "tokenMint": None,
    "signature": None,
    "slot": None,
    "expiresAt": 1767226500,
}
