"""Events the service records for itself and its operators. Nobody can subscribe to them."""

from typing import Annotated, ClassVar

from warehouse.domain.events.event import Audience, Event, member
from warehouse.domain.events.examples import ADDRESS, TOKEN, WALLET


class ServiceEvent(Event, frozen=True, kw_only=True):
    """An event outside the catalogue."""

    audience: ClassVar[Audience] = Audience.SERVICE


class ClaimConfirmed(ServiceEvent, frozen=True, kw_only=True, rename="camel"):
    """The receipt of a claim's transaction was read and the registration recorded."""

    type: ClassVar[str] = "claim.confirmed"
    once_per: ClassVar[tuple[str, ...]] = ("chain_id", "token_id", "transaction_hash")
    chain_id: Annotated[int, member("the chain's number", 8453)]
    token_id: Annotated[int, member("the registration's id on its chain", 17)]
    symbol: Annotated[str, member("the token's symbol", "QUILL")]
    owner: Annotated[str, member("the wallet that holds the registration", WALLET, **ADDRESS)]
    token_address: Annotated[str, member("the token's contract", TOKEN, **ADDRESS)]
    transaction_hash: Annotated[str, member("the transaction that minted it", f"0x{'5e' * 32}")]
    block_number: Annotated[int, member("the transaction's block", 17_000_000)]


class PipelineFailed(ServiceEvent, frozen=True, kw_only=True, rename="camel"):
    """A run of a pipeline failed."""

    type: ClassVar[str] = "pipeline.failed"
    once_per: ClassVar[tuple[str, ...]] = ("run_id",)
    run_id: Annotated[str, member("Dagster's id of the run", "6f9d9a4c-7c52-4d2a-8a31-0b3d6c1f2e55")]
    job: Annotated[str, member("the job", "refresh")]
    message: Annotated[str, member("why it failed", "the warehouse does not answer")]


class WebhookDisabled(ServiceEvent, frozen=True, kw_only=True):
    """A webhook was disabled because its receiver failed."""

    type: ClassVar[str] = "webhook.disabled"
    once_per: ClassVar[tuple[str, ...]] = ("webhook_id", "disabled_at")
    webhook_id: Annotated[str, member("the webhook", "01980000-0000-7000-8000-0000000000a1")]
    url: Annotated[str, member("its address", "https://example.com/hooks")]
    reason: Annotated[str, member("failures or gone", "failures")]
    consecutive_failures: Annotated[int, member("deliveries that failed in a row", 3)]
