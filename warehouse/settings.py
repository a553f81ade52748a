"""Settings that every package shares: where the data directory is and which engines to use.

Environment variables with the prefix ``REGALIA_``. The API's own settings extend this class, and
``docs/settings.md`` lists them all; a test compares the two.
"""

from pathlib import Path

from pydantic import Field, HttpUrl, SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict


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

    host: str = Field(default="127.0.0.1", description="Address the API listens on.")
    port: int = Field(default=8000, ge=0, le=65535, description="Port the API listens on.")
    base_url: str | None = Field(
        default=None, description="Public address of the API, without a trailing slash. Unset: http://HOST:PORT."
    )
    site_url: str | None = Field(
        default=None, description="Public address of the site that token pages live on. Unset: the base URL."
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
