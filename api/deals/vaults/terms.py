"""What an offer's terms say of its vault, and what the vault's terms are on the chain."""

from dataclasses import asdict
from typing import Any, Final

from api.deals.errors import DealInvalidState
from api.deals.repository import DealRecord
from api.deals.states import DealType
from indexer.contracts.vaults import RedemptionTerms, SwapTerms
from warehouse.domain.addresses import AddressFormat, checksum_address
from warehouse.domain.chains import Chain, Chains

WHOLE_BPS: Final = 10_000
DAY_SECONDS: Final = 86_400
_NUMBERS: Final = frozenset(
    {"new_units", "old_units", "closes_at", "deposit", "snapshot_block", "total", "window", "settle_by"}
)
_WORDS: Final = frozenset({"deal", "root"})


def has_redemption(deal: DealRecord) -> bool:
    """Whether a buyout pays the holders of the token."""
    return deal.kind is DealType.BUYOUT and "redemptionWindow" in deal.terms


def redemption_raw(deal: DealRecord) -> int:
    """What the holders of the token redeem, in base units."""
    if not has_redemption(deal):
        return 0
    return int(deal.amount_raw or 0) * int(deal.terms.get("redemptionShareBps", WHOLE_BPS)) // WHOLE_BPS


def price_raw(deal: DealRecord) -> int:
    """What the holder of the registration is paid at the settlement, in base units."""
    return int(deal.amount_raw or 0) - redemption_raw(deal)


def deal_word(deal: DealRecord) -> bytes:
    """The 32 bytes that name a deal on the chain."""
    return deal.id.bytes.rjust(32, b"\0")


def vault_chain(chains: Chains, deal: DealRecord) -> Chain:
    """The chain of a deal with a vault.

    Raises:
        DealInvalidState: the deal has none, or the chain has no vaults.
    """
    if deal.kind is not DealType.MERGE and not has_redemption(deal):
        raise DealInvalidState("only merges, and buyouts with a redemptionWindow, have a vault")
    chain = chains.by_id(deal.chain_id)
    if chain is None or not chain.takes_claims or chain.address_format is not AddressFormat.HEX:
        raise DealInvalidState("deals on this chain have no vaults in this version of the service")
    if "vaults" not in chain.contracts:
        raise DealInvalidState(f"{chain.name} has no contract for vaults here")
    return chain


def vaults_of(chain: Chain) -> str:
    """The contract of vaults, checksummed."""
    return checksum_address(chain.contracts["vaults"])


def as_document(terms: SwapTerms | RedemptionTerms) -> dict[str, Any]:
    """Terms as JSON: numbers as text, since readers round large ones; words as hexadecimal."""
    return {
        name: "0x" + value.hex() if name in _WORDS else str(value) if name in _NUMBERS else value
        for name, value in asdict(terms).items()
    }


def _values(document: dict[str, Any]) -> dict[str, Any]:
    return {
        name: bytes.fromhex(value[2:]) if name in _WORDS else int(value) if name in _NUMBERS else value
        for name, value in document.items()
    }


def read_swap(document: Any) -> SwapTerms:
    """The terms of a swap, as :func:`as_document` wrote them."""
    return SwapTerms(**_values(dict(document)))


def read_redemption(document: Any) -> RedemptionTerms:
    """The terms of a redemption, as :func:`as_document` wrote them."""
    return RedemptionTerms(**_values(dict(document)))
