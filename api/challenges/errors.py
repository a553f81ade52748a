"""Refusals of challenges."""

from collections.abc import Mapping
from typing import Any, ClassVar

from api.challenges import examples
from api.challenges.schemas import FailedCheck
from api.http.errors import Conflict, Forbidden, Unprocessable


class ChallengeClosed(Conflict):
    """The registration's grace period has ended."""

    code = "CHALLENGE_CLOSED"
    text = "the registration can no longer be challenged: its grace period has ended"


class ChallengeDuplicate(Conflict):
    """The token has challenged this registration before."""

    code = "CHALLENGE_DUPLICATE"
    text = "tokenAddress: this token has challenged the registration before"


class ChallengePending(Conflict):
    """Another challenge of the registration is not decided or not executed yet."""

    code = "CHALLENGE_PENDING"
    text = "another challenge of the registration is at work"


class ChallengeUnauthorized(Forbidden):
    """The signature is not the wallet's, or the wallet is not the token's deployer, owner or admin."""

    code = "CHALLENGE_UNAUTHORIZED"
    text = "the chain does not show that this wallet is the token's deployer, owner or admin"


class ChallengeRefused(Unprocessable):
    """The token has no better right to the symbol; ``check`` names what is missing."""

    code = "CHALLENGE_REFUSED"
    text = "tokenAddress: the challenger's token was not established at the mint"
    details_schema = FailedCheck
    example_details: ClassVar[Mapping[str, Any]] = examples.REFUSED
