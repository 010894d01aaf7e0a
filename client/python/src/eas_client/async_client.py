"""The client of coroutines."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from pathlib import Path
from types import TracebackType
from typing import Any

import httpx

from . import models as m
from ._caller import built_request, segment
from ._download import MAX_RESUMES, RESUME_AFTER_SECONDS, Download, SavedBundle, begun, part_of
from .async_operations import AsyncOperations
from .errors import ApiError, BundleBytesError, BundleFailedError, BundleTimeoutError
from .retry import Retry

_MAX_POLL_SECONDS = 10.0
_RANGE_NOT_SATISFIABLE = 416


class AsyncClient(AsyncOperations):
    """Every operation as a coroutine, with retries, downloads that resume, and waiting for a seal."""

    def __init__(
        self,
        base_url: str,
        api_key: str,
        *,
        tenant_id: str | None = None,
        retry: Retry | None = None,
        timeout_seconds: float = 60.0,
        transport: httpx.AsyncBaseTransport | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """Makes a client. `base_url` is without /v1; an operator's key needs `tenant_id`."""
        headers = {"X-Api-Key": api_key} | ({} if tenant_id is None else {"X-Tenant-Id": tenant_id})
        self._http = httpx.AsyncClient(base_url=base_url, headers=headers, timeout=timeout_seconds, transport=transport)
        self._retry = retry or Retry()
        self._sleep = sleep

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Closes the connections."""
        await self._http.aclose()

    async def wait_for_sealed(
        self, bundle_id: str, *, timeout_seconds: float = 900.0, poll_seconds: float = 0.5
    ) -> m.Bundle:
        """Polls a bundle until it is sealed. Raises BundleFailedError, BundleTimeoutError or ApiError."""
        end = time.monotonic() + timeout_seconds
        while True:
            bundle = await self.get_bundle(bundle_id)
            if bundle["status"] == "SEALED":
                return bundle
            if bundle["status"] == "FAILED":
                raise BundleFailedError(bundle)
            left = end - time.monotonic()
            if left <= 0:
                raise BundleTimeoutError(bundle, timeout_seconds)
            await self._sleep(min(poll_seconds, left))
            poll_seconds = min(_MAX_POLL_SECONDS, poll_seconds * 1.5)

    async def download_bundle(
        self,
        bundle_id: str,
        *,
        max_resumes: int = MAX_RESUMES,
        resume_after_seconds: float = RESUME_AFTER_SECONDS,
    ) -> AsyncIterator[bytes]:
        """Yields the sealed ZIP of a bundle in chunks. A cut is mended by a request for the rest.

        Raises ApiError (NOT_SEALED until it is sealed), and BundleBytesError after the last chunk if the bytes have
        another SHA-256 than the service names.
        """
        download = Download(bundle_id)
        response = await self._open_part(download)
        download.begin(response)
        return self._chunks(response, download, max_resumes, resume_after_seconds)

    async def save_bundle(
        self,
        bundle_id: str,
        path: str | Path,
        *,
        max_resumes: int = MAX_RESUMES,
        resume_after_seconds: float = RESUME_AFTER_SECONDS,
    ) -> SavedBundle:
        """Downloads the sealed ZIP into a file.

        The bytes go to `<path>.part`, which gets its name when its SHA-256 is right; a later call goes on with the
        `.part` of an earlier one. Raises ApiError, and BundleBytesError, which deletes the `.part`.
        """
        path = Path(path)
        part = part_of(path)
        download = await asyncio.to_thread(begun, bundle_id, part)
        response = await self._open_rest(download)
        if not download.begin(response):
            download.restart()
        try:
            with part.open("ab" if download.size_bytes else "wb") as file:
                async for chunk in self._chunks(response, download, max_resumes, resume_after_seconds):
                    await asyncio.to_thread(file.write, chunk)
        except BundleBytesError:
            part.unlink(missing_ok=True)
            raise
        part.replace(path)
        return SavedBundle(path, download.end(), download.size_bytes)

    async def _chunks(
        self, response: httpx.Response, download: Download, max_resumes: int, resume_after_seconds: float
    ) -> AsyncIterator[bytes]:
        resumes = 0
        while True:
            try:
                async with aclosing(response):
                    async for chunk in response.aiter_bytes():
                        download.add(chunk)
                        yield chunk
                break
            except httpx.TransportError:
                if download.is_complete:
                    break
                if resumes >= max_resumes:
                    raise
            resumes += 1
            await self._sleep(resume_after_seconds)
            response = await self._open_part(download)
            download.begin(response)
        download.end()

    async def _open_rest(self, download: Download) -> httpx.Response:
        try:
            return await self._open_part(download)
        except ApiError as error:
            # The earlier call had all bytes, or more than there are: the hash of a whole download decides.
            if error.status != _RANGE_NOT_SATISFIABLE or download.size_bytes == 0:
                raise
        download.restart()
        return await self._open_part(download)

    async def _open_part(self, download: Download) -> httpx.Response:
        request = self._http.build_request(
            "GET", f"/v1/bundles/{segment(download.bundle_id)}/download", headers=download.headers
        )
        return await self._answered(request, stream=True)

    async def _json(self, method: str, path: str, **request: Any) -> Any:
        built = built_request(self._http, method, path, accept="application/json", **request)
        return (await self._answered(built)).json()

    async def _bytes(self, method: str, path: str, **request: Any) -> bytes:
        return (await self._answered(built_request(self._http, method, path, accept="*/*", **request))).content

    async def _answered(self, request: httpx.Request, *, stream: bool = False) -> httpx.Response:
        response = await self._sent(request, stream)
        if response.is_success:
            return response
        try:
            await response.aread()
        finally:
            await response.aclose()
        raise ApiError(response)

    async def _sent(self, request: httpx.Request, stream: bool) -> httpx.Response:
        for attempt in range(1, self._retry.attempts_of(request)):
            try:
                response = await self._http.send(request, stream=stream)
            except httpx.TransportError:
                wait: float | None = self._retry.backoff_seconds(attempt)
            else:
                wait = self._retry.wait_seconds(response, attempt)
                if wait is None:
                    return response
                await response.aclose()
            await self._sleep(wait or 0.0)
        return await self._http.send(request, stream=stream)
