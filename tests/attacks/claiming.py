"""Claims and challenges through the service, as their wallets make them."""

from dataclasses import dataclass
from typing import Any

import httpx

from tests.attacks.field import Deployed, Field
from tests.fixtures.claims import sign

CHAIN_ID, CHAIN_KEY = 8453, "base"
_NO_PROOF = "0x" + "00" * 32


@dataclass(frozen=True, slots=True)
class Answer:
    """What became of a claim: ``registered``, or the code of the refusal."""

    registered: bool
    code: str


@dataclass(frozen=True, slots=True)
class Claims:
    """A client of the service with an API key."""

    client: httpx.AsyncClient
    field: Field

    async def ask(self, token: Deployed) -> Answer:
        """Ask for the claim without a proof: rules come first, so only a token that may be registered lacks one."""
        answer = await self._build(token, _NO_PROOF)
        refusal = answer.json()
        code = str(refusal.get("code", answer.status_code))
        if code == "CLAIM_UNAUTHORIZED":
            return Answer(False, "allowed")
        return Answer(False, f"{code} ({refusal['check']})" if "check" in refusal else code)

    async def register(self, token: Deployed) -> Answer:
        """Prove control, claim, and send the transaction."""
        asked = await self.ask(token)
        if asked.code != "allowed":
            return asked
        claim = self._claim(token)
        message = await self._post("/claim/message", {**claim, "claimerAddress": token.wallet.address})
        proof = await self._post(
            "/claim/verify",
            {
                **claim, "walletAddress": token.wallet.address, "timestamp": message["timestamp"],
                "signature": sign(token.wallet, message["message"]),
            },
        )  # fmt: skip
        built = await self._build(token, proof["proofHash"])
        if built.status_code != 200:
            return Answer(False, str(built.json().get("code", built.status_code)))
        transaction = built.json()["transaction"]
        value = int(str(transaction["value"]), 0)
        done = self.field.send(token.wallet, transaction["to"], transaction["data"], value)
        return Answer(done, "registered" if done else "transaction failed")

    async def challenge(self, token: Deployed, symbol: str) -> str:
        """Challenge the registration of a symbol; the state or the refusal's code."""
        path = f"/registration/{symbol}/challenge"
        body = {"tokenAddress": token.token, "walletAddress": token.wallet.address}
        message = await self.client.post(f"{path}/message?chain={CHAIN_KEY}", json=body)
        if message.status_code != 200:
            return str(message.json().get("code", message.status_code))
        made = message.json()
        signed = {**body, "signature": sign(token.wallet, made["message"]), "timestamp": made["timestamp"]}
        answer = await self.client.post(f"{path}?chain={CHAIN_KEY}", json=signed)
        found: dict[str, Any] = answer.json()
        return str(found["state"] if answer.status_code == 200 else found.get("code", answer.status_code))

    def _claim(self, token: Deployed) -> dict[str, Any]:
        return {"symbol": token.symbol.upper(), "chainId": CHAIN_ID, "tokenAddress": token.token}

    async def _build(self, token: Deployed, proof: str) -> httpx.Response:
        body = {**self._claim(token), "walletAddress": token.wallet.address, "proofHash": proof}
        return await self.client.post("/claim", json=body)

    async def _post(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        answer = await self.client.post(path, json=body)
        answer.raise_for_status()
        found: dict[str, Any] = answer.json()
        return found
