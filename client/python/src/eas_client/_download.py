"""The state of one download: its hash, its size, and what the next request asks for."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import httpx

from .errors import BundleBytesError

if TYPE_CHECKING:
    from hashlib import _Hash

MAX_RESUMES = 5
RESUME_AFTER_SECONDS = 0.5
_BLOCK_BYTES = 1 << 20


@dataclass(frozen=True)
class SavedBundle:
    """A bundle in a file."""

    path: Path
    sha256: str
    size_bytes: int


@dataclass
class Download:
    """What has come of a bundle."""

    bundle_id: str
    size_bytes: int = 0
    _hash: _Hash = field(default_factory=hashlib.sha256)
    # What the service names as the hash of the whole.
    sha256: str | None = None

    @property
    def is_complete(self) -> bool:
        """True after the last byte: a connection may be cut behind it, and there is no rest to ask for."""
        return self._hash.hexdigest() == self.sha256

    @property
    def headers(self) -> dict[str, str]:
        """The headers of the request for the rest."""
        return {} if self.size_bytes == 0 else {"Range": f"bytes={self.size_bytes}-"}

    def begin(self, response: httpx.Response) -> bool:
        """Reads the head of an answer. Returns False when it begins at the first byte though more was there."""
        tag = re.fullmatch(r'"([0-9a-f]{64})"', response.headers.get("etag", ""))
        if tag is None:
            raise BundleBytesError(f"The answer for {self.bundle_id} names no SHA-256.")
        start = re.match(r"bytes (\d+)-", response.headers.get("content-range", ""))
        start_bytes = int(start[1]) if response.status_code == 206 and start else 0
        if self.sha256 not in (None, tag[1]) or start_bytes not in (0, self.size_bytes):
            raise BundleBytesError(f"The bundle {self.bundle_id} has changed during its download.")
        goes_on = start_bytes == self.size_bytes
        if not goes_on and self.sha256 is not None:
            raise BundleBytesError(f"The service sent {self.bundle_id} from its first byte again.")
        self.sha256 = tag[1]
        return goes_on

    def add(self, chunk: bytes) -> None:
        self._hash.update(chunk)
        self.size_bytes += len(chunk)

    def restart(self) -> None:
        """Forgets the bytes of an earlier call."""
        self._hash = hashlib.sha256()
        self.size_bytes = 0

    def end(self) -> str:
        """Returns the hash of all bytes; raises BundleBytesError unless the service named the same."""
        sha256 = self._hash.hexdigest()
        if sha256 != self.sha256:
            raise BundleBytesError(f"The bytes of {self.bundle_id} have the SHA-256 {sha256}.")
        return sha256


def part_of(path: Path) -> Path:
    """Where the bytes are until the download is complete."""
    return path.with_name(f"{path.name}.part")


def begun(bundle_id: str, part: Path) -> Download:
    """A download that goes on with the file of an earlier call, if there is one."""
    download = Download(bundle_id)
    if part.exists():
        with part.open("rb") as file:
            while chunk := file.read(_BLOCK_BYTES):
                download.add(chunk)
    return download
