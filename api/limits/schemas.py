"""Wire shapes of limits."""

from pydantic import Field

from api.http.members import Count, PlanName
from api.http.rendering import Wire


class PlanLimit(Wire):
    """What a plan allows at most."""

    plan: PlanName = Field(description="The plan of the account.")
    limit: Count = Field(description="How many it allows.")
