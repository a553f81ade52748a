"""Which signer the service has: a key in this process, or a remote signer."""

import os

from indexer.contracts.remote_signer import RemoteSigner
from indexer.contracts.signer import ENVIRONMENT_NAME, KeySigner, Signer, SignerKeyError, load_or_create
from warehouse.settings import EngineSettings


def open_signer(settings: EngineSettings) -> Signer:
    """The signer that the settings name: the remote one, else the environment's key, else the data directory's.

    Raises:
        SignerKeyError: the settings contradict each other, or the key cannot be used.
    """
    if settings.signer_url is None:
        return KeySigner(load_or_create(settings.data_dir))
    if os.environ.get(ENVIRONMENT_NAME, "").strip():
        raise SignerKeyError(f"REGALIA_SIGNER_URL and {ENVIRONMENT_NAME} are both set: choose one")
    return RemoteSigner.of(settings)
