"""How a wallet controls a mint now: as deployer, mint authority, update authority or majority holder, in this order.

The chain says who is an authority, but not who speaks for a token: launchpads, relayers and services are authorities of
many mints, and an authority can be forced on somebody who does not want it. Nor does it say since when: who took a
mint's authority a minute ago can mint itself a majority. So an authority or a majority counts only where the index says
the same (``pipelines/provenance``), which leaves shared accounts out and lets new ones wait a week. Who created a mint
is in old blocks that many nodes no longer have; the index read them when they were final.
"""

from collections.abc import Sequence
from datetime import datetime

from api.claims.errors import Undecided
from api.claims.messages import Claim
from api.claims.methods import SOLANA, Control, first_that_holds
from api.claims.schemas import VerificationMethod
from api.claims.solana.reading import MintReading
from api.warehouse import WarehouseReader
from warehouse import sql
from warehouse.domain.addresses import digits_of
from warehouse.domain.authorities import SHARED_ABOVE
from warehouse.errors import WarehouseError


async def find_control(
    claim: Claim,
    reading: MintReading,
    warehouse: WarehouseReader,
    methods: Sequence[VerificationMethod] = tuple(SOLANA),
) -> Control:
    """The first of the methods by which the wallet controls the mint.

    Raises:
        Undecided: no other method shows control, and the index or the node cannot say whether one does.
    """
    if not reading.is_plain_wallet or claim.wallet in (*claim.chain.relayers, *claim.chain.launchpads):
        return Control(None, tuple(methods))
    unknown: Exception | None = None
    published: frozenset[str] = frozenset()
    try:
        published = await _published(claim, reading.head_time, warehouse)
    except WarehouseError as error:
        unknown = error
    majority = "majority_holder" in published and holds_majority(reading)
    holds = {
        VerificationMethod.DEPLOYER: "deployer" in published,
        VerificationMethod.MINT_AUTHORITY: "mint_authority" in published and claim.wallet == reading.mint_authority,
        VerificationMethod.UPDATE_AUTHORITY: "update_authority" in published
        and claim.wallet == reading.update_authority,
        VerificationMethod.MAJORITY_HOLDER: bool(majority),
    }
    control = first_that_holds(methods, holds)
    if control.method is None and unknown is not None:
        raise Undecided("who controls the mint is unknown now") from unknown
    if control.method is None and majority is None and VerificationMethod.MAJORITY_HOLDER in methods:
        raise Undecided("the node does not list the wallet's token accounts")
    return control


def holds_majority(reading: MintReading) -> bool | None:
    """Whether the wallet provably holds more than half of the supply; None where the node does not say."""
    if reading.supply_raw is None:
        return False
    if reading.balance_raw is None:
        return None
    return 2 * reading.balance_raw > reading.supply_raw


async def _published(claim: Claim, now: datetime, warehouse: WarehouseReader) -> frozenset[str]:
    """The methods that the index says hold, and have held long enough."""
    asked = {
        "chain_id": claim.chain.chain_id,
        "wallet": digits_of(claim.wallet),
        "token": digits_of(claim.token),
        "now": int(now.timestamp()),
        "shared_above": SHARED_ABOVE,
    }
    rows = await warehouse.rows(sql.load("queries/claims/published_control"), asked)
    return frozenset(row["method"] for row in rows)
