"""What the client raises."""

from __future__ import annotations

from typing import Any, cast

import httpx

from . import models as m

_BY_STATUS: dict[int, m.ErrorCode] = {
    422: "VALIDATION_ERROR",
    429: "RATE_LIMITED",
    502: "UNAVAILABLE",
    503: "UNAVAILABLE",
    504: "UNAVAILABLE",
}


class ApiError(Exception):
    """The service's error object. `code` is what to decide by."""

    code: m.ErrorCode
    status: int
    request_id: str
    faults: list[m.FieldFault]
    retry_after_seconds: int | None
    body: dict[str, Any]
    """The parsed body. For a message of which nothing is readable (422) it is the whole report."""

    def __init__(self, response: httpx.Response) -> None:
        """Reads an answer of failure whose body has been read."""
        body = _problem_of(response)
        message = body.get("message") or _first_fault_of(body) or response.text
        super().__init__(str(message or f"The answer has status {response.status_code}."))
        self.body = body
        # An answer without the service's error object is a report, or was made by a proxy on the way.
        self.code = cast(m.ErrorCode, body.get("code") or _BY_STATUS.get(response.status_code, "INTERNAL"))
        self.status = response.status_code
        self.request_id = str(body.get("request_id") or response.headers.get("x-request-id", ""))
        self.faults = cast("list[m.FieldFault]", body.get("errors") or [])
        wait = response.headers.get("retry-after", "")
        self.retry_after_seconds = int(wait) if wait.isdigit() else None


class BundleFailedError(Exception):
    """The service could not build the bundle; `bundle["failure"]` says why."""

    def __init__(self, bundle: m.Bundle) -> None:
        failure = bundle.get("failure")
        reason = f"{failure['code']}. {failure['message']}" if failure else "UNKNOWN."
        super().__init__(f"The bundle {bundle['bundle_id']} was not built: {reason}")
        self.bundle = bundle


class BundleTimeoutError(Exception):
    """The bundle is still being built; a later call may wait on."""

    def __init__(self, bundle: m.Bundle, timeout_seconds: float) -> None:
        super().__init__(f"The bundle {bundle['bundle_id']} is not sealed after {timeout_seconds} s.")
        self.bundle = bundle


class BundleBytesError(Exception):
    """The bytes of a bundle are not those that the service sealed."""


class WebhookError(Exception):
    """The delivery is not genuine, or not fresh: `reason` is SECRET, HEADERS, STALE, SIGNATURE or BODY."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason


def _problem_of(response: httpx.Response) -> dict[str, Any]:
    try:
        body = response.json()
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}


def _first_fault_of(report: dict[str, Any]) -> str | None:
    """What is wrong with the first part of a message, by the report that answers it."""
    for result in report.get("results") or []:
        if error := result.get("error"):
            return f"{error['code']}: {error['message']}"
    return None
