"""What the generated operations call."""

from __future__ import annotations

import uuid
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Iterator, Mapping
from typing import IO, Any
from urllib.parse import quote

import httpx

# The name, the content and the media type of an uploaded file.
FilePart = tuple[str, "bytes | IO[bytes]", str]


def segment(value: str) -> str:
    """Escapes one segment of a path."""
    return quote(value, safe="")


def built_request(
    http: httpx.Client | httpx.AsyncClient,
    method: str,
    path: str,
    *,
    accept: str,
    query: Mapping[str, Any] | None = None,
    body: Any = None,
    content: str | bytes | None = None,
    content_type: str | None = None,
    files: Mapping[str, FilePart] | None = None,
    form: Mapping[str, Any] | None = None,
    idempotency_key: str | None = None,
) -> httpx.Request:
    """Builds a request without the members that are None. Each POST has an Idempotency-Key."""
    headers = {"Accept": accept}
    if method == "POST":
        headers["Idempotency-Key"] = idempotency_key or str(uuid.uuid4())
    if content_type is not None:
        headers["Content-Type"] = content_type
    return http.build_request(
        method,
        path,
        params=_given(query),
        headers=headers,
        json=body,
        content=content,
        files=files,
        data=_given(form) if files else None,
    )


def _given(members: Mapping[str, Any] | None) -> dict[str, Any]:
    return {name: value for name, value in (members or {}).items() if value is not None}


class Caller(ABC):
    """Sends requests and returns what their answers hold; raises ApiError."""

    @abstractmethod
    def _json(self, method: str, path: str, **request: Any) -> Any: ...

    @abstractmethod
    def _bytes(self, method: str, path: str, **request: Any) -> bytes: ...

    def _items(self, path: str, *, query: Mapping[str, Any] | None = None) -> Iterator[Any]:
        cursor: str | None = None
        while True:
            page = self._json("GET", path, query={**(query or {}), "cursor": cursor})
            yield from page["items"]
            cursor = page.get("next_cursor")
            if cursor is None:
                return


class AsyncCaller(ABC):
    """The same as coroutines."""

    @abstractmethod
    async def _json(self, method: str, path: str, **request: Any) -> Any: ...

    @abstractmethod
    async def _bytes(self, method: str, path: str, **request: Any) -> bytes: ...

    async def _items(self, path: str, *, query: Mapping[str, Any] | None = None) -> AsyncIterator[Any]:
        cursor: str | None = None
        while True:
            page = await self._json("GET", path, query={**(query or {}), "cursor": cursor})
            for item in page["items"]:
                yield item
            cursor = page.get("next_cursor")
            if cursor is None:
                return
