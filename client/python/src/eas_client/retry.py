"""When a request is sent again."""

from __future__ import annotations

import random
from dataclasses import dataclass

import httpx

_IDEMPOTENCY_KEY = "Idempotency-Key"
_FIRST_WAIT_SECONDS = 0.5
# Too many requests, and a service or a proxy that cannot answer now.
_RETRIED_STATUSES = (429, 502, 503, 504)


@dataclass(frozen=True)
class Retry:
    """How often a request is sent that is safe to repeat, and how long the client waits between."""

    # Attempts of one request, the first included; 1 turns retries off.
    max_attempts: int = 4
    # The longest wait before one retry. An answer whose Retry-After is longer is final.
    max_wait_seconds: float = 30.0

    def attempts_of(self, request: httpx.Request) -> int:
        """Reads, and POSTs under an Idempotency-Key, may be repeated; the service knows no key of other writes."""
        is_keyed = request.method == "POST" and _IDEMPOTENCY_KEY in request.headers
        return self.max_attempts if request.method in ("GET", "HEAD") or is_keyed else 1

    def backoff_seconds(self, attempt: int) -> float:
        """The wait after an attempt, from 1, that got no answer."""
        longest = min(self.max_wait_seconds, _FIRST_WAIT_SECONDS * 2.0 ** (attempt - 1))
        return longest * random.uniform(0.5, 1.0)

    def wait_seconds(self, response: httpx.Response, attempt: int) -> float | None:
        """The wait after an answer, or None when the answer is final."""
        told = response.headers.get("retry-after")
        # The first request with this key still runs, or a record is on its way: the service says when to ask again.
        is_early = response.status_code == 409 and told is not None
        if not is_early and response.status_code not in _RETRIED_STATUSES:
            return None
        if told is None or not told.isdigit():
            return self.backoff_seconds(attempt)
        return None if int(told) > self.max_wait_seconds else max(float(told), self.backoff_seconds(attempt))
