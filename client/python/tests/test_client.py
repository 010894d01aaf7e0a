"""Both clients against a running service.

    EAS_TEST='{"url": …, "key": …, "proxies": {"sync": {…}, "async": {…}}}' python3 -m unittest discover tests

Each proxy stands before the service and fails once in its way: `lost` loses the answers of POST /v1/events, `busy`
answers GET /v1/events with 429, `down` answers everything with 503, `cut` cuts downloads and `changed` alters them.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
import unittest
import uuid
from pathlib import Path
from typing import Any

import httpx
from blocking import Blocking
from eas_client import (
    ApiError,
    AsyncClient,
    BundleBytesError,
    BundleFailedError,
    BundleTimeoutError,
    Client,
    models,
)

GIVEN: dict[str, Any] = json.loads(os.environ["EAS_TEST"])
CONTRACT = Path(__file__).parents[2] / "openapi.json"
MESSAGE = "MSH|^~\\&|LAB|X|EAS|Y|20260302141109||ADT^A01|42|P|2.5\rPID|1||M-77^^^X^MR||Doe^J\r"


def event_of(member_id: str, n: int) -> models.EventEnvelope:
    return {
        "event_family": "utilization_management",
        "event_type": "prior_auth.denied",
        "source_system": "um-core",
        "source_record_id": f"{member_id}-{n}",
        "member_id": member_id,
        "event_effective_timestamp": f"2026-03-02T14:11:{n:02}.000Z",
        "outcome": "DENIED",
    }


class ClientTest(unittest.TestCase):
    """The plain client; the class below runs the same tests on the other."""

    kind = "sync"

    def setUp(self) -> None:
        self.waits: list[float] = []
        self.client = self.at(GIVEN["url"])
        self.member = f"M-{uuid.uuid4()}"

    def at(self, url: str, **options: Any) -> Any:
        client = self.made(url, options.pop("key", GIVEN["key"]), sleep=self.waits.append, **options)
        self.addCleanup(client.close)
        return client

    def made(self, *args: Any, **options: Any) -> Any:
        return Client(*args, **options)

    def answering(self, bundle: dict[str, Any]) -> Any:
        answer = httpx.MockTransport(lambda _: httpx.Response(200, json={"bundle_id": "bdl_1", **bundle}))
        return self.at("http://stand-in.test", transport=answer)

    def through(self, proxy: str) -> Any:
        return self.at(GIVEN["proxies"][self.kind][proxy])

    def sealed(self) -> tuple[str, str]:
        """A sealed bundle of a new member, with its SHA-256."""
        self.client.ingest_events({"events": [event_of(self.member, n) for n in range(3)]})
        bundle_id = self.client.request_bundle({"scope": {"member_id": self.member}})["bundle_id"]
        bundle = self.client.wait_for_sealed(bundle_id, poll_seconds=0.05)
        return bundle_id, bundle["worm_blob_sha256"]

    def test_ingest_raw_sends_text_and_bytes_as_they_are(self) -> None:
        source_system = f"lab-{self.kind}"
        sent = self.client.ingest_raw(MESSAGE, source_system=source_system)
        self.assertEqual(("hl7v2", 1), (sent["format"], sent["accepted"]))
        again = self.client.ingest_raw(MESSAGE.encode(), source_system=source_system, format="hl7v2")
        self.assertEqual((0, 1), (again["accepted"], again["duplicated"]))

    def test_a_message_of_which_nothing_is_readable_raises_the_first_fault_with_the_report(self) -> None:
        with self.assertRaises(ApiError) as raised:
            self.client.ingest_raw("ISA*00*", source_system="claims")
        self.assertEqual((raised.exception.status, raised.exception.code), (422, "VALIDATION_ERROR"))
        self.assertIn("ISA_UNREADABLE: ", str(raised.exception))
        self.assertEqual(raised.exception.body["rejected"], 1)

    def test_paginate_yields_each_item_once_over_all_pages(self) -> None:
        self.client.ingest_events({"events": [event_of(self.member, n) for n in range(7)]})
        found = [event["source_record_id"] for event in self.client.paginate_events(member_id=self.member, limit=2)]
        self.assertEqual(sorted(f"{self.member}-{n}" for n in range(7)), sorted(found))

    def test_an_upload_keeps_bytes_name_and_members(self) -> None:
        part = ("note.txt", self.member.encode(), "text/plain")
        document = self.client.upload_document(part, member_id=[self.member], title="Notice of denial")
        self.assertEqual(hashlib.sha256(self.member.encode()).hexdigest(), document["sha256"])
        found = self.client.get_document_metadata(document["document_id"])
        self.assertEqual(("note.txt", [self.member]), (found["filename"], found["member_ids"]))

    def test_an_error_has_code_status_request_id_and_faults(self) -> None:
        with self.assertRaises(ApiError) as raised:
            self.client.ingest_events({"events": [{}]})
        error = raised.exception
        self.assertEqual(("VALIDATION_ERROR", 400), (error.code, error.status))
        self.assertTrue(error.request_id and error.faults)

    def test_a_wrong_key_is_unauthenticated(self) -> None:
        with self.assertRaises(ApiError) as raised:
            list(self.at(GIVEN["url"], key="eas_live_unknown").paginate_bundles())
        self.assertEqual("UNAUTHENTICATED", raised.exception.code)

    def test_a_post_whose_answer_is_lost_is_repeated_and_done_once(self) -> None:
        answer = self.through("lost").ingest_events({"events": [event_of(self.member, 1)]})
        self.assertEqual("ACCEPTED", answer["results"][0]["status"])
        self.assertEqual(3, len(self.waits))
        self.assertEqual(1, len(self.client.list_events(member_id=self.member)["items"]))

    def test_a_retry_waits_as_long_as_retry_after_says(self) -> None:
        self.through("busy").list_events()
        self.assertEqual([7.0], self.waits)

    def test_a_read_ends_after_four_attempts_and_a_delete_after_one(self) -> None:
        down = self.through("down")
        for call, waits in ((down.list_events, 3), (lambda: down.delete_webhook("whk_1"), 0)):
            self.waits.clear()
            with self.assertRaises(ApiError) as raised:
                call()
            self.assertEqual(("UNAVAILABLE", waits), (raised.exception.code, len(self.waits)))

    def test_wait_for_sealed_raises_for_a_failed_and_for_a_late_build(self) -> None:
        failure = {"code": "BUNDLE_TOO_LARGE", "message": "Narrow the window."}
        with self.assertRaisesRegex(BundleFailedError, "BUNDLE_TOO_LARGE"):
            self.answering({"status": "FAILED", "failure": failure}).wait_for_sealed("bdl_1")
        with self.assertRaises(BundleTimeoutError):
            self.answering({"status": "REQUESTED"}).wait_for_sealed("bdl_1", timeout_seconds=0)

    def test_a_download_goes_on_after_cuts_and_fails_when_a_byte_differs(self) -> None:
        bundle_id, sha256 = self.sealed()
        self.assertEqual(sha256, sha256_of(b"".join(self.client.download_bundle(bundle_id))))
        self.assertEqual(sha256, sha256_of(b"".join(self.through("cut").download_bundle(bundle_id))))
        with self.assertRaises(BundleBytesError):
            list(self.through("changed").download_bundle(bundle_id))
        with self.assertRaises(ApiError) as raised:
            self.client.download_bundle("bdl_01JQ0000000000000000000009")
        self.assertEqual("NOT_FOUND", raised.exception.code)

    def test_save_bundle_goes_on_with_the_part_of_an_earlier_call(self) -> None:
        bundle_id, sha256 = self.sealed()
        with tempfile.TemporaryDirectory() as folder:
            path, part = Path(folder, "bundle.zip"), Path(folder, "bundle.zip.part")
            whole = b"".join(self.client.download_bundle(bundle_id))
            for left in (b"", whole[:3000], whole, whole + b"more"):
                part.write_bytes(left)
                saved = self.client.save_bundle(bundle_id, path)
                self.assertEqual((path, sha256, len(whole)), (saved.path, saved.sha256, saved.size_bytes))
                self.assertEqual((True, False), (path.read_bytes() == whole, part.exists()))
            part.write_bytes(bytes(2000))
            with self.assertRaises(BundleBytesError):
                self.client.save_bundle(bundle_id, path)
            self.assertFalse(part.exists())


class AsyncClientTest(ClientTest):
    kind = "async"

    def made(self, *args: Any, **options: Any) -> Any:
        return Blocking(*args, **options)


class OperationsTest(unittest.TestCase):
    def test_both_clients_have_a_method_for_every_operation(self) -> None:
        paths = json.loads(CONTRACT.read_text(encoding="utf-8"))["paths"]
        ids = [operation["operationId"] for methods in paths.values() for operation in methods.values()]
        names = ["".join(f"_{c.lower()}" if c.isupper() else c for c in one) for one in ids]
        self.assertGreater(len(names), 200)
        self.assertEqual([], [name for name in names if not (hasattr(Client, name) and hasattr(AsyncClient, name))])


def sha256_of(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


if __name__ == "__main__":
    unittest.main()
