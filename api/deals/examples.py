"""Examples of the deal routes."""

from collections.abc import Mapping
from typing import Any, Final

from api.http.examples import REGISTRY, TOKEN, WALLET

Example = Mapping[str, Any]
HOLDER: Final = "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC"
DEAL_ID: Final = "01980000-0000-7000-8000-0000000000d1"
GROUP_ID: Final = "01980000-0000-7000-8000-0000000000d9"
_MADE: Final = "2026-11-20T12:00:00.000Z"
_LAPSES: Final = "2026-12-20T12:00:00.000Z"
_ANNOUNCED_UNTIL: Final = "2026-11-28T09:00:00.000Z"
_USDC: Final = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"

_OFFERED: Final[Example] = {
    "id": DEAL_ID,
    "deal_type": "buyout",
    "status": "draft",
    "stage": "awaiting_response",
    "deadline": _LAPSES,
    "deadline_kind": "offer",
    "seller_address": WALLET,
    "symbol": "PEPE",
    "chain_id": 8453,
    "token_id": 7,
    "token_address": TOKEN,
    "agreed_amount": "25000",
    "agreed_currency": "USDC",
    "message": "We would like to take this over.",
    "fund_verification_pct": 100,
    "expires_at": _LAPSES,
    "burn_consent_recorded": False,
    "created_at": _MADE,
    "actions": None,
}
_ACCEPTED: Final[Example] = {
    **{name: value for name, value in _OFFERED.items() if name != "expires_at"},
    "status": "announced",
    "stage": "announcement",
    "deadline": _ANNOUNCED_UNTIL,
    "deadline_kind": "announcement",
    "buyer_address": HOLDER,
    "response_message": "Agreed.",
    "actions": ["cancel"],
}
EVENT: Final[Example] = {
    "id": "01980000-0000-7000-8000-0000000000e1",
    "deal_id": DEAL_ID,
    "event_type": "offer",
    "event_data": {},
    "actor_address": WALLET,
    "created_at": _MADE,
}
_ATTESTATION: Final[Example] = {
    "id": "01980000-0000-7000-8000-0000000000a1",
    "deal_id": DEAL_ID,
    "move": "offer",
    "actor_address": WALLET,
    "signer": "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
    "signature": "",
    "message_hash": "",
    "domain_separator": "",
    "statement": None,
    "created_at": _MADE,
}
_WHOLE: Final[Example] = {"events": [EVENT], "attestations": [_ATTESTATION], "payments": []}
DEAL: Final[Example] = {**_OFFERED, "crown_holder": HOLDER, **_WHOLE}
EVENTS: Final[Example] = {"dealId": DEAL_ID, "events": [EVENT]}


def _page(**more: Any) -> dict[str, Any]:
    return {"deals": [_OFFERED], "total": 1, "limit": 20, "offset": 0, **more}


OWN: Final[Example] = {
    **_page(deal_type=None, status=None),
    "deals": [{**_OFFERED, "actions": ["cancel"], "terms": {"redemptionWindow": 90}}],
}
SYMBOL: Final[Example] = _page(symbol="PEPE", chainId=8453)
ADDRESS: Final[Example] = _page(address=WALLET, role="seller")
REGISTRATION: Final[Example] = _page(tokenId=7, symbol="PEPE", chainId=8453)
GROUP: Final[Example] = {
    "group": {"id": GROUP_ID},
    "deals": [{**_OFFERED, "group_id": GROUP_ID}],
    "total": 1,
    "accepted": 0,
    "complete": False,
    "pending": [{"deal_id": DEAL_ID, "symbol": "PEPE", "chain_id": 8453, "status": "draft"}],
}


def _moved(deal: Example, message: str) -> dict[str, Any]:
    whole = {**deal, "crown_holder": HOLDER, **_WHOLE}
    return {"success": True, "dealId": DEAL_ID, "status": deal["status"], "deal": whole, "message": message}


def _ended(status: str) -> dict[str, Any]:
    left_out = ("expires_at", "deadline", "deadline_kind")
    kept = {name: value for name, value in _OFFERED.items() if name not in left_out}
    return {**kept, "status": status, "stage": "closed", "actions": []}


MADE: Final[Example] = _moved(
    {**_OFFERED, "actions": ["cancel"]}, "The offer was made. The holder may accept or reject it."
)
MADE_GROUP: Final[Example] = {
    "success": True,
    "groupId": GROUP_ID,
    "deals": [{**_OFFERED, "group_id": GROUP_ID, "actions": ["cancel"]}],
    "message": "The offers were made. They take effect when all of them are accepted.",
}
ACCEPTED: Final[Example] = _moved(_ACCEPTED, "The offer is accepted.")
REJECTED: Final[Example] = _moved(_ended("closed"), "The offer is rejected.")
CANCELLED: Final[Example] = _moved(_ended("cancelled"), "The deal is cancelled.")
RESPONDED: Final[Example] = {
    "success": True,
    "dealId": DEAL_ID,
    "status": "announced",
    "message": "The offer is accepted.",
}
LIMITS: Final[Example] = {"collabMinLiquidityUsd": 1000, "minOfferUsd": 100}
PRICES: Final[Example] = {"ETH": 2512.4, "SOL": 141.7, "USDC": 1, "USDT": 1}
PREVIEW: Final[Example] = {
    "minimumOffer": 100000000,
    "dealValueUsd": 25000000000,
    "currency": "USDC",
    "facilitationFee": 0,
    "effectiveRate": 0,
}
FLOOR: Final[Example] = {"offerFloorUsd": 1000, "offersDisabled": False}
FUNDS: Final[Example] = {
    "verified": True,
    "balance": "30000000000",
    "requiredAmount": "25000000000",
    "requiredPct": 100,
    "attestation": {
        "hash": "0x" + "5d" * 32,
        "signature": "0x" + "1b" * 65,
        "blockNumber": 38000000,
        "timestamp": 1795176000,
        "statement": {
            "types": {"FundsCheck": [{"name": "wallet", "type": "string"}]},
            "primaryType": "FundsCheck",
            "domain": {"name": "Regalia Deals", "version": "1", "chainId": 8453},
            "message": {"wallet": WALLET, "chainId": 8453, "currency": _USDC, "offerAmount": "25000000000"},
        },
    },
}
TIMELINE: Final[Example] = {
    "dealId": DEAL_ID,
    "checks": [
        {
            "id": "01980000-0000-7000-8000-0000000000f1",
            "walletAddress": WALLET,
            "fundedPct": 100,
            "verified": True,
            "blockNumber": 38000000,
            "checkedAt": _MADE,
        }
    ],
}

CONSENT: Final[Example] = {
    "dealId": DEAL_ID,
    "nonce": "81985529216486895",
    "deadline": 1795780800,
    "document": {
        "types": {"SettlementConsent": [{"name": "deal", "type": "bytes32"}]},
        "primaryType": "SettlementConsent",
        "domain": {"name": "Regalia Registry", "version": "1", "chainId": 8453, "verifyingContract": REGISTRY},
        "message": {"deal": "0x" + "00" * 16 + DEAL_ID.replace("-", "")},
    },
}
SETTLEMENT: Final[Example] = {
    "dealId": DEAL_ID,
    "transaction": {"chainId": 8453, "to": REGISTRY, "data": "0x5e771e00", "value": "0x0"},
    "approval": {"chainId": 8453, "to": _USDC, "data": "0x095ea7b3", "value": "0x0"},
    "authorizedUntil": "2026-11-28T12:02:00.000Z",
}
_ON_SOLANA: Final[Example] = {
    "chainId": 900900,
    "message": "AgAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
    "holderSigned": False,
    "blockhash": "EkSnNWid2cvwEVnVx9aBqawnmiCNiDgp3gUdkDPTKN1N",
    "lastValidBlockHeight": 341000150,
    "blockHeight": 341000000,
}
SOLANA_CONSENT: Final[Example] = {"dealId": DEAL_ID, "transaction": _ON_SOLANA}
SOLANA_SETTLEMENT: Final[Example] = {**SOLANA_CONSENT, "authorizedUntil": "2026-11-28T12:02:00.000Z"}
CONSENTED: Final[Example] = _moved(
    {**_ACCEPTED, "status": "payment_pending", "stage": "awaiting_dispatch", "deadline_kind": "settlement_window"}
    | {"burn_consent_recorded": True, "burn_consent_expiry": 1795780800},
    "The consent is kept. The offerer may settle.",
)
CONFIRMED: Final[Example] = _moved(
    {**_ACCEPTED, "status": "executing", "stage": "settling", "deadline_kind": "settlement_window", "actions": []}
    | {"burn_consent_recorded": True, "burn_tx_hash": "0x" + "5e" * 32, "mint_tx_hash": "0x" + "5e" * 32},
    "The settlement is mined. The deal is complete when it is final.",
)
COMPARABLES: Final[Example] = {
    "dealId": DEAL_ID,
    "comparables": [
        {
            "dealId": GROUP_ID,
            "dealType": "buyout",
            "symbol": "WOJAK",
            "chainId": 8453,
            "agreedAmount": "21000",
            "agreedCurrency": "USDC",
            "amountUsd": 21000,
            "marketCapUsd": 480000.25,
            "ageDays": 212,
            "completedAt": "2026-10-02T08:30:00.000Z",
        }
    ],
}
