"""The API's settings: environment variables with the prefix ``REGALIA_``, listed in ``docs/settings.md``."""

import re
from ipaddress import ip_address
from pathlib import Path
from typing import Literal

from pydantic import Field, SecretStr, field_validator

from api.outbound.destinations import Network, parse_networks
from api.tokenlists.format_names import FormatName
from warehouse.settings import EngineSettings


class ApiSettings(EngineSettings):
    """Settings of the API, the worker and the commands."""

    service_name: str = Field(default="Regalia", min_length=1, description="The service's name in messages and lists.")
    support_email: str = Field(default="support@localhost", description="Contact address in refusals of a token.")
    api_key_prefix: str = Field(
        default="rgl", pattern=r"^[a-z][a-z0-9]{1,15}$", description="First part of every API key: <prefix>_live_..."
    )
    api_key_cache_seconds: float = Field(
        default=3.0,
        ge=0,
        le=60,
        description="How long a looked-up API key is cached; the store announces revocations and new plans sooner.",
    )
    api_key_max_days: int | None = Field(
        default=None,
        ge=1,
        le=36_500,
        description="Longest validity of an API key that an account makes. Unset: keys need not expire.",
    )
    api_key_warning_days: int = Field(
        default=7, ge=1, le=365, description="An account hears of a key's expiry this many days before."
    )
    api_key_grace_days: float = Field(
        default=7.0, ge=0, le=90, description="Longest time that a rolled API key still works."
    )
    audit_days: int = Field(
        default=400, ge=30, description="How long entries of accounts' audit logs are kept, in days."
    )
    session_seconds: int = Field(default=3600, ge=60, le=86_400, description="Lifetime of a wallet session.")
    session_cache_seconds: float = Field(
        default=3.0,
        ge=0,
        le=60,
        description="How long a session is cached; a revocation takes at most this long.",
    )
    sessions_per_wallet: int = Field(
        default=10,
        ge=1,
        le=1000,
        description="Live sessions that one wallet may have begun; a further sign-in ends the oldest.",
    )
    signing_key: SecretStr | None = Field(
        default=None,
        description="Ed25519 key that signs sessions, 32 bytes in base64. Unset: kept in the data directory.",
    )
    previous_signing_key: SecretStr | None = Field(
        default=None, description="The key before REGALIA_SIGNING_KEY: sessions that it signed stay valid."
    )
    open_crown: bool = Field(default=True, description="Whether anyone may claim (isOpenCrown in the registry info).")
    pricing: Path | None = Field(
        default=None,
        description="TOML file that overrides built-in fees (api/fees/pricing.toml); read again on change.",
    )
    expiry_days: int = Field(
        default=90,
        ge=1,
        description="`regalia expire` expires registrations that were inactive for this many consecutive days.",
    )
    verdict_max_age_seconds: int = Field(
        default=600,
        ge=30,
        description="Claims and challenges wait (503) while copy verdicts are older than this, in chain time.",
    )
    apps: Path | None = Field(
        default=None, description="TOML file that overrides the built-in catalogue of apps (api/apps/catalogue.toml)."
    )
    listing_platforms: dict[str, FormatName] = Field(
        default={"coin": "coin", "asset": "asset", "profile": "profile"},
        description="JSON object: each listing platform's path segment and format.",
    )
    limits: Path | None = Field(
        default=None,
        description="TOML file that overrides the built-in plan limits (api/limits/plans.toml); read again on change.",
    )
    limits_backend: Literal["process", "store", "none"] = Field(
        default="process",
        description="Where requests are counted: in each API process, in the store for all processes, or nowhere.",
    )
    trusted_proxies: str | None = Field(
        default=None,
        description="Networks of proxies whose X-Forwarded-For is trusted: CIDR, separated by commas.",
    )
    metrics_host: str = Field(default="127.0.0.1", description="Address the metrics are served on, for Prometheus.")
    metrics_port: int | None = Field(
        default=None, ge=0, le=65535, description="Port the metrics are served on, at /metrics. Unset: a free one."
    )
    connections: int = Field(
        default=4096, ge=16, description="Open connections of one API process; fewer where descriptors run out."
    )
    connections_per_address: int = Field(
        default=256, ge=1, description="Open connections of one client address; trusted proxies are not limited."
    )
    headers_timeout_seconds: float = Field(
        default=10.0, gt=0, description="Time limit for the headers of a request; beyond it 408."
    )
    idle_timeout_seconds: int = Field(
        default=15, ge=1, description="How long a connection may wait for its next request."
    )
    headers_limit_bytes: int = Field(
        default=32 * 1024, ge=4096, description="Largest headers of a request accepted; beyond it 431."
    )
    body_limit_bytes: int = Field(default=64 * 1024, ge=1024, description="Largest request body accepted.")
    metadata_document_bytes: int = Field(
        default=64 * 1024, ge=1024, le=1024 * 1024, description="Largest metadata document that is accepted or read."
    )
    metadata_image_bytes: int = Field(
        default=5 * 1024 * 1024, ge=1024, le=32 * 1024 * 1024, description="Largest image that is accepted."
    )
    metadata_account_bytes: int = Field(
        default=100 * 1024 * 1024, ge=0, description="Bytes of metadata that an account may store."
    )
    ipfs_api_url: SecretStr | None = Field(
        default=None,
        description="RPC address of the IPFS node for metadata, as http://host:5001. Unset: the data directory.",
    )
    ipfs_timeout_seconds: float = Field(default=10.0, gt=0, description="Time limit of one request to the IPFS node.")
    log_request_share: float = Field(
        default=0.1,
        ge=0,
        le=1,
        description="Share of requests that are logged. Errors of ours and slow requests always are.",
    )
    log_slow_seconds: float = Field(default=1.0, ge=0, description="A request that takes this long is slow.")
    request_timeout_seconds: float = Field(default=30.0, gt=0, description="Time limit of a request; beyond it 503.")
    claimable_timeout_seconds: float = Field(
        default=15.0, gt=0, description="Time limit of the claimable route; beyond it 503, never a partial list."
    )
    query_timeout_seconds: float = Field(default=10.0, gt=0, description="Time limit of one query of the warehouse.")
    chain_timeout_seconds: float = Field(
        default=8.0, gt=0, description="Time limit of one request to a chain's nodes, including retries on other nodes."
    )
    store_timeout_seconds: float = Field(default=10.0, gt=0, description="Time limit of one read of the store.")
    store_pool_size: int = Field(default=10, ge=1, description="Connections of one API process to the store.")
    admission_searches: int = Field(
        default=8, ge=1, description="Concurrent searches and other reads of the warehouse; further ones wait."
    )
    admission_reads: int = Field(default=16, ge=1, description="Concurrent reads of the store; further ones wait.")
    admission_claims: int = Field(default=32, ge=1, description="Concurrent claim requests; further ones wait.")
    admission_uploads: int = Field(default=4, ge=1, description="Concurrent uploads; further ones wait.")
    admission_queue_seconds: float = Field(
        default=2.0, gt=0, description="Longest wait for a slot, beyond it 503; a fortieth while overload lasts."
    )
    sealing_key: SecretStr | None = Field(
        default=None,
        description="Key of 32 bytes in base64 that encrypts secrets and contacts. Unset: the data directory's.",
    )
    previous_sealing_key: SecretStr | None = Field(
        default=None, description="The key before that one: what it encrypted can still be read."
    )
    mail_url: SecretStr | None = Field(
        default=None,
        description="SMTP server, as smtp://user:password@host:587 or smtps://host:465. Unset: no mail is sent.",
    )
    mail_from: str | None = Field(default=None, description="Address that mail comes from.")
    push_contact: str | None = Field(
        default=None, description="mailto: or https: contact for push services. Unset: no web push is sent."
    )
    telegram_token: SecretStr | None = Field(
        default=None, description="Token of the Telegram bot. Unset: Telegram is not used."
    )
    telegram_url: str = Field(default="https://api.telegram.org", description="Telegram's bot API.")
    discord_token: SecretStr | None = Field(
        default=None, description="Token of the Discord bot. Unset: Discord is not used."
    )
    discord_url: str = Field(default="https://discord.com/api/v10", description="Discord's API.")
    sms_account: str | None = Field(default=None, description="Account of the SMS vendor. Unset: no SMS is sent.")
    sms_token: SecretStr | None = Field(default=None, description="Its token.")
    sms_from: str | None = Field(default=None, description="Number that SMS come from.")
    sms_url: str = Field(default="https://api.twilio.com", description="The vendor's API: Twilio's, or one like it.")
    broadcasts_per_hour: int = Field(default=3, ge=1, description="Broadcasts that a page may send in any hour.")
    broadcasts_per_day: int = Field(default=10, ge=1, description="Broadcasts that a page may send in any 24 hours.")
    broadcast_review_above: int = Field(
        default=500, ge=0, description="A page's first broadcast to more recipients waits for the operator."
    )
    broadcast_blocklist: Path | None = Field(
        default=None,
        description="TOML file with the domains that broadcasts may not link to (api/broadcasts/blocklist.toml).",
    )
    broadcast_rates: dict[str, float] = Field(
        default={"push": 100.0, "email": 20.0, "sms": 10.0, "telegram": 25.0, "discord": 20.0},
        description="JSON object: messages a second over each channel, of all workers together.",
    )
    webhook_lease_seconds: float = Field(
        default=20.0,
        ge=6,
        description="After a worker dies, its deliveries wait this long for another worker.",
    )
    outbound_loopback: bool = Field(
        default=False, description="Development only: user URLs may lead to this machine, also over http."
    )
    outbound_refused_networks: str | None = Field(
        default=None, description="Public networks that user URLs must not lead to: CIDR, separated by commas."
    )
    domain_record: str = Field(
        default="_regalia-challenge",
        pattern=r"^_[a-z0-9-]{1,40}$",
        description="First label of the TXT record that proves a domain: <label>.<domain>.",
    )
    domain_resolvers: str | None = Field(
        default=None,
        description="Name servers for the record: addresses, separated by commas. Unset: the system's.",
    )
    domain_resolver_port: int = Field(default=53, ge=1, le=65_535, description="Port of those name servers.")
    domain_lookup_seconds: float = Field(default=5.0, gt=0, le=20, description="Time limit of a lookup, with retries.")
    domain_check_hours: float = Field(
        default=24.0, gt=0, description="Interval at which a verified domain's record is checked."
    )
    domain_absences: int = Field(
        default=3,
        ge=1,
        description="A verified domain is revoked after its record was missing in this many checks ...",
    )
    domain_grace_hours: float = Field(default=72.0, ge=0, description="... and for at least this long.")
    deal_min_offer_usd: int = Field(default=100, ge=0, description="Lowest offer on a registration, in US dollars ...")
    deal_min_offer_market_cap_bps: int = Field(
        default=100,
        ge=0,
        le=10_000,
        description="... and as hundredths of a percent of the token's market cap, if known.",
    )
    deal_collab_min_liquidity_usd: int = Field(
        default=1000, ge=0, description="Least liquidity that an offer of a collab commits, in US dollars."
    )
    deal_offers_per_week: int = Field(default=25, ge=1, description="Offers that an account may make in seven days.")
    deal_standing_usd: int = Field(
        default=10_000_000, ge=1, description="What an account's unanswered offers may add up to, in US dollars."
    )
    deal_announcement_days: float = Field(
        default=7.0, ge=0, description="How long an accepted buyout or sale is announced before the holder may consent."
    )
    deal_consent_days: float = Field(
        default=7.0, gt=0, description="How long the holder then has to sign the consent to the settlement."
    )
    deal_settlement_days: float = Field(
        default=7.0, gt=0, description="How long the offerer then has to settle the deal."
    )
    deal_launch_days: float = Field(default=30.0, gt=0, description="How long an accepted collab waits for its launch.")

    @field_validator("outbound_refused_networks", "trusted_proxies")
    @classmethod
    def _are_networks(cls, text: str | None) -> str | None:
        parse_networks(text or "")
        return text

    @field_validator("domain_resolvers")
    @classmethod
    def _are_addresses(cls, text: str | None) -> str | None:
        _parse_addresses(text or "")
        return text

    @field_validator("ipfs_api_url")
    @classmethod
    def _is_web_address(cls, url: SecretStr | None) -> SecretStr | None:
        if url is not None and not re.match(r"https?://[^/\s]+", url.get_secret_value()):
            raise ValueError("must begin with http:// or https:// and name a host")
        return url

    @property
    def given_signing_keys(self) -> tuple[str, ...]:
        """The signing keys that are given, the current one first; none where the data directory keeps them."""
        if self.signing_key is None:
            return ()
        return tuple(key.get_secret_value() for key in (self.signing_key, self.previous_signing_key) if key is not None)

    @property
    def proxies(self) -> tuple[Network, ...]:
        """The networks of ``trusted_proxies``."""
        return parse_networks(self.trusted_proxies or "")

    @property
    def resolvers(self) -> tuple[str, ...]:
        """The addresses of ``domain_resolvers``."""
        return _parse_addresses(self.domain_resolvers or "")

    @property
    def given_sealing_key(self) -> str | None:
        """The key of ``sealing_key``."""
        return None if self.sealing_key is None else self.sealing_key.get_secret_value()

    @property
    def given_previous_sealing_key(self) -> str | None:
        """The key of ``previous_sealing_key``."""
        return None if self.previous_sealing_key is None else self.previous_sealing_key.get_secret_value()

    @property
    def outbound_refused(self) -> tuple[Network, ...]:
        """The networks of ``outbound_refused_networks``."""
        return parse_networks(self.outbound_refused_networks or "")


def _parse_addresses(text: str) -> tuple[str, ...]:
    return tuple(str(ip_address(part.strip())) for part in text.split(",") if part.strip())


def load() -> ApiSettings:
    """Read the settings from the environment as it is now."""
    return ApiSettings()
