# Written by `npm run client`. Do not edit.
"""One method for each operation of the service's contract."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

from . import models as m
from ._caller import Caller, FilePart, segment


class Operations(Caller):
    """Every operation of the contract; the arguments and answers have its types."""

    def ingest_events(
        self,
        body: m.EventEnvelope | list[m.EventEnvelope] | m.IngestEventsBody3,
        *,
        idempotency_key: str | None = None,
    ) -> m.IngestEventsAnswer1 | m.IngestBatchResult:
        """Append events to the ledger.

        One envelope, an array of envelopes, or { events: [...] }. A batch returns 200 with one result per
        item. `POST /v1/events`
        """
        result: m.IngestEventsAnswer1 | m.IngestBatchResult = self._json(
            "POST",
            "/v1/events",
            body=body,
            idempotency_key=idempotency_key,
        )
        return result

    def list_events(
        self,
        *,
        claim: str | None = None,
        code: str | None = None,
        cursor: str | None = None,
        event_family: str | None = None,
        event_type: str | None = None,
        from_: str | None = None,
        jurisdiction: str | None = None,
        limit: int | None = None,
        member_id: str | None = None,
        order: Literal["asc", "desc"] | None = None,
        outcome: str | None = None,
        program: str | None = None,
        provider: str | None = None,
        purpose: str | None = None,
        source_record_id: str | None = None,
        source_system: str | None = None,
        to: str | None = None,
    ) -> m.EventPage:
        """List events.

        Events by effective time, newest first; system partitions only by name. Pages hold `limit` items;
        `next_cursor` of the answer is the `cursor` of the next page, and null on the last. `GET /v1/events`
        """
        result: m.EventPage = self._json(
            "GET",
            "/v1/events",
            query={
                "claim": claim,
                "code": code,
                "cursor": cursor,
                "event_family": event_family,
                "event_type": event_type,
                "from": from_,
                "jurisdiction": jurisdiction,
                "limit": limit,
                "member_id": member_id,
                "order": order,
                "outcome": outcome,
                "program": program,
                "provider": provider,
                "purpose": purpose,
                "source_record_id": source_record_id,
                "source_system": source_system,
                "to": to,
            },
        )
        return result

    def paginate_events(
        self,
        *,
        claim: str | None = None,
        code: str | None = None,
        event_family: str | None = None,
        event_type: str | None = None,
        from_: str | None = None,
        jurisdiction: str | None = None,
        limit: int | None = None,
        member_id: str | None = None,
        order: Literal["asc", "desc"] | None = None,
        outcome: str | None = None,
        program: str | None = None,
        provider: str | None = None,
        purpose: str | None = None,
        source_record_id: str | None = None,
        source_system: str | None = None,
        to: str | None = None,
    ) -> Iterator[m.EventRecord]:
        """Iterates over all items of list_events, page by page."""
        for item in self._items(
            "/v1/events",
            query={
                "claim": claim,
                "code": code,
                "event_family": event_family,
                "event_type": event_type,
                "from": from_,
                "jurisdiction": jurisdiction,
                "limit": limit,
                "member_id": member_id,
                "order": order,
                "outcome": outcome,
                "program": program,
                "provider": provider,
                "purpose": purpose,
                "source_record_id": source_record_id,
                "source_system": source_system,
                "to": to,
            },
        ):
            yield item

    def validate_event(
        self,
        body: m.EventEnvelope,
        *,
        idempotency_key: str | None = None,
    ) -> m.EventValidation:
        """Validate an event envelope without writing anything.

        Checks whether an envelope would be accepted; writes nothing. `POST /v1/events/validate`
        """
        result: m.EventValidation = self._json(
            "POST",
            "/v1/events/validate",
            body=body,
            idempotency_key=idempotency_key,
        )
        return result

    def get_event(
        self,
        id: str,
        *,
        purpose: str | None = None,
    ) -> m.EventRecord:
        """Read one event.

        An event as recorded, or its rendition. 404 NOT_FOUND if there is none, or it is not visible to the
        key. `GET /v1/events/{id}`
        """
        result: m.EventRecord = self._json(
            "GET",
            f"/v1/events/{segment(id)}",
            query={
                "purpose": purpose,
            },
        )
        return result

    def get_event_opening(
        self,
        id: str,
        *,
        purpose: str | None = None,
    ) -> m.EventOpening:
        """Read what opens the commitments of an event.

        The record as it was hashed, its seed and its header: a reader recomputes `commit`, `fields` and
        `entry_hash` (docs/evidence.md section 2), and follows `/proof` to the signed checkpoint. A redacted
        event gives its redacted line in place of record and seed. `GET /v1/events/{id}/opening`
        """
        result: m.EventOpening = self._json(
            "GET",
            f"/v1/events/{segment(id)}/opening",
            query={
                "purpose": purpose,
            },
        )
        return result

    def get_event_raw(
        self,
        id: str,
        *,
        whole: bool | None = None,
    ) -> bytes:
        """Read the raw bytes of an event.

        Returns the event’s part of the raw message, or the whole body if it has no other event. `whole=true`
        returns the whole body and needs documents:unredacted. Recorded in custody before the first byte is
        sent. `GET /v1/events/{id}/raw`
        """
        result: bytes = self._bytes(
            "GET",
            f"/v1/events/{segment(id)}/raw",
            query={
                "whole": whole,
            },
        )
        return result

    def get_event_links(
        self,
        id: str,
    ) -> m.EventLinkList:
        """List the events linked to an event by shared numbers.

        Claims, prior authorizations, remittances, statuses and pharmacy messages that name the same claim,
        authorization, trace or prescription. An event is linked within a second of its append. `GET
        /v1/events/{id}/links`
        """
        result: m.EventLinkList = self._json(
            "GET",
            f"/v1/events/{segment(id)}/links",
        )
        return result

    def list_partitions(
        self,
    ) -> m.PartitionList:
        """List the tenant’s chains and their heads.

        The hash chains of the tenant and their heads. `GET /v1/ledger/partitions`
        """
        result: m.PartitionList = self._json(
            "GET",
            "/v1/ledger/partitions",
        )
        return result

    def verify_ledger(
        self,
        *,
        depth: Literal["full", "headers"] | None = None,
        from_sequence: int | None = None,
        known_root: str | None = None,
        known_size: int | None = None,
        source_system: str | None = None,
        to_sequence: int | None = None,
    ) -> m.AnchoredVerification:
        """Verify the ledger against the write-once store, its tree and its checkpoints.

        With `Accept: application/x-ndjson`, progress and breaks are streamed one per line; the last line is
        the result or the error. Closing the connection stops the verification. `GET /v1/ledger/verify`
        """
        result: m.AnchoredVerification = self._json(
            "GET",
            "/v1/ledger/verify",
            query={
                "depth": depth,
                "from_sequence": from_sequence,
                "known_root": known_root,
                "known_size": known_size,
                "source_system": source_system,
                "to_sequence": to_sequence,
            },
        )
        return result

    def list_checkpoints(
        self,
        *,
        cursor: str | None = None,
        from_: str | None = None,
        limit: int | None = None,
        order: Literal["asc", "desc"] | None = None,
        to: str | None = None,
    ) -> m.CheckpointPage:
        """List signed checkpoints of the ledger.

        Signed checkpoints of the ledger, newest first. Pages hold `limit` items; `next_cursor` of the answer
        is the `cursor` of the next page, and null on the last. `GET /v1/ledger/checkpoints`
        """
        result: m.CheckpointPage = self._json(
            "GET",
            "/v1/ledger/checkpoints",
            query={
                "cursor": cursor,
                "from": from_,
                "limit": limit,
                "order": order,
                "to": to,
            },
        )
        return result

    def paginate_checkpoints(
        self,
        *,
        from_: str | None = None,
        limit: int | None = None,
        order: Literal["asc", "desc"] | None = None,
        to: str | None = None,
    ) -> Iterator[m.Checkpoint]:
        """Iterates over all items of list_checkpoints, page by page."""
        for item in self._items(
            "/v1/ledger/checkpoints",
            query={
                "from": from_,
                "limit": limit,
                "order": order,
                "to": to,
            },
        ):
            yield item

    def get_latest_checkpoint(
        self,
    ) -> m.Checkpoint:
        """Read the latest signed checkpoint.

        404 if the ledger has no checkpoint yet; the first one follows the first entry within seconds. `GET
        /v1/ledger/checkpoints/latest`
        """
        result: m.Checkpoint = self._json(
            "GET",
            "/v1/ledger/checkpoints/latest",
        )
        return result

    def get_checkpoint(
        self,
        id: str,
    ) -> m.Checkpoint:
        """Read a signed checkpoint.

        A signed checkpoint. 404 NOT_FOUND if there is none, or it is not visible to the key. `GET
        /v1/ledger/checkpoints/{id}`
        """
        result: m.Checkpoint = self._json(
            "GET",
            f"/v1/ledger/checkpoints/{segment(id)}",
        )
        return result

    def get_checkpoint_timestamp(
        self,
        id: str,
    ) -> m.CheckpointTimestamp:
        """The time-stamp of a checkpoint (RFC 3161).

        If the deployment configures a time-stamp authority, it signs the SHA-256 of the note of one
        checkpoint a day. `Accept: application/timestamp-reply` returns the bare reply, for `openssl ts
        -verify` over the note. `GET /v1/ledger/checkpoints/{id}/timestamp`
        """
        result: m.CheckpointTimestamp = self._json(
            "GET",
            f"/v1/ledger/checkpoints/{segment(id)}/timestamp",
        )
        return result

    def get_consistency(
        self,
        *,
        first: int | None = None,
        second: int | None = None,
    ) -> m.ConsistencyProof:
        """Prove that the ledger has only grown.

        Proves that the tree of the second size begins with the tree of the first (RFC 6962). Take sizes and
        roots from checkpoints that you have verified, not from this answer. Sizes of earlier incarnations
        cannot be proven. Before the first checkpoint: 409 CONFLICT with Retry-After; it follows within
        seconds. `GET /v1/ledger/consistency`
        """
        result: m.ConsistencyProof = self._json(
            "GET",
            "/v1/ledger/consistency",
            query={
                "first": first,
                "second": second,
            },
        )
        return result

    def get_operator_proof(
        self,
    ) -> m.OperatorProof:
        """Prove that the operator's log covers this ledger.

        Once an hour the root over the newest notes of all tenants' ledgers becomes one entry of the
        operator's log. A copy of the operator's note outside then covers this ledger too. 409 CONFLICT with
        Retry-After until the first hour of this ledger is recorded. `GET /v1/ledger/operator-proof`
        """
        result: m.OperatorProof = self._json(
            "GET",
            "/v1/ledger/operator-proof",
        )
        return result

    def get_event_proof(
        self,
        id: str,
    ) -> m.EventProof:
        """Prove that an event is in the ledger.

        The inclusion proof up to the latest signed checkpoint. 409 CONFLICT with Retry-After if no checkpoint
        covers the event yet; one follows within seconds. `GET /v1/events/{id}/proof`
        """
        result: m.EventProof = self._json(
            "GET",
            f"/v1/events/{segment(id)}/proof",
        )
        return result

    def declare_incarnation(
        self,
        body: m.DeclareIncarnationBody,
        *,
        idempotency_key: str | None = None,
    ) -> m.LedgerIncarnation:
        """Declare a new incarnation of the ledger's tree.

        After a regress (exception CHECKPOINT_REGRESS: the database was restored or changed), no checkpoint is
        published until an operator declares here that new checkpoints need not extend the published ones. The
        declaration is permanent, and the origin of every later checkpoint names it. `POST
        /v1/ledger/incarnations`
        """
        result: m.LedgerIncarnation = self._json(
            "POST",
            "/v1/ledger/incarnations",
            body=body,
            idempotency_key=idempotency_key,
        )
        return result

    def search(
        self,
        body: m.SearchBody,
        *,
        idempotency_key: str | None = None,
    ) -> m.SearchAnswer:
        """Search by words.

        Words in any form, codes with any separators, exact "phrases", prefix*, -exclusions: every part must
        match. Documents match by text and metadata, for keys with documents:read. A filter that a kind does
        not have leaves that kind out. Searches are not stored. `POST /v1/search`
        """
        result: m.SearchAnswer = self._json(
            "POST",
            "/v1/search",
            body=body,
            idempotency_key=idempotency_key,
        )
        return result

    def list_questions(
        self,
    ) -> m.ListQuestionsAnswer:
        """List the saved questions of analysts.

        Each question is one query for `POST /graphql`, with its explanation and variables. The page
        `/graphiql` shows the same list. Running a query needs `graph:query` and the scopes of its fields.
        `GET /v1/questions`
        """
        result: m.ListQuestionsAnswer = self._json(
            "GET",
            "/v1/questions",
        )
        return result

    def draft_redaction(
        self,
        body: m.RedactionDraft,
        *,
        idempotency_key: str | None = None,
    ) -> m.Redaction:
        """Draft a redaction.

        Redacts an event by JSON Pointers, or a document by terms or pages (text/plain, application/pdf,
        image/png and image/jpeg). A draft hides nothing yet. `POST /v1/redactions`
        """
        result: m.Redaction = self._json(
            "POST",
            "/v1/redactions",
            body=body,
            idempotency_key=idempotency_key,
        )
        return result

    def list_redactions(
        self,
        *,
        cursor: str | None = None,
        from_: str | None = None,
        limit: int | None = None,
        order: Literal["asc", "desc"] | None = None,
        status: Literal["DRAFT", "APPLIED", "DISCARDED"] | None = None,
        subject_id: str | None = None,
        subject_kind: Literal["EVENT", "DOCUMENT"] | None = None,
        to: str | None = None,
    ) -> m.RedactionPage:
        """List redactions.

        Lists the redactions of the tenant. Pages hold `limit` items; `next_cursor` of the answer is the
        `cursor` of the next page, and null on the last. `GET /v1/redactions`
        """
        result: m.RedactionPage = self._json(
            "GET",
            "/v1/redactions",
            query={
                "cursor": cursor,
                "from": from_,
                "limit": limit,
                "order": order,
                "status": status,
                "subject_id": subject_id,
                "subject_kind": subject_kind,
                "to": to,
            },
        )
        return result

    def paginate_redactions(
        self,
        *,
        from_: str | None = None,
        limit: int | None = None,
        order: Literal["asc", "desc"] | None = None,
        status: Literal["DRAFT", "APPLIED", "DISCARDED"] | None = None,
        subject_id: str | None = None,
        subject_kind: Literal["EVENT", "DOCUMENT"] | None = None,
        to: str | None = None,
    ) -> Iterator[m.Redaction]:
        """Iterates over all items of list_redactions, page by page."""
        for item in self._items(
            "/v1/redactions",
            query={
                "from": from_,
                "limit": limit,
                "order": order,
                "status": status,
                "subject_id": subject_id,
                "subject_kind": subject_kind,
                "to": to,
            },
        ):
            yield item

    def get_redaction(
        self,
        id: str,
    ) -> m.Redaction:
        """Read one redaction.

        Returns a redaction. 404 NOT_FOUND if there is none, or it is not visible to the key. `GET
        /v1/redactions/{id}`
        """
        result: m.Redaction = self._json(
            "GET",
            f"/v1/redactions/{segment(id)}",
        )
        return result

    def update_redaction(
        self,
        id: str,
        body: m.RedactionPatch,
    ) -> m.Redaction:
        """Change a draft.

        Absent members stay; a given list replaces the previous one. `PATCH /v1/redactions/{id}`
        """
        result: m.Redaction = self._json(
            "PATCH",
            f"/v1/redactions/{segment(id)}",
            body=body,
        )
        return result

    def discard_redaction(
        self,
        id: str,
    ) -> m.Redaction:
        """Discard a draft.

        The record stays, DISCARDED. `DELETE /v1/redactions/{id}`
        """
        result: m.Redaction = self._json(
            "DELETE",
            f"/v1/redactions/{segment(id)}",
        )
        return result

    def apply_redaction(
        self,
        id: str,
        body: m.RedactionReview | None = None,
        *,
        idempotency_key: str | None = None,
    ) -> m.Redaction:
        """Apply a redaction.

        Makes the rendition, which readers without documents:unredacted get from then on; the original stays.
        A person who drafted it may not apply it, unless the deployment allows that. Final. `POST
        /v1/redactions/{id}/apply`
        """
        result: m.Redaction = self._json(
            "POST",
            f"/v1/redactions/{segment(id)}/apply",
            body=body,
            idempotency_key=idempotency_key,
        )
        return result

    def list_custody(
        self,
        *,
        action: Literal["READ_CONTENT", "READ_RAW", "READ_TIMELINE", "READ_MEMBER_RECORD", "READ_DISCLOSURES", "DOWNLOAD_BUNDLE", "SHARE", "UNSHARE", "EXPORT_EDX", "UPLOAD", "RELEASE", "REJECT", "REDACT", "HOLD", "UNHOLD", "NOTIFY", "ACKNOWLEDGE", "WITHDRAW", "DISPOSE", "INTEGRITY_FAILURE", "RECEIVED", "TRANSFERRED", "DISCLOSED", "COPIED", "INSPECTED", "RETURNED", "DESTROYED", "NOTED"] | None = None,
        actor_id: str | None = None,
        cursor: str | None = None,
        from_: str | None = None,
        limit: int | None = None,
        order: Literal["asc", "desc"] | None = None,
        subject_id: str | None = None,
        subject_kind: Literal["EVENT", "DOCUMENT", "BUNDLE", "MEMBER", "HOLD", "RAW"] | None = None,
        to: str | None = None,
    ) -> m.CustodyPage:
        """List the chain of custody.

        For one event, document, bundle, member, hold or raw body, or for the whole tenant. Reading it records
        no entry. `GET /v1/custody`
        """
        result: m.CustodyPage = self._json(
            "GET",
            "/v1/custody",
            query={
                "action": action,
                "actor_id": actor_id,
                "cursor": cursor,
                "from": from_,
                "limit": limit,
                "order": order,
                "subject_id": subject_id,
                "subject_kind": subject_kind,
                "to": to,
            },
        )
        return result

    def paginate_custody(
        self,
        *,
        action: Literal["READ_CONTENT", "READ_RAW", "READ_TIMELINE", "READ_MEMBER_RECORD", "READ_DISCLOSURES", "DOWNLOAD_BUNDLE", "SHARE", "UNSHARE", "EXPORT_EDX", "UPLOAD", "RELEASE", "REJECT", "REDACT", "HOLD", "UNHOLD", "NOTIFY", "ACKNOWLEDGE", "WITHDRAW", "DISPOSE", "INTEGRITY_FAILURE", "RECEIVED", "TRANSFERRED", "DISCLOSED", "COPIED", "INSPECTED", "RETURNED", "DESTROYED", "NOTED"] | None = None,
        actor_id: str | None = None,
        from_: str | None = None,
        limit: int | None = None,
        order: Literal["asc", "desc"] | None = None,
        subject_id: str | None = None,
        subject_kind: Literal["EVENT", "DOCUMENT", "BUNDLE", "MEMBER", "HOLD", "RAW"] | None = None,
        to: str | None = None,
    ) -> Iterator[m.CustodyEntry]:
        """Iterates over all items of list_custody, page by page."""
        for item in self._items(
            "/v1/custody",
            query={
                "action": action,
                "actor_id": actor_id,
                "from": from_,
                "limit": limit,
                "order": order,
                "subject_id": subject_id,
                "subject_kind": subject_kind,
                "to": to,
            },
        ):
            yield item

    def record_custody(
        self,
        body: m.CustodyInput,
        *,
        idempotency_key: str | None = None,
    ) -> m.CustodyEntry:
        """Record an act of custody.

        For acts outside the service. The service records its own acts. `POST /v1/custody`
        """
        result: m.CustodyEntry = self._json(
            "POST",
            "/v1/custody",
            body=body,
            idempotency_key=idempotency_key,
        )
        return result

    def verify_custody(
        self,
    ) -> m.LedgerVerification:
        """Verify the chain of custody.

        Hashes the partition `_custody` again and compares it with its write-once copies. `GET
        /v1/custody/verify`
        """
        result: m.LedgerVerification = self._json(
            "GET",
            "/v1/custody/verify",
        )
        return result

    def list_exceptions(
        self,
        *,
        assigned_to: str | None = None,
        cursor: str | None = None,
        from_: str | None = None,
        kind: Literal["PARSE_FAILED", "VALIDATION_FAILED", "SOURCE_RECORD_CONFLICT", "UNKNOWN_MEMBER", "SEQUENCE_GAP", "CHAIN_BREAK", "WORM_MISMATCH", "WORM_MISSING", "FEED_STALE", "CONTROL_NUMBER_GAP", "UNMATCHED_REMITTANCE", "BUNDLE_FAILED", "AI_ADVERSE_UNREVIEWED", "WEBHOOK_FAILING", "WEBHOOK_SUSPENDED", "CHECKPOINT_REGRESS", "JOB_POISONED", "AUTHORIZATION_LATE", "AUTHORIZATION_MISMATCH", "REMITTANCE_UNBALANCED", "DOCUMENT_QUARANTINED", "DATA_RIGHT_OVERDUE"] | None = None,
        limit: int | None = None,
        order: Literal["asc", "desc"] | None = None,
        severity: Literal["LOW", "MEDIUM", "HIGH", "CRITICAL"] | None = None,
        source: Literal["INGEST", "RECONCILIATION"] | None = None,
        status: Literal["OPEN", "ASSIGNED", "KNOWN_GAP", "RESOLVED"] | None = None,
        subject_id: str | None = None,
        subject_kind: str | None = None,
        to: str | None = None,
    ) -> m.ExceptionPage:
        """List exceptions.

        Exceptions of the tenant. Pages hold `limit` items; `next_cursor` of the answer is the `cursor` of the
        next page, and null on the last. `GET /v1/exceptions`
        """
        result: m.ExceptionPage = self._json(
            "GET",
            "/v1/exceptions",
            query={
                "assigned_to": assigned_to,
                "cursor": cursor,
                "from": from_,
                "kind": kind,
                "limit": limit,
                "order": order,
                "severity": severity,
                "source": source,
                "status": status,
                "subject_id": subject_id,
                "subject_kind": subject_kind,
                "to": to,
            },
        )
        return result

    def paginate_exceptions(
        self,
        *,
        assigned_to: str | None = None,
        from_: str | None = None,
        kind: Literal["PARSE_FAILED", "VALIDATION_FAILED", "SOURCE_RECORD_CONFLICT", "UNKNOWN_MEMBER", "SEQUENCE_GAP", "CHAIN_BREAK", "WORM_MISMATCH", "WORM_MISSING", "FEED_STALE", "CONTROL_NUMBER_GAP", "UNMATCHED_REMITTANCE", "BUNDLE_FAILED", "AI_ADVERSE_UNREVIEWED", "WEBHOOK_FAILING", "WEBHOOK_SUSPENDED", "CHECKPOINT_REGRESS", "JOB_POISONED", "AUTHORIZATION_LATE", "AUTHORIZATION_MISMATCH", "REMITTANCE_UNBALANCED", "DOCUMENT_QUARANTINED", "DATA_RIGHT_OVERDUE"] | None = None,
        limit: int | None = None,
        order: Literal["asc", "desc"] | None = None,
        severity: Literal["LOW", "MEDIUM", "HIGH", "CRITICAL"] | None = None,
        source: Literal["INGEST", "RECONCILIATION"] | None = None,
        status: Literal["OPEN", "ASSIGNED", "KNOWN_GAP", "RESOLVED"] | None = None,
        subject_id: str | None = None,
        subject_kind: str | None = None,
        to: str | None = None,
    ) -> Iterator[m.Exception]:
        """Iterates over all items of list_exceptions, page by page."""
        for item in self._items(
            "/v1/exceptions",
            query={
                "assigned_to": assigned_to,
                "from": from_,
                "kind": kind,
                "limit": limit,
                "order": order,
                "severity": severity,
                "source": source,
                "status": status,
                "subject_id": subject_id,
                "subject_kind": subject_kind,
                "to": to,
            },
        ):
            yield item

    def get_exception(
        self,
        id: str,
    ) -> m.Exception:
        """Read one exception.

        An exception with its steps. 404 NOT_FOUND if there is none, or it is not visible to the key. `GET
        /v1/exceptions/{id}`
        """
        result: m.Exception = self._json(
            "GET",
            f"/v1/exceptions/{segment(id)}",
        )
        return result

    def assign_exception(
        self,
        id: str,
        body: m.ExceptionAssignment,
        *,
        idempotency_key: str | None = None,
    ) -> m.Exception:
        """Assign an exception.

        Assigns an exception to a user. 404 NOT_FOUND if there is none, or it is not visible to the key. `POST
        /v1/exceptions/{id}/assign`
        """
        result: m.Exception = self._json(
            "POST",
            f"/v1/exceptions/{segment(id)}/assign",
            body=body,
            idempotency_key=idempotency_key,
        )
        return result

    def resolve_exception(
        self,
        id: str,
        body: m.ExceptionResolution,
        *,
        idempotency_key: str | None = None,
    ) -> m.Exception:
        """Resolve an exception.

        Final. A new occurrence opens a new exception. `POST /v1/exceptions/{id}/resolve`
        """
        result: m.Exception = self._json(
            "POST",
            f"/v1/exceptions/{segment(id)}/resolve",
            body=body,
            idempotency_key=idempotency_key,
        )
        return result

    def mark_exception_known_gap(
        self,
        id: str,
        body: m.KnownGapInput,
        *,
        idempotency_key: str | None = None,
    ) -> m.Exception:
        """Mark an exception as a known gap.

        It reopens within a minute after `until`. Until then, new occurrences are counted and open nothing.
        `POST /v1/exceptions/{id}/mark-known-gap`
        """
        result: m.Exception = self._json(
            "POST",
            f"/v1/exceptions/{segment(id)}/mark-known-gap",
            body=body,
            idempotency_key=idempotency_key,
        )
        return result

    def ingest_raw(
        self,
        content: str | bytes,
        *,
        content_type: Literal["application/edi-x12", "application/hl7-v2", "x-application/hl7-v2+er7", "application/fhir+json", "application/fhir+xml", "application/x-ndjson", "application/xml", "text/xml", "application/x-ncpdp", "application/cda+xml", "application/octet-stream", "text/plain", "application/gzip", "application/zip", "application/fhir+ndjson", "application/x-www-form-urlencoded", "multipart/mixed"] = "application/octet-stream",
        format: str | None = None,
        source_system: str | None = None,
        strict: bool | None = None,
        idempotency_key: str | None = None,
    ) -> m.RawIngestResult:
        """Ingest a raw X12, FHIR, HL7 v2, NCPDP or C-CDA message.

        Takes the bare message, a JSON wrapper or a form; also packed by gzip, or as a ZIP of files of one
        format. The format comes from the query, else from the wrapper, else from the Content-Type, else from
        the bytes. `POST /v1/ingest/raw`
        """
        result: m.RawIngestResult = self._json(
            "POST",
            "/v1/ingest/raw",
            query={
                "format": format,
                "source_system": source_system,
                "strict": strict,
            },
            content=content,
            content_type=content_type,
            idempotency_key=idempotency_key,
        )
        return result

    def preview_raw(
        self,
        content: str | bytes,
        *,
        content_type: Literal["application/edi-x12", "application/hl7-v2", "x-application/hl7-v2+er7", "application/fhir+json", "application/fhir+xml", "application/x-ndjson", "application/xml", "text/xml", "application/x-ncpdp", "application/cda+xml", "application/octet-stream", "text/plain", "application/gzip", "application/zip", "application/fhir+ndjson", "application/x-www-form-urlencoded", "multipart/mixed"] = "application/octet-stream",
        format: str | None = None,
        source_system: str | None = None,
        strict: bool | None = None,
        idempotency_key: str | None = None,
    ) -> m.RawPreview:
        """Validate a raw message without writing anything.

        Takes the same bodies as POST /v1/ingest/raw, at most 4 MiB unpacked, and says which events,
        rejections, exceptions and warnings an ingest would make. It does not compare them with the ledger, so
        an event that is there already is VALID too. `POST /v1/ingest/raw/validate`
        """
        result: m.RawPreview = self._json(
            "POST",
            "/v1/ingest/raw/validate",
            query={
                "format": format,
                "source_system": source_system,
                "strict": strict,
            },
            content=content,
            content_type=content_type,
            idempotency_key=idempotency_key,
        )
        return result

    def get_ingest(
        self,
        ingest_id: str,
    ) -> m.RawIngestResult:
        """Read the outcome of a raw ingest.

        Returns the answer to a raw message. 404 NOT_FOUND if there is none, or it is not visible to the key.
        `GET /v1/ingest/{ingest_id}`
        """
        result: m.RawIngestResult = self._json(
            "GET",
            f"/v1/ingest/{segment(ingest_id)}",
        )
        return result

    def list_ingest_results(
        self,
        ingest_id: str,
        *,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> m.IngestRowPage:
        """List the results of a raw ingest.

        Lists all rows of a raw message in reading order. Pages hold `limit` items; `next_cursor` of the
        answer is the `cursor` of the next page, and null on the last. 404 NOT_FOUND if there is none, or it
        is not visible to the key. `GET /v1/ingest/{ingest_id}/results`
        """
        result: m.IngestRowPage = self._json(
            "GET",
            f"/v1/ingest/{segment(ingest_id)}/results",
            query={
                "cursor": cursor,
                "limit": limit,
            },
        )
        return result

    def paginate_ingest_results(
        self,
        ingest_id: str,
        *,
        limit: int | None = None,
    ) -> Iterator[m.RawIngestRow]:
        """Iterates over all items of list_ingest_results, page by page."""
        for item in self._items(
            f"/v1/ingest/{segment(ingest_id)}/results",
            query={
                "limit": limit,
            },
        ):
            yield item

    def upload_document(
        self,
        file: FilePart,
        *,
        matter_id: str | None = None,
        document_type: str | None = None,
        title: str | None = None,
        source_system: str | None = None,
        effective_at: str | None = None,
        member_id: list[str] | None = None,
        event_ids: list[str] | None = None,
        tags: list[str] | None = None,
        idempotency_key: str | None = None,
    ) -> m.Document:
        """Upload a document.

        Takes a form with one file; the same bytes are stored once. A list is a repeated field or a JSON
        array. Recorded in custody. `POST /v1/documents`
        """
        result: m.Document = self._json(
            "POST",
            "/v1/documents",
            files={"file": file},
            form={"matter_id": matter_id, "document_type": document_type, "title": title, "source_system": source_system, "effective_at": effective_at, "member_id": member_id, "event_ids": event_ids, "tags": tags},
            idempotency_key=idempotency_key,
        )
        return result

    def list_documents(
        self,
        *,
        cursor: str | None = None,
        document_type: str | None = None,
        event_id: str | None = None,
        filename: str | None = None,
        from_: str | None = None,
        limit: int | None = None,
        matter_id: str | None = None,
        media_type: str | None = None,
        member_id: str | None = None,
        order: Literal["asc", "desc"] | None = None,
        purpose: str | None = None,
        scan_status: Literal["PENDING", "CLEAN", "FLAGGED"] | None = None,
        sha256: str | None = None,
        source_system: str | None = None,
        status: Literal["AVAILABLE", "QUARANTINED", "REJECTED", "DISPOSED"] | None = None,
        tag: str | None = None,
        to: str | None = None,
    ) -> m.DocumentPage:
        """List documents.

        Lists the documents of the tenant. Pages hold `limit` items; `next_cursor` of the answer is the
        `cursor` of the next page, and null on the last. `GET /v1/documents`
        """
        result: m.DocumentPage = self._json(
            "GET",
            "/v1/documents",
            query={
                "cursor": cursor,
                "document_type": document_type,
                "event_id": event_id,
                "filename": filename,
                "from": from_,
                "limit": limit,
                "matter_id": matter_id,
                "media_type": media_type,
                "member_id": member_id,
                "order": order,
                "purpose": purpose,
                "scan_status": scan_status,
                "sha256": sha256,
                "source_system": source_system,
                "status": status,
                "tag": tag,
                "to": to,
            },
        )
        return result

    def paginate_documents(
        self,
        *,
        document_type: str | None = None,
        event_id: str | None = None,
        filename: str | None = None,
        from_: str | None = None,
        limit: int | None = None,
        matter_id: str | None = None,
        media_type: str | None = None,
        member_id: str | None = None,
        order: Literal["asc", "desc"] | None = None,
        purpose: str | None = None,
        scan_status: Literal["PENDING", "CLEAN", "FLAGGED"] | None = None,
        sha256: str | None = None,
        source_system: str | None = None,
        status: Literal["AVAILABLE", "QUARANTINED", "REJECTED", "DISPOSED"] | None = None,
        tag: str | None = None,
        to: str | None = None,
    ) -> Iterator[m.Document]:
        """Iterates over all items of list_documents, page by page."""
        for item in self._items(
            "/v1/documents",
            query={
                "document_type": document_type,
                "event_id": event_id,
                "filename": filename,
                "from": from_,
                "limit": limit,
                "matter_id": matter_id,
                "media_type": media_type,
                "member_id": member_id,
                "order": order,
                "purpose": purpose,
                "scan_status": scan_status,
                "sha256": sha256,
                "source_system": source_system,
                "status": status,
                "tag": tag,
                "to": to,
            },
        ):
            yield item

    def get_document_content(
        self,
        id: str,
        *,
        purpose: str | None = None,
    ) -> bytes:
        """Read the content of a document.

        Streams the bytes; the entity tag is their SHA-256. Readers without documents:unredacted get the
        redacted rendition if there is one. `X-Content-Scan: pending` means that the scan has not finished.
        Recorded in custody before the first byte is sent. `GET /v1/documents/{id}`
        """
        result: bytes = self._bytes(
            "GET",
            f"/v1/documents/{segment(id)}",
            query={
                "purpose": purpose,
            },
        )
        return result

    def get_document_metadata(
        self,
        id: str,
        *,
        purpose: str | None = None,
    ) -> m.Document:
        """Read the metadata of a document.

        Returns a document without its bytes. 404 NOT_FOUND if there is none, or it is not visible to the key.
        `GET /v1/documents/{id}/metadata`
        """
        result: m.Document = self._json(
            "GET",
            f"/v1/documents/{segment(id)}/metadata",
            query={
                "purpose": purpose,
            },
        )
        return result

    def attach_document(
        self,
        id: str,
        event_id: str,
        body: dict[str, Any] | None = None,
        *,
        idempotency_key: str | None = None,
    ) -> m.Document:
        """Attach a document to an event.

        Attaches a document to an event. 404 NOT_FOUND if there is none, or it is not visible to the key.
        `POST /v1/documents/{id}/events/{event_id}`
        """
        result: m.Document = self._json(
            "POST",
            f"/v1/documents/{segment(id)}/events/{segment(event_id)}",
            body=body,
            idempotency_key=idempotency_key,
        )
        return result

    def detach_document(
        self,
        id: str,
        event_id: str,
    ) -> m.Document:
        """Detach a document from an event.

        409 LEGAL_HOLD_ACTIVE while a hold covers the document through this event alone. `DELETE
        /v1/documents/{id}/events/{event_id}`
        """
        result: m.Document = self._json(
            "DELETE",
            f"/v1/documents/{segment(id)}/events/{segment(event_id)}",
        )
        return result

    def list_quarantine(
        self,
        *,
        cursor: str | None = None,
        document_type: str | None = None,
        event_id: str | None = None,
        filename: str | None = None,
        from_: str | None = None,
        limit: int | None = None,
        matter_id: str | None = None,
        media_type: str | None = None,
        member_id: str | None = None,
        order: Literal["asc", "desc"] | None = None,
        sha256: str | None = None,
        source_system: str | None = None,
        tag: str | None = None,
        to: str | None = None,
    ) -> m.QuarantinePage:
        """List documents in quarantine.

        Lists the documents in quarantine. Pages hold `limit` items; `next_cursor` of the answer is the
        `cursor` of the next page, and null on the last. `GET /v1/quarantine`
        """
        result: m.QuarantinePage = self._json(
            "GET",
            "/v1/quarantine",
            query={
                "cursor": cursor,
                "document_type": document_type,
                "event_id": event_id,
                "filename": filename,
                "from": from_,
                "limit": limit,
                "matter_id": matter_id,
                "media_type": media_type,
                "member_id": member_id,
                "order": order,
                "sha256": sha256,
                "source_system": source_system,
                "tag": tag,
                "to": to,
            },
        )
        return result

    def paginate_quarantine(
        self,
        *,
        document_type: str | None = None,
        event_id: str | None = None,
        filename: str | None = None,
        from_: str | None = None,
        limit: int | None = None,
        matter_id: str | None = None,
        media_type: str | None = None,
        member_id: str | None = None,
        order: Literal["asc", "desc"] | None = None,
        sha256: str | None = None,
        source_system: str | None = None,
        tag: str | None = None,
        to: str | None = None,
    ) -> Iterator[m.Document]:
        """Iterates over all items of list_quarantine, page by page."""
        for item in self._items(
            "/v1/quarantine",
            query={
                "document_type": document_type,
                "event_id": event_id,
                "filename": filename,
                "from": from_,
                "limit": limit,
                "matter_id": matter_id,
                "media_type": media_type,
                "member_id": member_id,
                "order": order,
                "sha256": sha256,
                "source_system": source_system,
                "tag": tag,
                "to": to,
            },
        ):
            yield item

    def release_document(
        self,
        id: str,
        body: m.QuarantineReviewInput,
        *,
        idempotency_key: str | None = None,
    ) -> m.Document:
        """Release a document from quarantine.

        Releases a document from quarantine. 404 NOT_FOUND if there is none, or it is not visible to the key.
        `POST /v1/quarantine/{id}/release`
        """
        result: m.Document = self._json(
            "POST",
            f"/v1/quarantine/{segment(id)}/release",
            body=body,
            idempotency_key=idempotency_key,
        )
        return result

    def reject_document(
        self,
        id: str,
        body: m.QuarantineReviewInput,
        *,
        idempotency_key: str | None = None,
    ) -> m.Document:
        """Reject a document in quarantine, permanently.

        Rejects a quarantined document for good. 404 NOT_FOUND if there is none, or it is not visible to the
        key. `POST /v1/quarantine/{id}/reject`
        """
        result: m.Document = self._json(
            "POST",
            f"/v1/quarantine/{segment(id)}/reject",
            body=body,
            idempotency_key=idempotency_key,
        )
        return result

    def create_connector(
        self,
        body: m.ConnectorInput,
        *,
        idempotency_key: str | None = None,
    ) -> m.Connector:
        """Create a connector.

        It stays DISABLED until it is enabled. The API never returns the secrets of its configuration. `POST
        /v1/connectors`
        """
        result: m.Connector = self._json(
            "POST",
            "/v1/connectors",
            body=body,
            idempotency_key=idempotency_key,
        )
        return result

    def list_connectors(
        self,
        *,
        cursor: str | None = None,
        from_: str | None = None,
        kind: Literal["FHIR", "HL7V2", "X12", "NCPDP"] | None = None,
        limit: int | None = None,
        order: Literal["asc", "desc"] | None = None,
        source_system: str | None = None,
        status: Literal["ENABLED", "DISABLED", "ERROR"] | None = None,
        to: str | None = None,
    ) -> m.ConnectorPage:
        """List connectors.

        Lists the connectors of the tenant. Pages hold `limit` items; `next_cursor` of the answer is the
        `cursor` of the next page, and null on the last. `GET /v1/connectors`
        """
        result: m.ConnectorPage = self._json(
            "GET",
            "/v1/connectors",
            query={
                "cursor": cursor,
                "from": from_,
                "kind": kind,
                "limit": limit,
                "order": order,
                "source_system": source_system,
                "status": status,
                "to": to,
            },
        )
        return result

    def paginate_connectors(
        self,
        *,
        from_: str | None = None,
        kind: Literal["FHIR", "HL7V2", "X12", "NCPDP"] | None = None,
        limit: int | None = None,
        order: Literal["asc", "desc"] | None = None,
        source_system: str | None = None,
        status: Literal["ENABLED", "DISABLED", "ERROR"] | None = None,
        to: str | None = None,
    ) -> Iterator[m.Connector]:
        """Iterates over all items of list_connectors, page by page."""
        for item in self._items(
            "/v1/connectors",
            query={
                "from": from_,
                "kind": kind,
                "limit": limit,
                "order": order,
                "source_system": source_system,
                "status": status,
                "to": to,
            },
        ):
            yield item

    def get_connector(
        self,
        id: str,
    ) -> m.Connector:
        """Read one connector.

        Returns a connector with its run. 404 NOT_FOUND if there is none, or it is not visible to the key.
        `GET /v1/connectors/{id}`
        """
        result: m.Connector = self._json(
            "GET",
            f"/v1/connectors/{segment(id)}",
        )
        return result

    def update_connector(
        self,
        id: str,
        body: m.ConnectorPatch,
    ) -> m.Connector:
        """Change a connector.

        Absent members stay; null removes a value of config. A running connector is reopened. `PATCH
        /v1/connectors/{id}`
        """
        result: m.Connector = self._json(
            "PATCH",
            f"/v1/connectors/{segment(id)}",
            body=body,
        )
        return result

    def delete_connector(
        self,
        id: str,
    ) -> m.Connector:
        """Delete a connector.

        Its events, its ledger entries and its files stay. Its secrets are erased. `DELETE
        /v1/connectors/{id}`
        """
        result: m.Connector = self._json(
            "DELETE",
            f"/v1/connectors/{segment(id)}",
        )
        return result

    def enable_connector(
        self,
        id: str,
        body: dict[str, Any] | None = None,
        *,
        idempotency_key: str | None = None,
    ) -> m.Connector:
        """Enable a connector.

        It opens within a second, and again after each start. A connector in ERROR is retried at once. `POST
        /v1/connectors/{id}/enable`
        """
        result: m.Connector = self._json(
            "POST",
            f"/v1/connectors/{segment(id)}/enable",
            body=body,
            idempotency_key=idempotency_key,
        )
        return result

    def disable_connector(
        self,
        id: str,
        body: dict[str, Any] | None = None,
        *,
        idempotency_key: str | None = None,
    ) -> m.Connector:
        """Disable a connector.

        Received messages are processed and acknowledged first. `POST /v1/connectors/{id}/disable`
        """
        result: m.Connector = self._json(
            "POST",
            f"/v1/connectors/{segment(id)}/disable",
            body=body,
            idempotency_key=idempotency_key,
        )
        return result

    def test_connector(
        self,
        id: str,
        body: dict[str, Any] | None = None,
        *,
        idempotency_key: str | None = None,
    ) -> m.ConnectorTestResult:
        """Test a connector without receiving a message.

        Checks from this process that its port is free, its folder is usable, or its server answers. `POST
        /v1/connectors/{id}/test`
        """
        result: m.ConnectorTestResult = self._json(
            "POST",
            f"/v1/connectors/{segment(id)}/test",
            body=body,
            idempotency_key=idempotency_key,
        )
        return result

    def receive_fhir(
        self,
        id: str,
        content: str | bytes,
        *,
        content_type: Literal["application/fhir+json", "application/x-ndjson", "application/fhir+ndjson"] = "application/fhir+json",
        idempotency_key: str | None = None,
    ) -> bytes:
        """Send a FHIR resource or Bundle to a connector.

        Stores the bytes in the write-once store unchanged, and answers when every event is durable. `POST
        /v1/connectors/{id}/fhir`
        """
        result: bytes = self._bytes(
            "POST",
            f"/v1/connectors/{segment(id)}/fhir",
            content=content,
            content_type=content_type,
            idempotency_key=idempotency_key,
        )
        return result

    def create_source_feed(
        self,
        body: m.SourceFeedInput,
        *,
        idempotency_key: str | None = None,
    ) -> m.SourceFeed:
        """Register a source feed.

        A source system has one feed. Its events count as heartbeats, and a missing heartbeat makes it stale.
        `POST /v1/source-feeds`
        """
        result: m.SourceFeed = self._json(
            "POST",
            "/v1/source-feeds",
            body=body,
            idempotency_key=idempotency_key,
        )
        return result

    def list_source_feeds(
        self,
        *,
        cursor: str | None = None,
        format: Literal["json", "x12", "hl7v2", "fhir", "ncpdp", "cda"] | None = None,
        from_: str | None = None,
        limit: int | None = None,
        order: Literal["asc", "desc"] | None = None,
        source_system: str | None = None,
        status: Literal["HEALTHY", "STALE", "PAUSED"] | None = None,
        to: str | None = None,
    ) -> m.SourceFeedPage:
        """List source feeds.

        Lists the source feeds of the tenant. Pages hold `limit` items; `next_cursor` of the answer is the
        `cursor` of the next page, and null on the last. `GET /v1/source-feeds`
        """
        result: m.SourceFeedPage = self._json(
            "GET",
            "/v1/source-feeds",
            query={
                "cursor": cursor,
                "format": format,
                "from": from_,
                "limit": limit,
                "order": order,
                "source_system": source_system,
                "status": status,
                "to": to,
            },
        )
        return result

    def paginate_source_feeds(
        self,
        *,
        format: Literal["json", "x12", "hl7v2", "fhir", "ncpdp", "cda"] | None = None,
        from_: str | None = None,
        limit: int | None = None,
        order: Literal["asc", "desc"] | None = None,
        source_system: str | None = None,
        status: Literal["HEALTHY", "STALE", "PAUSED"] | None = None,
        to: str | None = None,
    ) -> Iterator[m.SourceFeed]:
        """Iterates over all items of list_source_feeds, page by page."""
        for item in self._items(
            "/v1/source-feeds",
            query={
                "format": format,
                "from": from_,
                "limit": limit,
                "order": order,
                "source_system": source_system,
                "status": status,
                "to": to,
            },
        ):
            yield item

    def sweep_source_feeds(
        self,
        body: dict[str, Any] | None = None,
        *,
        idempotency_key: str | None = None,
    ) -> m.SourceFeedSweep:
        """Find stale feeds now.

        The service does the same every 30 seconds for all tenants. `POST /v1/source-feeds/sweep`
        """
        result: m.SourceFeedSweep = self._json(
            "POST",
            "/v1/source-feeds/sweep",
            body=body,
            idempotency_key=idempotency_key,
        )
        return result

    def get_source_feed(
        self,
        id: str,
    ) -> m.SourceFeed:
        """Read one source feed.

        Returns a source feed. 404 NOT_FOUND if there is none, or it is not visible to the key. `GET
        /v1/source-feeds/{id}`
        """
        result: m.SourceFeed = self._json(
            "GET",
            f"/v1/source-feeds/{segment(id)}",
        )
        return result

    def update_source_feed(
        self,
        id: str,
        body: m.SourceFeedPatch,
    ) -> m.SourceFeed:
        """Change a source feed, pause it, or end its pause.

        Absent members stay; null removes a value. A paused feed never goes stale. `PATCH
        /v1/source-feeds/{id}`
        """
        result: m.SourceFeed = self._json(
            "PATCH",
            f"/v1/source-feeds/{segment(id)}",
            body=body,
        )
        return result

    def delete_source_feed(
        self,
        id: str,
    ) -> m.SourceFeed:
        """Delete a source feed.

        Its events and its ledger entries stay. `DELETE /v1/source-feeds/{id}`
        """
        result: m.SourceFeed = self._json(
            "DELETE",
            f"/v1/source-feeds/{segment(id)}",
        )
        return result

    def source_feed_heartbeat(
        self,
        id: str,
        body: dict[str, Any] | None = None,
        *,
        idempotency_key: str | None = None,
    ) -> m.SourceFeed:
        """Send a heartbeat.

        For a source that has nothing to send. A stale feed becomes healthy, and its exception is resolved.
        `POST /v1/source-feeds/{id}/heartbeat`
        """
        result: m.SourceFeed = self._json(
            "POST",
            f"/v1/source-feeds/{segment(id)}/heartbeat",
            body=body,
            idempotency_key=idempotency_key,
        )
        return result

    def record_ai_decision(
        self,
        body: m.AiDecisionInput,
        *,
        idempotency_key: str | None = None,
    ) -> m.RecordAiDecisionAnswer:
        """Record an AI decision.

        Appends an entry to the ledger. An adverse decision without a licensed reviewer is recorded too, and
        opens the exception AI_ADVERSE_UNREVIEWED. Send exactly one of input_sha256 and inputs; inputs are
        hashed and not stored. `POST /v1/ai-decisions`
        """
        result: m.RecordAiDecisionAnswer = self._json(
            "POST",
            "/v1/ai-decisions",
            body=body,
            idempotency_key=idempotency_key,
        )
        return result

    def list_ai_decisions(
        self,
        *,
        adverse: bool | None = None,
        cursor: str | None = None,
        decision_type: Literal["UTILIZATION_MANAGEMENT", "DENIAL", "FRAUD_SCORE", "OTHER"] | None = None,
        event_id: str | None = None,
        from_: str | None = None,
        limit: int | None = None,
        member_id: str | None = None,
        model_name: str | None = None,
        model_version: str | None = None,
        order: Literal["asc", "desc"] | None = None,
        recommendation: str | None = None,
        status: Literal["RECORDED", "OVERRIDDEN"] | None = None,
        to: str | None = None,
        unreviewed: bool | None = None,
    ) -> m.AiDecisionPage:
        """List AI decisions.

        AI decisions of the tenant. Pages hold `limit` items; `next_cursor` of the answer is the `cursor` of
        the next page, and null on the last. `GET /v1/ai-decisions`
        """
        result: m.AiDecisionPage = self._json(
            "GET",
            "/v1/ai-decisions",
            query={
                "adverse": adverse,
                "cursor": cursor,
                "decision_type": decision_type,
                "event_id": event_id,
                "from": from_,
                "limit": limit,
                "member_id": member_id,
                "model_name": model_name,
                "model_version": model_version,
                "order": order,
                "recommendation": recommendation,
                "status": status,
                "to": to,
                "unreviewed": unreviewed,
            },
        )
        return result

    def paginate_ai_decisions(
        self,
        *,
        adverse: bool | None = None,
        decision_type: Literal["UTILIZATION_MANAGEMENT", "DENIAL", "FRAUD_SCORE", "OTHER"] | None = None,
        event_id: str | None = None,
        from_: str | None = None,
        limit: int | None = None,
        member_id: str | None = None,
        model_name: str | None = None,
        model_version: str | None = None,
        order: Literal["asc", "desc"] | None = None,
        recommendation: str | None = None,
        status: Literal["RECORDED", "OVERRIDDEN"] | None = None,
        to: str | None = None,
        unreviewed: bool | None = None,
    ) -> Iterator[m.AiDecision]:
        """Iterates over all items of list_ai_decisions, page by page."""
        for item in self._items(
            "/v1/ai-decisions",
            query={
                "adverse": adverse,
                "decision_type": decision_type,
                "event_id": event_id,
                "from": from_,
                "limit": limit,
                "member_id": member_id,
                "model_name": model_name,
                "model_version": model_version,
                "order": order,
                "recommendation": recommendation,
                "status": status,
                "to": to,
                "unreviewed": unreviewed,
            },
        ):
            yield item

    def summarise_ai_decisions(
        self,
        *,
        from_: str | None = None,
        to: str | None = None,
    ) -> m.AiDecisionSummary:
        """Count AI decisions and their overrides.

        By type, model, version, outcome and month; `from` and `to` bound the time of the decision. `GET
        /v1/ai-decisions/summary`
        """
        result: m.AiDecisionSummary = self._json(
            "GET",
            "/v1/ai-decisions/summary",
            query={
                "from": from_,
                "to": to,
            },
        )
        return result

    def export_ai_decisions(
        self,
        *,
        adverse: bool | None = None,
        cursor: str | None = None,
        decision_type: Literal["UTILIZATION_MANAGEMENT", "DENIAL", "FRAUD_SCORE", "OTHER"] | None = None,
        event_id: str | None = None,
        format: Literal["prov", "fhir"] | None = None,
        from_: str | None = None,
        limit: int | None = None,
        member_id: str | None = None,
        model_name: str | None = None,
        model_version: str | None = None,
        order: Literal["asc", "desc"] | None = None,
        recommendation: str | None = None,
        status: Literal["RECORDED", "OVERRIDDEN"] | None = None,
        to: str | None = None,
        unreviewed: bool | None = None,
    ) -> m.AiDecisionExport:
        """Export AI decisions as PROV-JSON or FHIR.

        The decisions of one page of the list with these filters, as one document. `GET
        /v1/ai-decisions/export`
        """
        result: m.AiDecisionExport = self._json(
            "GET",
            "/v1/ai-decisions/export",
            query={
                "adverse": adverse,
                "cursor": cursor,
                "decision_type": decision_type,
                "event_id": event_id,
                "format": format,
                "from": from_,
                "limit": limit,
                "member_id": member_id,
                "model_name": model_name,
                "model_version": model_version,
                "order": order,
                "recommendation": recommendation,
                "status": status,
                "to": to,
                "unreviewed": unreviewed,
            },
        )
        return result

    def get_ai_decision(
        self,
        id: str,
    ) -> m.AiDecision:
        """Read one AI decision.

        An AI decision. 404 NOT_FOUND if there is none, or it is not visible to the key. `GET
        /v1/ai-decisions/{id}`
        """
        result: m.AiDecision = self._json(
            "GET",
            f"/v1/ai-decisions/{segment(id)}",
        )
        return result

    def override_ai_decision(
        self,
        id: str,
        body: m.AiOverrideInput,
        *,
        idempotency_key: str | None = None,
    ) -> m.OverrideAiDecisionAnswer:
        """Override an AI decision.

        Appends another entry to the ledger. The entries of the decision and of earlier overrides do not
        change. `POST /v1/ai-decisions/{id}/override`
        """
        result: m.OverrideAiDecisionAnswer = self._json(
            "POST",
            f"/v1/ai-decisions/{segment(id)}/override",
            body=body,
            idempotency_key=idempotency_key,
        )
        return result

    def export_ai_decision(
        self,
        id: str,
        *,
        format: Literal["prov", "fhir"] | None = None,
    ) -> dict[str, Any]:
        """Export one AI decision as PROV-JSON or FHIR.

        `prov` (default): a PROV-JSON document of W3C PROV. `fhir`: a FHIR R4 Bundle of Provenance resources,
        one for the decision and one for each override. `GET /v1/ai-decisions/{id}/export`
        """
        result: dict[str, Any] = self._json(
            "GET",
            f"/v1/ai-decisions/{segment(id)}/export",
            query={
                "format": format,
            },
        )
        return result

    def create_tenant(
        self,
        body: m.CreateTenantBody,
        *,
        idempotency_key: str | None = None,
    ) -> m.Tenant:
        """Create a tenant.

        Creates a tenant; for platform operators. `POST /v1/tenants`
        """
        result: m.Tenant = self._json(
            "POST",
            "/v1/tenants",
            body=body,
            idempotency_key=idempotency_key,
        )
        return result

    def list_tenants(
        self,
        *,
        cursor: str | None = None,
        from_: str | None = None,
        limit: int | None = None,
        name: str | None = None,
        order: Literal["asc", "desc"] | None = None,
        status: Literal["ACTIVE", "SUSPENDED"] | None = None,
        to: str | None = None,
    ) -> m.TenantPage:
        """List tenants.

        Lists the tenants that the key may see. Pages hold `limit` items; `next_cursor` of the answer is the
        `cursor` of the next page, and null on the last. `GET /v1/tenants`
        """
        result: m.TenantPage = self._json(
            "GET",
            "/v1/tenants",
            query={
                "cursor": cursor,
                "from": from_,
                "limit": limit,
                "name": name,
                "order": order,
                "status": status,
                "to": to,
            },
        )
        return result

    def paginate_tenants(
        self,
        *,
        from_: str | None = None,
        limit: int | None = None,
        name: str | None = None,
        order: Literal["asc", "desc"] | None = None,
        status: Literal["ACTIVE", "SUSPENDED"] | None = None,
        to: str | None = None,
    ) -> Iterator[m.Tenant]:
        """Iterates over all items of list_tenants, page by page."""
        for item in self._items(
            "/v1/tenants",
            query={
                "from": from_,
                "limit": limit,
                "name": name,
                "order": order,
                "status": status,
                "to": to,
            },
        ):
            yield item

    def get_tenant(
        self,
        id: str,
    ) -> m.Tenant:
        """Read one tenant.

        Returns a tenant. 404 NOT_FOUND if there is none, or it is not visible to the key. `GET
        /v1/tenants/{id}`
        """
        result: m.Tenant = self._json(
            "GET",
            f"/v1/tenants/{segment(id)}",
        )
        return result

    def change_tenant(
        self,
        id: str,
        body: m.TenantChangeInput,
    ) -> m.Tenant:
        """Rename, suspend or reactivate a tenant.

        For platform operators. Every process rejects the keys of a suspended tenant with TENANT_SUSPENDED
        within 5 s. `PATCH /v1/tenants/{id}`
        """
        result: m.Tenant = self._json(
            "PATCH",
            f"/v1/tenants/{segment(id)}",
            body=body,
        )
        return result

    def create_actor(
        self,
        body: m.ActorInput,
        *,
        idempotency_key: str | None = None,
    ) -> m.CreateActorAnswer:
        """Create an actor.

        Creates an actor. `POST /v1/actors`
        """
        result: m.CreateActorAnswer = self._json(
            "POST",
            "/v1/actors",
            body=body,
            idempotency_key=idempotency_key,
        )
        return result

    def list_actors(
        self,
        *,
        cursor: str | None = None,
        from_: str | None = None,
        kind: Literal["HUMAN", "SERVICE"] | None = None,
        limit: int | None = None,
        name: str | None = None,
        order: Literal["asc", "desc"] | None = None,
        status: Literal["ACTIVE", "SUSPENDED"] | None = None,
        to: str | None = None,
    ) -> m.ActorPage:
        """List actors.

        Lists the actors in reach. Pages hold `limit` items; `next_cursor` of the answer is the `cursor` of
        the next page, and null on the last. `GET /v1/actors`
        """
        result: m.ActorPage = self._json(
            "GET",
            "/v1/actors",
            query={
                "cursor": cursor,
                "from": from_,
                "kind": kind,
                "limit": limit,
                "name": name,
                "order": order,
                "status": status,
                "to": to,
            },
        )
        return result

    def paginate_actors(
        self,
        *,
        from_: str | None = None,
        kind: Literal["HUMAN", "SERVICE"] | None = None,
        limit: int | None = None,
        name: str | None = None,
        order: Literal["asc", "desc"] | None = None,
        status: Literal["ACTIVE", "SUSPENDED"] | None = None,
        to: str | None = None,
    ) -> Iterator[m.Actor]:
        """Iterates over all items of list_actors, page by page."""
        for item in self._items(
            "/v1/actors",
            query={
                "from": from_,
                "kind": kind,
                "limit": limit,
                "name": name,
                "order": order,
                "status": status,
                "to": to,
            },
        ):
            yield item

    def get_actor(
        self,
        id: str,
    ) -> m.Actor:
        """Read one actor.

        Returns an actor. 404 NOT_FOUND if there is none, or it is not visible to the key. `GET
        /v1/actors/{id}`
        """
        result: m.Actor = self._json(
            "GET",
            f"/v1/actors/{segment(id)}",
        )
        return result

    def change_actor(
        self,
        id: str,
        body: m.ActorChangeInput,
    ) -> m.Actor:
        """Rename, suspend or reactivate an actor.

        Every process rejects the keys of a suspended actor within 5 s. `PATCH /v1/actors/{id}`
        """
        result: m.Actor = self._json(
            "PATCH",
            f"/v1/actors/{segment(id)}",
            body=body,
        )
        return result

    def give_role(
        self,
        id: str,
        role_id: str,
        body: dict[str, Any] | None = None,
        *,
        idempotency_key: str | None = None,
    ) -> m.GiveRoleAnswer:
        """Give an actor a role.

        Giving a role again changes nothing. The caller must hold the role. `POST
        /v1/actors/{id}/roles/{role_id}`
        """
        result: m.GiveRoleAnswer = self._json(
            "POST",
            f"/v1/actors/{segment(id)}/roles/{segment(role_id)}",
            body=body,
            idempotency_key=idempotency_key,
        )
        return result

    def take_role(
        self,
        id: str,
        role_id: str,
    ) -> m.Actor:
        """Take a role from an actor.

        Taking a role that the actor lacks changes nothing. `DELETE /v1/actors/{id}/roles/{role_id}`
        """
        result: m.Actor = self._json(
            "DELETE",
            f"/v1/actors/{segment(id)}/roles/{segment(role_id)}",
        )
        return result

    def create_role(
        self,
        body: m.RoleInput,
        *,
        idempotency_key: str | None = None,
    ) -> m.Role:
        """Create a role.

        Creates a role of a tenant. `POST /v1/roles`
        """
        result: m.Role = self._json(
            "POST",
            "/v1/roles",
            body=body,
            idempotency_key=idempotency_key,
        )
        return result

    def list_roles(
        self,
        *,
        cursor: str | None = None,
        from_: str | None = None,
        limit: int | None = None,
        name: str | None = None,
        order: Literal["asc", "desc"] | None = None,
        to: str | None = None,
    ) -> m.RolePage:
        """List roles.

        Lists the built-in roles and the roles in reach. Pages hold `limit` items; `next_cursor` of the answer
        is the `cursor` of the next page, and null on the last. `GET /v1/roles`
        """
        result: m.RolePage = self._json(
            "GET",
            "/v1/roles",
            query={
                "cursor": cursor,
                "from": from_,
                "limit": limit,
                "name": name,
                "order": order,
                "to": to,
            },
        )
        return result

    def paginate_roles(
        self,
        *,
        from_: str | None = None,
        limit: int | None = None,
        name: str | None = None,
        order: Literal["asc", "desc"] | None = None,
        to: str | None = None,
    ) -> Iterator[m.Role]:
        """Iterates over all items of list_roles, page by page."""
        for item in self._items(
            "/v1/roles",
            query={
                "from": from_,
                "limit": limit,
                "name": name,
                "order": order,
                "to": to,
            },
        ):
            yield item

    def get_role(
        self,
        id: str,
    ) -> m.Role:
        """Read one role.

        Returns a role. 404 NOT_FOUND if there is none, or it is not visible to the key. `GET /v1/roles/{id}`
        """
        result: m.Role = self._json(
            "GET",
            f"/v1/roles/{segment(id)}",
        )
        return result

    def change_role(
        self,
        id: str,
        body: m.RoleChangeInput,
    ) -> m.Role:
        """Change a custom role.

        Holders of the role get its new scopes within 5 s. CONFLICT for a built-in role. `PATCH
        /v1/roles/{id}`
        """
        result: m.Role = self._json(
            "PATCH",
            f"/v1/roles/{segment(id)}",
            body=body,
        )
        return result

    def delete_role(
        self,
        id: str,
    ) -> m.Role:
        """Delete a custom role.

        CONFLICT while an actor or an active key has it. `DELETE /v1/roles/{id}`
        """
        result: m.Role = self._json(
            "DELETE",
            f"/v1/roles/{segment(id)}",
        )
        return result

    def create_api_key(
        self,
        body: m.ApiKeyInput,
        *,
        idempotency_key: str | None = None,
    ) -> m.CreatedApiKey:
        """Create an API key.

        Creates an API key; the answer shows it once. `POST /v1/api-keys`
        """
        result: m.CreatedApiKey = self._json(
            "POST",
            "/v1/api-keys",
            body=body,
            idempotency_key=idempotency_key,
        )
        return result

    def list_api_keys(
        self,
        *,
        cursor: str | None = None,
        from_: str | None = None,
        limit: int | None = None,
        name: str | None = None,
        order: Literal["asc", "desc"] | None = None,
        status: Literal["ACTIVE", "ROTATING", "EXPIRED", "REVOKED"] | None = None,
        to: str | None = None,
    ) -> m.ApiKeyPage:
        """List API keys.

        Lists the API keys in reach, including revoked and expired ones. Pages hold `limit` items;
        `next_cursor` of the answer is the `cursor` of the next page, and null on the last. `GET /v1/api-keys`
        """
        result: m.ApiKeyPage = self._json(
            "GET",
            "/v1/api-keys",
            query={
                "cursor": cursor,
                "from": from_,
                "limit": limit,
                "name": name,
                "order": order,
                "status": status,
                "to": to,
            },
        )
        return result

    def paginate_api_keys(
        self,
        *,
        from_: str | None = None,
        limit: int | None = None,
        name: str | None = None,
        order: Literal["asc", "desc"] | None = None,
        status: Literal["ACTIVE", "ROTATING", "EXPIRED", "REVOKED"] | None = None,
        to: str | None = None,
    ) -> Iterator[m.ApiKey]:
        """Iterates over all items of list_api_keys, page by page."""
        for item in self._items(
            "/v1/api-keys",
            query={
                "from": from_,
                "limit": limit,
                "name": name,
                "order": order,
                "status": status,
                "to": to,
            },
        ):
            yield item

    def get_api_key(
        self,
        id: str,
    ) -> m.ApiKey:
        """Read one API key.

        Returns an API key. 404 NOT_FOUND if there is none, or it is not visible to the key. `GET
        /v1/api-keys/{id}`
        """
        result: m.ApiKey = self._json(
            "GET",
            f"/v1/api-keys/{segment(id)}",
        )
        return result

    def revoke_api_key(
        self,
        id: str,
    ) -> m.ApiKey:
        """Revoke an API key.

        Revokes an API key for good; its record stays. 404 NOT_FOUND if there is none, or it is not visible to
        the key. `DELETE /v1/api-keys/{id}`
        """
        result: m.ApiKey = self._json(
            "DELETE",
            f"/v1/api-keys/{segment(id)}",
        )
        return result

    def rotate_api_key(
        self,
        id: str,
        body: m.RotationInput | None = None,
        *,
        idempotency_key: str | None = None,
    ) -> m.CreatedApiKey:
        """Rotate an API key.

        The successor has the same scopes, roles, actor, addresses and expiry. The old key works for another
        grace_seconds, but not beyond its expiry; 0 revokes it at once. `POST /v1/api-keys/{id}/rotate`
        """
        result: m.CreatedApiKey = self._json(
            "POST",
            f"/v1/api-keys/{segment(id)}/rotate",
            body=body,
            idempotency_key=idempotency_key,
        )
        return result

    def open_session(
        self,
        body: dict[str, Any] | None = None,
        *,
        address: str | None = None,
        idempotency_key: str | None = None,
    ) -> m.Caller:
        """Open a session with an API key.

        For browsers. Exchanges the key of the request once for a cookie (`__Host-eas_session`, HttpOnly,
        Secure, SameSite=Strict; `eas_session` over HTTP on the loopback address). The session has the rights
        of its key, ends 60 minutes after its last request and 12 hours after its opening, and ends with its
        key. Writes by cookie need an Origin of this host. `POST /v1/session`
        """
        result: m.Caller = self._json(
            "POST",
            "/v1/session",
            query={
                "address": address,
            },
            body=body,
            idempotency_key=idempotency_key,
        )
        return result

    def get_caller(
        self,
    ) -> m.Caller:
        """Read the identity and rights of the caller.

        Returns the identity and rights of the caller. `GET /v1/session`
        """
        result: m.Caller = self._json(
            "GET",
            "/v1/session",
        )
        return result

    def end_own_session(
        self,
        *,
        session_id: str | None = None,
    ) -> m.Session:
        """End the session of the request.

        Ends a session. `DELETE /v1/session`
        """
        result: m.Session = self._json(
            "DELETE",
            "/v1/session",
            query={
                "session_id": session_id,
            },
        )
        return result

    def list_sessions(
        self,
        *,
        cursor: str | None = None,
        from_: str | None = None,
        key_id: str | None = None,
        limit: int | None = None,
        order: Literal["asc", "desc"] | None = None,
        to: str | None = None,
    ) -> m.SessionPage:
        """List sessions.

        All sessions of the tenant for an administrator, else those of the own key. `GET /v1/sessions`
        """
        result: m.SessionPage = self._json(
            "GET",
            "/v1/sessions",
            query={
                "cursor": cursor,
                "from": from_,
                "key_id": key_id,
                "limit": limit,
                "order": order,
                "to": to,
            },
        )
        return result

    def paginate_sessions(
        self,
        *,
        from_: str | None = None,
        key_id: str | None = None,
        limit: int | None = None,
        order: Literal["asc", "desc"] | None = None,
        to: str | None = None,
    ) -> Iterator[m.Session]:
        """Iterates over all items of list_sessions, page by page."""
        for item in self._items(
            "/v1/sessions",
            query={
                "from": from_,
                "key_id": key_id,
                "limit": limit,
                "order": order,
                "to": to,
            },
        ):
            yield item

    def end_session(
        self,
        id: str,
    ) -> m.Session:
        """End a session.

        Takes effect at once in the answering process and within 5 s in the others. `DELETE /v1/sessions/{id}`
        """
        result: m.Session = self._json(
            "DELETE",
            f"/v1/sessions/{segment(id)}",
        )
        return result

    def create_signing_key(
        self,
        body: m.SigningKeyInput,
        *,
        idempotency_key: str | None = None,
    ) -> m.SigningKey:
        """Create a signing key.

        It signs nothing until it is activated. `POST /v1/signing-keys`
        """
        result: m.SigningKey = self._json(
            "POST",
            "/v1/signing-keys",
            body=body,
            idempotency_key=idempotency_key,
        )
        return result

    def list_signing_keys(
        self,
        *,
        cursor: str | None = None,
        from_: str | None = None,
        limit: int | None = None,
        order: Literal["asc", "desc"] | None = None,
        purpose: Literal["BUNDLE", "CHECKPOINT", "SEGMENT"] | None = None,
        status: Literal["PENDING", "ACTIVE", "RETIRED", "REVOKED"] | None = None,
        to: str | None = None,
    ) -> m.SigningKeyPage:
        """List signing keys.

        Lists the signing keys of the tenant. Pages hold `limit` items; `next_cursor` of the answer is the
        `cursor` of the next page, and null on the last. `GET /v1/signing-keys`
        """
        result: m.SigningKeyPage = self._json(
            "GET",
            "/v1/signing-keys",
            query={
                "cursor": cursor,
                "from": from_,
                "limit": limit,
                "order": order,
                "purpose": purpose,
                "status": status,
                "to": to,
            },
        )
        return result

    def paginate_signing_keys(
        self,
        *,
        from_: str | None = None,
        limit: int | None = None,
        order: Literal["asc", "desc"] | None = None,
        purpose: Literal["BUNDLE", "CHECKPOINT", "SEGMENT"] | None = None,
        status: Literal["PENDING", "ACTIVE", "RETIRED", "REVOKED"] | None = None,
        to: str | None = None,
    ) -> Iterator[m.SigningKey]:
        """Iterates over all items of list_signing_keys, page by page."""
        for item in self._items(
            "/v1/signing-keys",
            query={
                "from": from_,
                "limit": limit,
                "order": order,
                "purpose": purpose,
                "status": status,
                "to": to,
            },
        ):
            yield item

    def get_signing_key_set(
        self,
        *,
        tenant_id: str | None = None,
    ) -> m.JsonWebKeySet:
        """Read the public signing keys of a tenant.

        With an API key: the keys of its tenant. Without one, tenant_id is required. An unknown tenant has an
        empty set. `GET /v1/signing-keys/jwks`
        """
        result: m.JsonWebKeySet = self._json(
            "GET",
            "/v1/signing-keys/jwks",
            query={
                "tenant_id": tenant_id,
            },
        )
        return result

    def get_signing_key(
        self,
        id: str,
    ) -> m.SigningKey:
        """Read one signing key.

        Returns a signing key. 404 NOT_FOUND if there is none, or it is not visible to the key. `GET
        /v1/signing-keys/{id}`
        """
        result: m.SigningKey = self._json(
            "GET",
            f"/v1/signing-keys/{segment(id)}",
        )
        return result

    def activate_signing_key(
        self,
        id: str,
        body: dict[str, Any] | None = None,
        *,
        idempotency_key: str | None = None,
    ) -> m.SigningKey:
        """Activate a signing key.

        Retires the previous key of the same purpose. Activating the active key changes nothing. `POST
        /v1/signing-keys/{id}/activate`
        """
        result: m.SigningKey = self._json(
            "POST",
            f"/v1/signing-keys/{segment(id)}/activate",
            body=body,
            idempotency_key=idempotency_key,
        )
        return result

    def retire_signing_key(
        self,
        id: str,
        body: dict[str, Any] | None = None,
        *,
        idempotency_key: str | None = None,
    ) -> m.SigningKey:
        """Retire a signing key.

        Its signatures stay valid. The next signature creates a new key. `POST /v1/signing-keys/{id}/retire`
        """
        result: m.SigningKey = self._json(
            "POST",
            f"/v1/signing-keys/{segment(id)}/retire",
            body=body,
            idempotency_key=idempotency_key,
        )
        return result

    def revoke_signing_key(
        self,
        id: str,
        body: m.RevocationInput,
        *,
        idempotency_key: str | None = None,
    ) -> m.SigningKey:
        """Revoke a signing key.

        Signatures of effective_at and later are not trustworthy. `POST /v1/signing-keys/{id}/revoke`
        """
        result: m.SigningKey = self._json(
            "POST",
            f"/v1/signing-keys/{segment(id)}/revoke",
            body=body,
            idempotency_key=idempotency_key,
        )
        return result

    def list_feature_flags(
        self,
        *,
        cursor: str | None = None,
        enabled: bool | None = None,
        from_: str | None = None,
        limit: int | None = None,
        order: Literal["asc", "desc"] | None = None,
        owner: str | None = None,
        to: str | None = None,
        type: Literal["boolean", "string", "number", "object"] | None = None,
    ) -> m.FeatureFlagPage:
        """List feature flags.

        Lists the feature flags of the tenant. Pages hold `limit` items; `next_cursor` of the answer is the
        `cursor` of the next page, and null on the last. `GET /v1/feature-flags`
        """
        result: m.FeatureFlagPage = self._json(
            "GET",
            "/v1/feature-flags",
            query={
                "cursor": cursor,
                "enabled": enabled,
                "from": from_,
                "limit": limit,
                "order": order,
                "owner": owner,
                "to": to,
                "type": type,
            },
        )
        return result

    def paginate_feature_flags(
        self,
        *,
        enabled: bool | None = None,
        from_: str | None = None,
        limit: int | None = None,
        order: Literal["asc", "desc"] | None = None,
        owner: str | None = None,
        to: str | None = None,
        type: Literal["boolean", "string", "number", "object"] | None = None,
    ) -> Iterator[m.FeatureFlag]:
        """Iterates over all items of list_feature_flags, page by page."""
        for item in self._items(
            "/v1/feature-flags",
            query={
                "enabled": enabled,
                "from": from_,
                "limit": limit,
                "order": order,
                "owner": owner,
                "to": to,
                "type": type,
            },
        ):
            yield item

    def get_feature_flag(
        self,
        key: str,
    ) -> m.FeatureFlag:
        """Read one feature flag.

        Returns a feature flag. 404 NOT_FOUND if there is none, or it is not visible to the key. `GET
        /v1/feature-flags/{key}`
        """
        result: m.FeatureFlag = self._json(
            "GET",
            f"/v1/feature-flags/{segment(key)}",
        )
        return result

    def put_feature_flag(
        self,
        key: str,
        body: m.FeatureFlagInput,
    ) -> m.FeatureFlag:
        """Create or change a feature flag.

        Putting the same flag again changes nothing. A deleted flag is restored with its history. `PUT
        /v1/feature-flags/{key}`
        """
        result: m.FeatureFlag = self._json(
            "PUT",
            f"/v1/feature-flags/{segment(key)}",
            body=body,
        )
        return result

    def delete_feature_flag(
        self,
        key: str,
    ) -> m.FeatureFlag:
        """Archive a feature flag.

        Archives a feature flag. 404 NOT_FOUND if there is none, or it is not visible to the key. `DELETE
        /v1/feature-flags/{key}`
        """
        result: m.FeatureFlag = self._json(
            "DELETE",
            f"/v1/feature-flags/{segment(key)}",
        )
        return result

    def evaluate_flags(
        self,
        body: m.EvaluateFlagsBody,
        *,
        idempotency_key: str | None = None,
    ) -> m.FlagEvaluation | m.FlagEvaluations:
        """Evaluate feature flags.

        An unknown flag, or a failed evaluation, is an answer with an error_code. The reasons are those of
        OpenFeature. `POST /v1/feature-flags/evaluate`
        """
        result: m.FlagEvaluation | m.FlagEvaluations = self._json(
            "POST",
            "/v1/feature-flags/evaluate",
            body=body,
            idempotency_key=idempotency_key,
        )
        return result

    def evaluate_flag_by_open_feature(
        self,
        key: str,
        body: m.EvaluateFlagByOpenFeatureBody,
        *,
        idempotency_key: str | None = None,
    ) -> m.EvaluateFlagByOpenFeatureAnswer:
        """Evaluate one flag by the OpenFeature protocol.

        OFREP, for OpenFeature clients. An unknown flag is a 404, a failed evaluation a 400, both with key,
        errorCode and errorDetails. `POST /ofrep/v1/evaluate/flags/{key}`
        """
        result: m.EvaluateFlagByOpenFeatureAnswer = self._json(
            "POST",
            f"/ofrep/v1/evaluate/flags/{segment(key)}",
            body=body,
            idempotency_key=idempotency_key,
        )
        return result

    def evaluate_flags_by_open_feature(
        self,
        body: m.EvaluateFlagsByOpenFeatureBody,
        *,
        idempotency_key: str | None = None,
    ) -> m.EvaluateFlagsByOpenFeatureAnswer:
        """Evaluate all flags by the OpenFeature protocol.

        OFREP bulk evaluation. Send the last ETag as If-None-Match to get 304 if nothing has changed. `POST
        /ofrep/v1/evaluate/flags`
        """
        result: m.EvaluateFlagsByOpenFeatureAnswer = self._json(
            "POST",
            "/ofrep/v1/evaluate/flags",
            body=body,
            idempotency_key=idempotency_key,
        )
        return result

    def get_graph_neighbors(
        self,
        *,
        node: str,
        cursor: str | None = None,
        depth: int | None = None,
        kinds: str | None = None,
        limit: int | None = None,
        purpose: str | None = None,
        since: str | None = None,
        until: str | None = None,
    ) -> m.GraphNeighbors:
        """List the neighbours of a node.

        Direct neighbours are a list, newest first, with a `cursor`. A greater depth shows the nearest and
        newest nodes. Merged members are one node. With `purpose`, consent leaves records out and `withheld`
        counts them. `GET /v1/graph/neighbors`
        """
        result: m.GraphNeighbors = self._json(
            "GET",
            "/v1/graph/neighbors",
            query={
                "node": node,
                "cursor": cursor,
                "depth": depth,
                "kinds": kinds,
                "limit": limit,
                "purpose": purpose,
                "since": since,
                "until": until,
            },
        )
        return result

    def get_graph_subgraph(
        self,
        *,
        roots: str,
        depth: int | None = None,
        kinds: str | None = None,
        limit: int | None = None,
        purpose: str | None = None,
        since: str | None = None,
        until: str | None = None,
    ) -> m.GraphView:
        """Read the subgraph around nodes.

        All nodes within `depth` steps of the roots, nearest and newest first, and every edge among them.
        Unknown roots are left out; 404 if all are unknown. `GET /v1/graph/subgraph`
        """
        result: m.GraphView = self._json(
            "GET",
            "/v1/graph/subgraph",
            query={
                "roots": roots,
                "depth": depth,
                "kinds": kinds,
                "limit": limit,
                "purpose": purpose,
                "since": since,
                "until": until,
            },
        )
        return result

    def get_graph_paths(
        self,
        *,
        from_: str,
        to: str,
        kinds: str | None = None,
        limit: int | None = None,
        max_length: int | None = None,
        purpose: str | None = None,
        since: str | None = None,
        until: str | None = None,
    ) -> m.GraphPaths:
        """Find the shortest paths between two nodes.

        Simple paths in either direction along each edge, the shortest first. `paths` is empty if the nodes
        are not connected within `max_length`. `truncated` means that a node had more edges than were
        searched. `GET /v1/graph/paths`
        """
        result: m.GraphPaths = self._json(
            "GET",
            "/v1/graph/paths",
            query={
                "from": from_,
                "to": to,
                "kinds": kinds,
                "limit": limit,
                "max_length": max_length,
                "purpose": purpose,
                "since": since,
                "until": until,
            },
        )
        return result

    def export_graph(
        self,
        *,
        kinds: str | None = None,
        purpose: str | None = None,
        since: str | None = None,
        until: str | None = None,
        format: Literal["json", "graphml"] | None = None,
    ) -> m.ExportGraphAnswer:
        """Export the whole graph.

        Every node and edge that the key may see, as JSON or as GraphML. The answer is streamed, and may
        include changes during the stream. `GET /v1/graph/export`
        """
        result: m.ExportGraphAnswer = self._json(
            "GET",
            "/v1/graph/export",
            query={
                "kinds": kinds,
                "purpose": purpose,
                "since": since,
                "until": until,
                "format": format,
            },
        )
        return result

    def create_lead(
        self,
        body: m.LeadInput,
        *,
        idempotency_key: str | None = None,
    ) -> m.Lead:
        """Create a lead.

        Contact and summary are stored encrypted, and never appear in logs or ledger entries. `POST /v1/leads`
        """
        result: m.Lead = self._json(
            "POST",
            "/v1/leads",
            body=body,
            idempotency_key=idempotency_key,
        )
        return result

    def list_leads(
        self,
        *,
        assigned_to: str | None = None,
        cursor: str | None = None,
        from_: str | None = None,
        lead_type: Literal["PROSPECT", "MEMBER_HELP", "FRAUD_TIP", "APPEAL_HELP"] | None = None,
        limit: int | None = None,
        order: Literal["asc", "desc"] | None = None,
        source: str | None = None,
        status: Literal["NEW", "CONTACTED", "QUALIFIED", "CONVERTED", "CLOSED"] | None = None,
        to: str | None = None,
    ) -> m.LeadPage:
        """List leads.

        Lists the leads of the tenant. Pages hold `limit` items; `next_cursor` of the answer is the `cursor`
        of the next page, and null on the last. `GET /v1/leads`
        """
        result: m.LeadPage = self._json(
            "GET",
            "/v1/leads",
            query={
                "assigned_to": assigned_to,
                "cursor": cursor,
                "from": from_,
                "lead_type": lead_type,
                "limit": limit,
                "order": order,
                "source": source,
                "status": status,
                "to": to,
            },
        )
        return result

    def paginate_leads(
        self,
        *,
        assigned_to: str | None = None,
        from_: str | None = None,
        lead_type: Literal["PROSPECT", "MEMBER_HELP", "FRAUD_TIP", "APPEAL_HELP"] | None = None,
        limit: int | None = None,
        order: Literal["asc", "desc"] | None = None,
        source: str | None = None,
        status: Literal["NEW", "CONTACTED", "QUALIFIED", "CONVERTED", "CLOSED"] | None = None,
        to: str | None = None,
    ) -> Iterator[m.Lead]:
        """Iterates over all items of list_leads, page by page."""
        for item in self._items(
            "/v1/leads",
            query={
                "assigned_to": assigned_to,
                "from": from_,
                "lead_type": lead_type,
                "limit": limit,
                "order": order,
                "source": source,
                "status": status,
                "to": to,
            },
        ):
            yield item

    def get_lead(
        self,
        id: str,
    ) -> m.Lead:
        """Read one lead.

        Returns a lead. 404 NOT_FOUND if there is none, or it is not visible to the key. `GET /v1/leads/{id}`
        """
        result: m.Lead = self._json(
            "GET",
            f"/v1/leads/{segment(id)}",
        )
        return result

    def update_lead(
        self,
        id: str,
        body: m.LeadPatch,
    ) -> m.Lead:
        """Change an open lead.

        Absent members stay; null removes a value. `PATCH /v1/leads/{id}`
        """
        result: m.Lead = self._json(
            "PATCH",
            f"/v1/leads/{segment(id)}",
            body=body,
        )
        return result

    def contact_lead(
        self,
        id: str,
        *,
        idempotency_key: str | None = None,
    ) -> m.Lead:
        """Record that a lead was contacted.

        Marks a new lead as contacted. 404 NOT_FOUND if there is none, or it is not visible to the key. `POST
        /v1/leads/{id}/contact`
        """
        result: m.Lead = self._json(
            "POST",
            f"/v1/leads/{segment(id)}/contact",
            idempotency_key=idempotency_key,
        )
        return result

    def qualify_lead(
        self,
        id: str,
        *,
        idempotency_key: str | None = None,
    ) -> m.Lead:
        """Qualify a lead.

        Marks a contacted lead as qualified. 404 NOT_FOUND if there is none, or it is not visible to the key.
        `POST /v1/leads/{id}/qualify`
        """
        result: m.Lead = self._json(
            "POST",
            f"/v1/leads/{segment(id)}/qualify",
            idempotency_key=idempotency_key,
        )
        return result

    def convert_lead(
        self,
        id: str,
        body: m.ConvertLeadBody,
        *,
        idempotency_key: str | None = None,
    ) -> m.Lead:
        """Record the conversion of a lead.

        Converts a qualified lead into another record; final. 404 NOT_FOUND if there is none, or it is not
        visible to the key. `POST /v1/leads/{id}/convert`
        """
        result: m.Lead = self._json(
            "POST",
            f"/v1/leads/{segment(id)}/convert",
            body=body,
            idempotency_key=idempotency_key,
        )
        return result

    def close_lead(
        self,
        id: str,
        body: m.LeadClosing,
        *,
        idempotency_key: str | None = None,
    ) -> m.Lead:
        """Close a lead.

        Closes an open lead; final. 404 NOT_FOUND if there is none, or it is not visible to the key. `POST
        /v1/leads/{id}/close`
        """
        result: m.Lead = self._json(
            "POST",
            f"/v1/leads/{segment(id)}/close",
            body=body,
            idempotency_key=idempotency_key,
        )
        return result

    def save_view(
        self,
        body: m.SavedViewInput,
        *,
        idempotency_key: str | None = None,
    ) -> m.SavedView:
        """Save a view of a screen of the console.

        A name for an address of the screens events, exceptions or graph. It belongs to the actor of the key,
        or to the key. Needs the scope that reads the screen. 409 CONFLICT for a name that the owner has for
        the screen, and beyond 100 views. `POST /v1/saved-views`
        """
        result: m.SavedView = self._json(
            "POST",
            "/v1/saved-views",
            body=body,
            idempotency_key=idempotency_key,
        )
        return result

    def list_saved_views(
        self,
        *,
        cursor: str | None = None,
        from_: str | None = None,
        limit: int | None = None,
        order: Literal["asc", "desc"] | None = None,
        screen: Literal["EVENTS", "EXCEPTIONS", "GRAPH"] | None = None,
        to: str | None = None,
    ) -> m.SavedViewPage:
        """List saved views.

        Own views, and shared ones of the tenant, of the screens that the scopes of the caller read. `GET
        /v1/saved-views`
        """
        result: m.SavedViewPage = self._json(
            "GET",
            "/v1/saved-views",
            query={
                "cursor": cursor,
                "from": from_,
                "limit": limit,
                "order": order,
                "screen": screen,
                "to": to,
            },
        )
        return result

    def paginate_saved_views(
        self,
        *,
        from_: str | None = None,
        limit: int | None = None,
        order: Literal["asc", "desc"] | None = None,
        screen: Literal["EVENTS", "EXCEPTIONS", "GRAPH"] | None = None,
        to: str | None = None,
    ) -> Iterator[m.SavedView]:
        """Iterates over all items of list_saved_views, page by page."""
        for item in self._items(
            "/v1/saved-views",
            query={
                "from": from_,
                "limit": limit,
                "order": order,
                "screen": screen,
                "to": to,
            },
        ):
            yield item

    def delete_saved_view(
        self,
        id: str,
    ) -> m.SavedView:
        """Delete a saved view.

        An own view; an administrator also deletes shared ones. `DELETE /v1/saved-views/{id}`
        """
        result: m.SavedView = self._json(
            "DELETE",
            f"/v1/saved-views/{segment(id)}",
        )
        return result

    def list_appointments(
        self,
        *,
        cursor: str | None = None,
        from_: str | None = None,
        limit: int | None = None,
        member_id: str | None = None,
        order: Literal["asc", "desc"] | None = None,
        practitioner: str | None = None,
        status: Literal["proposed", "pending", "waitlist", "booked", "arrived", "checked-in", "fulfilled", "cancelled", "noshow", "entered-in-error"] | None = None,
        to: str | None = None,
    ) -> m.AppointmentPage:
        """List appointments.

        Sorted by start; an appointment without a time is sorted by its creation. `GET /v1/appointments`
        """
        result: m.AppointmentPage = self._json(
            "GET",
            "/v1/appointments",
            query={
                "cursor": cursor,
                "from": from_,
                "limit": limit,
                "member_id": member_id,
                "order": order,
                "practitioner": practitioner,
                "status": status,
                "to": to,
            },
        )
        return result

    def paginate_appointments(
        self,
        *,
        from_: str | None = None,
        limit: int | None = None,
        member_id: str | None = None,
        order: Literal["asc", "desc"] | None = None,
        practitioner: str | None = None,
        status: Literal["proposed", "pending", "waitlist", "booked", "arrived", "checked-in", "fulfilled", "cancelled", "noshow", "entered-in-error"] | None = None,
        to: str | None = None,
    ) -> Iterator[m.Appointment]:
        """Iterates over all items of list_appointments, page by page."""
        for item in self._items(
            "/v1/appointments",
            query={
                "from": from_,
                "limit": limit,
                "member_id": member_id,
                "order": order,
                "practitioner": practitioner,
                "status": status,
                "to": to,
            },
        ):
            yield item

    def create_appointment(
        self,
        body: m.AppointmentInput,
        *,
        idempotency_key: str | None = None,
    ) -> m.CreateAppointmentAnswer:
        """Create an appointment.

        Booked by default, or proposed without a time. 409 CONFLICT if the practitioner has another
        appointment at that time: of several concurrent requests, one succeeds. `POST /v1/appointments`
        """
        result: m.CreateAppointmentAnswer = self._json(
            "POST",
            "/v1/appointments",
            body=body,
            idempotency_key=idempotency_key,
        )
        return result

    def get_appointment(
        self,
        id: str,
    ) -> m.Appointment:
        """Read one appointment.

        Returns an appointment. 404 NOT_FOUND if there is none, or it is not visible to the key. `GET
        /v1/appointments/{id}`
        """
        result: m.Appointment = self._json(
            "GET",
            f"/v1/appointments/{segment(id)}",
        )
        return result

    def request_appointment(
        self,
        id: str,
        body: m.AppointmentPlanStep | None = None,
        *,
        idempotency_key: str | None = None,
    ) -> m.Appointment:
        """Request an appointment.

        409 INVALID_TRANSITION if its status does not allow this step; the error lists the allowed steps.
        `POST /v1/appointments/{id}/request`
        """
        result: m.Appointment = self._json(
            "POST",
            f"/v1/appointments/{segment(id)}/request",
            body=body,
            idempotency_key=idempotency_key,
        )
        return result

    def wait_appointment(
        self,
        id: str,
        body: m.AppointmentPlanStep | None = None,
        *,
        idempotency_key: str | None = None,
    ) -> m.Appointment:
        """Put an appointment on the waiting list.

        409 INVALID_TRANSITION if its status does not allow this step; the error lists the allowed steps.
        `POST /v1/appointments/{id}/wait`
        """
        result: m.Appointment = self._json(
            "POST",
            f"/v1/appointments/{segment(id)}/wait",
            body=body,
            idempotency_key=idempotency_key,
        )
        return result

    def book_appointment(
        self,
        id: str,
        body: m.AppointmentPlanStep | None = None,
        *,
        idempotency_key: str | None = None,
    ) -> m.Appointment:
        """Book an appointment.

        409 INVALID_TRANSITION if its status does not allow this step; the error lists the allowed steps.
        `POST /v1/appointments/{id}/book`
        """
        result: m.Appointment = self._json(
            "POST",
            f"/v1/appointments/{segment(id)}/book",
            body=body,
            idempotency_key=idempotency_key,
        )
        return result

    def reschedule_appointment(
        self,
        id: str,
        body: m.AppointmentPlanStep | None = None,
        *,
        idempotency_key: str | None = None,
    ) -> m.Appointment:
        """Move an appointment to another time.

        409 INVALID_TRANSITION if its status does not allow this step; the error lists the allowed steps.
        `POST /v1/appointments/{id}/reschedule`
        """
        result: m.Appointment = self._json(
            "POST",
            f"/v1/appointments/{segment(id)}/reschedule",
            body=body,
            idempotency_key=idempotency_key,
        )
        return result

    def arrive_appointment(
        self,
        id: str,
        body: m.MemberRecordStepInput | None = None,
        *,
        idempotency_key: str | None = None,
    ) -> m.Appointment:
        """Record that the member has arrived.

        409 INVALID_TRANSITION if its status does not allow this step; the error lists the allowed steps.
        `POST /v1/appointments/{id}/arrive`
        """
        result: m.Appointment = self._json(
            "POST",
            f"/v1/appointments/{segment(id)}/arrive",
            body=body,
            idempotency_key=idempotency_key,
        )
        return result

    def check_in_appointment(
        self,
        id: str,
        body: m.MemberRecordStepInput | None = None,
        *,
        idempotency_key: str | None = None,
    ) -> m.Appointment:
        """Check the member in.

        409 INVALID_TRANSITION if its status does not allow this step; the error lists the allowed steps.
        `POST /v1/appointments/{id}/check-in`
        """
        result: m.Appointment = self._json(
            "POST",
            f"/v1/appointments/{segment(id)}/check-in",
            body=body,
            idempotency_key=idempotency_key,
        )
        return result

    def fulfil_appointment(
        self,
        id: str,
        body: m.MemberRecordStepInput | None = None,
        *,
        idempotency_key: str | None = None,
    ) -> m.Appointment:
        """Record that an appointment took place.

        409 INVALID_TRANSITION if its status does not allow this step; the error lists the allowed steps.
        `POST /v1/appointments/{id}/fulfil`
        """
        result: m.Appointment = self._json(
            "POST",
            f"/v1/appointments/{segment(id)}/fulfil",
            body=body,
            idempotency_key=idempotency_key,
        )
        return result

    def cancel_appointment(
        self,
        id: str,
        body: m.MemberRecordStepInput | None = None,
        *,
        idempotency_key: str | None = None,
    ) -> m.Appointment:
        """Cancel an appointment.

        409 INVALID_TRANSITION if its status does not allow this step; the error lists the allowed steps.
        `POST /v1/appointments/{id}/cancel`
        """
        result: m.Appointment = self._json(
            "POST",
            f"/v1/appointments/{segment(id)}/cancel",
            body=body,
            idempotency_key=idempotency_key,
        )
        return result

    def no_show_appointment(
        self,
        id: str,
        body: m.MemberRecordStepInput | None = None,
        *,
        idempotency_key: str | None = None,
    ) -> m.Appointment:
        """Record that the member did not come.

        409 INVALID_TRANSITION if its status does not allow this step; the error lists the allowed steps.
        `POST /v1/appointments/{id}/no-show`
        """
        result: m.Appointment = self._json(
            "POST",
            f"/v1/appointments/{segment(id)}/no-show",
            body=body,
            idempotency_key=idempotency_key,
        )
        return result

    def mark_in_error_appointment(
        self,
        id: str,
        body: m.MemberRecordStepInput | None = None,
        *,
        idempotency_key: str | None = None,
    ) -> m.Appointment:
        """Mark an appointment as entered in error.

        409 INVALID_TRANSITION if its status does not allow this step; the error lists the allowed steps.
        `POST /v1/appointments/{id}/mark-in-error`
        """
        result: m.Appointment = self._json(
            "POST",
            f"/v1/appointments/{segment(id)}/mark-in-error",
            body=body,
            idempotency_key=idempotency_key,
        )
        return result

    def list_care_team(
        self,
        *,
        cursor: str | None = None,
        from_: str | None = None,
        limit: int | None = None,
        member_id: str | None = None,
        order: Literal["asc", "desc"] | None = None,
        practitioner: str | None = None,
        status: Literal["proposed", "active", "suspended", "inactive", "entered-in-error"] | None = None,
        to: str | None = None,
    ) -> m.CareTeamPage:
        """List care team entries.

        Lists the carers of members of the tenant. Pages hold `limit` items; `next_cursor` of the answer is
        the `cursor` of the next page, and null on the last. `GET /v1/care-team`
        """
        result: m.CareTeamPage = self._json(
            "GET",
            "/v1/care-team",
            query={
                "cursor": cursor,
                "from": from_,
                "limit": limit,
                "member_id": member_id,
                "order": order,
                "practitioner": practitioner,
                "status": status,
                "to": to,
            },
        )
        return result

    def paginate_care_team(
        self,
        *,
        from_: str | None = None,
        limit: int | None = None,
        member_id: str | None = None,
        order: Literal["asc", "desc"] | None = None,
        practitioner: str | None = None,
        status: Literal["proposed", "active", "suspended", "inactive", "entered-in-error"] | None = None,
        to: str | None = None,
    ) -> Iterator[m.CareTeamEntry]:
        """Iterates over all items of list_care_team, page by page."""
        for item in self._items(
            "/v1/care-team",
            query={
                "from": from_,
                "limit": limit,
                "member_id": member_id,
                "order": order,
                "practitioner": practitioner,
                "status": status,
                "to": to,
            },
        ):
            yield item

    def create_care_team_entry(
        self,
        body: m.CareTeamEntryInput,
        *,
        idempotency_key: str | None = None,
    ) -> m.CreateCareTeamEntryAnswer:
        """Add a person to a member's care team.

        409 CONFLICT, with its `care_team_id`, if the same person has the same role in an overlapping period.
        `POST /v1/care-team`
        """
        result: m.CreateCareTeamEntryAnswer = self._json(
            "POST",
            "/v1/care-team",
            body=body,
            idempotency_key=idempotency_key,
        )
        return result

    def get_care_team_entry(
        self,
        id: str,
    ) -> m.CareTeamEntry:
        """Read one entry of a care team.

        Returns an entry of a care team. 404 NOT_FOUND if there is none, or it is not visible to the key. `GET
        /v1/care-team/{id}`
        """
        result: m.CareTeamEntry = self._json(
            "GET",
            f"/v1/care-team/{segment(id)}",
        )
        return result

    def activate_care_team_entry(
        self,
        id: str,
        body: m.MemberRecordStepInput | None = None,
        *,
        idempotency_key: str | None = None,
    ) -> m.CareTeamEntry:
        """Activate a proposed carer.

        409 INVALID_TRANSITION if its status does not allow this step; the error lists the allowed steps.
        `POST /v1/care-team/{id}/activate`
        """
        result: m.CareTeamEntry = self._json(
            "POST",
            f"/v1/care-team/{segment(id)}/activate",
            body=body,
            idempotency_key=idempotency_key,
        )
        return result

    def suspend_care_team_entry(
        self,
        id: str,
        body: m.MemberRecordStepInput | None = None,
        *,
        idempotency_key: str | None = None,
    ) -> m.CareTeamEntry:
        """Suspend a carer.

        409 INVALID_TRANSITION if its status does not allow this step; the error lists the allowed steps.
        `POST /v1/care-team/{id}/suspend`
        """
        result: m.CareTeamEntry = self._json(
            "POST",
            f"/v1/care-team/{segment(id)}/suspend",
            body=body,
            idempotency_key=idempotency_key,
        )
        return result

    def resume_care_team_entry(
        self,
        id: str,
        body: m.MemberRecordStepInput | None = None,
        *,
        idempotency_key: str | None = None,
    ) -> m.CareTeamEntry:
        """Resume a suspended carer.

        409 INVALID_TRANSITION if its status does not allow this step; the error lists the allowed steps.
        `POST /v1/care-team/{id}/resume`
        """
        result: m.CareTeamEntry = self._json(
            "POST",
            f"/v1/care-team/{segment(id)}/resume",
            body=body,
            idempotency_key=idempotency_key,
        )
        return result

    def end_care_team_entry(
        self,
        id: str,
        body: m.MemberRecordStepInput | None = None,
        *,
        idempotency_key: str | None = None,
    ) -> m.CareTeamEntry:
        """End a carer's time in a care team.

        409 INVALID_TRANSITION if its status does not allow this step; the error lists the allowed steps.
        `POST /v1/care-team/{id}/end`
        """
        result: m.CareTeamEntry = self._json(
            "POST",
            f"/v1/care-team/{segment(id)}/end",
            body=body,
            idempotency_key=idempotency_key,
        )
        return result

    def mark_in_error_care_team_entry(
        self,
        id: str,
        body: m.MemberRecordStepInput | None = None,
        *,
        idempotency_key: str | None = None,
    ) -> m.CareTeamEntry:
        """Mark a care team entry as made in error.

        409 INVALID_TRANSITION if its status does not allow this step; the error lists the allowed steps.
        `POST /v1/care-team/{id}/mark-in-error`
        """
        result: m.CareTeamEntry = self._json(
            "POST",
            f"/v1/care-team/{segment(id)}/mark-in-error",
            body=body,
            idempotency_key=idempotency_key,
        )
        return result

    def list_data_rights(
        self,
        *,
        cursor: str | None = None,
        from_: str | None = None,
        limit: int | None = None,
        member_id: str | None = None,
        order: Literal["asc", "desc"] | None = None,
        overdue: bool | None = None,
        right: Literal["ACCESS", "AMENDMENT", "RESTRICTION", "ACCOUNTING_OF_DISCLOSURES", "ERASURE"] | None = None,
        status: Literal["RECEIVED", "VERIFIED", "IN_PROGRESS", "FULFILLED", "DENIED"] | None = None,
        to: str | None = None,
    ) -> m.DataRightPage:
        """List data rights requests.

        Lists the requests of members about their data. Pages hold `limit` items; `next_cursor` of the answer
        is the `cursor` of the next page, and null on the last. `GET /v1/data-rights`
        """
        result: m.DataRightPage = self._json(
            "GET",
            "/v1/data-rights",
            query={
                "cursor": cursor,
                "from": from_,
                "limit": limit,
                "member_id": member_id,
                "order": order,
                "overdue": overdue,
                "right": right,
                "status": status,
                "to": to,
            },
        )
        return result

    def paginate_data_rights(
        self,
        *,
        from_: str | None = None,
        limit: int | None = None,
        member_id: str | None = None,
        order: Literal["asc", "desc"] | None = None,
        overdue: bool | None = None,
        right: Literal["ACCESS", "AMENDMENT", "RESTRICTION", "ACCOUNTING_OF_DISCLOSURES", "ERASURE"] | None = None,
        status: Literal["RECEIVED", "VERIFIED", "IN_PROGRESS", "FULFILLED", "DENIED"] | None = None,
        to: str | None = None,
    ) -> Iterator[m.DataRight]:
        """Iterates over all items of list_data_rights, page by page."""
        for item in self._items(
            "/v1/data-rights",
            query={
                "from": from_,
                "limit": limit,
                "member_id": member_id,
                "order": order,
                "overdue": overdue,
                "right": right,
                "status": status,
                "to": to,
            },
        ):
            yield item

    def receive_data_right(
        self,
        body: m.DataRightInput,
        *,
        idempotency_key: str | None = None,
    ) -> m.DataRight:
        """Receive a data rights request of a member.

        404 for an unknown member. It is due 30 days after it was received. `POST /v1/data-rights`
        """
        result: m.DataRight = self._json(
            "POST",
            "/v1/data-rights",
            body=body,
            idempotency_key=idempotency_key,
        )
        return result

    def get_data_right(
        self,
        id: str,
    ) -> m.DataRight:
        """Read one data rights request.

        Returns a request about a member’s data. 404 NOT_FOUND if there is none, or it is not visible to the
        key. `GET /v1/data-rights/{id}`
        """
        result: m.DataRight = self._json(
            "GET",
            f"/v1/data-rights/{segment(id)}",
        )
        return result

    def list_disclosures(
        self,
        id: str,
        *,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> m.DataDisclosurePage:
        """List the disclosures of a member’s records.

        For a started ACCOUNTING_OF_DISCLOSURES, else 409 CONFLICT. After it is fulfilled, the list stays as
        it was then. Recorded in custody (READ_DISCLOSURES). `GET /v1/data-rights/{id}/disclosures`
        """
        result: m.DataDisclosurePage = self._json(
            "GET",
            f"/v1/data-rights/{segment(id)}/disclosures",
            query={
                "cursor": cursor,
                "limit": limit,
            },
        )
        return result

    def paginate_disclosures(
        self,
        id: str,
        *,
        limit: int | None = None,
    ) -> Iterator[m.DataDisclosure]:
        """Iterates over all items of list_disclosures, page by page."""
        for item in self._items(
            f"/v1/data-rights/{segment(id)}/disclosures",
            query={
                "limit": limit,
            },
        ):
            yield item

    def verify_data_right(
        self,
        id: str,
        body: m.DataRightVerification,
        *,
        idempotency_key: str | None = None,
    ) -> m.DataRight:
        """Record how the requester was identified.

        409 INVALID_TRANSITION if its status does not allow this step; the error lists the allowed steps.
        `POST /v1/data-rights/{id}/verify`
        """
        result: m.DataRight = self._json(
            "POST",
            f"/v1/data-rights/{segment(id)}/verify",
            body=body,
            idempotency_key=idempotency_key,
        )
        return result

    def start_data_right(
        self,
        id: str,
        body: m.DataRightStart | None = None,
        *,
        idempotency_key: str | None = None,
    ) -> m.DataRight:
        """Start or resume the work for a request.

        ACCESS requests a bundle (a new one after a failure), RESTRICTION creates a consent, ERASURE disposes
        of the records that may go now. 409 INVALID_TRANSITION if its status does not allow this step; the
        error lists the allowed steps. `POST /v1/data-rights/{id}/start`
        """
        result: m.DataRight = self._json(
            "POST",
            f"/v1/data-rights/{segment(id)}/start",
            body=body,
            idempotency_key=idempotency_key,
        )
        return result

    def extend_data_right(
        self,
        id: str,
        body: m.DataRightExtension,
        *,
        idempotency_key: str | None = None,
    ) -> m.DataRight:
        """Extend the deadline of a request, once.

        409 CONFLICT the second time. 409 INVALID_TRANSITION if its status does not allow this step; the error
        lists the allowed steps. `POST /v1/data-rights/{id}/extend`
        """
        result: m.DataRight = self._json(
            "POST",
            f"/v1/data-rights/{segment(id)}/extend",
            body=body,
            idempotency_key=idempotency_key,
        )
        return result

    def fulfil_data_right(
        self,
        id: str,
        body: m.DataRightFulfilmentInput | None = None,
        *,
        idempotency_key: str | None = None,
    ) -> m.DataRight:
        """Fulfil a request.

        409 NOT_SEALED until the bundle is sealed; LEGAL_HOLD_ACTIVE or CONFLICT with `refused` if records to
        erase must stay. 409 INVALID_TRANSITION if its status does not allow this step; the error lists the
        allowed steps. `POST /v1/data-rights/{id}/fulfil`
        """
        result: m.DataRight = self._json(
            "POST",
            f"/v1/data-rights/{segment(id)}/fulfil",
            body=body,
            idempotency_key=idempotency_key,
        )
        return result

    def deny_data_right(
        self,
        id: str,
        body: m.DataRightDenial,
        *,
        idempotency_key: str | None = None,
    ) -> m.DataRight:
        """Deny a request.

        409 INVALID_TRANSITION if its status does not allow this step; the error lists the allowed steps.
        `POST /v1/data-rights/{id}/deny`
        """
        result: m.DataRight = self._json(
            "POST",
            f"/v1/data-rights/{segment(id)}/deny",
            body=body,
            idempotency_key=idempotency_key,
        )
        return result

    def disagree_data_right(
        self,
        id: str,
        body: m.DataRightDisagreement,
        *,
        idempotency_key: str | None = None,
    ) -> m.DataRight:
        """Record a statement of disagreement with a denied amendment.

        409 INVALID_TRANSITION if its status does not allow this step; the error lists the allowed steps.
        `POST /v1/data-rights/{id}/disagree`
        """
        result: m.DataRight = self._json(
            "POST",
            f"/v1/data-rights/{segment(id)}/disagree",
            body=body,
            idempotency_key=idempotency_key,
        )
        return result

    def list_consents(
        self,
        *,
        cursor: str | None = None,
        decision: Literal["PERMIT", "DENY"] | None = None,
        from_: str | None = None,
        limit: int | None = None,
        member_id: str | None = None,
        order: Literal["asc", "desc"] | None = None,
        purpose: str | None = None,
        status: Literal["ACTIVE", "REVOKED"] | None = None,
        to: str | None = None,
    ) -> m.ConsentPage:
        """List consents.

        Lists the consents of the tenant. Pages hold `limit` items; `next_cursor` of the answer is the
        `cursor` of the next page, and null on the last. `GET /v1/consent`
        """
        result: m.ConsentPage = self._json(
            "GET",
            "/v1/consent",
            query={
                "cursor": cursor,
                "decision": decision,
                "from": from_,
                "limit": limit,
                "member_id": member_id,
                "order": order,
                "purpose": purpose,
                "status": status,
                "to": to,
            },
        )
        return result

    def paginate_consents(
        self,
        *,
        decision: Literal["PERMIT", "DENY"] | None = None,
        from_: str | None = None,
        limit: int | None = None,
        member_id: str | None = None,
        order: Literal["asc", "desc"] | None = None,
        purpose: str | None = None,
        status: Literal["ACTIVE", "REVOKED"] | None = None,
        to: str | None = None,
    ) -> Iterator[m.Consent]:
        """Iterates over all items of list_consents, page by page."""
        for item in self._items(
            "/v1/consent",
            query={
                "decision": decision,
                "from": from_,
                "limit": limit,
                "member_id": member_id,
                "order": order,
                "purpose": purpose,
                "status": status,
                "to": to,
            },
        ):
            yield item

    def create_consent(
        self,
        body: m.ConsentInput,
        *,
        idempotency_key: str | None = None,
    ) -> m.Consent:
        """Record a consent of a member.

        If several consents cover one record, DENY wins. Without a consent, records are returned, except those
        under 42 CFR Part 2: they need a PERMIT that names the category 42CFR2. `POST /v1/consent`
        """
        result: m.Consent = self._json(
            "POST",
            "/v1/consent",
            body=body,
            idempotency_key=idempotency_key,
        )
        return result

    def check_consent(
        self,
        body: m.ConsentCheckInput,
        *,
        idempotency_key: str | None = None,
    ) -> m.ConsentCheckResult:
        """Check whether consent allows a read.

        Applies the same rules as every read with a stated purpose. Writes nothing. `POST /v1/consent/check`
        """
        result: m.ConsentCheckResult = self._json(
            "POST",
            "/v1/consent/check",
            body=body,
            idempotency_key=idempotency_key,
        )
        return result

    def get_consent_policy(
        self,
    ) -> m.ConsentPolicyRecord:
        """List the source systems of 42 CFR Part 2 programs.

        Returns the consent policy of the tenant. `GET /v1/consent/policy`
        """
        result: m.ConsentPolicyRecord = self._json(
            "GET",
            "/v1/consent/policy",
        )
        return result

    def put_consent_policy(
        self,
        body: m.ConsentPolicyInput,
    ) -> m.ConsentPolicyRecord:
        """Set the source systems of 42 CFR Part 2 programs.

        Takes effect at once, for existing and for new records. `PUT /v1/consent/policy`
        """
        result: m.ConsentPolicyRecord = self._json(
            "PUT",
            "/v1/consent/policy",
            body=body,
        )
        return result

    def get_consent(
        self,
        id: str,
    ) -> m.Consent:
        """Read one consent.

        Returns a consent. 404 NOT_FOUND if there is none, or it is not visible to the key. `GET
        /v1/consent/{id}`
        """
        result: m.Consent = self._json(
            "GET",
            f"/v1/consent/{segment(id)}",
        )
        return result

    def revoke_consent(
        self,
        id: str,
        body: m.ConsentRevocation | None = None,
        *,
        idempotency_key: str | None = None,
    ) -> m.Consent:
        """End a consent.

        Final. A changed decision is a new consent. `POST /v1/consent/{id}/revoke`
        """
        result: m.Consent = self._json(
            "POST",
            f"/v1/consent/{segment(id)}/revoke",
            body=body,
            idempotency_key=idempotency_key,
        )
        return result

    def start_member_auth(
        self,
        body: m.StartMemberAuthBody,
        *,
        idempotency_key: str | None = None,
    ) -> m.MemberChallenge:
        """Send a one-time code to a member.

        The answer is the same for an unknown member. The code has six digits and is valid once, for ten
        minutes and five attempts. The number of codes is limited for each member and each address (429).
        `POST /v1/member-auth/start`
        """
        result: m.MemberChallenge = self._json(
            "POST",
            "/v1/member-auth/start",
            body=body,
            idempotency_key=idempotency_key,
        )
        return result

    def verify_member_auth(
        self,
        body: m.VerifyMemberAuthBody,
        *,
        idempotency_key: str | None = None,
    ) -> m.MemberTokens:
        """Open a member's session with the code that they received.

        401 for a code that is wrong, used, expired or locked, and for an unknown challenge. The answer does
        not say which. `POST /v1/member-auth/verify`
        """
        result: m.MemberTokens = self._json(
            "POST",
            "/v1/member-auth/verify",
            body=body,
            idempotency_key=idempotency_key,
        )
        return result

    def refresh_member_auth(
        self,
        body: m.RefreshMemberAuthBody,
        *,
        idempotency_key: str | None = None,
    ) -> m.MemberTokens:
        """Renew a member's session.

        A refresh token is valid once; using it again ends the session (401). `POST /v1/member-auth/refresh`
        """
        result: m.MemberTokens = self._json(
            "POST",
            "/v1/member-auth/refresh",
            body=body,
            idempotency_key=idempotency_key,
        )
        return result

    def logout_member(
        self,
        body: m.LogoutMemberBody | None = None,
        *,
        idempotency_key: str | None = None,
    ) -> m.MemberLogout:
        """End a member's session.

        With a member token: its own session. With a key: the session of the token in the body. Takes effect
        at once and is final. `POST /v1/member-auth/logout`
        """
        result: m.MemberLogout = self._json(
            "POST",
            "/v1/member-auth/logout",
            body=body,
            idempotency_key=idempotency_key,
        )
        return result

    def request_ava_access(
        self,
        body: m.RequestAvaAccessBody,
        *,
        idempotency_key: str | None = None,
    ) -> m.RequestAvaAccessAnswer:
        """Ask a member for access to their record.

        Sends a code to the member, who passes it on to give access. The answer is the same for an unknown
        member. `POST /v1/ava-access/request`
        """
        result: m.RequestAvaAccessAnswer = self._json(
            "POST",
            "/v1/ava-access/request",
            body=body,
            idempotency_key=idempotency_key,
        )
        return result

    def verify_ava_access(
        self,
        body: m.VerifyAvaAccessBody,
        *,
        idempotency_key: str | None = None,
    ) -> m.VerifyAvaAccessAnswer:
        """Open a member's record with the code that they gave.

        401 for a code that is wrong, used, expired or locked, and for an unknown request. The answer does not
        say which. `POST /v1/ava-access/verify`
        """
        result: m.VerifyAvaAccessAnswer = self._json(
            "POST",
            "/v1/ava-access/verify",
            body=body,
            idempotency_key=idempotency_key,
        )
        return result

    def revoke_ava_access(
        self,
        id: str,
        body: dict[str, Any] | None = None,
        *,
        idempotency_key: str | None = None,
    ) -> m.AvaAccessRequest:
        """Revoke access to a member's record.

        An unused code and an issued token become invalid at once. `POST /v1/ava-access/{id}/revoke`
        """
        result: m.AvaAccessRequest = self._json(
            "POST",
            f"/v1/ava-access/{segment(id)}/revoke",
            body=body,
            idempotency_key=idempotency_key,
        )
        return result

    def place_legal_hold(
        self,
        body: m.LegalHoldInput,
        *,
        idempotency_key: str | None = None,
    ) -> m.LegalHold:
        """Place a legal hold.

        Active when the answer is sent, for existing and for later records. It covers records named by id, and
        records that match all other given members. `POST /v1/legal-holds`
        """
        result: m.LegalHold = self._json(
            "POST",
            "/v1/legal-holds",
            body=body,
            idempotency_key=idempotency_key,
        )
        return result

    def list_legal_holds(
        self,
        *,
        cursor: str | None = None,
        from_: str | None = None,
        limit: int | None = None,
        matter_id: str | None = None,
        name: str | None = None,
        order: Literal["asc", "desc"] | None = None,
        status: Literal["ACTIVE", "RELEASED"] | None = None,
        to: str | None = None,
    ) -> m.LegalHoldPage:
        """List legal holds.

        Lists the legal holds of the tenant. Pages hold `limit` items; `next_cursor` of the answer is the
        `cursor` of the next page, and null on the last. `GET /v1/legal-holds`
        """
        result: m.LegalHoldPage = self._json(
            "GET",
            "/v1/legal-holds",
            query={
                "cursor": cursor,
                "from": from_,
                "limit": limit,
                "matter_id": matter_id,
                "name": name,
                "order": order,
                "status": status,
                "to": to,
            },
        )
        return result

    def paginate_legal_holds(
        self,
        *,
        from_: str | None = None,
        limit: int | None = None,
        matter_id: str | None = None,
        name: str | None = None,
        order: Literal["asc", "desc"] | None = None,
        status: Literal["ACTIVE", "RELEASED"] | None = None,
        to: str | None = None,
    ) -> Iterator[m.LegalHold]:
        """Iterates over all items of list_legal_holds, page by page."""
        for item in self._items(
            "/v1/legal-holds",
            query={
                "from": from_,
                "limit": limit,
                "matter_id": matter_id,
                "name": name,
                "order": order,
                "status": status,
                "to": to,
            },
        ):
            yield item

    def get_legal_hold(
        self,
        id: str,
    ) -> m.LegalHold:
        """Read one legal hold.

        Returns a legal hold. 404 NOT_FOUND if there is none, or it is not visible to the key. `GET
        /v1/legal-holds/{id}`
        """
        result: m.LegalHold = self._json(
            "GET",
            f"/v1/legal-holds/{segment(id)}",
        )
        return result

    def update_legal_hold(
        self,
        id: str,
        body: m.LegalHoldPatch,
    ) -> m.LegalHold:
        """Change or widen a legal hold.

        Absent members stay. A narrower scope is rejected: it would be a release, which needs an authority.
        `PATCH /v1/legal-holds/{id}`
        """
        result: m.LegalHold = self._json(
            "PATCH",
            f"/v1/legal-holds/{segment(id)}",
            body=body,
        )
        return result

    def release_legal_hold(
        self,
        id: str,
        body: m.LegalHoldReleaseInput,
        *,
        idempotency_key: str | None = None,
    ) -> m.LegalHold:
        """Release a legal hold.

        Final, and only under a documented authority. Records under another hold stay held. `POST
        /v1/legal-holds/{id}/release`
        """
        result: m.LegalHold = self._json(
            "POST",
            f"/v1/legal-holds/{segment(id)}/release",
            body=body,
            idempotency_key=idempotency_key,
        )
        return result

    def list_hold_tombstones(
        self,
        id: str,
        *,
        cursor: str | None = None,
        from_: str | None = None,
        kind: Literal["EVENT", "DOCUMENT"] | None = None,
        limit: int | None = None,
        order: Literal["asc", "desc"] | None = None,
        to: str | None = None,
    ) -> m.HoldTombstonePage:
        """List the records under a legal hold.

        The listing is built in the background (`listed_at` of the hold); the hold itself does not wait for
        it. `GET /v1/legal-holds/{id}/tombstones`
        """
        result: m.HoldTombstonePage = self._json(
            "GET",
            f"/v1/legal-holds/{segment(id)}/tombstones",
            query={
                "cursor": cursor,
                "from": from_,
                "kind": kind,
                "limit": limit,
                "order": order,
                "to": to,
            },
        )
        return result

    def paginate_hold_tombstones(
        self,
        id: str,
        *,
        from_: str | None = None,
        kind: Literal["EVENT", "DOCUMENT"] | None = None,
        limit: int | None = None,
        order: Literal["asc", "desc"] | None = None,
        to: str | None = None,
    ) -> Iterator[m.HoldTombstone]:
        """Iterates over all items of list_hold_tombstones, page by page."""
        for item in self._items(
            f"/v1/legal-holds/{segment(id)}/tombstones",
            query={
                "from": from_,
                "kind": kind,
                "limit": limit,
                "order": order,
                "to": to,
            },
        ):
            yield item

    def give_hold_notice(
        self,
        id: str,
        body: m.HoldNoticeInput,
        *,
        idempotency_key: str | None = None,
    ) -> m.HoldNotice:
        """Give a custodian notice of a legal hold.

        The service sends nothing. A custodian with an actor reads the notice by `GET /v1/hold-notices` and
        acknowledges it with their own key or session. You inform the others. Recorded in custody (NOTIFY).
        409 CONFLICT for a released hold. `POST /v1/legal-holds/{id}/notices`
        """
        result: m.HoldNotice = self._json(
            "POST",
            f"/v1/legal-holds/{segment(id)}/notices",
            body=body,
            idempotency_key=idempotency_key,
        )
        return result

    def list_hold_notices(
        self,
        id: str,
        *,
        cursor: str | None = None,
        from_: str | None = None,
        limit: int | None = None,
        order: Literal["asc", "desc"] | None = None,
        status: Literal["PENDING", "ACKNOWLEDGED", "WITHDRAWN"] | None = None,
        to: str | None = None,
    ) -> m.HoldNoticePage:
        """List the notices of a legal hold.

        `overdue` is true for a pending notice whose time has passed. `GET /v1/legal-holds/{id}/notices`
        """
        result: m.HoldNoticePage = self._json(
            "GET",
            f"/v1/legal-holds/{segment(id)}/notices",
            query={
                "cursor": cursor,
                "from": from_,
                "limit": limit,
                "order": order,
                "status": status,
                "to": to,
            },
        )
        return result

    def paginate_hold_notices(
        self,
        id: str,
        *,
        from_: str | None = None,
        limit: int | None = None,
        order: Literal["asc", "desc"] | None = None,
        status: Literal["PENDING", "ACKNOWLEDGED", "WITHDRAWN"] | None = None,
        to: str | None = None,
    ) -> Iterator[m.HoldNotice]:
        """Iterates over all items of list_hold_notices, page by page."""
        for item in self._items(
            f"/v1/legal-holds/{segment(id)}/notices",
            query={
                "from": from_,
                "limit": limit,
                "order": order,
                "status": status,
                "to": to,
            },
        ):
            yield item

    def list_own_hold_notices(
        self,
        *,
        cursor: str | None = None,
        from_: str | None = None,
        limit: int | None = None,
        order: Literal["asc", "desc"] | None = None,
        status: Literal["PENDING", "ACKNOWLEDGED", "WITHDRAWN"] | None = None,
        to: str | None = None,
    ) -> m.HoldNoticePage:
        """List the notices to the caller.

        The notices to the actor of the key or session, of every hold. 403 for a key without an actor. `GET
        /v1/hold-notices`
        """
        result: m.HoldNoticePage = self._json(
            "GET",
            "/v1/hold-notices",
            query={
                "cursor": cursor,
                "from": from_,
                "limit": limit,
                "order": order,
                "status": status,
                "to": to,
            },
        )
        return result

    def paginate_own_hold_notices(
        self,
        *,
        from_: str | None = None,
        limit: int | None = None,
        order: Literal["asc", "desc"] | None = None,
        status: Literal["PENDING", "ACKNOWLEDGED", "WITHDRAWN"] | None = None,
        to: str | None = None,
    ) -> Iterator[m.HoldNotice]:
        """Iterates over all items of list_own_hold_notices, page by page."""
        for item in self._items(
            "/v1/hold-notices",
            query={
                "from": from_,
                "limit": limit,
                "order": order,
                "status": status,
                "to": to,
            },
        ):
            yield item

    def remind_hold_notice(
        self,
        id: str,
        body: dict[str, Any] | None = None,
        *,
        idempotency_key: str | None = None,
    ) -> m.HoldNotice:
        """Note that a custodian was reminded.

        The service sends nothing. Recorded in custody (NOTIFY). 409 CONFLICT after the release of the hold.
        `POST /v1/hold-notices/{id}/remind`
        """
        result: m.HoldNotice = self._json(
            "POST",
            f"/v1/hold-notices/{segment(id)}/remind",
            body=body,
            idempotency_key=idempotency_key,
        )
        return result

    def share_hold_notice(
        self,
        id: str,
        body: m.HoldNoticeLinkInput,
        *,
        idempotency_key: str | None = None,
    ) -> m.SharedHoldNotice:
        """Make a link to a notice for a custodian without a key.

        The custodian reads and acknowledges the notice with the link, without a key, as long as the key or
        person that made it may give notices. A link before it ends. Recorded in custody (SHARE). The service
        sends nothing. 409 CONFLICT for a custodian with an actor and after the release of the hold. `POST
        /v1/hold-notices/{id}/link`
        """
        result: m.SharedHoldNotice = self._json(
            "POST",
            f"/v1/hold-notices/{segment(id)}/link",
            body=body,
            idempotency_key=idempotency_key,
        )
        return result

    def read_shared_notice(
        self,
        token: str,
    ) -> m.ReadSharedNoticeAnswer:
        """Read a notice by a link.

        Needs no key: the token of `POST /v1/hold-notices/{id}/link` opens the notice until the link ends or
        the notice is withdrawn. 404 with one text for every other token. `GET /v1/notice-links/{token}`
        """
        result: m.ReadSharedNoticeAnswer = self._json(
            "GET",
            f"/v1/notice-links/{segment(token)}",
        )
        return result

    def acknowledge_shared_notice(
        self,
        token: str,
        body: m.AcknowledgeSharedNoticeBody,
    ) -> m.AcknowledgeSharedNoticeAnswer:
        """Acknowledge a notice by a link.

        Needs no key. Records the typed name with the acknowledgement. Recorded in custody (ACKNOWLEDGE). 409
        INVALID_TRANSITION for a notice that is acknowledged. `POST /v1/notice-links/{token}/acknowledge`
        """
        result: m.AcknowledgeSharedNoticeAnswer = self._json(
            "POST",
            f"/v1/notice-links/{segment(token)}/acknowledge",
            body=body,
        )
        return result

    def acknowledge_hold_notice(
        self,
        id: str,
        body: m.HoldNoticeAcknowledgement,
        *,
        idempotency_key: str | None = None,
    ) -> m.HoldNotice:
        """Acknowledge a notice.

        The own key or session of the custodian needs no scope. For a custodian without an actor, a key with
        holds:write records how they acknowledged. Recorded in custody (ACKNOWLEDGE). `POST
        /v1/hold-notices/{id}/acknowledge`
        """
        result: m.HoldNotice = self._json(
            "POST",
            f"/v1/hold-notices/{segment(id)}/acknowledge",
            body=body,
            idempotency_key=idempotency_key,
        )
        return result

    def withdraw_hold_notice(
        self,
        id: str,
        body: dict[str, Any] | None = None,
        *,
        idempotency_key: str | None = None,
    ) -> m.HoldNotice:
        """Withdraw a notice.

        Final; for a notice without an acknowledgement. Recorded in custody (WITHDRAW). `POST
        /v1/hold-notices/{id}/withdraw`
        """
        result: m.HoldNotice = self._json(
            "POST",
            f"/v1/hold-notices/{segment(id)}/withdraw",
            body=body,
            idempotency_key=idempotency_key,
        )
        return result

    def get_retention_policies(
        self,
    ) -> m.RetentionPolicies:
        """Read the retention policies.

        Returns the retention policies. `GET /v1/retention-policies`
        """
        result: m.RetentionPolicies = self._json(
            "GET",
            "/v1/retention-policies",
        )
        return result

    def put_retention_policies(
        self,
        body: m.RetentionPoliciesInput,
    ) -> m.RetentionPolicies:
        """Replace the retention policies.

        Each policy names an event_family or a document_type. None may be shorter than the minimum of the
        deployment. The age counts from when the record took effect; with counts_from LATER, from the later of
        that and its recording. `PUT /v1/retention-policies`
        """
        result: m.RetentionPolicies = self._json(
            "PUT",
            "/v1/retention-policies",
            body=body,
        )
        return result

    def sweep_retention(
        self,
        body: m.SweepRetentionBody | None = None,
        *,
        idempotency_key: str | None = None,
    ) -> m.RetentionSweep:
        """Dispose of records past their retention.

        Held records stay, and the refusal is recorded. Headers and chain stay; each disposal leaves a
        certificate in custody. dry_run deletes nothing. `POST /v1/retention/sweep`
        """
        result: m.RetentionSweep = self._json(
            "POST",
            "/v1/retention/sweep",
            body=body,
            idempotency_key=idempotency_key,
        )
        return result

    def request_bundle(
        self,
        body: m.BundleRequest,
        *,
        idempotency_key: str | None = None,
    ) -> m.Bundle:
        """Request a bundle.

        Send exactly one of member_id, matter_id and incident_id, and optionally a time window. A worker
        builds and seals the bundle. A scope without records gives a sealed, empty bundle, which is evidence
        too. `POST /v1/bundles`
        """
        result: m.Bundle = self._json(
            "POST",
            "/v1/bundles",
            body=body,
            idempotency_key=idempotency_key,
        )
        return result

    def list_bundles(
        self,
        *,
        bundle_type: Literal["MEMBER", "MATTER", "INCIDENT"] | None = None,
        cursor: str | None = None,
        from_: str | None = None,
        incident_id: str | None = None,
        limit: int | None = None,
        matter_id: str | None = None,
        member_id: str | None = None,
        order: Literal["asc", "desc"] | None = None,
        status: Literal["REQUESTED", "SEALED", "FAILED"] | None = None,
        to: str | None = None,
    ) -> m.BundlePage:
        """List bundles.

        Lists the bundles of the tenant. Pages hold `limit` items; `next_cursor` of the answer is the `cursor`
        of the next page, and null on the last. `GET /v1/bundles`
        """
        result: m.BundlePage = self._json(
            "GET",
            "/v1/bundles",
            query={
                "bundle_type": bundle_type,
                "cursor": cursor,
                "from": from_,
                "incident_id": incident_id,
                "limit": limit,
                "matter_id": matter_id,
                "member_id": member_id,
                "order": order,
                "status": status,
                "to": to,
            },
        )
        return result

    def paginate_bundles(
        self,
        *,
        bundle_type: Literal["MEMBER", "MATTER", "INCIDENT"] | None = None,
        from_: str | None = None,
        incident_id: str | None = None,
        limit: int | None = None,
        matter_id: str | None = None,
        member_id: str | None = None,
        order: Literal["asc", "desc"] | None = None,
        status: Literal["REQUESTED", "SEALED", "FAILED"] | None = None,
        to: str | None = None,
    ) -> Iterator[m.Bundle]:
        """Iterates over all items of list_bundles, page by page."""
        for item in self._items(
            "/v1/bundles",
            query={
                "bundle_type": bundle_type,
                "from": from_,
                "incident_id": incident_id,
                "limit": limit,
                "matter_id": matter_id,
                "member_id": member_id,
                "order": order,
                "status": status,
                "to": to,
            },
        ):
            yield item

    def get_bundle(
        self,
        id: str,
    ) -> m.Bundle:
        """Read one bundle.

        Poll it until its status is SEALED, or FAILED with the reason; `progress` shows the state of the
        build. `GET /v1/bundles/{id}`
        """
        result: m.Bundle = self._json(
            "GET",
            f"/v1/bundles/{segment(id)}",
        )
        return result

    def share_bundle(
        self,
        id: str,
        body: m.BundleLinkInput,
        *,
        idempotency_key: str | None = None,
    ) -> m.CreatedBundleLink:
        """Make a link to a sealed bundle for another party.

        The link opens the bundle without a key, for at most 720 hours, as long as the key or person that made
        it may download the bundle. Recorded in custody (SHARE) with the recipient. 403 like the download;
        readers of originals too may not share an archive that is older than a redaction. `POST
        /v1/bundles/{id}/links`
        """
        result: m.CreatedBundleLink = self._json(
            "POST",
            f"/v1/bundles/{segment(id)}/links",
            body=body,
            idempotency_key=idempotency_key,
        )
        return result

    def list_bundle_links(
        self,
        id: str,
        *,
        cursor: str | None = None,
        from_: str | None = None,
        limit: int | None = None,
        order: Literal["asc", "desc"] | None = None,
        status: Literal["ACTIVE", "USED_UP", "REVOKED"] | None = None,
        to: str | None = None,
    ) -> m.BundleLinkPage:
        """List the links to a bundle.

        Lists the links of a bundle, without their tokens. Pages hold `limit` items; `next_cursor` of the
        answer is the `cursor` of the next page, and null on the last. 404 NOT_FOUND if there is none, or it
        is not visible to the key. `GET /v1/bundles/{id}/links`
        """
        result: m.BundleLinkPage = self._json(
            "GET",
            f"/v1/bundles/{segment(id)}/links",
            query={
                "cursor": cursor,
                "from": from_,
                "limit": limit,
                "order": order,
                "status": status,
                "to": to,
            },
        )
        return result

    def paginate_bundle_links(
        self,
        id: str,
        *,
        from_: str | None = None,
        limit: int | None = None,
        order: Literal["asc", "desc"] | None = None,
        status: Literal["ACTIVE", "USED_UP", "REVOKED"] | None = None,
        to: str | None = None,
    ) -> Iterator[m.BundleLink]:
        """Iterates over all items of list_bundle_links, page by page."""
        for item in self._items(
            f"/v1/bundles/{segment(id)}/links",
            query={
                "from": from_,
                "limit": limit,
                "order": order,
                "status": status,
                "to": to,
            },
        ):
            yield item

    def revoke_bundle_link(
        self,
        id: str,
        link_id: str,
    ) -> m.BundleLink:
        """Revoke a link to a bundle.

        Final, at once. Recorded in custody (UNSHARE). Repeating it changes nothing. 409 INVALID_TRANSITION
        for a link that is used up. `DELETE /v1/bundles/{id}/links/{link_id}`
        """
        result: m.BundleLink = self._json(
            "DELETE",
            f"/v1/bundles/{segment(id)}/links/{segment(link_id)}",
        )
        return result

    def download_shared_bundle(
        self,
        token: str,
    ) -> bytes:
        """Download a sealed bundle by a link.

        Needs no key: the token of `POST /v1/bundles/{id}/links` opens the bundle until the link ends, is used
        up or is revoked, and as long as its maker may download the bundle. 404 with one text for every other
        token. 403 if records of the bundle were redacted, disposed of or withheld by consent since its seal.
        Each answer with bytes is in custody (DOWNLOAD_BUNDLE) with the recipient and the link, and counts,
        also one for a Range. `GET /v1/shared-bundles/{token}`
        """
        result: bytes = self._bytes(
            "GET",
            f"/v1/shared-bundles/{segment(token)}",
        )
        return result

    def diff_bundles(
        self,
        id: str,
        *,
        against: str,
    ) -> m.BundleDiff:
        """Compare two bundles over the same scope.

        Compares the sealed manifests. 409 SCOPE_MISMATCH for another scope or purpose, NOT_SEALED until both
        are sealed. `GET /v1/bundles/{id}/diff`
        """
        result: m.BundleDiff = self._json(
            "GET",
            f"/v1/bundles/{segment(id)}/diff",
            query={
                "against": against,
            },
        )
        return result

    def regenerate_bundle(
        self,
        id: str,
        body: m.RegenerateBundleBody | None = None,
        *,
        idempotency_key: str | None = None,
    ) -> m.RegenerateBundleAnswer:
        """Build a bundle again.

        A SEALED bundle gets a new bundle over the same scope; a FAILED one is built again under its id. 409
        INVALID_TRANSITION while it is REQUESTED. `POST /v1/bundles/{id}/regenerate`
        """
        result: m.RegenerateBundleAnswer = self._json(
            "POST",
            f"/v1/bundles/{segment(id)}/regenerate",
            body=body,
            idempotency_key=idempotency_key,
        )
        return result

    def verify_bundle_signature(
        self,
        id: str,
        body: dict[str, Any] | None = None,
        *,
        idempotency_key: str | None = None,
    ) -> m.VerifyBundleSignatureAnswer:
        """Verify the stored copy of a bundle.

        Runs the verifier that every bundle contains over the copy in the write-once store, with the current
        state of the signing key. Returns no bytes. `POST /v1/bundles/{id}/verify-signature`
        """
        result: m.VerifyBundleSignatureAnswer = self._json(
            "POST",
            f"/v1/bundles/{segment(id)}/verify-signature",
            body=body,
            idempotency_key=idempotency_key,
        )
        return result

    def export_bundle(
        self,
        id: str,
        *,
        format: Literal["json", "xml", "dat", "csv", "case", "fhir", "zip"] | None = None,
        prefix: str | None = None,
        volume: int | None = None,
    ) -> m.ExportBundleAnswer:
        """Export a sealed bundle for electronic discovery.

        Made from the sealed archive alone, so that every export of a bundle has the same content and control
        numbers. Recorded in custody (EXPORT_EDX) before the first byte is sent. 409 NOT_SEALED until it is
        sealed. `GET /v1/bundles/{id}/edx`
        """
        result: m.ExportBundleAnswer = self._json(
            "GET",
            f"/v1/bundles/{segment(id)}/edx",
            query={
                "format": format,
                "prefix": prefix,
                "volume": volume,
            },
        )
        return result

    def get_bundle_timestamp(
        self,
        id: str,
    ) -> m.BundleTimestamp:
        """The time-stamp of a sealed bundle's signature (RFC 3161).

        If the deployment configures a time-stamp authority, it signs the SHA-256 of signature.sig. `Accept:
        application/timestamp-reply` returns the bare reply, for `verify --timestamp` and `openssl ts
        -verify`. `GET /v1/bundles/{id}/timestamp`
        """
        result: m.BundleTimestamp = self._json(
            "GET",
            f"/v1/bundles/{segment(id)}/timestamp",
        )
        return result

    def create_legal_matter(
        self,
        body: m.LegalMatterInput,
        *,
        idempotency_key: str | None = None,
    ) -> m.LegalMatter:
        """Open a legal matter.

        Named holds, bundles, exceptions and documents must exist; member ids are yours. `POST
        /v1/legal-matters`
        """
        result: m.LegalMatter = self._json(
            "POST",
            "/v1/legal-matters",
            body=body,
            idempotency_key=idempotency_key,
        )
        return result

    def list_legal_matters(
        self,
        *,
        cursor: str | None = None,
        from_: str | None = None,
        kind: Literal["LITIGATION", "INVESTIGATION", "REGULATORY", "AUDIT", "APPEAL", "SUBPOENA", "OTHER"] | None = None,
        limit: int | None = None,
        member_id: str | None = None,
        name: str | None = None,
        order: Literal["asc", "desc"] | None = None,
        status: Literal["OPEN", "CLOSED"] | None = None,
        to: str | None = None,
    ) -> m.LegalMatterPage:
        """List legal matters.

        Lists the legal matters of the tenant. Pages hold `limit` items; `next_cursor` of the answer is the
        `cursor` of the next page, and null on the last. `GET /v1/legal-matters`
        """
        result: m.LegalMatterPage = self._json(
            "GET",
            "/v1/legal-matters",
            query={
                "cursor": cursor,
                "from": from_,
                "kind": kind,
                "limit": limit,
                "member_id": member_id,
                "name": name,
                "order": order,
                "status": status,
                "to": to,
            },
        )
        return result

    def paginate_legal_matters(
        self,
        *,
        from_: str | None = None,
        kind: Literal["LITIGATION", "INVESTIGATION", "REGULATORY", "AUDIT", "APPEAL", "SUBPOENA", "OTHER"] | None = None,
        limit: int | None = None,
        member_id: str | None = None,
        name: str | None = None,
        order: Literal["asc", "desc"] | None = None,
        status: Literal["OPEN", "CLOSED"] | None = None,
        to: str | None = None,
    ) -> Iterator[m.LegalMatter]:
        """Iterates over all items of list_legal_matters, page by page."""
        for item in self._items(
            "/v1/legal-matters",
            query={
                "from": from_,
                "kind": kind,
                "limit": limit,
                "member_id": member_id,
                "name": name,
                "order": order,
                "status": status,
                "to": to,
            },
        ):
            yield item

    def get_legal_matter(
        self,
        id: str,
    ) -> m.LegalMatter:
        """Read one legal matter.

        Returns a legal matter. 404 NOT_FOUND if there is none, or it is not visible to the key. `GET
        /v1/legal-matters/{id}`
        """
        result: m.LegalMatter = self._json(
            "GET",
            f"/v1/legal-matters/{segment(id)}",
        )
        return result

    def update_legal_matter(
        self,
        id: str,
        body: m.LegalMatterPatch,
    ) -> m.LegalMatter:
        """Change an open legal matter.

        Absent members stay; null removes the description. `PATCH /v1/legal-matters/{id}`
        """
        result: m.LegalMatter = self._json(
            "PATCH",
            f"/v1/legal-matters/{segment(id)}",
            body=body,
        )
        return result

    def close_legal_matter(
        self,
        id: str,
        body: dict[str, Any] | None = None,
        *,
        idempotency_key: str | None = None,
    ) -> m.LegalMatter:
        """Close a legal matter.

        Final. 409 LEGAL_HOLD_ACTIVE while a hold of the matter is active. `POST /v1/legal-matters/{id}/close`
        """
        result: m.LegalMatter = self._json(
            "POST",
            f"/v1/legal-matters/{segment(id)}/close",
            body=body,
            idempotency_key=idempotency_key,
        )
        return result

    def link_legal_matter_members(
        self,
        id: str,
        ref: str,
        body: dict[str, Any] | None = None,
        *,
        idempotency_key: str | None = None,
    ) -> m.LegalMatter:
        """Add a member to a legal matter.

        Repeating it changes nothing. `POST /v1/legal-matters/{id}/members/{ref}`
        """
        result: m.LegalMatter = self._json(
            "POST",
            f"/v1/legal-matters/{segment(id)}/members/{segment(ref)}",
            body=body,
            idempotency_key=idempotency_key,
        )
        return result

    def unlink_legal_matter_members(
        self,
        id: str,
        ref: str,
    ) -> m.LegalMatter:
        """Remove a member from a legal matter.

        Repeating it changes nothing. `DELETE /v1/legal-matters/{id}/members/{ref}`
        """
        result: m.LegalMatter = self._json(
            "DELETE",
            f"/v1/legal-matters/{segment(id)}/members/{segment(ref)}",
        )
        return result

    def link_legal_matter_holds(
        self,
        id: str,
        ref: str,
        body: dict[str, Any] | None = None,
        *,
        idempotency_key: str | None = None,
    ) -> m.LegalMatter:
        """Add a legal hold to a legal matter.

        Repeating it changes nothing. `POST /v1/legal-matters/{id}/holds/{ref}`
        """
        result: m.LegalMatter = self._json(
            "POST",
            f"/v1/legal-matters/{segment(id)}/holds/{segment(ref)}",
            body=body,
            idempotency_key=idempotency_key,
        )
        return result

    def unlink_legal_matter_holds(
        self,
        id: str,
        ref: str,
    ) -> m.LegalMatter:
        """Remove a legal hold from a legal matter.

        Repeating it changes nothing. `DELETE /v1/legal-matters/{id}/holds/{ref}`
        """
        result: m.LegalMatter = self._json(
            "DELETE",
            f"/v1/legal-matters/{segment(id)}/holds/{segment(ref)}",
        )
        return result

    def link_legal_matter_bundles(
        self,
        id: str,
        ref: str,
        body: dict[str, Any] | None = None,
        *,
        idempotency_key: str | None = None,
    ) -> m.LegalMatter:
        """Add a bundle to a legal matter.

        Repeating it changes nothing. `POST /v1/legal-matters/{id}/bundles/{ref}`
        """
        result: m.LegalMatter = self._json(
            "POST",
            f"/v1/legal-matters/{segment(id)}/bundles/{segment(ref)}",
            body=body,
            idempotency_key=idempotency_key,
        )
        return result

    def unlink_legal_matter_bundles(
        self,
        id: str,
        ref: str,
    ) -> m.LegalMatter:
        """Remove a bundle from a legal matter.

        Repeating it changes nothing. `DELETE /v1/legal-matters/{id}/bundles/{ref}`
        """
        result: m.LegalMatter = self._json(
            "DELETE",
            f"/v1/legal-matters/{segment(id)}/bundles/{segment(ref)}",
        )
        return result

    def link_legal_matter_exceptions(
        self,
        id: str,
        ref: str,
        body: dict[str, Any] | None = None,
        *,
        idempotency_key: str | None = None,
    ) -> m.LegalMatter:
        """Add an exception to a legal matter.

        Repeating it changes nothing. `POST /v1/legal-matters/{id}/exceptions/{ref}`
        """
        result: m.LegalMatter = self._json(
            "POST",
            f"/v1/legal-matters/{segment(id)}/exceptions/{segment(ref)}",
            body=body,
            idempotency_key=idempotency_key,
        )
        return result

    def unlink_legal_matter_exceptions(
        self,
        id: str,
        ref: str,
    ) -> m.LegalMatter:
        """Remove an exception from a legal matter.

        Repeating it changes nothing. `DELETE /v1/legal-matters/{id}/exceptions/{ref}`
        """
        result: m.LegalMatter = self._json(
            "DELETE",
            f"/v1/legal-matters/{segment(id)}/exceptions/{segment(ref)}",
        )
        return result

    def link_legal_matter_documents(
        self,
        id: str,
        ref: str,
        body: dict[str, Any] | None = None,
        *,
        idempotency_key: str | None = None,
    ) -> m.LegalMatter:
        """Add a document to a legal matter.

        Repeating it changes nothing. `POST /v1/legal-matters/{id}/documents/{ref}`
        """
        result: m.LegalMatter = self._json(
            "POST",
            f"/v1/legal-matters/{segment(id)}/documents/{segment(ref)}",
            body=body,
            idempotency_key=idempotency_key,
        )
        return result

    def unlink_legal_matter_documents(
        self,
        id: str,
        ref: str,
    ) -> m.LegalMatter:
        """Remove a document from a legal matter.

        Repeating it changes nothing. 409 LEGAL_HOLD_ACTIVE while a hold of the matter is active. `DELETE
        /v1/legal-matters/{id}/documents/{ref}`
        """
        result: m.LegalMatter = self._json(
            "DELETE",
            f"/v1/legal-matters/{segment(id)}/documents/{segment(ref)}",
        )
        return result

    def create_member(
        self,
        body: m.MemberInput,
        *,
        idempotency_key: str | None = None,
    ) -> m.Member:
        """Add a member to the directory.

        409 CONFLICT if the directory already has the identifier. `POST /v1/members`
        """
        result: m.Member = self._json(
            "POST",
            "/v1/members",
            body=body,
            idempotency_key=idempotency_key,
        )
        return result

    def list_members(
        self,
        *,
        cursor: str | None = None,
        from_: str | None = None,
        jurisdiction: str | None = None,
        limit: int | None = None,
        order: Literal["asc", "desc"] | None = None,
        program: str | None = None,
        status: Literal["ACTIVE", "INACTIVE", "MERGED"] | None = None,
        to: str | None = None,
    ) -> m.MemberPage:
        """List members.

        Lists the members of the directory. Pages hold `limit` items; `next_cursor` of the answer is the
        `cursor` of the next page, and null on the last. `GET /v1/members`
        """
        result: m.MemberPage = self._json(
            "GET",
            "/v1/members",
            query={
                "cursor": cursor,
                "from": from_,
                "jurisdiction": jurisdiction,
                "limit": limit,
                "order": order,
                "program": program,
                "status": status,
                "to": to,
            },
        )
        return result

    def paginate_members(
        self,
        *,
        from_: str | None = None,
        jurisdiction: str | None = None,
        limit: int | None = None,
        order: Literal["asc", "desc"] | None = None,
        program: str | None = None,
        status: Literal["ACTIVE", "INACTIVE", "MERGED"] | None = None,
        to: str | None = None,
    ) -> Iterator[m.Member]:
        """Iterates over all items of list_members, page by page."""
        for item in self._items(
            "/v1/members",
            query={
                "from": from_,
                "jurisdiction": jurisdiction,
                "limit": limit,
                "order": order,
                "program": program,
                "status": status,
                "to": to,
            },
        ):
            yield item

    def search_members(
        self,
        *,
        birth_date: str | None = None,
        email: str | None = None,
        family: str | None = None,
        given: str | None = None,
        identifier: str | None = None,
        limit: int | None = None,
        phone: str | None = None,
        postal_code: str | None = None,
        q: str | None = None,
    ) -> m.MemberMatches:
        """Search members while typing.

        `q` is the typed text: names in any order, a date, an identifier, a telephone number. Or send the
        parts separately. The search tolerates typing errors. `GET /v1/members/search`
        """
        result: m.MemberMatches = self._json(
            "GET",
            "/v1/members/search",
            query={
                "birth_date": birth_date,
                "email": email,
                "family": family,
                "given": given,
                "identifier": identifier,
                "limit": limit,
                "phone": phone,
                "postal_code": postal_code,
                "q": q,
            },
        )
        return result

    def match_member(
        self,
        body: m.MatchMemberBody,
        *,
        idempotency_key: str | None = None,
    ) -> m.MemberMatches:
        """Match a record to members.

        Compares every field that both have. Matches below POSSIBLE are left out. `POST /v1/members/match`
        """
        result: m.MemberMatches = self._json(
            "POST",
            "/v1/members/match",
            body=body,
            idempotency_key=idempotency_key,
        )
        return result

    def get_member(
        self,
        id: str,
    ) -> m.Member:
        """Read one member.

        A merged record is shown as it is, MERGED, with a link to the surviving member. `GET /v1/members/{id}`
        """
        result: m.Member = self._json(
            "GET",
            f"/v1/members/{segment(id)}",
        )
        return result

    def update_member(
        self,
        id: str,
        body: m.MemberPatch,
    ) -> m.Member:
        """Change a member.

        Absent members stay, given ones replace, null removes. `revision` names the revision that the change
        is based on. `PATCH /v1/members/{id}`
        """
        result: m.Member = self._json(
            "PATCH",
            f"/v1/members/{segment(id)}",
            body=body,
        )
        return result

    def get_member_timeline(
        self,
        id: str,
        *,
        kinds: str | None = None,
        code: str | None = None,
        provider: str | None = None,
        outcome: str | None = None,
        from_: str | None = None,
        to: str | None = None,
        order: Literal["asc", "desc"] | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        purpose: str | None = None,
    ) -> m.GetMemberTimelineAnswer:
        """Read a member's timeline.

        The member's full record in order of time, oldest first unless `order=desc`: events, decisions,
        documents, holds, bundles, consents, appointments, care team. Merged members are one. With `purpose`,
        and for member tokens, consent leaves records out and `withheld` counts them. Every read is recorded
        in custody before the answer. `GET /v1/members/{id}/timeline`
        """
        result: m.GetMemberTimelineAnswer = self._json(
            "GET",
            f"/v1/members/{segment(id)}/timeline",
            query={
                "kinds": kinds,
                "code": code,
                "provider": provider,
                "outcome": outcome,
                "from": from_,
                "to": to,
                "order": order,
                "limit": limit,
                "cursor": cursor,
                "purpose": purpose,
            },
        )
        return result

    def paginate_member_timeline(
        self,
        id: str,
        *,
        kinds: str | None = None,
        code: str | None = None,
        provider: str | None = None,
        outcome: str | None = None,
        from_: str | None = None,
        to: str | None = None,
        order: Literal["asc", "desc"] | None = None,
        limit: int | None = None,
        purpose: str | None = None,
    ) -> Iterator[m.TimelineEntry]:
        """Iterates over all items of get_member_timeline, page by page."""
        for item in self._items(
            f"/v1/members/{segment(id)}/timeline",
            query={
                "kinds": kinds,
                "code": code,
                "provider": provider,
                "outcome": outcome,
                "from": from_,
                "to": to,
                "order": order,
                "limit": limit,
                "purpose": purpose,
            },
        ):
            yield item

    def merge_members(
        self,
        id: str,
        body: m.MergeMembersBody,
        *,
        idempotency_key: str | None = None,
    ) -> m.Member:
        """Merge another record into this member.

        Links the two records as one person; copies and rewrites nothing. 409 CONFLICT for a record that is
        merged already, for itself, and for a merge that would form a cycle. `POST /v1/members/{id}/merge`
        """
        result: m.Member = self._json(
            "POST",
            f"/v1/members/{segment(id)}/merge",
            body=body,
            idempotency_key=idempotency_key,
        )
        return result

    def unmerge_members(
        self,
        id: str,
        body: m.UnmergeMembersBody,
        *,
        idempotency_key: str | None = None,
    ) -> m.Member:
        """Undo a merge.

        Restores both records. 409 CONFLICT if the record was not merged into this one. `POST
        /v1/members/{id}/unmerge`
        """
        result: m.Member = self._json(
            "POST",
            f"/v1/members/{segment(id)}/unmerge",
            body=body,
            idempotency_key=idempotency_key,
        )
        return result

    def list_member_history(
        self,
        id: str,
        *,
        cursor: str | None = None,
        from_: str | None = None,
        limit: int | None = None,
        order: Literal["asc", "desc"] | None = None,
        to: str | None = None,
    ) -> m.MemberStepPage:
        """Read the history of a member.

        Every change of the record with the previous values, its author and its source event. `GET
        /v1/members/{id}/history`
        """
        result: m.MemberStepPage = self._json(
            "GET",
            f"/v1/members/{segment(id)}/history",
            query={
                "cursor": cursor,
                "from": from_,
                "limit": limit,
                "order": order,
                "to": to,
            },
        )
        return result

    def paginate_member_history(
        self,
        id: str,
        *,
        from_: str | None = None,
        limit: int | None = None,
        order: Literal["asc", "desc"] | None = None,
        to: str | None = None,
    ) -> Iterator[m.MemberStep]:
        """Iterates over all items of list_member_history, page by page."""
        for item in self._items(
            f"/v1/members/{segment(id)}/history",
            query={
                "from": from_,
                "limit": limit,
                "order": order,
                "to": to,
            },
        ):
            yield item

    def explain_event(
        self,
        event_id: str,
        *,
        language: Literal["en", "es"] | None = None,
        purpose: str | None = None,
        record: bool | None = None,
    ) -> m.ExplanationAnswer:
        """Explain an event in plain words.

        Explains each reason code, its cause, the next steps with their deadlines, the costs, and the appeal
        rights of the programme and state on that day. At reading grade 8 or below, in English or Spanish
        (`language`, else Accept-Language). The answer marks unknown codes, and says so if the event has no
        codes. It is not legal or medical advice. `GET /v1/advocacy/explain/{event_id}`
        """
        result: m.ExplanationAnswer = self._json(
            "GET",
            f"/v1/advocacy/explain/{segment(event_id)}",
            query={
                "language": language,
                "purpose": purpose,
                "record": record,
            },
        )
        return result

    def check_guideline(
        self,
        event_id: str,
        *,
        purpose: str | None = None,
        record: bool | None = None,
    ) -> m.GuidelineAnswer:
        """Check an event against published guidelines.

        Finds the guidelines that cover the event’s codes at its effective time, and checks each criterion
        against the member’s record: met, not met, or null without evidence. The answer states the rule by
        which the verdict follows from the criteria. An event without codes has no guideline. It is not legal
        or medical advice. `GET /v1/advocacy/guideline/{event_id}`
        """
        result: m.GuidelineAnswer = self._json(
            "GET",
            f"/v1/advocacy/guideline/{segment(event_id)}",
            query={
                "purpose": purpose,
                "record": record,
            },
        )
        return result

    def recode_event(
        self,
        event_id: str,
        body: m.RecodeInput | None = None,
        *,
        record: bool | None = None,
        purpose: str | None = None,
        format: Literal["json", "pdf"] | None = None,
        idempotency_key: str | None = None,
    ) -> m.RecodeEventAnswer:
        """Suggest codes that the record supports, and draft an appeal.

        Each suggestion cites its rule and its evidence in the record. Codes without evidence are listed as
        needed, not suggested. The event does not change. `format=pdf` returns only the letter. It is not
        legal or medical advice. `POST /v1/advocacy/recode/{event_id}`
        """
        result: m.RecodeEventAnswer = self._json(
            "POST",
            f"/v1/advocacy/recode/{segment(event_id)}",
            query={
                "record": record,
                "purpose": purpose,
                "format": format,
            },
            body=body,
            idempotency_key=idempotency_key,
        )
        return result

    def put_rule(
        self,
        body: m.RuleInput,
        *,
        idempotency_key: str | None = None,
    ) -> m.Rule:
        """Add a rule, or its next revision.

        A new key creates a rule, a known key its next revision; identical content returns the existing
        revision. 409 CONFLICT if two revisions would be in force at once; 413 for an artifact over 10 MiB.
        `POST /v1/rules`
        """
        result: m.Rule = self._json(
            "POST",
            "/v1/rules",
            body=body,
            idempotency_key=idempotency_key,
        )
        return result

    def list_rules(
        self,
        *,
        at: str | None = None,
        code: str | None = None,
        cursor: str | None = None,
        from_: str | None = None,
        jurisdiction: str | None = None,
        key: str | None = None,
        kind: Literal["GUIDELINE", "CODE_EDIT", "POLICY", "STATUTE", "REASON_CODE"] | None = None,
        limit: int | None = None,
        order: Literal["asc", "desc"] | None = None,
        program: str | None = None,
        shared: bool | None = None,
        to: str | None = None,
    ) -> m.RulePage:
        """List rules.

        The tenant's rules and those of the shared corpus, each in its newest revision, or in the revision in
        force `at` a time. `GET /v1/rules`
        """
        result: m.RulePage = self._json(
            "GET",
            "/v1/rules",
            query={
                "at": at,
                "code": code,
                "cursor": cursor,
                "from": from_,
                "jurisdiction": jurisdiction,
                "key": key,
                "kind": kind,
                "limit": limit,
                "order": order,
                "program": program,
                "shared": shared,
                "to": to,
            },
        )
        return result

    def paginate_rules(
        self,
        *,
        at: str | None = None,
        code: str | None = None,
        from_: str | None = None,
        jurisdiction: str | None = None,
        key: str | None = None,
        kind: Literal["GUIDELINE", "CODE_EDIT", "POLICY", "STATUTE", "REASON_CODE"] | None = None,
        limit: int | None = None,
        order: Literal["asc", "desc"] | None = None,
        program: str | None = None,
        shared: bool | None = None,
        to: str | None = None,
    ) -> Iterator[m.Rule]:
        """Iterates over all items of list_rules, page by page."""
        for item in self._items(
            "/v1/rules",
            query={
                "at": at,
                "code": code,
                "from": from_,
                "jurisdiction": jurisdiction,
                "key": key,
                "kind": kind,
                "limit": limit,
                "order": order,
                "program": program,
                "shared": shared,
                "to": to,
            },
        ):
            yield item

    def preview_rule(
        self,
        body: m.PreviewRuleBody,
        *,
        idempotency_key: str | None = None,
    ) -> m.RulePreview:
        """Try a rule on recent events.

        Evaluates the rule on the newest events of the tenant (`last`), as if it were in force, and stores
        nothing. Needs events:read too. A criterion that is only ever `no_value` names facts that your records
        do not hold. `POST /v1/rules/preview`
        """
        result: m.RulePreview = self._json(
            "POST",
            "/v1/rules/preview",
            body=body,
            idempotency_key=idempotency_key,
        )
        return result

    def get_rule(
        self,
        id: str,
    ) -> m.Rule:
        """Read one rule.

        A rule in its newest revision. 404 NOT_FOUND if there is none, or it is not visible to the key. `GET
        /v1/rules/{id}`
        """
        result: m.Rule = self._json(
            "GET",
            f"/v1/rules/{segment(id)}",
        )
        return result

    def list_rule_revisions(
        self,
        id: str,
        *,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> m.RulePage:
        """List the revisions of a rule.

        All revisions of a rule, newest first. Pages hold `limit` items; `next_cursor` of the answer is the
        `cursor` of the next page, and null on the last. 404 NOT_FOUND if there is none, or it is not visible
        to the key. `GET /v1/rules/{id}/revisions`
        """
        result: m.RulePage = self._json(
            "GET",
            f"/v1/rules/{segment(id)}/revisions",
            query={
                "cursor": cursor,
                "limit": limit,
            },
        )
        return result

    def paginate_rule_revisions(
        self,
        id: str,
        *,
        limit: int | None = None,
    ) -> Iterator[m.Rule]:
        """Iterates over all items of list_rule_revisions, page by page."""
        for item in self._items(
            f"/v1/rules/{segment(id)}/revisions",
            query={
                "limit": limit,
            },
        ):
            yield item

    def get_rule_revision(
        self,
        id: str,
        n: str,
    ) -> m.Rule:
        """Read one revision of a rule.

        One revision of a rule. 404 NOT_FOUND if there is none, or it is not visible to the key. `GET
        /v1/rules/{id}/revisions/{n}`
        """
        result: m.Rule = self._json(
            "GET",
            f"/v1/rules/{segment(id)}/revisions/{segment(n)}",
        )
        return result

    def create_webhook(
        self,
        body: m.WebhookInput,
        *,
        idempotency_key: str | None = None,
    ) -> m.WebhookWithSecret:
        """Subscribe to platform events.

        `events` is an alias of `event_types`. The secret signs deliveries; docs/webhooks.md shows how to
        verify them. `POST /v1/webhooks`
        """
        result: m.WebhookWithSecret = self._json(
            "POST",
            "/v1/webhooks",
            body=body,
            idempotency_key=idempotency_key,
        )
        return result

    def list_webhooks(
        self,
        *,
        cursor: str | None = None,
        from_: str | None = None,
        limit: int | None = None,
        order: Literal["asc", "desc"] | None = None,
        status: Literal["ACTIVE", "PAUSED", "SUSPENDED"] | None = None,
        to: str | None = None,
        url: str | None = None,
    ) -> m.WebhookPage:
        """List webhooks.

        Lists the webhooks of the tenant. Pages hold `limit` items; `next_cursor` of the answer is the
        `cursor` of the next page, and null on the last. `GET /v1/webhooks`
        """
        result: m.WebhookPage = self._json(
            "GET",
            "/v1/webhooks",
            query={
                "cursor": cursor,
                "from": from_,
                "limit": limit,
                "order": order,
                "status": status,
                "to": to,
                "url": url,
            },
        )
        return result

    def paginate_webhooks(
        self,
        *,
        from_: str | None = None,
        limit: int | None = None,
        order: Literal["asc", "desc"] | None = None,
        status: Literal["ACTIVE", "PAUSED", "SUSPENDED"] | None = None,
        to: str | None = None,
        url: str | None = None,
    ) -> Iterator[m.Webhook]:
        """Iterates over all items of list_webhooks, page by page."""
        for item in self._items(
            "/v1/webhooks",
            query={
                "from": from_,
                "limit": limit,
                "order": order,
                "status": status,
                "to": to,
                "url": url,
            },
        ):
            yield item

    def list_webhook_event_types(
        self,
    ) -> m.WebhookEventTypePage:
        """Read the catalogue of event types.

        Lists the event kinds. `GET /v1/webhooks/event-types`
        """
        result: m.WebhookEventTypePage = self._json(
            "GET",
            "/v1/webhooks/event-types",
        )
        return result

    def get_webhook(
        self,
        id: str,
    ) -> m.Webhook:
        """Read one webhook.

        Returns a webhook. 404 NOT_FOUND if there is none, or it is not visible to the key. `GET
        /v1/webhooks/{id}`
        """
        result: m.Webhook = self._json(
            "GET",
            f"/v1/webhooks/{segment(id)}",
        )
        return result

    def update_webhook(
        self,
        id: str,
        body: m.WebhookPatch,
    ) -> m.Webhook:
        """Change, pause or enable a webhook.

        Absent members stay; null removes a value. A suspended webhook is enabled again by the status ACTIVE.
        `PATCH /v1/webhooks/{id}`
        """
        result: m.Webhook = self._json(
            "PATCH",
            f"/v1/webhooks/{segment(id)}",
            body=body,
        )
        return result

    def delete_webhook(
        self,
        id: str,
    ) -> m.Webhook:
        """Delete a webhook.

        Erases its secrets at once and cancels pending deliveries. `DELETE /v1/webhooks/{id}`
        """
        result: m.Webhook = self._json(
            "DELETE",
            f"/v1/webhooks/{segment(id)}",
        )
        return result

    def rotate_webhook_secret(
        self,
        id: str,
        body: dict[str, Any] | None = None,
        *,
        idempotency_key: str | None = None,
    ) -> m.WebhookWithSecret:
        """Rotate the secret of a webhook.

        The new secret signs at once; the old one also signs for 15 minutes. At most three old secrets are
        valid at a time, else 409. `POST /v1/webhooks/{id}/rotate-secret`
        """
        result: m.WebhookWithSecret = self._json(
            "POST",
            f"/v1/webhooks/{segment(id)}/rotate-secret",
            body=body,
            idempotency_key=idempotency_key,
        )
        return result

    def test_webhook(
        self,
        id: str,
        body: m.WebhookTestInput | None = None,
        *,
        idempotency_key: str | None = None,
    ) -> m.WebhookDeliveryShape:
        """Send a test message to a webhook.

        Sends the example of the kind, with `test: true` in its body. It does not count for the health of the
        webhook. `POST /v1/webhooks/{id}/test`
        """
        result: m.WebhookDeliveryShape = self._json(
            "POST",
            f"/v1/webhooks/{segment(id)}/test",
            body=body,
            idempotency_key=idempotency_key,
        )
        return result

    def recover_webhook(
        self,
        id: str,
        body: m.WebhookRecoveryInput,
        *,
        idempotency_key: str | None = None,
    ) -> m.WebhookRecovery:
        """Resend undelivered messages of a time span.

        Skips delivered and pending messages. At most 14 days and 10,000 messages at a time; continue with
        continue_from. A dry run only counts. `POST /v1/webhooks/{id}/recover`
        """
        result: m.WebhookRecovery = self._json(
            "POST",
            f"/v1/webhooks/{segment(id)}/recover",
            body=body,
            idempotency_key=idempotency_key,
        )
        return result

    def list_webhook_deliveries(
        self,
        id: str,
        *,
        cursor: str | None = None,
        from_: str | None = None,
        limit: int | None = None,
        order: Literal["asc", "desc"] | None = None,
        status: Literal["PENDING", "RETRY_SCHEDULED", "DELIVERED", "FAILED", "CANCELLED"] | None = None,
        to: str | None = None,
        trigger: Literal["SCHEDULED", "REDELIVERY", "RECOVERY", "TEST"] | None = None,
        type: Literal["event.ingested", "event.duplicated", "document.ingested", "document.quarantined", "bundle.requested", "bundle.sealed", "bundle.failed", "rule.created", "rule.updated", "exception.opened", "exception.resolved", "legal-hold.created", "legal-hold.released", "advocacy.verdict", "checkpoint.published"] | None = None,
    ) -> m.WebhookDeliveryPage:
        """List deliveries of a webhook.

        Includes FAILED deliveries. Deliveries are stored for 30 days. `GET /v1/webhooks/{id}/deliveries`
        """
        result: m.WebhookDeliveryPage = self._json(
            "GET",
            f"/v1/webhooks/{segment(id)}/deliveries",
            query={
                "cursor": cursor,
                "from": from_,
                "limit": limit,
                "order": order,
                "status": status,
                "to": to,
                "trigger": trigger,
                "type": type,
            },
        )
        return result

    def paginate_webhook_deliveries(
        self,
        id: str,
        *,
        from_: str | None = None,
        limit: int | None = None,
        order: Literal["asc", "desc"] | None = None,
        status: Literal["PENDING", "RETRY_SCHEDULED", "DELIVERED", "FAILED", "CANCELLED"] | None = None,
        to: str | None = None,
        trigger: Literal["SCHEDULED", "REDELIVERY", "RECOVERY", "TEST"] | None = None,
        type: Literal["event.ingested", "event.duplicated", "document.ingested", "document.quarantined", "bundle.requested", "bundle.sealed", "bundle.failed", "rule.created", "rule.updated", "exception.opened", "exception.resolved", "legal-hold.created", "legal-hold.released", "advocacy.verdict", "checkpoint.published"] | None = None,
    ) -> Iterator[m.WebhookDeliveryShape]:
        """Iterates over all items of list_webhook_deliveries, page by page."""
        for item in self._items(
            f"/v1/webhooks/{segment(id)}/deliveries",
            query={
                "from": from_,
                "limit": limit,
                "order": order,
                "status": status,
                "to": to,
                "trigger": trigger,
                "type": type,
            },
        ):
            yield item

    def get_webhook_delivery(
        self,
        id: str,
        delivery_id: str,
    ) -> m.WebhookDeliveryDetail:
        """Read one delivery.

        Returns a delivery with its message. 404 NOT_FOUND if there is none, or it is not visible to the key.
        `GET /v1/webhooks/{id}/deliveries/{delivery_id}`
        """
        result: m.WebhookDeliveryDetail = self._json(
            "GET",
            f"/v1/webhooks/{segment(id)}/deliveries/{segment(delivery_id)}",
        )
        return result

    def redeliver_webhook(
        self,
        id: str,
        delivery_id: str,
        body: dict[str, Any] | None = None,
        *,
        idempotency_key: str | None = None,
    ) -> m.WebhookDeliveryShape:
        """Redeliver a message.

        Creates a new delivery with six attempts, whatever the outcome of the first. `POST
        /v1/webhooks/{id}/deliveries/{delivery_id}/redeliver`
        """
        result: m.WebhookDeliveryShape = self._json(
            "POST",
            f"/v1/webhooks/{segment(id)}/deliveries/{segment(delivery_id)}/redeliver",
            body=body,
            idempotency_key=idempotency_key,
        )
        return result

    def get_dashboard(
        self,
        *,
        from_: str | None = None,
        to: str | None = None,
    ) -> m.Dashboard:
        """Read the counters of the dashboard.

        from ≤ time < to, or all time without a window. An operator also sees the number of tenants. `GET
        /v1/dashboard`
        """
        result: m.Dashboard = self._json(
            "GET",
            "/v1/dashboard",
            query={
                "from": from_,
                "to": to,
            },
        )
        return result

    def list_jobs(
        self,
    ) -> m.JobsView:
        """Read the state of background work.

        Read-only. A tenant's key counts the tenant's own rows. An operator's key that names no tenant sees
        the deployment, its recurring work and classes of errors too. `GET /v1/jobs`
        """
        result: m.JobsView = self._json(
            "GET",
            "/v1/jobs",
        )
        return result

    def check_health(
        self,
    ) -> m.CheckHealthAnswer:
        """Check the health of the service.

        Checks that the process runs and reaches its database. 503 UNAVAILABLE with the cause of each failed
        check. Open without a key. `GET /v1/healthz`
        """
        result: m.CheckHealthAnswer = self._json(
            "GET",
            "/v1/healthz",
        )
        return result

    def check_readiness(
        self,
    ) -> m.CheckReadinessAnswer:
        """Check whether the service is ready for requests.

        Ready: the database answers, the write-once store is readable, the graph is planned and its subgraphs
        answer. Otherwise, and after the service begins to stop, 503 UNAVAILABLE with the cause of each failed
        check. Signer and anchors are named, and do not make it unready. `GET /v1/healthz/ready`
        """
        result: m.CheckReadinessAnswer = self._json(
            "GET",
            "/v1/healthz/ready",
        )
        return result

    def get_api_description(
        self,
    ) -> dict[str, Any]:
        """Read this API description.

        The description of this version: every route with its schemas, scopes and errors. Open without a key.
        `GET /v1/openapi.json`
        """
        result: dict[str, Any] = self._json(
            "GET",
            "/v1/openapi.json",
        )
        return result

    def query_graph(
        self,
        body: m.QueryGraphBody,
        *,
        idempotency_key: str | None = None,
    ) -> m.QueryGraphAnswer:
        """Query the graph.

        Runs one GraphQL operation over HTTP. Any key may call it: each field needs its own scope, and a query
        that is not one of the service’s own operations needs graph:query. Faults of fields are in `errors`
        beside the data. An answer with one list is also CSV or NDJSON; the header x-next-cursor names its
        next page. x-query-cost is the cost of the query. `POST /graphql`
        """
        result: m.QueryGraphAnswer = self._json(
            "POST",
            "/graphql",
            body=body,
            idempotency_key=idempotency_key,
        )
        return result
