"""Searches, claims and uploads with a Python client that is generated from the service's OpenAPI document.

    pip install openapi-python-client==0.29.1 eth-account httpx attrs
    openapi-python-client generate --url http://127.0.0.1:8000/openapi.json --meta none --output-path regalia_client
    API=http://127.0.0.1:8000 API_KEY=rgl_live_... SESSION=eyJ... RPC=http://127.0.0.1:8545 CHAIN=base SYMBOL=QUILL \
        CLAIM_PRIVATE_KEY=0x... python generated_client.py

Run it in the folder of ``regalia_client``. ``SESSION`` is the token of a wallet session (docs/authentication.md);
without it nothing is uploaded. Prints what became of everything as one line of JSON.
"""

import json
import os
import time
from typing import Any, TypeVar

import httpx
from eth_account import Account
from eth_account.messages import encode_defunct
from regalia_client import AuthenticatedClient
from regalia_client.api.claims import build_claim, create_claim_message, get_claim_status, verify_claim
from regalia_client.api.metadata import upload_metadata
from regalia_client.api.registrations import get_registration_status
from regalia_client.api.search import search_tokens
from regalia_client.models import (
    BuildRequest,
    BuildResponse,
    ClaimStatus,
    MessageRequest,
    MessageResponse,
    MetadataDocument,
    RegistrationStatus,
    SearchAnswer,
    TransactionState,
    UnsignedTransaction,
    Uploaded,
    VerifyRequest,
    VerifyResponse,
)

Expected = TypeVar("Expected")
POLLS = 120


def expect(kind: type[Expected], answer: object) -> Expected:
    """The answer, which is of the kind that success has; a refusal ends the script with what the service said."""
    if not isinstance(answer, kind):
        raise SystemExit(f"refused: {answer}")
    return answer


def call_node(method: str, *params: Any) -> Any:
    """One JSON-RPC call."""
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": list(params)}
    answer = httpx.post(os.environ["RPC"], json=body, timeout=30).json()
    if "error" in answer:
        raise SystemExit(f"{method}: {answer['error']['message']}")
    return answer["result"]


def send(unsigned: UnsignedTransaction) -> str:
    """Sign the transaction with the wallet and hand it to the node."""
    price = int(call_node("eth_gasPrice"), 16)
    signed = wallet.sign_transaction(
        {
            "to": unsigned.to,
            "data": unsigned.data,
            "value": int(unsigned.value, 16),
            "chainId": unsigned.chain_id,
            "nonce": int(call_node("eth_getTransactionCount", wallet.address, "pending"), 16),
            "gas": int(unsigned.gas_limit, 16),
            "maxFeePerGas": 2 * price,
            "maxPriorityFeePerGas": price // 10,
        }
    )
    transaction_hash: str = call_node("eth_sendRawTransaction", signed.raw_transaction.to_0x_hex())
    return transaction_hash


def confirmed(transaction_hash: str, chain_id: int) -> ClaimStatus:
    """Ask once a second until the transaction is confirmed."""
    for _ in range(POLLS):
        answer = get_claim_status.sync(transaction_hash, client=api, chain_id=chain_id)
        status = expect(ClaimStatus, answer)
        if status.status is TransactionState.FAILED:
            raise SystemExit(f"transaction {transaction_hash} failed")
        if status.status is TransactionState.CONFIRMED:
            return status
        time.sleep(1)
    raise SystemExit(f"transaction {transaction_hash} is not confirmed yet")


def claim(chain_id: int, token: str) -> ClaimStatus:
    """Prove control of the token with a signature, and send the transaction that the service builds."""
    asked = expect(
        MessageResponse,
        create_claim_message.sync(
            client=api,
            body=MessageRequest(symbol=symbol, chain_id=chain_id, token_address=token, claimer_address=wallet.address),
        ),
    )
    signature = wallet.sign_message(encode_defunct(text=asked.message)).signature.to_0x_hex()
    verdict = expect(
        VerifyResponse,
        verify_claim.sync(
            client=api,
            body=VerifyRequest(
                symbol=symbol,
                chain_id=chain_id,
                token_address=token,
                wallet_address=wallet.address,
                signature=signature,
                timestamp=asked.timestamp,
            ),
        ),
    )
    if verdict.proof_hash is None:
        raise SystemExit(f"not verified: {verdict.message}")
    built = expect(
        BuildResponse,
        build_claim.sync(
            client=api,
            body=BuildRequest(
                symbol=symbol,
                chain_id=chain_id,
                token_address=token,
                wallet_address=wallet.address,
                proof_hash=verdict.proof_hash,
            ),
        ),
    )
    return confirmed(send(built.transaction), chain_id)


def upload(session: str) -> dict[str, Any]:
    """Upload a metadata document for the registration."""
    with AuthenticatedClient(base_url=os.environ["API"], token=session) as client:
        answer = upload_metadata.sync(
            client=client, body=MetadataDocument(name=symbol, website="https://quill.example")
        )
        return expect(Uploaded, answer).to_dict()


wallet = Account.from_key(os.environ["CLAIM_PRIVATE_KEY"])
symbol, chain = os.environ["SYMBOL"], os.environ["CHAIN"]
with AuthenticatedClient(
    base_url=os.environ["API"], token=os.environ["API_KEY"], prefix="", auth_header_name="X-API-Key"
) as api:
    found = expect(SearchAnswer, search_tokens.sync(client=api, symbol=symbol, chain=chain, exact=True))
    if not found.results or found.results[0].token.address is None:
        raise SystemExit(f"no token {symbol} on {chain}")
    status = claim(found.results[0].chain_id, found.results[0].token.address)
    registration = expect(RegistrationStatus, get_registration_status.sync(symbol, chain, client=api))
    said = {"status": status.to_dict(), "registration": registration.to_dict()}
if "SESSION" in os.environ:
    said["uploaded"] = upload(os.environ["SESSION"])
print(json.dumps(said))
