"""Which signer of statements on Solana the service has: a key in this process, or a remote signer."""

import os

from indexer.contracts.signer import SignerKeyError
from indexer.contracts.solana.remote_signer import RemoteStatementSigner
from indexer.contracts.solana.signer import ENVIRONMENT_NAME, KeypairSigner, StatementSigner, load_or_create
from warehouse.settings import EngineSettings


def open_signer(settings: EngineSettings) -> StatementSigner:
    """The signer that the settings name: the remote one, else the environment's key, else the data directory's.

    Raises:
        SignerKeyError: the settings contradict each other, or the key cannot be used.
    """
    if settings.solana_signer_url is None:
        return KeypairSigner(load_or_create(settings.data_dir))
    if os.environ.get(ENVIRONMENT_NAME, "").strip():
        raise SignerKeyError(f"REGALIA_SOLANA_SIGNER_URL and {ENVIRONMENT_NAME} are both set: choose one")
    return RemoteStatementSigner.of(settings)
