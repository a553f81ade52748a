"""``regalia challenges``."""

import json
from uuid import UUID

from api.challenges.deciding import Deciding, DecisionError
from api.challenges.repository import ChallengeRecord, ChallengeRepository
from api.http.addresses import evm_address
from api.http.errors import InvalidInput
from api.http.times import timestamp
from api.ops.commands.opened import run_with_services
from api.services import Services
from warehouse.domain.chains import Chain

MAX_REASON = 500


def list_challenges(state: str | None) -> None:
    """Print the newest challenges, one line of JSON each."""

    async def read(services: Services) -> list[ChallengeRecord]:
        return await ChallengeRepository(services.store).listed(state)

    for challenge in run_with_services(read):
        print(json.dumps(_line(challenge)))


def decide(id: str, uphold: bool, reason: str) -> None:
    """Uphold or reject a challenge and print it.

    Raises:
        DecisionError: the id or the reason is not one, or the challenge cannot be decided so.
    """
    wanted, why = _read_id(id), _read_reason(reason)

    async def act(services: Services) -> ChallengeRecord:
        deciding = Deciding(ChallengeRepository(services.store), services.chains)
        return await (deciding.uphold if uphold else deciding.reject)(wanted, why, services.clock.now())

    print(json.dumps(_line(run_with_services(act))))


def rule(token: str, of: str | None, reason: str | None, withdraw: bool) -> None:
    """Give or withdraw a copy verdict by hand.

    Raises:
        DecisionError: the token, the original or the reason is not one, or there is no verdict to withdraw.
    """
    key, _, address = token.partition(":")
    wanted, original = _read_address("token", address), None if of is None else _read_address("--copy-of", of)
    why = "" if withdraw else _read_reason(reason or "")

    async def act(services: Services) -> Chain:
        chain = services.chains.find(key)
        if chain is None:
            raise DecisionError(f"token: {token!r} must be a chain and an address, such as base:0x12…")
        deciding = Deciding(ChallengeRepository(services.store), services.chains)
        if withdraw:
            await deciding.withdraw_ruling(chain, wanted)
        else:
            await deciding.rule(chain, wanted, why, original)
        return chain

    chain = run_with_services(act)
    verdict = None if withdraw else {"isCopy": original is not None, "copyOf": original, "reason": why}
    print(json.dumps({"token": f"{chain.key}:{wanted}", "verdict": verdict}))


def _read_id(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError as error:
        raise DecisionError(f"{text!r} is no id of a challenge") from error


def _read_reason(text: str) -> str:
    if not 1 <= len(text.strip()) <= MAX_REASON:
        raise DecisionError(f"--reason: must have 1 to {MAX_REASON} characters; it is public")
    return text.strip()


def _read_address(field: str, text: str) -> str:
    try:
        return evm_address(field, text)
    except InvalidInput as error:
        raise DecisionError(error.message) from error


def _line(challenge: ChallengeRecord) -> dict[str, object]:
    return {
        "id": str(challenge.id),
        "registration": f"{challenge.chain_id}:{challenge.token_id}",
        "symbol": challenge.symbol,
        "registeredToken": challenge.registered_token,
        "challengerToken": challenge.challenger_token,
        "state": challenge.state,
        "openedAt": timestamp(challenge.opened_at),
        "decidedBy": challenge.decided_by,
        "reason": challenge.reason,
        "evidence": challenge.evidence,
    }
