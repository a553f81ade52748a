"""Worker processes that are killed while they send a broadcast."""

import subprocess
import sys
from base64 import urlsafe_b64encode
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from uuid import UUID

import pytest

from tests.fixtures.broadcasts import Broadcasts
from tests.fixtures.checkout import CHECKOUT
from tests.fixtures.community import Community
from tests.fixtures.waiting import wait_until_async

PEOPLE = 3000
WITH_VENDORS = 200
RATES = '{"email": 2000, "discord": 2000}'


@contextmanager
def worker(community: Community) -> Iterator["subprocess.Popen[bytes]"]:
    """A worker process, which ends with the block as it does when the machine loses power."""
    environment = community.environment(BROADCAST_RATES=RATES)
    command = (sys.executable, "-m", "api.worker")
    process = subprocess.Popen(command, cwd=CHECKOUT, env=environment, stderr=subprocess.DEVNULL)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def end_leases(community: Community) -> None:
    """As if the leases of the killed worker had ended, which takes two minutes."""
    community.store.execute("UPDATE broadcast_delivery SET due_at = now() WHERE lease IS NOT NULL")


@pytest.mark.slow
async def test_killed_workers_reach_everybody_once(broadcasts: Broadcasts) -> None:
    community = broadcasts.community
    store, mails = community.store, community.mail.mails
    broadcasts.crowd(PEOPLE, "inapp", "email", "discord")
    broadcasts.confirmed("email", [f"frog{n}@pepe.example" for n in range(WITH_VENDORS)])
    broadcasts.confirmed("discord", [f"{10**17 + n}" for n in range(WITH_VENDORS)])
    community.service.services.settings.__dict__["broadcast_review_above"] = 10**6
    community.settings["broadcast_review_above"] = 10**6
    sent = await broadcasts.post(channels=["inapp", "email", "discord"])
    assert sent.json()["recipientCount"] == PEOPLE

    def has_begun() -> bool:
        return store.execute("SELECT FROM broadcast WHERE status = 'queued'").fetchone() is None

    def posts() -> list[str]:
        return [one.json["nonce"] for one in community.vendors.at("/messages")]

    # While it writes recipients and deliveries, and in the middle of each vendor's messages.
    moments: list[Callable[[], bool]] = [
        has_begun,
        lambda: len(mails) > WITH_VENDORS // 4,
        lambda: len(posts()) > WITH_VENDORS * 3 // 4,
    ]
    for moment in moments:
        with worker(community) as process:
            await wait_until_async(moment, seconds=120)
            assert process.poll() is None
        end_leases(community)
    open_deliveries = "SELECT count(*) AS n FROM broadcast_delivery WHERE status != 'delivered'"
    finished = "SELECT count(*) AS n FROM broadcast WHERE status = 'sent'"
    with worker(community):
        await wait_until_async(
            lambda: (
                store.execute(finished).fetchone() == {"n": 1} and store.execute(open_deliveries).fetchone() == {"n": 0}
            ),
            seconds=120,
        )

    entries = store.execute("SELECT account_id FROM inbox_entry").fetchall()
    assert (len(entries), len({row["account_id"] for row in entries})) == (PEOPLE, PEOPLE)
    made = store.execute("SELECT id, channel FROM broadcast_delivery").fetchall()
    ids = {channel: {row["id"] for row in made if row["channel"] == channel} for channel in ("email", "discord")}
    assert len(made) == 2 * WITH_VENDORS
    in_mails = Counter((mail["To"], UUID(mail["Message-ID"][1:].partition("@")[0])) for mail in mails)
    assert len(in_mails) == len({to for to, _ in in_mails}) == WITH_VENDORS, "whoever got two got one message twice"
    assert {id for _, id in in_mails} == ids["email"]
    assert set(posts()) == {urlsafe_b64encode(id.bytes).decode().rstrip("=") for id in ids["discord"]}
    assert len(mails) + len(posts()) < 3 * WITH_VENDORS, "only what was under way when a worker died came again"
