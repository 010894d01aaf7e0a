"""Receiving deliveries of the service."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import time
from collections.abc import Iterable, Mapping
from typing import cast

from .errors import WebhookError
from .models import WebhookDelivery

DEFAULT_TOLERANCE_SECONDS = 5 * 60
# The least of the Standard Webhooks convention. Anybody could sign with the empty key of a setting that is missing.
_MIN_SECRET_BYTES = 24


def verify_webhook(
    secret: str | Iterable[str],
    headers: Mapping[str, str],
    body: bytes,
    *,
    tolerance_seconds: float = DEFAULT_TOLERANCE_SECONDS,
    now: float | None = None,
) -> WebhookDelivery:
    """Verifies `webhook-signature`, which covers the message's id, its time and its body, and returns the parsed body.

    `body` is the raw body: one that was parsed and written again has other bytes. `secret` is `whsec_…`; during a
    rotation give both. Process each `id` once: deliveries repeat. Raises WebhookError.
    """
    found = {name.lower(): value for name, value in headers.items()}
    message, timestamp, signatures = (_required(found, f"webhook-{name}") for name in ("id", "timestamp", "signature"))
    if not (timestamp.isascii() and timestamp.isdigit() and len(timestamp) <= 15):
        raise WebhookError("HEADERS", "webhook-timestamp is not a number.")
    if abs((time.time() if now is None else now) - int(timestamp)) > tolerance_seconds:
        raise WebhookError("STALE", f"webhook-timestamp is more than {tolerance_seconds} s off.")
    signed = f"{message}.{timestamp}.".encode() + body
    expected = [_signature(one, signed) for one in ([secret] if isinstance(secret, str) else secret)]
    given = [signature.encode() for signature in signatures.split(" ")]
    if not any(hmac.compare_digest(one, other) for one in given for other in expected):
        raise WebhookError("SIGNATURE", "No signature matches the body and a secret.")
    try:
        return cast(WebhookDelivery, json.loads(body))
    except ValueError:
        raise WebhookError("BODY", "The body is not JSON.") from None


def _required(headers: Mapping[str, str], name: str) -> str:
    value = headers.get(name)
    if not value:
        raise WebhookError("HEADERS", f"The header {name} is missing.")
    return value


def _signature(secret: str, signed: bytes) -> bytes:
    try:
        key = base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    except (binascii.Error, ValueError):
        key = b""
    if len(key) < _MIN_SECRET_BYTES:
        raise WebhookError("SECRET", "The secret is missing or not the whole whsec_….")
    return b"v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest())
