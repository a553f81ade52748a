"""Wire shapes of the domain routes."""

from typing import Literal

from pydantic import ConfigDict, Field, StrictBool
from pydantic.alias_generators import to_camel

from api.http.members import Count, Timestamp
from api.http.rendering import Wire

State = Literal["pending", "verified", "failing", "lost"]
Problem = Literal["no_such_name", "no_txt_record", "other_values", "unanswered", "taken_over"]
_REQUEST = ConfigDict(alias_generator=to_camel, populate_by_name=True, frozen=True, extra="forbid")


class DomainRequest(Wire):
    """A domain to verify."""

    model_config = ConfigDict(**_REQUEST, json_schema_extra={"examples": [{"domain": "pepe.example"}]})

    domain: str = Field(description="Domain name, in Unicode or ASCII, in any case.", min_length=1, max_length=253)


class DomainChange(Wire):
    """What is to be changed of a domain."""

    model_config = ConfigDict(**_REQUEST, json_schema_extra={"examples": [{"vanityEnabled": False}]})

    vanity_enabled: StrictBool = Field(description="Whether the page lives under the domain, too.")


class Domain(Wire):
    """A domain of a registration, with the record that proves it. Times are ISO 8601."""

    domain: str = Field(description="In its ASCII form, in lower case.")
    state: State = Field(
        description="pending: not proven yet. verified. failing: verified, and its record was missing when it was last "
        "looked up. lost: was verified once."
    )
    record_name: str = Field(description="Where the TXT record has to be.")
    record_type: Literal["TXT"] = Field(description="Type of the record.")
    record_value: str = Field(description="The text of the record; it has to stay there.")
    requested_at: Timestamp = Field(description="When it was requested, ISO 8601 in UTC.")
    verified_at: Timestamp | None = Field(description="When it was first proven; null: not yet.")
    checked_at: Timestamp | None = Field(description="When name servers last said what is there.")
    failing_since: Timestamp | None = Field(description="Since when its record is missing; null: it is not.")
    lost_at: Timestamp | None = Field(description="When it stopped being verified; null: it has not.")
    problem: Problem | None = Field(
        description="What was wrong at the last look: no_such_name, no_txt_record, other_values, unanswered (the name "
        "servers did not say), taken_over (another registration proved it, and this one's record was gone)."
    )
    vanity_enabled: bool = Field(description="Whether the page lives under the domain, too.")


class DomainList(Wire):
    """All domains of a registration, by name."""

    domains: list[Domain] = Field(description="The domains, by name.")
    total: Count = Field(description="How many domains.")
    limit: Count = Field(description="Most domains that a registration may have.")


class MissingRecord(Wire):
    """What name servers said instead of the record."""

    reason: Literal["no_such_name", "no_txt_record", "other_values"] = Field(description="Why it is not there.")
    record_name: str = Field(description="Where the TXT record has to be.")
    record_value: str = Field(description="What it has to say.")
    found: list[str] = Field(description="What TXT records there say; at most ten.")
