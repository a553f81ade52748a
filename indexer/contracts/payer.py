"""The account that pays for the service's own transactions. It has no rights in any contract."""

import os

from eth_account.signers.local import LocalAccount

from indexer.contracts.signer import SignerKeyError, read_key

ENVIRONMENT_NAME = "REGALIA_PRIVATE_KEY"


class PayerMissing(SignerKeyError):
    """No key is configured that pays for transactions."""


def open_payer() -> LocalAccount:
    """The account whose key the environment holds.

    Raises:
        PayerMissing: it holds none.
        SignerKeyError: what it holds is no private key.
    """
    given = os.environ.get(ENVIRONMENT_NAME, "").strip()
    if not given:
        raise PayerMissing(f"{ENVIRONMENT_NAME} must hold the key that pays, in hexadecimal")
    return read_key(given, ENVIRONMENT_NAME)
