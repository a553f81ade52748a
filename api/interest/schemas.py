"""Wire shapes of interest in tokens."""

from pydantic import ConfigDict, Field

from api.http import fields, members
from api.http.examples import TOKEN
from api.http.rendering import Wire


class InterestRequest(Wire):
    """A token, and the wallet that is interested."""

    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"examples": [{"chainId": "eip155:8453", "tokenAddress": TOKEN}]}
    )

    chain_id: str = Field(description="The chain by CAIP-2, such as eip155:8453.", max_length=64)
    token_address: str = Field(description="The token.", max_length=64, json_schema_extra=fields.WALLET)
    wallet_address: members.Address | None = Field(
        default=None, description="A wallet that signed in to the session. Default: the first."
    )


class Interest(Wire):
    """A wallet's interest in a token."""

    chain_id: members.Caip2 = Field(description="The chain by CAIP-2.")
    token_address: members.Address = Field(description="The token.")
    symbol: members.Symbol = Field(description="The token's symbol.")
    wallet_address: members.Address = Field(description="The wallet.")
    is_new: bool = Field(description="False if the wallet expressed it before; then nobody is told again.")
