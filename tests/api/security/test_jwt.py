"""Signed tokens and the keys that sign them."""

import base64
import hashlib
import json
import multiprocessing
import stat
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from api.security.jwt import TokenRefused, Tokens
from api.security.signing_keys import SigningKeyError, SigningKeys

NOW = datetime(2026, 1, 31, 12, tzinfo=UTC)
SITE, API, APP = "https://crowns.example", "https://api.crowns.example", "studio/arcade"
WALLET = "0x" + "1b" * 20
SESSION = UUID("019b0f3e-7c1a-7c55-9d6c-0b1f2a3c4d5e")


@pytest.fixture
def keys(tmp_path: Path) -> SigningKeys:
    return SigningKeys(tmp_path)


@pytest.fixture
def tokens(keys: SigningKeys) -> Tokens:
    return Tokens(keys, issuer=SITE, audience=API)


def session_token(tokens: Tokens) -> str:
    return tokens.issue_wallet_session(
        SESSION, (WALLET,), frozenset({"api:read"}), now=NOW, expires_at=NOW + timedelta(hours=1)
    )


def signed(keys: SigningKeys, header: dict[str, Any] | None = None, **claims: Any) -> str:
    """A token with any claims, signed with the service's key."""
    key = keys.current().current
    body = {"typ": "app-session+v1", "iss": SITE, "aud": APP, "sub": WALLET, "jti": "j", "iat": 0, **claims}
    body.setdefault("exp", int(NOW.timestamp()) + 300)
    kept = {name: value for name, value in body.items() if value is not None}
    return jwt.encode(kept, key.private, algorithm="EdDSA", headers={"kid": key.kid, **(header or {})})


def test_a_wallet_session_is_valid_until_it_expires(tokens: Tokens) -> None:
    token = session_token(tokens)
    claims = tokens.verify_wallet_session(token, now=NOW + timedelta(minutes=59))
    assert (claims.session_id, claims.expires_at) == (SESSION, NOW + timedelta(hours=1))
    with pytest.raises(TokenRefused, match="expired"):
        tokens.verify_wallet_session(token, now=NOW + timedelta(hours=1))


def test_an_app_session_names_the_wallet_for_five_minutes(tokens: Tokens) -> None:
    token = tokens.issue_app_session(WALLET, APP, now=NOW)
    claims = tokens.verify_app_session(token, APP, now=NOW)
    assert (claims.wallet, claims.app_id, claims.expires_at) == (WALLET, APP, NOW + timedelta(minutes=5))
    other = tokens.verify_app_session(tokens.issue_app_session(WALLET, APP, now=NOW), APP, now=NOW)
    assert other.token_id != claims.token_id
    assert tokens.verify_app_session(token, APP, now=NOW + timedelta(seconds=329)) == claims
    with pytest.raises(TokenRefused, match="expired"):
        tokens.verify_app_session(token, APP, now=NOW + timedelta(seconds=330))
    header = jwt.get_unverified_header(token)
    assert (header["alg"], header["typ"]) == ("EdDSA", "JWT")


def test_a_token_has_one_spelling(tokens: Tokens) -> None:
    token = session_token(tokens)
    header, payload, signature = token.split(".")
    last = signature[-1]
    for other in (
        f"{token}=", f"{token}==", f" {token}", f"{token}\n", f"{header}=.{payload}.{signature}",
        f"{token[:-4]}!{token[-4:]}", f"{token[:-1]}{chr(ord(last) + 1)}", f"{token}A",
        f"{token}.{signature}", token.replace(".", ".."),
    ):  # fmt: skip
        with pytest.raises(TokenRefused):
            tokens.verify_wallet_session(other, now=NOW)
    assert tokens.verify_wallet_session(token, now=NOW).session_id == SESSION


def test_token_types_are_not_interchangeable(tokens: Tokens) -> None:
    with pytest.raises(TokenRefused, match="another kind"):
        tokens.verify_app_session(session_token(tokens), API, now=NOW)
    with pytest.raises(TokenRefused, match="another kind"):
        tokens.verify_wallet_session(tokens.issue_app_session(WALLET, API, now=NOW), now=NOW)


@pytest.mark.parametrize(
    "claims",
    [
        {"typ": None},
        {"typ": "iap-receipt+v1"},
        {"iss": API},
        {"iss": None},
        {"aud": "studio/other"},
        {"aud": [APP, "studio/other"]},
        {"aud": None},
        {"exp": int(NOW.timestamp()) - 31},
        {"exp": 10**30},
        {"iat": int(NOW.timestamp()) + 31},
        {"iat": None},
        {"sub": None},
        {"sub": ""},
        {"jti": None},
    ],
)
def test_every_claim_is_checked(keys: SigningKeys, tokens: Tokens, claims: dict[str, Any]) -> None:
    assert tokens.verify_app_session(signed(keys), APP, now=NOW).wallet == WALLET
    with pytest.raises(TokenRefused):
        tokens.verify_app_session(signed(keys, **claims), APP, now=NOW)


def test_a_token_without_expiry_is_refused(keys: SigningKeys, tokens: Tokens) -> None:
    key = keys.current().current
    claims = {"typ": "app-session+v1", "iss": SITE, "aud": APP, "sub": WALLET, "jti": "j", "iat": 0}
    token = jwt.encode(claims, key.private, algorithm="EdDSA", headers={"kid": key.kid})
    with pytest.raises(TokenRefused, match="exp"):
        tokens.verify_app_session(token, APP, now=NOW)


def test_only_the_services_keys_and_algorithm_are_accepted(keys: SigningKeys, tokens: Tokens) -> None:
    key = keys.current().current
    claims = jwt.decode(signed(keys), options={"verify_signature": False})
    secret = key.public.public_bytes_raw()
    forged = [
        jwt.encode(claims, Ed25519PrivateKey.generate(), algorithm="EdDSA", headers={"kid": key.kid}),
        jwt.encode(claims, secret, algorithm="HS256", headers={"kid": key.kid}),
        jwt.encode(claims, "", algorithm="none", headers={"kid": key.kid}),
        jwt.encode(claims, key.private, algorithm="EdDSA"),
        jwt.encode(claims, key.private, algorithm="EdDSA", headers={"kid": "0" * 16}),
        signed(keys, {"typ": "at+jwt"}),
        signed(keys, {"crit": ["unheard-of"]}),
        signed(keys)[:-10],
        "a.b.c",
        "",
        "é" * 20,
    ]
    for token in forged:
        with pytest.raises(TokenRefused):
            tokens.verify_app_session(token, APP, now=NOW)


def test_keys_are_published_by_name(keys: SigningKeys) -> None:
    (jwk,) = keys.current().jwks()["keys"]
    raw = base64.urlsafe_b64decode(jwk["x"] + "=")
    assert jwk["kid"] == hashlib.sha256(raw).hexdigest()[:16]
    assert {name: jwk[name] for name in ("kty", "crv", "use", "alg")} == {
        "kty": "OKP", "crv": "Ed25519", "use": "sig", "alg": "EdDSA",
    }  # fmt: skip
    assert "d" not in jwk


def test_a_rotation_reaches_other_processes_and_keeps_old_tokens_valid(tmp_path: Path, tokens: Tokens) -> None:
    elsewhere = Tokens(SigningKeys(tmp_path), issuer=SITE, audience=API)
    token = session_token(tokens)
    first = elsewhere.keys.current().current.kid
    second = tokens.keys.rotate(NOW).kid
    assert [key.kid for key in elsewhere.keys.current().keys] == [second, first]
    assert elsewhere.verify_wallet_session(token, now=NOW)
    assert jwt.get_unverified_header(session_token(elsewhere))["kid"] == second
    # Two rotations in a day keep every key that a valid token may need; a day later one previous key is enough.
    third = tokens.keys.rotate(NOW + timedelta(minutes=1)).kid
    assert [key.kid for key in elsewhere.keys.current().keys] == [third, second, first]
    fourth = tokens.keys.rotate(NOW + timedelta(days=2)).kid
    assert [key.kid for key in elsewhere.keys.current().keys] == [fourth, third]
    with pytest.raises(TokenRefused):
        elsewhere.verify_wallet_session(token, now=NOW)


def test_only_the_owner_can_read_the_key_file(keys: SigningKeys) -> None:
    keys.current()
    assert stat.S_IMODE(keys.path.stat().st_mode) == 0o600
    assert stat.S_IMODE(keys.path.parent.stat().st_mode) == 0o700
    assert [entry.name for entry in keys.path.parent.iterdir() if entry.name.startswith(".")] == []


def _first_kid(data_dir: Path) -> str:
    return SigningKeys(data_dir).current().current.kid


def test_processes_that_start_at_once_make_one_key(tmp_path: Path) -> None:
    with multiprocessing.get_context("fork").Pool(4) as pool:
        assert len(set(pool.map(_first_kid, [tmp_path] * 16))) == 1


def test_keys_can_be_given(tmp_path: Path) -> None:
    current, previous = (base64.b64encode(bytes([number]) * 32).decode() for number in (1, 2))
    given = SigningKeys(tmp_path, given=(current, previous))
    assert [key.kid for key in given.current().keys] == [
        SigningKeys(tmp_path, given=(text,)).current().current.kid for text in (current, previous)
    ]
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(SigningKeyError, match="REGALIA_SIGNING_KEY"):
        given.rotate(NOW)


@pytest.mark.parametrize("text", ["", "short", base64.b64encode(b"x" * 31).decode(), "é"])
def test_an_invalid_signing_key_is_refused_without_showing_it(tmp_path: Path, text: str) -> None:
    with pytest.raises(SigningKeyError) as refused:
        SigningKeys(tmp_path, given=(text or " ",))
    assert not text or text not in str(refused.value)
    keys = SigningKeys(tmp_path)
    keys.path.parent.mkdir()
    for content in ("", "[]", '{"keys": []}', json.dumps({"keys": [{"seed": text}]})):
        keys.path.write_text(content)
        with pytest.raises(SigningKeyError, match="does not hold"):
            keys.current()
