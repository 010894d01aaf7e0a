"""Typed client of the Evidentiary Audit Service."""

from . import models
from ._caller import FilePart
from ._download import SavedBundle
from .async_client import AsyncClient
from .client import Client
from .errors import ApiError, BundleBytesError, BundleFailedError, BundleTimeoutError, WebhookError
from .retry import Retry
from .webhooks import verify_webhook

__all__ = [
    "ApiError",
    "AsyncClient",
    "BundleBytesError",
    "BundleFailedError",
    "BundleTimeoutError",
    "Client",
    "FilePart",
    "Retry",
    "SavedBundle",
    "WebhookError",
    "models",
    "verify_webhook",
]
