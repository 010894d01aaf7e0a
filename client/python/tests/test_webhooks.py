"""verify_webhook, with a delivery of the service and with altered ones."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import os
import unittest
from typing import Any

from eas_client import WebhookError, verify_webhook

SECRET = "whsec_" + base64.b64encode(b"a secret of thirty-two bytes, ok").decode()
OTHER = "whsec_" + base64.b64encode(bytes(32)).decode()
SIGNED_AT = 1_780_000_000
BODY = b'{"id":"msg_1","type":"bundle.sealed"}'
DIGEST = hmac.new(base64.b64decode(SECRET[6:]), f"msg_1.{SIGNED_AT}.".encode() + BODY, hashlib.sha256).digest()
HEADERS = {
    "Webhook-Id": "msg_1",
    "webhook-timestamp": str(SIGNED_AT),
    "webhook-signature": "v1,AAAA v1," + base64.b64encode(DIGEST).decode(),
}
GENUINE: dict[str, Any] = {"secret": SECRET, "headers": HEADERS, "body": BODY, "now": SIGNED_AT}


class VerifyWebhookTest(unittest.TestCase):
    def test_it_returns_the_body_of_a_genuine_delivery(self) -> None:
        for given in ({}, {"secret": [OTHER, SECRET]}, {"now": SIGNED_AT + 300}):
            self.assertEqual("bundle.sealed", verify_webhook(**{**GENUINE, **given})["type"])

    def test_it_raises_for_anything_else(self) -> None:
        cases: list[tuple[str, dict[str, Any]]] = [
            ("SIGNATURE", {"secret": OTHER}),
            ("SIGNATURE", {"body": BODY + b" "}),
            ("SIGNATURE", {"headers": {**HEADERS, "Webhook-Id": "msg_2"}}),
            ("SIGNATURE", {"headers": {**HEADERS, "webhook-timestamp": str(SIGNED_AT + 1)}}),
            ("SECRET", {"secret": ""}),
            ("SECRET", {"secret": SECRET[:12]}),
            ("SECRET", {"secret": [SECRET, "ü"]}),
            ("STALE", {"now": SIGNED_AT + 301}),
            ("STALE", {"now": SIGNED_AT - 301}),
            ("HEADERS", {"headers": {**HEADERS, "webhook-timestamp": "NaN"}}),
            ("HEADERS", {"headers": {**HEADERS, "webhook-signature": ""}}),
        ]
        for reason, given in cases:
            with self.subTest(given), self.assertRaises(WebhookError) as raised:
                verify_webhook(**{**GENUINE, **given})
            self.assertEqual(reason, raised.exception.reason)

    def test_it_verifies_a_delivery_of_the_service(self) -> None:
        given = json.loads(os.environ["EAS_TEST"])["delivery"]
        body = base64.b64decode(given["body"])
        now = float(given["headers"]["webhook-timestamp"])
        for secret in given["secrets"]:
            self.assertEqual("bundle.sealed", verify_webhook(secret, given["headers"], body, now=now)["type"])


if __name__ == "__main__":
    unittest.main()
