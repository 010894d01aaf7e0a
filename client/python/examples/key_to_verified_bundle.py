"""From an API key to a verified bundle.

Records two events of a member, requests the bundle of that member, waits for its seal, downloads it and verifies it
with a verifier that does not come from the bundle.

    EAS_URL=https://evidence.example.com EAS_API_KEY=eas_… EAS_TENANT=acme \
        python3 key_to_verified_bundle.py /path/to/verify.py bundle.zip

The key needs events:write, bundles:request, bundles:read and bundles:export. verify.py needs openssl.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from datetime import datetime, timezone

from eas_client import Client, models


def event_of(member_id: str, event_type: str, outcome: str) -> models.EventEnvelope:
    return {
        "event_family": "utilization_management",
        "event_type": event_type,
        "source_system": "um-core",
        "source_record_id": f"{member_id}-{outcome}",
        "member_id": member_id,
        "event_effective_timestamp": datetime.now(timezone.utc).isoformat(timespec="milliseconds"),
        "outcome": outcome,
    }


def main(verifier: str, path: str = "bundle.zip") -> int:
    with Client(os.environ["EAS_URL"], os.environ["EAS_API_KEY"]) as client:
        member_id = f"M-{time.time_ns()}"
        events = [
            event_of(member_id, "prior_auth.requested", "PENDED"),
            event_of(member_id, "prior_auth.denied", "DENIED"),
        ]
        client.ingest_events({"events": events})

        bundle_id = client.request_bundle({"scope": {"member_id": member_id}})["bundle_id"]
        bundle = client.wait_for_sealed(bundle_id)
        print(f"sealed {bundle_id} with {bundle.get('event_count')} events")

        saved = client.save_bundle(bundle_id, path)
        print(f"saved {saved.path}: {saved.size_bytes} bytes, SHA-256 {saved.sha256}", flush=True)

        # The keys come from the service's open list. Compare them with a list that you kept, if the service itself is
        # in doubt.
        keys = client.get_signing_key_set(tenant_id=os.environ["EAS_TENANT"])
    with open(f"{path}.keys.json", "w", encoding="utf-8") as file:
        json.dump(keys, file)
    return subprocess.run([sys.executable, verifier, path, "--keys", f"{path}.keys.json"], check=False).returncode


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit("Usage: EAS_URL=… EAS_API_KEY=… EAS_TENANT=… key_to_verified_bundle.py VERIFY.PY [BUNDLE.ZIP]")
    sys.exit(main(*sys.argv[1:]))
