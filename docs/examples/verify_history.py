"""Verify a registration's history offline: python verify_history.py history.json jwks.json

history.json is the answer of GET /api/v2/registration/{id}/history (a JSON list of answers where it has several pages),
jwks.json that of GET /api/v2/apps/jwks. Needs PyJWT and cryptography. Ends with 1 and a reason where something is
wrong.
"""

import hashlib
import json
import sys
from pathlib import Path

import jwt

FIRST = "0" * 64


def link(entry: dict) -> str:
    """The hash of an entry: SHA-256 of what it says beside its hash, as canonical JSON (RFC 8785)."""
    said = {name: value for name, value in entry.items() if name != "hash"}
    text = json.dumps(said, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def verify(pages: list[dict], jwks: dict) -> str:
    """The head's hash, once every entry follows from the one before and the service has signed the last.

    Raises:
        ValueError: something does not hold.
    """
    previous, sequence = FIRST, 0
    for entry in (entry for page in pages for entry in page["entries"]):
        sequence += 1
        about = (entry["chainId"], entry["tokenId"])
        if about != (pages[0]["chainId"], str(pages[0]["tokenId"])):
            raise ValueError(f"entry {sequence} is of another registration")
        if entry["sequence"] != sequence or entry["previousHash"] != previous:
            raise ValueError(f"entry {sequence} does not follow the one before")
        if link(entry) != entry["hash"]:
            raise ValueError(f"entry {sequence} is not what was hashed")
        previous = entry["hash"]
    head = pages[-1]["head"]
    if head is None:
        raise ValueError("nothing was signed: the registration has no history yet")
    keys = {key["kid"]: jwt.PyJWK(key) for key in jwks["keys"]}
    kid = jwt.get_unverified_header(head["jws"])["kid"]
    if kid not in keys:
        raise ValueError("the head is signed with a key that is not in the key set")
    said = jwt.decode(head["jws"], keys[kid].key, algorithms=["EdDSA"], options={"verify_iat": False})
    signed = (said["typ"], said["chainId"], said["tokenId"], said["sequence"], said["hash"])
    place = (pages[0]["chainId"], str(pages[0]["tokenId"]))
    if signed != ("registration-history+v1", *place, sequence, previous):
        raise ValueError("the signed head is not the last entry")
    return previous


if __name__ == "__main__":
    answer, key_set = (json.loads(Path(name).read_text()) for name in sys.argv[1:3])
    try:
        print("verified", verify(answer if isinstance(answer, list) else [answer], key_set))
    except (ValueError, jwt.PyJWTError) as error:
        sys.exit(f"refused: {error}")
