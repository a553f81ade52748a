"""Settings that every package shares: where the data directory is and which engines to use.

Environment variables with the prefix ``REGALIA_``. The API's own settings extend this class, and
``docs/settings.md`` lists them all; a test compares the two.
"""

from decimal import Decimal
from pathlib import Path
from typing import Literal, Self

from pydantic import Field, HttpUrl, SecretStr, field_validator, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from warehouse.domain.copies import CopyRules

LogLevel = Literal["DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"]


class EngineSettings(BaseSettings):
    """Data directory, engines, chains file, and where the service is found."""

    model_config = SettingsConfigDict(env_prefix="REGALIA_", extra="ignore", env_ignore_empty=True)

    data_dir: Path = Field(
        default=Path(".regalia"),
        description="Everything the embedded engines keep: databases, generated keys and passwords, logs, ports.",
    )
    clickhouse_url: str | None = Field(
        default=None,
        description="ClickHouse over HTTP, as http://user:password@host:port/database. Unset: the embedded engine.",
    )
    database_url: str | None = Field(
        default=None,
        description="PostgreSQL, as postgresql://user:password@host:port/database. Unset: the embedded server.",
    )
    clickhouse_cluster: str | None = Field(
        default=None,
        pattern=r"^[A-Za-z0-9_.-]+$",
        description="Cluster of that server's configuration to keep the tables on, replicated and sharded.",
    )
    analyst_url: str | None = Field(
        default=None,
        description="A ClickHouse server of your own as a user who reads the marts, for `regalia sql`.",
    )
    analyst_internals: bool = Field(
        default=False,
        description="Whether the user analyst of the embedded engine reads all tables, not only the marts.",
    )
    chains: Path | None = Field(
        default=None,
        description="TOML file that overrides the built-in facts of each chain; a chain with rpc_urls is enabled.",
    )
    majors: Path | None = Field(
        default=None,
        description="TOML file that overrides the built-in well-known coins, which other tokens must not imitate.",
    )
    alert_webhook_url: HttpUrl | None = Field(
        default=None,
        description="Webhook URL for operators' notices: failing checks, runs and parts, halted chains, stale assets.",
    )
    alert_webhook_secret: SecretStr | None = Field(
        default=None, description="Key that signs these notices (HMAC-SHA256). Unset: they are not signed."
    )

    log_format: Literal["console", "json"] = Field(
        default="console", description="Lines of every process's log: console, for people, or json."
    )
    log_level: LogLevel = Field(default="INFO", description="Entries below this level are not logged.")
    log_levels: dict[str, LogLevel] = Field(
        default={}, description='JSON object of levels for single loggers, as {"httpx": "INFO"}.'
    )

    otlp_url: HttpUrl | None = Field(
        default=None,
        description="Collector of traces (OTLP over HTTP), as http://127.0.0.1:4318/v1/traces. Unset: no traces.",
    )
    otlp_headers: dict[str, SecretStr] = Field(
        default={}, description='JSON object of headers for the collector, as {"Authorization": "..."}.'
    )
    trace_share: float = Field(
        default=1.0, ge=0, le=1, description="Share of the traces begun here that are sent to the collector."
    )

    backup_passphrase: SecretStr | None = Field(
        default=None, description="Encrypts the keys in backups, and decrypts them on restore; 12 characters or more."
    )

    signer_url: HttpUrl | None = Field(
        default=None,
        description="Remote signer of the registry's statements (JSON-RPC); https unless local. Unset: a key.",
    )
    signer_address: str | None = Field(
        default=None, pattern=r"^0x[0-9a-fA-F]{40}$", description="Address that the remote signer signs for."
    )
    signer_token: SecretStr | None = Field(default=None, description="Bearer token for the remote signers.")
    signer_certificate: Path | None = Field(
        default=None, description="Client certificate for the remote signers, in PEM (mutual TLS)."
    )
    signer_certificate_key: Path | None = Field(
        default=None, description="Private key of this certificate, in PEM. Unset: in the same file."
    )
    signer_ca: Path | None = Field(
        default=None, description="Authorities that a remote signer's certificate may be from. Unset: the system's."
    )
    solana_signer_url: HttpUrl | None = Field(
        default=None,
        description="Remote signer of statements on Solana (JSON-RPC); https unless local. Unset: a key.",
    )
    solana_signer_address: str | None = Field(
        default=None,
        pattern=r"^[1-9A-HJ-NP-Za-km-z]{32,44}$",
        description="Public key, in base58, that the remote signer of statements on Solana signs with.",
    )
    signer_timeout_seconds: float = Field(
        default=5.0, gt=0, le=30, description="Time limit of one request to a remote signer."
    )

    host: str = Field(default="127.0.0.1", description="Address the API listens on.")
    port: int = Field(default=8000, ge=0, le=65535, description="Port the API listens on.")
    base_url: str | None = Field(
        default=None, description="Public address of the API, without a trailing slash. Unset: http://HOST:PORT."
    )
    site_url: str | None = Field(
        default=None, description="Public address of the site that token pages live on. Unset: the base URL."
    )

    copy_established_usd: Decimal = Field(
        default=Decimal(10_000),
        gt=0,
        description="Window weight, in USD, from which a token is established: lighter namesakes are its copies.",
    )
    copy_window_days: int = Field(
        default=7, ge=1, le=28, description="Days of the window weight, which is held for six sevenths of them."
    )
    copy_remembered_days: int = Field(
        default=30, ge=1, le=60, description="The highest window weight of this many days is the established weight."
    )
    copy_gap_days: int = Field(
        default=30, ge=1, le=60, description="Days without depth after which a token loses its seniority."
    )
    copy_settle_hours: int = Field(
        default=24, ge=1, le=168, description="Hours in a row without the rule until a copy is no longer a copy."
    )
    copy_share: Decimal = Field(
        default=Decimal("0.5"),
        gt=0,
        le=1,
        description="A token is a copy below this share of the established weight of a senior namesake.",
    )

    @field_validator("signer_url", "solana_signer_url")
    @classmethod
    def _is_private(cls, url: HttpUrl | None) -> HttpUrl | None:
        if url is not None and url.scheme != "https" and url.host not in ("127.0.0.1", "localhost", "[::1]"):
            raise ValueError("must be https unless it is on this machine")
        return url

    @model_validator(mode="after")
    def _cluster_has_servers(self) -> Self:
        if self.clickhouse_cluster is not None and self.clickhouse_url is None:
            raise ValueError("REGALIA_CLICKHOUSE_CLUSTER needs REGALIA_CLICKHOUSE_URL: the embedded engine is alone")
        return self

    @property
    def copy_rules(self) -> CopyRules:
        """The thresholds of the copy rule."""
        return CopyRules(
            established_usd=self.copy_established_usd,
            window_days=self.copy_window_days,
            remembered_days=self.copy_remembered_days,
            gap_days=self.copy_gap_days,
            settle_hours=self.copy_settle_hours,
            copy_share=self.copy_share,
        )

    @property
    def public_url(self) -> str:
        """The API's public address without a trailing slash."""
        return (self.base_url or f"http://{self.host}:{self.port}").rstrip("/")

    @property
    def public_site_url(self) -> str:
        """The site's public address without a trailing slash."""
        return (self.site_url or self.public_url).rstrip("/")


def load() -> EngineSettings:
    """Read the settings from the environment as it is now."""
    return EngineSettings()
