"""Prices: the built-in ones overridden by the operator's file, read again when the file changes."""

from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, model_validator

from api.overlay import Overlay, OverlayError, OverlayFile

_WEI_IN_GWEI = 10**9
_HUNDREDTH = Decimal("0.01")


class PricingError(OverlayError):
    """The pricing file cannot be used; the message says why."""


class _Table(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Bundle(_Table):
    """Several chains at once."""

    chains: int = Field(ge=1)
    price_usd: Decimal = Field(ge=0)
    with_ethereum: bool = False


class Subscription(_Table):
    """What a plan costs."""

    monthly_usd: Decimal = Field(ge=0)
    yearly_usd: Decimal = Field(ge=0)


class Whale(_Table):
    """How the multiplier of Ethereum mainnet follows its gas price."""

    reference_gwei: Decimal = Field(gt=0)
    least: Decimal = Field(gt=0)
    most: Decimal = Field(gt=0)


class Caps(_Table):
    """The cap of the price."""

    claim_usd: Decimal = Field(ge=0)
    create_usd: Decimal = Field(ge=0)
    expired_claim_usd: Decimal = Field(ge=0)


class Pricing(_Table):
    """All prices, in US dollars."""

    claim_usd: Decimal = Field(ge=0)
    claim_multiplier: Decimal = Field(gt=0)
    create_usd: Decimal = Field(ge=0)
    whale_multiplier: Decimal = Field(gt=0)
    link_usd: Decimal = Field(ge=0)
    expired_claim_usd: Decimal = Field(ge=0)
    pro_trial_days: int = Field(ge=0)
    free_import_chains: tuple[str, ...] = ()
    bundles: Mapping[str, Bundle]
    subscriptions: Mapping[str, Subscription]
    whale: Whale
    caps: Caps

    @model_validator(mode="after")
    def _within_caps(self) -> "Pricing":
        prices = {
            "claim_usd": self.total_claim_usd,
            "create_usd": self.create_usd,
            "expired_claim_usd": self.expired_claim_usd,
        }
        for name, price in prices.items():
            if price > (cap := getattr(self.caps, name)):
                raise ValueError(f"{name} is {price}, beyond its cap of {cap}")
        return self

    @property
    def total_claim_usd(self) -> Decimal:
        """What a claim costs."""
        return self.claim_usd * self.claim_multiplier

    def whale_at(self, gas_wei: int | None) -> Decimal:
        """The multiplier of Ethereum mainnet at a gas price, to two decimals; the configured one if the price is
        unknown."""
        if gas_wei is None:
            return self.whale_multiplier
        multiplier = self.whale_multiplier * gas_wei / (self.whale.reference_gwei * _WEI_IN_GWEI)
        return min(max(multiplier, self.whale.least), self.whale.most).quantize(_HUNDREDTH)

    def savings_usd(self, bundle: Bundle, whale: Decimal) -> Decimal:
        """What a bundle saves compared with creating on each of its chains; 0 if it costs more."""
        apart = self.create_usd * (bundle.chains - bundle.with_ethereum)
        if bundle.with_ethereum:
            apart += self.create_usd * whale
        return max(apart - bundle.price_usd, Decimal(0))

    def imports_free_on(self, chain_key: str) -> bool:
        """Whether the settings make imports of this chain free."""
        return "*" in self.free_import_chains or chain_key in self.free_import_chains


_OVERLAY = Overlay("pricing file", "api.fees", "pricing.toml", TypeAdapter(Pricing), PricingError)


def load(path: Path | None) -> Pricing:
    """Built-in prices overridden by the file at ``path``.

    Raises:
        PricingError: the file is missing, is not TOML, or holds a price that cannot be.
    """
    return _OVERLAY.load(path)


class PricingFile(OverlayFile[Pricing]):
    """The prices as they are now."""

    def __init__(self, path: Path | None) -> None:
        super().__init__(path, load)

    def current(self) -> Pricing:
        """The current prices of the file."""
        self.look_again()
        return self.value
