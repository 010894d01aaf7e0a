"""The async client behind plain calls, so that one suite tests both clients."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Iterator
from typing import Any

from eas_client import AsyncClient


class Blocking:
    """Runs each coroutine of an AsyncClient to its end, in one event loop."""

    def __init__(self, *args: Any, sleep: Callable[[float], None], **options: Any) -> None:
        async def wait(seconds: float) -> None:
            sleep(seconds)

        self._loop = asyncio.new_event_loop()
        self._client = AsyncClient(*args, sleep=wait, **options)

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._client, name)

        def call(*args: Any, **options: Any) -> Any:
            result = method(*args, **options)
            if inspect.iscoroutine(result):
                result = self._loop.run_until_complete(result)
            return self._items(result) if hasattr(result, "__anext__") else result

        return call

    def _items(self, items: Any) -> Iterator[Any]:
        while True:
            try:
                yield self._loop.run_until_complete(items.__anext__())
            except StopAsyncIteration:
                return

    def close(self) -> None:
        self._loop.run_until_complete(self._client.close())
        self._loop.close()
