"""Settings of ``regalia up``: those of the API, and the ports of the other parts."""

from typing import Annotated

from pydantic import Field

from api.settings import ApiSettings

Port = Annotated[int | None, Field(ge=0, le=65535)]


class StackSettings(ApiSettings):
    """Ports of the parts other than the API, always on the loopback interface."""

    dagster_port: Port = Field(default=None, description="Port of Dagster's web UI. Unset: a free one.")
    clickhouse_port: Port = Field(default=None, description="Port of the embedded ClickHouse. Unset: a free one.")
    postgres_port: Port = Field(default=None, description="Port of the embedded PostgreSQL. Unset: a free one.")


def load() -> StackSettings:
    """Read the settings from the environment as it is now."""
    return StackSettings()
