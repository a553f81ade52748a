"""``regalia broadcasts``."""

import json
from typing import Any
from uuid import UUID

from api.http.times import timestamp
from api.ops.commands.opened import run_with_services
from api.services import Services

MAX_REASON = 500


class ReviewError(ValueError):
    """The broadcast cannot be reviewed so; the message says why."""


def list_waiting() -> None:
    """Print the broadcasts that wait, one line of JSON each."""

    async def read(services: Services) -> list[dict[str, Any]]:
        return await services.store.rows("broadcasts/list_for_review")

    for row in run_with_services(read):
        line = {
            "id": str(row["id"]),
            "registration": f"{row['chain_id']}:{row['token_id']}",
            "symbol": row["symbol"],
            "wallet": row["wallet"],
            "title": row["title"],
            "body": row["body"],
            "linkUrl": row["link_url"],
            "imageUrl": row["image_url"],
            "channels": row["channels"],
            "recipients": row["expected"],
            "createdAt": timestamp(row["created_at"]),
            "dueAt": timestamp(row["due_at"]),
        }
        print(json.dumps(line))


def review(id: str, refusal: str | None) -> None:
    """Approve a broadcast, or refuse it for a reason, and print what it is now.

    Raises:
        ReviewError: the id or the reason is not one, or the broadcast does not wait.
    """
    try:
        wanted = UUID(id)
    except ValueError as error:
        raise ReviewError(f"{id!r} is no id of a broadcast") from error
    if refusal is not None and not 1 <= len(refusal.strip()) <= MAX_REASON:
        raise ReviewError(f"--reason: must have 1 to {MAX_REASON} characters; the page's managers see it")
    status = "queued" if refusal is None else "refused"

    async def act(services: Services) -> bool:
        parameters = {"id": wanted, "status": status, "reason": refusal, "now": services.clock.now()}
        async with services.store.transaction() as transaction:
            return await transaction.row("broadcasts/review", parameters) is not None

    if not run_with_services(act):
        raise ReviewError(f"no broadcast {id} waits for review")
    print(json.dumps({"id": id, "status": status, "reason": refusal}))
