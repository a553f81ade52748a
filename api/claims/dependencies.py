"""What the routes of claims, challenges and consents get to check claims with."""

from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Annotated, TypeVar

from fastapi import Depends

from api.claims.evm_eligibility import EvmEligibility
from api.claims.repository import ClaimRepository
from api.claims.solana.eligibility import SolanaEligibility
from api.http.dependencies import MajorsDep, ReadersDep, SettingsDep, StoreDep, WarehouseDep

EligibilityT = TypeVar("EligibilityT", EvmEligibility, SolanaEligibility)


def _eligibility(kind: type[EligibilityT]) -> Callable[..., Awaitable[EligibilityT]]:
    async def eligibility(
        readers: ReadersDep, warehouse: WarehouseDep, store: StoreDep, majors: MajorsDep, settings: SettingsDep
    ) -> EligibilityT:
        max_verdict_age = timedelta(seconds=settings.verdict_max_age_seconds)
        return kind(readers, warehouse, ClaimRepository(store), majors, max_verdict_age)

    return eligibility


EvmEligibilityDep = Annotated[EvmEligibility, Depends(_eligibility(EvmEligibility))]
SolanaEligibilityDep = Annotated[SolanaEligibility, Depends(_eligibility(SolanaEligibility))]
