"""Wire shapes of consents to migrations."""

from typing import Any

from pydantic import ConfigDict, Field
from pydantic.alias_generators import to_camel

from api.claims.inputs import Address, ChainId, ChainSignature, Whole
from api.claims.schemas import ControllerMethod
from api.http import members
from api.http.examples import TOKEN, WALLET
from api.http.rendering import Wire

_SENIOR = "0x4F9Fd6Be4a90f2620860d680c0d4d5Fb53d1A825"
_CONSENT: dict[str, Any] = {
    "chainId": 8453,
    "seniorAddress": _SENIOR,
    "tokenAddress": TOKEN,
    "walletAddress": WALLET,
}
_OPTIONS = ConfigDict(alias_generator=to_camel, populate_by_name=True, frozen=True)


class ConsentMessageRequest(Wire):
    """The two tokens, and the wallet that controls the senior one."""

    model_config = ConfigDict(**_OPTIONS, extra="forbid", json_schema_extra={"examples": [_CONSENT]})
    chain_id: ChainId
    senior_address: Address = Field(description="The token that is replaced.")
    token_address: Address = Field(description="The token that replaces it.")
    wallet_address: Address = Field(
        description="Deployer, owner or admin of the senior token; on Solana its deployer or an authority."
    )


class ConsentRequest(Wire):
    """The consent and the wallet's signature of its message."""

    model_config = ConfigDict(
        **_OPTIONS,
        json_schema_extra={"examples": [{**_CONSENT, "signature": "0x" + "1b" * 65, "timestamp": 1767225600}]},
    )
    chain_id: ChainId
    senior_address: Address = Field(description="The token that is replaced.")
    token_address: Address = Field(description="The token that replaces it.")
    wallet_address: Address = Field(
        description="Deployer, owner or admin of the senior token; on Solana its deployer or an authority."
    )
    signature: ChainSignature = Field(
        description="Of a plain wallet, a contract wallet (EIP-1271), or one that is not deployed yet (ERC-6492); on "
        "Solana 64 bytes in base58."
    )
    timestamp: Whole = Field(description="The message's timestamp, unchanged.")


class ConsentMessage(Wire):
    """The message to sign."""

    message: str = Field(description="The text that the wallet signs.")
    timestamp: members.UnixSeconds = Field(description="Send it back unchanged with the signature, within ten minutes.")


class MigrationConsent(Wire):
    """A consent as it is kept."""

    chain_id: members.ChainNumber = Field(description="The chain of both tokens.")
    senior_address: members.Address = Field(description="The token that is replaced.")
    token_address: members.Address = Field(description="The token that replaces it, which is no copy of it.")
    wallet_address: members.Address = Field(description="Who consented.")
    verification_method: ControllerMethod = Field(description="How the wallet controlled the senior token.")
    signed_at: members.Timestamp = Field(description="The message's time.")
