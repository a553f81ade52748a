"""The accounts of ours that sign transactions on Solana: the one that pays for them, and the guardian where its key is
at hand. Neither is the signer of statements."""

import os

from solders.keypair import Keypair

from indexer.contracts.payer import PayerMissing
from indexer.contracts.solana.signer import read_keypair

PAYER_NAME = "REGALIA_SOLANA_PRIVATE_KEY"
GUARDIAN_NAME = "REGALIA_SOLANA_GUARDIAN_PRIVATE_KEY"


def open_payer() -> Keypair:
    """The account that pays. It has no rights in the program.

    Raises:
        PayerMissing: the environment holds no key.
        SignerKeyError: what it holds is no private key.
    """
    given = os.environ.get(PAYER_NAME, "")
    if not given.strip():
        raise PayerMissing(f"{PAYER_NAME} must hold the key that pays, in base58")
    return read_keypair(given, PAYER_NAME)
