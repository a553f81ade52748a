"""The store's tables as SQLAlchemy sees them. Migrations make them; a test holds the two together."""

from api.models.account import Account, ApiKeyRecord
from api.models.attestation import RegistrationAttestation
from api.models.base import Base
from api.models.claim import ClaimAuthorization, ClaimProof
from api.models.event import CopySighting, EventProgress, EventRecord, EventState
from api.models.history import RegistrationHistoryEntry, RegistrationHistoryHead
from api.models.ingestion import AssetRun, ChainCheckpoint, DeriveCheckpoint, IngestUnit
from api.models.metadata import MetadataSearch, MetadataUpload
from api.models.operating import AlertDelivery, AssetTotal, OperatorAlert, ServiceCounter
from api.models.page import PageApp, RegistrationDomain
from api.models.profile import PresentedChange
from api.models.registration import RegistrationRecord
from api.models.session import AccountWallet, SignInNonce, WalletSessionRecord
from api.models.token import IndexedToken, NativePrice
from api.models.token_list import TokenListEntry, TokenListVersion
from api.models.usage import AddressWindow, ApiUsage, RateBucket, UsageWriter
from api.models.webhook import WebhookAttempt, WebhookDelivery, WebhookSecret, WebhookSubscription

__all__ = [
    "Account",
    "AccountWallet",
    "AddressWindow",
    "AlertDelivery",
    "ApiKeyRecord",
    "ApiUsage",
    "AssetRun",
    "AssetTotal",
    "Base",
    "ChainCheckpoint",
    "ClaimAuthorization",
    "ClaimProof",
    "CopySighting",
    "DeriveCheckpoint",
    "EventProgress",
    "EventRecord",
    "EventState",
    "IndexedToken",
    "IngestUnit",
    "MetadataSearch",
    "MetadataUpload",
    "NativePrice",
    "OperatorAlert",
    "PageApp",
    "PresentedChange",
    "RateBucket",
    "RegistrationAttestation",
    "RegistrationDomain",
    "RegistrationHistoryEntry",
    "RegistrationHistoryHead",
    "RegistrationRecord",
    "ServiceCounter",
    "SignInNonce",
    "TokenListEntry",
    "TokenListVersion",
    "UsageWriter",
    "WalletSessionRecord",
    "WebhookAttempt",
    "WebhookDelivery",
    "WebhookSecret",
    "WebhookSubscription",
]
