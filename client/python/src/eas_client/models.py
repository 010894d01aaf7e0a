# Written by `npm run client`. Do not edit.
"""The records of the service's contract, as typed dictionaries."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias, TypedDict, Union

ErrorCode = Literal["VALIDATION_ERROR", "MALFORMED_BODY", "TENANT_REQUIRED", "UNAUTHENTICATED", "STEP_UP_REQUIRED", "FORBIDDEN", "TENANT_MISMATCH", "TENANT_SUSPENDED", "NOT_FOUND", "METHOD_NOT_ALLOWED", "CONFLICT", "NOT_SEALED", "QUARANTINED", "LEGAL_HOLD_ACTIVE", "INVALID_TRANSITION", "SCOPE_MISMATCH", "IDEMPOTENCY_IN_PROGRESS", "DOCUMENT_REJECTED", "DISPOSED", "PAYLOAD_TOO_LARGE", "UNSUPPORTED_MEDIA_TYPE", "RANGE_NOT_SATISFIABLE", "IDEMPOTENCY_KEY_REUSED", "RATE_LIMITED", "INTERNAL", "INTEGRITY_FAILURE", "UNAVAILABLE"]


class _ActorRequired(TypedDict):
    # Identifier.
    actor_id: str
    # Keys of a SUSPENDED actor are rejected.
    status: Literal["ACTIVE", "SUSPENDED"]
    # Name.
    name: str
    # Kind; HUMAN by default.
    kind: Literal["HUMAN", "SERVICE"]
    # E-mail address by which the sign-in provider names the person, if it has verified the address.
    email: str | None
    # Identifier of the person at the sign-in provider (claim sub). With it, the e-mail address does not
    # count.
    subject: str | None
    # Built-in roles by name, other roles by id. The caller must hold every role.
    role_ids: list[str]
    # Tenant.
    tenant_id: str
    # Time of creation.
    created_at: str
    # API key that created it.
    created_by: str
    # Time of the last change.
    updated_at: str


class Actor(_ActorRequired, total=False):
    """A person or a system. Its roles limit the keys that are bound to it."""
    # Members of the request that the service does not know, as sent.
    extra: dict[str, Any]


class ActorChangeInput(TypedDict, total=False):
    """Changes of an actor; absent members stay."""
    # SUSPENDED rejects the keys of the actor within 5 s.
    status: Literal["ACTIVE", "SUSPENDED"]
    # Name.
    name: str
    # Kind; HUMAN by default.
    kind: Literal["HUMAN", "SERVICE"]
    # E-mail address by which the sign-in provider names the person, if it has verified the address.
    email: str | None
    # Identifier of the person at the sign-in provider (claim sub). With it, the e-mail address does not
    # count.
    subject: str | None


class _ActorInputRequired(TypedDict):
    # Name.
    name: str


class ActorInput(_ActorInputRequired, total=False):
    """A new actor: a person or a system."""
    # Tenant of the actor. Default: the caller's tenant. "*" is an actor of the platform's operator.
    tenant_id: str
    # Members that the service does not know, kept as sent: at most 16384 bytes of JSON.
    extra: dict[str, Any]
    # Kind; HUMAN by default.
    kind: Literal["HUMAN", "SERVICE"]
    # E-mail address by which the sign-in provider names the person, if it has verified the address.
    email: str
    # Identifier of the person at the sign-in provider (claim sub). With it, the e-mail address does not
    # count.
    subject: str
    # Built-in roles by name, other roles by id. The caller must hold every role.
    role_ids: list[str]


class ActorPage(TypedDict):
    """One page of a list."""
    # The items of this page.
    items: list[Actor]
    # Cursor of the next page; null on the last page.
    next_cursor: str | None


class _AiDecisionRequired(TypedDict):
    # Identifier of the decision.
    decision_id: str
    # Its tenant.
    tenant_id: str
    # Kind of decision.
    decision_type: Literal["UTILIZATION_MANAGEMENT", "DENIAL", "FRAUD_SCORE", "OTHER"]
    # The model.
    model: AiModel
    # SHA-256 of the model's input.
    input_sha256: str
    # What it recommended.
    recommendation: str
    # The current outcome: that of the last override, else the recommendation.
    outcome: str
    # Whether a person reviewed it.
    human_review: AiHumanReview
    # Whether it is adverse to the member.
    adverse: bool
    # Adverse, and recorded without a licensed reviewer.
    unreviewed: bool
    # The exception that this opened.
    exception_id: str | None
    # Whether it considered the person.
    individualized: AiIndividualized
    # When it was made.
    decided_at: str
    # Place of its entry in the ledger.
    status: Literal["RECORDED", "OVERRIDDEN"]
    # When it was recorded.
    created_at: str
    # The key that sent it.
    recorded_by: str
    # Its entry.
    provenance: AiProvenance
    # Its overrides, oldest first.
    overrides: list[AiOverride]


class AiDecision(_AiDecisionRequired, total=False):
    """A decision that a model made or helped to make, as recorded."""
    # Member concerned.
    member_id: str
    # The event that it decides about.
    event_id: str
    # Its subject, if that is not an event of this service.
    subject_ref: str
    # The model's output.
    output: Any
    # Its score.
    score: float
    # The threshold for the score.
    threshold: float
    # Why.
    rationale: str
    # Anything else that was recorded.
    metadata: Any
    # Members of the request that the service does not know, as sent.
    extra: dict[str, Any]


class AiDecisionAggregate(TypedDict):
    """Groups of AI decisions with their figures."""
    # Number of decisions.
    count: int
    # The groups, the largest first.
    items: list[AiDecisionAggregateGroup]
    # Whether there are more groups than shown.
    truncated: bool


class AiDecisionAggregateGroup(TypedDict):
    """AI decisions with the same values."""
    # Kind of decision; null where the query does not group by it.
    decision_type: str | None
    # Name of the model; null where the query does not group by it.
    model_name: str | None
    # Version of the model; null where the query does not group by it.
    model_version: str | None
    # Recommendation of the model; null where the query does not group by it.
    recommendation: str | None
    # Month in UTC; null where the query does not group by it.
    month: str | None
    # Number of decisions.
    count: int
    # Number of adverse decisions.
    adverse: int
    # Number of adverse decisions without a licensed reviewer.
    unreviewed: int
    # Number of overridden decisions.
    overridden: int
    # Share of overridden decisions.
    override_rate: float


AiDecisionDimension: TypeAlias = "Literal[\"DECISION_TYPE\", \"MODEL_NAME\", \"MODEL_VERSION\", \"RECOMMENDATION\", \"MONTH\"]"


class AiDecisionExport(TypedDict):
    """A page of decisions as one document."""
    # Its form.
    format: Literal["prov", "fhir"]
    # PROV-JSON, or a FHIR R4 Bundle of Provenance.
    document: dict[str, Any]
    # Cursor of the next page; null on the last one.
    next_cursor: str | None


class _AiDecisionInputRequired(TypedDict):
    # Kind of decision.
    decision_type: Literal["UTILIZATION_MANAGEMENT", "DENIAL", "FRAUD_SCORE", "OTHER"]
    # The model.
    model: AiModelInput
    # What it recommends.
    recommendation: str


class AiDecisionInput(_AiDecisionInputRequired, total=False):
    """A decision that a model made or helped to make."""
    # Member concerned.
    member_id: str
    # The event that it decides about.
    event_id: str
    # Its subject, if that is not an event of this service.
    subject_ref: str
    # SHA-256 of the model's input.
    input_sha256: str
    # The model's input in place of its hash: hashed (SHA-256 of RFC 8785) and not stored.
    inputs: Any
    # The model's output.
    output: Any
    # Its score.
    score: float
    # The threshold for the score.
    threshold: float
    # Whether a person reviewed it.
    human_review: AiHumanReviewInput
    # Why.
    rationale: str
    # Whether it is adverse to the member; by default derived from type and recommendation.
    adverse: bool
    # Whether it considered the person.
    individualized: AiIndividualizedInput
    # Anything else to record; the sender defines its content.
    metadata: dict[str, Any]
    # When it was made; the time of the request by default.
    decided_at: str
    # Members that the service does not know, kept as sent: at most 16384 bytes of JSON.
    extra: dict[str, Any]


class AiDecisionPage(TypedDict):
    """One page of a list."""
    # The items of this page.
    items: list[AiDecision]
    # Cursor of the next page; null on the last page.
    next_cursor: str | None


_AiDecisionSummaryRequired = TypedDict(
    "_AiDecisionSummaryRequired",
    {
        # Made at this time or later.
        "from": "str | None",
        # Made before this time.
        "to": "str | None",
        # Number of decisions.
        "count": "int",
        # Number of adverse decisions.
        "adverse": "int",
        # Number of adverse decisions without a licensed reviewer.
        "unreviewed": "int",
        # Number of overridden decisions.
        "overridden": "int",
        # Share of adverse decisions.
        "adverse_rate": "float",
        # Share of overridden decisions.
        "override_rate": "float",
        # By kind of decision, the most frequent first.
        "by_type": "list[AiSummaryGroup]",
        # By model.
        "by_model": "list[AiSummaryGroup]",
        # By model and version.
        "by_version": "list[AiSummaryGroup]",
        # By recommendation of the model.
        "by_outcome": "list[AiSummaryGroup]",
        # By month (UTC) in which they were made, oldest first.
        "by_month": "list[AiSummaryMonth]",
        # Trend of the override rate.
        "override_trend": "AiOverrideTrend",
        # True if a list contains only its 200 most frequent names.
        "truncated": "bool",
    },
)


_AiDecisionSummaryOptional = TypedDict(
    "_AiDecisionSummaryOptional",
    {
    }, total=False,
)


class AiDecisionSummary(_AiDecisionSummaryRequired, _AiDecisionSummaryOptional):
    """Counts and rates of AI decisions, by the time at which they were made."""


class _AiHumanReviewRequired(TypedDict):
    # Whether a review was required.
    required: bool


class AiHumanReview(_AiHumanReviewRequired, total=False):
    """Whether a person reviewed it."""
    # The reviewer.
    reviewer: AiReviewer


class _AiHumanReviewInputRequired(TypedDict):
    # Whether a review was required.
    required: bool


class AiHumanReviewInput(_AiHumanReviewInputRequired, total=False):
    """Whether a person reviewed it."""
    # The reviewer.
    reviewer: AiReviewerInput


class AiIndividualized(TypedDict):
    """Whether the decision considered the person and not only a group."""
    # Whether it considered the medical history.
    medical_history: bool
    # Whether it considered the provider's recommendation.
    provider_recommendation: bool
    # Whether it considered clinical notes.
    clinical_notes: bool


class AiIndividualizedInput(TypedDict, total=False):
    """Whether the decision considered the person and not only a group; absent members count as false."""
    # Whether it considered the medical history.
    medical_history: bool
    # Whether it considered the provider's recommendation.
    provider_recommendation: bool
    # Whether it considered clinical notes.
    clinical_notes: bool


class _AiModelRequired(TypedDict):
    # Its name.
    name: str
    # Its version.
    version: str


class AiModel(_AiModelRequired, total=False):
    """The model that decided."""
    # Who provides it.
    provider: str
    # SHA-256 of the model itself.
    artifact_sha256: str


class _AiModelInputRequired(TypedDict):
    # Its name.
    name: str
    # Its version.
    version: str


class AiModelInput(_AiModelInputRequired, total=False):
    """The model that decided."""
    # Who provides it.
    provider: str
    # SHA-256 of the model itself.
    artifact_sha256: str


class _AiOverrideRequired(TypedDict):
    # Its identifier.
    override_id: str
    # What holds.
    outcome: str
    # The previous outcome.
    prior_outcome: str
    # Why.
    reason: str
    # Who decided it.
    overridden_by: str
    # When.
    overridden_at: str
    # The key that sent it.
    recorded_by: str
    # Its entry.
    provenance: AiProvenance


class AiOverride(_AiOverrideRequired, total=False):
    """An override of a decision: a separate entry."""
    # Their credentials.
    credentials: str
    # Members of the request that the service does not know, as sent.
    extra: dict[str, Any]


class _AiOverrideInputRequired(TypedDict):
    # What holds.
    outcome: str
    # Why.
    reason: str
    # Who decided it.
    overridden_by: str


class AiOverrideInput(_AiOverrideInputRequired, total=False):
    """The outcome that replaces that of a decision."""
    # Their credentials.
    credentials: str
    # Members that the service does not know, kept as sent: at most 16384 bytes of JSON.
    extra: dict[str, Any]


class AiOverrideTrend(TypedDict):
    """Trend of the override rate."""
    # Direction; UNKNOWN within a single month.
    direction: Literal["RISING", "FALLING", "STEADY", "UNKNOWN"]
    # Change of the override rate per month: least squares over the months, weighted by their decisions.
    change_per_month: float | None
    # Number of months in the calculation.
    months: int


class AiProvenance(TypedDict):
    """The place of an entry in the ledger's partition ai-provenance."""
    # Identifier of the entry.
    event_id: str
    # Place in the chain.
    sequence: int
    # Hash of the entry.
    entry_hash: str
    # When it was recorded.
    recorded_at: str


class _AiReviewerRequired(TypedDict):
    # Who.
    reviewer_id: str


class AiReviewer(_AiReviewerRequired, total=False):
    """The person who reviewed the decision before it took effect."""
    # Kind of licence.
    license_type: str
    # Its number.
    license_number: str
    # Specialty.
    specialty: str
    # When.
    reviewed_at: str
    # Duration of the review.
    duration_seconds: float
    # The reviewer's comment.
    outcome: str


class _AiReviewerInputRequired(TypedDict):
    # Who.
    reviewer_id: str


class AiReviewerInput(_AiReviewerInputRequired, total=False):
    """The person who reviewed the decision before it took effect."""
    # Kind of licence.
    license_type: str
    # Its number.
    license_number: str
    # Specialty.
    specialty: str
    # When.
    reviewed_at: str
    # Duration of the review.
    duration_seconds: float
    # The reviewer's comment.
    outcome: str


class AiSummaryGroup(TypedDict):
    """Decisions with one name."""
    # The name that they share.
    name: str
    # Number of decisions.
    count: int
    # Number of adverse decisions.
    adverse: int
    # Number of adverse decisions without a licensed reviewer.
    unreviewed: int
    # Number of overridden decisions.
    overridden: int
    # Share of adverse decisions.
    adverse_rate: float
    # Share of overridden decisions.
    override_rate: float


class AiSummaryMonth(TypedDict):
    """Decisions of one month."""
    # The name that they share.
    name: str
    # Number of decisions.
    count: int
    # Number of adverse decisions.
    adverse: int
    # Number of adverse decisions without a licensed reviewer.
    unreviewed: int
    # Number of overridden decisions.
    overridden: int
    # Share of adverse decisions.
    adverse_rate: float
    # Share of overridden decisions.
    override_rate: float
    # Override rate minus that of the previous month; null for the first.
    override_rate_change: float | None


class AnchoredVerification(TypedDict):
    """Result of verifying a ledger, with the notes that hold it to its history."""
    # True if no fault was found.
    valid: bool
    # Number of entries verified.
    checked: int
    # Number of chains verified.
    partitions: list[VerifiedPartition]
    # Every break found.
    breaks: list[LedgerBreak]
    # Parts that this verification does not cover.
    not_checked: list[NotChecked]
    # VALID: no fault, and a note outside of this machine agrees. VALID_UNANCHORED: no fault, and only notes
    # on this machine agree; also for a part of the ledger. INVALID: a fault, or CHECKPOINT_REGRESS is open.
    verdict: Literal["VALID", "VALID_UNANCHORED", "INVALID"]
    # Notes that agree with the ledger.
    anchors: list[LedgerAnchorShown]
    # Leaves that no note outside of this machine covers.
    unanchored: Unanchored


class ApiKey(TypedDict):
    """An API key without its secret."""
    # Identifier of the key.
    key_id: str
    # Tenant, or "*" for an operator key.
    tenant_id: str
    # First characters of the key; null for a key that an operator provided.
    prefix: str | None
    # Last four characters of the key.
    last_four: str
    # ROTATING: valid until grace_ends_at, as is its successor. REVOKED and EXPIRED are final.
    status: Literal["ACTIVE", "ROTATING", "EXPIRED", "REVOKED"]
    # Time of creation.
    created_at: str
    # API key that created it; null for the first operator key.
    created_by: str | None
    # End of validity of a rotated key.
    grace_ends_at: str | None
    # Successor.
    rotated_to: str | None
    # Predecessor.
    rotated_from: str | None
    # Time of the last use, to the minute.
    last_used_at: str | None
    # Address of the last use, to find a leaked key.
    last_used_address: str | None
    # Time of revocation.
    revoked_at: str | None
    # API key that revoked it.
    revoked_by: str | None
    # Purpose of the key.
    name: str
    # Scopes in addition to those of the roles. The caller must hold every scope.
    scopes: list[str]
    # Built-in roles by name, other roles by id. A key has scopes, roles or both.
    role_ids: list[str]
    # Actor that the key is bound to; its roles limit the scopes of the key.
    actor_id: str | None
    # IPv4 or IPv6 blocks that requests may come from; any address by default.
    allowed_cidrs: list[str]
    # Time at which the key expires.
    expires_at: str | None


class _ApiKeyInputRequired(TypedDict):
    # Purpose of the key.
    name: str


class ApiKeyInput(_ApiKeyInputRequired, total=False):
    """A new API key."""
    # Tenant of the key. Default: the caller's tenant. "*" is an operator key.
    tenant_id: str
    # Scopes in addition to those of the roles. The caller must hold every scope.
    scopes: list[Literal["events:read", "events:write", "ai-provenance:read", "ai-provenance:write", "appointments:read", "appointments:write", "bundles:read", "bundles:request", "bundles:export", "care-team:read", "care-team:write", "admin", "documents:read", "documents:write", "documents:unredacted", "quarantine:release", "members:read", "members:write", "custody:read", "custody:write", "holds:read", "holds:write", "matters:read", "matters:write", "exceptions:read", "exceptions:write", "redactions:read", "redactions:write", "redactions:apply", "rules:read", "rules:write", "search:read", "graph:read", "graph:query", "connectors:read", "connectors:write", "feeds:read", "feeds:write", "webhooks:own", "webhooks:read", "webhooks:write", "dashboard:read", "consent:read", "consent:write", "data-rights:read", "data-rights:write", "leads:read", "leads:write", "flags:read", "flags:write", "retention:read", "retention:write", "member-auth:write", "ava-access:write", "*"]]
    # Built-in roles by name, other roles by id. A key has scopes, roles or both.
    role_ids: list[str]
    # Actor that the key is bound to; its roles limit the scopes of the key.
    actor_id: str
    # IPv4 or IPv6 blocks that requests may come from; any address by default.
    allowed_cidrs: list[str]
    # Time at which the key expires.
    expires_at: str


class ApiKeyPage(TypedDict):
    """One page of a list."""
    # The items of this page.
    items: list[ApiKey]
    # Cursor of the next page; null on the last page.
    next_cursor: str | None


class Appeal(TypedDict):
    """A draft of an appeal."""
    # Letter in Markdown; null if the record states no denial.
    letter: str | None
    # Reason for no letter, or an assumption of the letter; null if the record states a denial.
    note: str | None
    # Last day to file; null if the record does not determine it.
    deadline: str | None
    # Attachments.
    attachments: list[AppealAttachment]


class AppealAttachment(TypedDict):
    """An attachment of an appeal."""
    # ON_RECORD if the record has it, else NEEDED.
    status: Literal["ON_RECORD", "NEEDED"]
    # Name of the attachment.
    title: str
    # The event, if it is on record.
    event_id: str | None
    # Its entry hash in the ledger, or the hash of the rule artifact.
    sha256: str | None


class AppealRightsShown(TypedDict):
    """Appeal rights under the event’s programme on the event’s day."""
    # True if there is a decision to appeal; null if the event does not say.
    applies: bool | None
    # Programmes that may apply. Empty if the event names no known programme; the service does not guess.
    programs: list[str]
    # Jurisdiction that the event names.
    jurisdiction: str | None
    # Day that time limits start.
    notice_date: str | None
    # Source of that day. NOTICE: payload.notice_date. ISSUED: the review. PAYMENT: the payment. EVENT: the
    # effective time. RECEIVED: receipt by the service.
    notice_date_basis: Literal["NOTICE", "ISSUED", "PAYMENT", "EVENT", "RECEIVED", "NONE"]
    # Earliest deadline of a first step; null if none can be computed.
    first_deadline: str | None
    # The rights in plain words.
    text: str
    # Steps in order.
    steps: list[AppealStepShown]


class _AppealStepShownRequired(TypedDict):
    # The programme.
    program: str
    # Position of the step.
    level: int
    # Name of the step.
    name: str
    # The step in plain words.
    text: str
    # Start of the time limit.
    counted_from: Literal["NOTICE", "STEP_BEFORE", "LETTER", "ANY_TIME", "NONE"]
    # True if the step starts without a request.
    automatic: bool
    # True if people outside the plan decide.
    is_external: bool
    # Legal source.
    citation: str
    # First day in force.
    effective_from: str


class AppealStepShown(_AppealStepShownRequired, total=False):
    """One step of an appeal."""
    # Last day to file, if it can be computed.
    file_by: str
    # Hours to a fast answer, for future care.
    expedited_hours: int


class AppealedDenial(TypedDict):
    """A denial, and the appeals that name the same claim."""
    # The denial: an event with the outcome DENIED.
    denial: EventRecord
    # Events of the family `appeal` with the same `payload.claim_id`, oldest first.
    appeals: list[EventRecord]
    # True if one of these appeals has the outcome OVERTURNED.
    overturned: bool


_AppealedDenialsRequired = TypedDict(
    "_AppealedDenialsRequired",
    {
        # Start of the span of denials.
        "from": "str",
        # End of the span, exclusive.
        "to": "str",
        # The denials with their appeals.
        "items": "list[AppealedDenial]",
        # True if the answer omits something: more events than one analysis examines, or more items than asked
        # for.
        "truncated": "bool",
    },
)


_AppealedDenialsOptional = TypedDict(
    "_AppealedDenialsOptional",
    {
        # Events that consent withholds for the stated purpose; no item shows them.
        "withheld": "Withheld",
    }, total=False,
)


class AppealedDenials(_AppealedDenialsRequired, _AppealedDenialsOptional):
    """Denials that were appealed, newest first."""


class _AppointmentRequired(TypedDict):
    # Identifier.
    appointment_id: str
    # Member, as given.
    member_id: str
    # Status (FHIR).
    status: Literal["proposed", "pending", "waitlist", "booked", "arrived", "checked-in", "fulfilled", "cancelled", "noshow", "entered-in-error"]
    # Kind of service.
    service_type: str | None
    # The practitioner.
    practitioner: AppointmentPractitioner | None
    # Reason for the appointment.
    reason: str | None
    # Reason for the cancellation.
    cancellation_reason: str | None
    # Other participants.
    participants: list[AppointmentParticipant]
    # Steps, oldest first.
    history: list[MemberRecordStep]
    # Start; requires `end`.
    start: str | None
    # End, at most 24 hours after the start.
    end: str | None
    # Time zone (IANA).
    timezone: str | None
    # Location.
    location: str | None
    # Tenant.
    tenant_id: str
    # Time of creation.
    created_at: str
    # API key that created it.
    created_by: str
    # Time of the last change.
    updated_at: str
    # Actions allowed now.
    allowed_actions: list[str]
    # Number of the current revision.
    revision: int


class Appointment(_AppointmentRequired, total=False):
    """An appointment of a member (FHIR R4 Appointment)."""
    # Members of the request that the service does not know, as sent.
    extra: dict[str, Any]


class _AppointmentInputRequired(TypedDict):
    # Member to see.
    member_id: str


class AppointmentInput(_AppointmentInputRequired, total=False):
    """A new appointment."""
    # The practitioner.
    practitioner: PractitionerInput
    # Status; default booked, or proposed without a time.
    status: Literal["proposed", "pending", "waitlist", "booked"]
    # Kind of service.
    service_type: str
    # Reason for the appointment.
    reason: str
    # Other participants.
    participants: list[AppointmentParticipantInput]
    # Members that the service does not know, kept as sent: at most 16384 bytes of JSON.
    extra: dict[str, Any]
    # Start; requires `end`.
    start: str
    # End, at most 24 hours after the start.
    end: str
    # Time zone (IANA).
    timezone: str
    # Location.
    location: str


class AppointmentPage(TypedDict):
    """One page of a list."""
    # The items of this page.
    items: list[Appointment]
    # Cursor of the next page; null on the last page.
    next_cursor: str | None


class AppointmentParticipant(TypedDict):
    """Another participant."""
    # Actor, NPI or name.
    reference: str
    # Role.
    role: str | None
    # Participation.
    status: Literal["accepted", "declined", "tentative", "needs-action"]


class _AppointmentParticipantInputRequired(TypedDict):
    # Actor, NPI or name.
    reference: str


class AppointmentParticipantInput(_AppointmentParticipantInputRequired, total=False):
    """Another participant."""
    # Role.
    role: str
    # Participation; default accepted.
    status: Literal["accepted", "declined", "tentative", "needs-action"]


class AppointmentPlanStep(TypedDict, total=False):
    """A step that sets time, practitioner or location."""
    # The practitioner.
    practitioner: PractitionerInput
    # Revision that the caller has read; CONFLICT if the record has another one.
    revision: int
    # Start; requires `end`.
    start: str
    # End, at most 24 hours after the start.
    end: str
    # Time zone (IANA).
    timezone: str
    # Location.
    location: str


class AppointmentPractitioner(TypedDict):
    """The practitioner."""
    # National provider identifier.
    npi: str | None
    # The actor.
    actor: str | None
    # Name.
    name: str | None


class _AvaAccessRequestRequired(TypedDict):
    # Identifier of the request.
    request_id: str
    # Status of the code.
    status: Literal["PENDING", "VERIFIED", "LOCKED", "EXPIRED", "REVOKED"]
    # Expiry of the code; it is valid once, with five attempts.
    expires_at: str
    # Channel of the code.
    delivery: Literal["log", "webhook", "smtp"]


class AvaAccessRequest(_AvaAccessRequestRequired, total=False):
    """Requested access; the answer is the same for unknown members."""
    # Members of the request that the service does not know, as sent.
    extra: dict[str, Any]
    # The code; only outside production with SERVICE_CODE_IN_RESPONSE.
    code: str


class AvaAccessToken(TypedDict):
    """A token for one member's record; returned once."""
    # Bearer token; custody records every read with it.
    access_token: str
    # Type of token.
    token_type: Literal["Bearer"]
    # Expiry, at most 15 minutes from now.
    expires_at: str
    # Member of the record that the token opens.
    member_id: str
    # Purpose of the access.
    purpose: str
    # Scopes of the token.
    scopes: list[str]


class _BundleRequired(TypedDict):
    # Identifier of the bundle.
    bundle_id: str
    # Tenant of the bundle.
    tenant_id: str
    # Scope.
    bundle_type: Literal["MEMBER", "MATTER", "INCIDENT"]
    # Requested scope.
    scope: BundleScope
    # Extent of the proofs.
    profile: Literal["full", "minimal"]
    # Requester.
    requested_by: str
    # Current status.
    status: Literal["REQUESTED", "SEALED", "FAILED"]
    # Progress of the build.
    progress: BundleProgress
    # Time of the request.
    created_at: str
    # Key of the request.
    created_by: str


class Bundle(_BundleRequired, total=False):
    """An evidence bundle: requested, then built and sealed."""
    # Purpose in upper case; absent if consent was not checked.
    purpose: str
    # SHA-256 of the sealed ZIP, once sealed.
    worm_blob_sha256: str
    # Size of the sealed ZIP in bytes.
    size: int
    # Number of events.
    event_count: int
    # Number of documents, those without content included.
    document_count: int
    # Events and documents that consent withholds, if any; set by the seal.
    withheld: Withheld
    # Thumbprint of the signing key (RFC 7638).
    signing_key_id: str
    # Digest of the content: equal for two bundles exactly if their contents are equal.
    content_digest: str
    # Time of the seal.
    sealed_at: str
    # The sealed bundle that this one rebuilds.
    regenerated_from: str
    # Members of the request that the service does not know, as sent.
    extra: dict[str, Any]
    # Reason for the failure.
    failure: BundleFailureView


class BundleArchive(TypedDict):
    """Location of the sealed ZIP of a bundle."""
    # The bundle.
    bundle_id: str
    # Kind of scope.
    bundle_type: Literal["MEMBER", "MATTER", "INCIDENT"]
    # SHA-256 of the ZIP.
    worm_blob_sha256: str
    # Size of the ZIP in bytes.
    size: int
    # Members with records in the bundle.
    member_ids: list[str]


class BundleDiff(TypedDict):
    """Differences between two bundles over the same scope."""
    # This bundle.
    bundle_id: str
    # The other bundle.
    against: str
    # Whether their contents are equal.
    same_content: bool
    # Events, in ledger order.
    events: EventsDiff
    # Documents, by id.
    documents: DocumentsDiff
    # Trees under which they were sealed.
    chain_head: ChainHeadDiff


class BundleFailureView(TypedDict):
    """Reason for a failed build."""
    # Failure code.
    code: str
    # Explanation and remedy.
    message: str
    # Time of the failure.
    at: str


class BundleLink(TypedDict):
    """A link that opens one sealed bundle for a party without a key, without its token."""
    # Identifier.
    link_id: str
    # The bundle.
    bundle_id: str
    # Current status.
    status: Literal["ACTIVE", "USED_UP", "REVOKED"]
    # Time from which the link opens nothing.
    expires_at: str
    # Whether that time has passed.
    expired: bool
    # Number of answers with bytes so far.
    downloads: int
    # Time of the last one, or null.
    last_download_at: str | None
    # Steps, oldest first.
    history: list[BundleLinkStep]
    # Party that receives the link.
    recipient: str
    # Purpose of the disclosure.
    purpose: str
    # Number of answers with bytes; an answer to a Range counts too.
    max_downloads: int
    # Tenant.
    tenant_id: str
    # Time of creation.
    created_at: str
    # API key that created it.
    created_by: str
    # Time of the last change.
    updated_at: str
    # Actions allowed now.
    allowed_actions: list[str]
    # Number of the current revision.
    revision: int


class _BundleLinkInputRequired(TypedDict):
    # Hours until the link ends.
    expires_in_hours: int
    # Party that receives the link.
    recipient: str
    # Purpose of the disclosure.
    purpose: str


class BundleLinkInput(_BundleLinkInputRequired, total=False):
    """A new link to a sealed bundle."""
    # Number of answers with bytes; an answer to a Range counts too.
    max_downloads: int


class BundleLinkPage(TypedDict):
    """One page of a list."""
    # The items of this page.
    items: list[BundleLink]
    # Cursor of the next page; null on the last page.
    next_cursor: str | None


_BundleLinkStepRequired = TypedDict(
    "_BundleLinkStepRequired",
    {
        # Revision after the step.
        "revision": "int",
        # Action of the step.
        "action": "str",
        # Status before.
        "from": "Literal[\"ACTIVE\", \"USED_UP\", \"REVOKED\", None]",
        # Status after.
        "to": "Literal[\"ACTIVE\", \"USED_UP\", \"REVOKED\"]",
        # Time of the step.
        "at": "str",
        # Key that took the step.
        "by": "str",
        # Actor of the key.
        "actor_id": "str | None",
    },
)


_BundleLinkStepOptional = TypedDict(
    "_BundleLinkStepOptional",
    {
    }, total=False,
)


class BundleLinkStep(_BundleLinkStepRequired, _BundleLinkStepOptional):
    """A step of a link."""


class BundlePage(TypedDict):
    """One page of a list."""
    # The items of this page.
    items: list[Bundle]
    # Cursor of the next page; null on the last page.
    next_cursor: str | None


class BundleProgress(TypedDict):
    """Progress of a build."""
    # Current phase.
    phase: Literal["WAITING", "FREEZE", "EVENTS", "PROOFS", "DOCUMENTS", "ARCHIVE", "DONE"]
    # Finished part of the phase.
    done: int
    # Total of the phase, as far as it is known.
    total: int


class _BundleRequestRequired(TypedDict):
    # Scope.
    scope: BundleScopeInput


class BundleRequest(_BundleRequestRequired, total=False):
    """A request for a bundle."""
    # Must match the id in the scope; derived from it by default.
    bundle_type: Literal["MEMBER", "MATTER", "INCIDENT"]
    # Requester; the actor or the name of the key by default.
    requested_by: str
    # `minimal` leaves out proofs, certificate and verifiers; rejected if an event is redacted or disposed of.
    # Default: `full`.
    profile: Literal["full", "minimal"]
    # Purpose. The build checks consent, leaves withheld records out and counts them. Without a purpose the
    # bundle contains every record.
    purpose: str


_BundleScopeRequired = TypedDict(
    "_BundleScopeRequired",
    {
    },
)


_BundleScopeOptional = TypedDict(
    "_BundleScopeOptional",
    {
        # Tenant of the bundle; must be the tenant of the request.
        "tenant_id": "str",
        # A member: the member's events and documents.
        "member_id": "str",
        # A legal matter: its linked records, the records of its members, and events with this
        # `payload.matter_id`.
        "matter_id": "str",
        # An incident: events with this `payload.incident_id`.
        "incident_id": "str",
        # Effective at this time or later.
        "from": "str",
        # Effective before this time.
        "to": "str",
    }, total=False,
)


class BundleScope(_BundleScopeRequired, _BundleScopeOptional):
    """Scope of a bundle."""


_BundleScopeInputRequired = TypedDict(
    "_BundleScopeInputRequired",
    {
    },
)


_BundleScopeInputOptional = TypedDict(
    "_BundleScopeInputOptional",
    {
        # Tenant of the bundle; must be the tenant of the request.
        "tenant_id": "str",
        # A member: the member's events and documents.
        "member_id": "str",
        # A legal matter: its linked records, the records of its members, and events with this
        # `payload.matter_id`.
        "matter_id": "str",
        # An incident: events with this `payload.incident_id`.
        "incident_id": "str",
        # Effective at this time or later.
        "from": "str",
        # Effective before this time.
        "to": "str",
    }, total=False,
)


class BundleScopeInput(_BundleScopeInputRequired, _BundleScopeInputOptional):
    """Scope of a bundle: exactly one of the three ids."""


class BundleTimestamp(TypedDict):
    """Time-stamp of a bundle's signature (RFC 3161), over the bytes of signature.sig."""
    # The bundle.
    bundle_id: str
    # PENDING is retried until OBTAINED, or GIVEN_UP after weeks.
    status: Literal["PENDING", "OBTAINED", "GIVEN_UP"]
    # Number of attempts.
    attempts: int
    # Failure of the last attempt.
    last_error: str | None
    # SHA-256 of the stamped content, hexadecimal.
    message_imprint: str | None
    # Time stated by the authority.
    gen_time: str | None
    # Serial number of the token, hex.
    serial: str | None
    # Policy of the authority, an object identifier.
    policy: str | None
    # Subject of the certificate that signed the token.
    authority: str | None
    # The whole reply (TimeStampResp, DER), base64.
    reply: str | None


class BundleVerification(TypedDict):
    """Verification of the stored copy of a bundle."""
    # The bundle.
    bundle_id: str
    # Whether every check passed.
    valid: bool
    # Verdict of the verifier: VALID, VALID_WITH_NOTES, INTEGRITY_ONLY or INVALID.
    verdict: str
    # All checks.
    checks: list[SignatureCheck]
    # Number of integrity breaks.
    breaks: int
    # Thumbprint of the signing key.
    signing_key_id: str
    # SHA-256 of the ZIP.
    worm_blob_sha256: str


class Caller(TypedDict):
    """Identity and rights of a caller."""
    # Session; null for a key.
    session_id: str | None
    # Tenant; null for an operator, who names one in each request.
    tenant_id: str | None
    # API key.
    key_id: str
    # Name of the key.
    key_name: str
    # Actor of the key.
    actor_id: str | None
    # Scopes, with those that they imply.
    scopes: list[str]
    # Latest end of the session; idle sessions end sooner.
    ends_at: str | None


class _CareTeamEntryRequired(TypedDict):
    # Identifier.
    care_team_id: str
    # Status (FHIR).
    status: Literal["proposed", "active", "suspended", "inactive", "entered-in-error"]
    # Period of care.
    period: CareTeamPeriod
    # Reason for the end.
    ended_reason: str | None
    # Steps, oldest first.
    history: list[MemberRecordStep]
    # Member, as given.
    member_id: str
    # Role of the carer.
    role: str
    # National provider identifier.
    npi: str | None
    # The actor.
    actor: str | None
    # Name.
    name: str | None
    # Organization.
    organization: str | None
    # Note.
    note: str | None
    # Tenant.
    tenant_id: str
    # Time of creation.
    created_at: str
    # API key that created it.
    created_by: str
    # Time of the last change.
    updated_at: str
    # Actions allowed now.
    allowed_actions: list[str]
    # Number of the current revision.
    revision: int


class CareTeamEntry(_CareTeamEntryRequired, total=False):
    """A carer of a member (FHIR R4 CareTeam)."""
    # Members of the request that the service does not know, as sent.
    extra: dict[str, Any]


class _CareTeamEntryInputRequired(TypedDict):
    # Member, as given.
    member_id: str
    # Role of the carer.
    role: str


class CareTeamEntryInput(_CareTeamEntryInputRequired, total=False):
    """A new entry of a care team; npi, actor, name or organization identifies the carer."""
    # Status; default active.
    status: Literal["proposed", "active"]
    # Period of care.
    period: CareTeamPeriodInput
    # Members that the service does not know, kept as sent: at most 16384 bytes of JSON.
    extra: dict[str, Any]
    # National provider identifier.
    npi: str
    # The actor.
    actor: str
    # Name.
    name: str
    # Organization.
    organization: str
    # Note.
    note: str


class CareTeamPage(TypedDict):
    """One page of a list."""
    # The items of this page.
    items: list[CareTeamEntry]
    # Cursor of the next page; null on the last page.
    next_cursor: str | None


class CareTeamPeriod(TypedDict):
    """A period from start (inclusive) to end (exclusive); null is open."""
    # Start.
    start: str | None
    # End.
    end: str | None


class CareTeamPeriodInput(TypedDict, total=False):
    """A period from start (inclusive) to end (exclusive); an absent bound is open."""
    # Start.
    start: str
    # End.
    end: str


_ChainHeadDiffRequired = TypedDict(
    "_ChainHeadDiffRequired",
    {
        # Tree of the other bundle.
        "from": "DiffHead",
        # Tree of this bundle.
        "to": "DiffHead",
    },
)


_ChainHeadDiffOptional = TypedDict(
    "_ChainHeadDiffOptional",
    {
    }, total=False,
)


class ChainHeadDiff(_ChainHeadDiffRequired, _ChainHeadDiffOptional):
    """Ledger trees of the two bundles."""


_ChangedDocumentRequired = TypedDict(
    "_ChangedDocumentRequired",
    {
        # State in the other bundle.
        "from": "str",
        # State in this bundle.
        "to": "str",
        # The document.
        "document_id": "str",
    },
)


_ChangedDocumentOptional = TypedDict(
    "_ChangedDocumentOptional",
    {
    }, total=False,
)


class ChangedDocument(_ChangedDocumentRequired, _ChangedDocumentOptional):
    """A document that differs between the two bundles."""


_ChangedEventRequired = TypedDict(
    "_ChangedEventRequired",
    {
        # State in the other bundle.
        "from": "str",
        # State in this bundle.
        "to": "str",
        # The event.
        "event_id": "str",
    },
)


_ChangedEventOptional = TypedDict(
    "_ChangedEventOptional",
    {
    }, total=False,
)


class ChangedEvent(_ChangedEventRequired, _ChangedEventOptional):
    """An event that differs between the two bundles."""


class Checkpoint(TypedDict):
    """A signed checkpoint: size and root of the tenant's tree, for anyone to verify."""
    # The checkpoint.
    checkpoint_id: str
    # First line of the note: the log's name.
    origin: str
    # Incarnation of the tree; a declared regress starts the next one.
    incarnation: int
    # Number of entries that it covers.
    tree_size: int
    # Root of the tree (RFC 6962), hexadecimal.
    root_hash: str
    # Key that signed: see /v1/signing-keys.
    key_id: str
    # The same key in the form that tools for signed notes use: name, id, type and key.
    verifier_key: str
    # Witnesses that cosigned it.
    witnesses: list[str]
    # When it was published.
    published_at: str
    # The signed note (C2SP tlog-checkpoint); alone under Accept: text/plain.
    note: str


class CheckpointPage(TypedDict):
    """One page of a list."""
    # The items of this page.
    items: list[Checkpoint]
    # Cursor of the next page; null on the last page.
    next_cursor: str | None


class CheckpointTimestamp(TypedDict):
    """Time-stamp of a checkpoint (RFC 3161), over the bytes of its note."""
    # The checkpoint.
    checkpoint_id: str
    # PENDING is retried until OBTAINED, or GIVEN_UP after weeks.
    status: Literal["PENDING", "OBTAINED", "GIVEN_UP"]
    # Number of attempts.
    attempts: int
    # Failure of the last attempt.
    last_error: str | None
    # SHA-256 of the stamped content, hexadecimal.
    message_imprint: str | None
    # Time stated by the authority.
    gen_time: str | None
    # Serial number of the token, hex.
    serial: str | None
    # Policy of the authority, an object identifier.
    policy: str | None
    # Subject of the certificate that signed the token.
    authority: str | None
    # The whole reply (TimeStampResp, DER), base64.
    reply: str | None


class Claim(TypedDict):
    """A claim that events name by its number (`payload.claim_id`)."""
    # Number of the claim.
    claim_id: str


class _ClaimConversationRequired(TypedDict):
    # The claim.
    claim: str
    # The events in order of effective time; 200 at most.
    events: list[EventRecord]
    # Relations between these events.
    links: list[ConversationLink]
    # True if the answer omits something: more events than one analysis examines, or more items than asked
    # for.
    truncated: bool


class ClaimConversation(_ClaimConversationRequired, total=False):
    """All events about one claim, from authorization to appeal."""
    # Events that consent withholds for the stated purpose; the answer omits them.
    withheld: Withheld


class Code(TypedDict):
    """A code of a reason, a procedure or a diagnosis that events name."""
    # Code system, in lower case.
    system: str
    # The code, in the form of exact filters.
    code: str


class Connector(TypedDict):
    """A way in that the service keeps open."""
    # Identifier of the connector.
    connector_id: str
    # Tenant of the connector.
    tenant_id: str
    # INBOUND is the only direction.
    direction: Literal["INBOUND"]
    # Names of the secrets in the configuration.
    secrets: list[str]
    # Current status.
    status: Literal["ENABLED", "DISABLED", "ERROR", "DELETED"]
    # Actions allowed now.
    allowed_actions: list[str]
    # Address of the open listener.
    listening: ConnectorListening | None
    # Time of the last message.
    last_message_at: str | None
    # Last failure.
    last_error: ConnectorError | None
    # Time of the next attempt.
    retry_at: str | None
    # Counters since its creation.
    counters: ConnectorCounters
    # Number of the current revision.
    revision: int
    # Time of creation.
    created_at: str
    # Key that created it.
    created_by: str
    # Time of the last change.
    updated_at: str
    # The latest 50 steps, oldest first.
    history: list[ConnectorStep]
    # Format of the messages.
    kind: Literal["FHIR", "HL7V2", "X12", "NCPDP"]
    # Name for operators.
    name: str
    # Source system of the events.
    source_system: str
    # By transport: MllpConnectorConfig (HL7V2), DropFolderConnectorConfig (X12, NCPDP, HL7V2, FHIR),
    # FhirEndpointConnectorConfig or FhirPollConnectorConfig (FHIR). transport defaults to the first one of
    # the kind. In a patch, null removes a member, and secrets too.
    config: dict[str, Any]


class ConnectorCheck(TypedDict):
    """One requirement of a connector."""
    # Name of the check.
    name: str
    # Whether the check passed.
    ok: bool
    # What was found.
    detail: str


class ConnectorCounters(TypedDict):
    """Counters of a connector: at most one second late, and one second short after a crash."""
    # Messages, files or resources read.
    messages: int
    # Bytes read.
    bytes: int
    # Events appended.
    accepted: int
    # Events received before.
    duplicated: int
    # Rejected parts of messages.
    rejected: int
    # Unreadable messages.
    unreadable: int
    # Exceptions opened.
    exceptions: int
    # Failed attempts to work.
    failures: int


class _ConnectorErrorRequired(TypedDict):
    # Code of the failure.
    code: str
    # Description of the failure.
    message: str
    # Time.
    at: str


class ConnectorError(_ConnectorErrorRequired, total=False):
    """Last failure of a connector, without content of messages."""
    # SHA-256 of the body concerned.
    raw_sha256: str
    # Byte offset of the failure in the body.
    byte_offset: int


class _ConnectorInputRequired(TypedDict):
    # Format of the messages.
    kind: Literal["FHIR", "HL7V2", "X12", "NCPDP"]
    # Name for operators.
    name: str
    # Source system of the events.
    source_system: str
    # By transport: MllpConnectorConfig (HL7V2), DropFolderConnectorConfig (X12, NCPDP, HL7V2, FHIR),
    # FhirEndpointConnectorConfig or FhirPollConnectorConfig (FHIR). transport defaults to the first one of
    # the kind. In a patch, null removes a member, and secrets too.
    config: dict[str, Any]


class ConnectorInput(_ConnectorInputRequired, total=False):
    """A new connector."""
    # INBOUND is the only direction.
    direction: Literal["INBOUND"]


class ConnectorListening(TypedDict):
    """Address that a connector listens at."""
    # Address.
    host: str
    # Port.
    port: int
    # True for TLS.
    tls: bool


class ConnectorPage(TypedDict):
    """One page of a list."""
    # The items of this page.
    items: list[Connector]
    # Cursor of the next page; null on the last page.
    next_cursor: str | None


class ConnectorPatch(TypedDict, total=False):
    """Changes of a connector: an absent member stays, and so does an absent member of `config`."""
    # Revision that the caller has read; CONFLICT if the connector has another one.
    revision: int
    # Name for operators.
    name: str
    # Source system of the events.
    source_system: str
    # By transport: MllpConnectorConfig (HL7V2), DropFolderConnectorConfig (X12, NCPDP, HL7V2, FHIR),
    # FhirEndpointConnectorConfig or FhirPollConnectorConfig (FHIR). transport defaults to the first one of
    # the kind. In a patch, null removes a member, and secrets too.
    config: dict[str, Any]


_ConnectorStepRequired = TypedDict(
    "_ConnectorStepRequired",
    {
        # Revision after the step.
        "revision": "int",
        # Action of the step.
        "action": "str",
        # Status before.
        "from": "str | None",
        # Status after.
        "to": "str",
        # Time of the step.
        "at": "str",
        # Key that took the step, or the part of the service.
        "by": "str",
    },
)


_ConnectorStepOptional = TypedDict(
    "_ConnectorStepOptional",
    {
    }, total=False,
)


class ConnectorStep(_ConnectorStepRequired, _ConnectorStepOptional):
    """One step of a connector."""


class ConnectorTestResult(TypedDict):
    """Whether a connector can work, checked without taking a message."""
    # Identifier of the connector.
    connector_id: str
    # Whether every check passed.
    ok: bool
    # Name of the check.
    checks: list[ConnectorCheck]
    # Time.
    tested_at: str


class Consent(TypedDict):
    """A consent of a member: who may see which records, and for what."""
    # Identifier.
    consent_id: str
    # Period of the consent.
    period: ConsentPeriod
    # Status; REVOKED is final.
    status: Literal["ACTIVE", "REVOKED"]
    # True if the consent is in force now.
    in_force: bool
    # Reason for the revocation.
    revocation_reason: str | None
    # Steps, oldest first.
    history: list[ConsentChange]
    # Member of the covered records.
    member_id: str
    # Decision; DENY wins over PERMIT.
    decision: Literal["PERMIT", "DENY"]
    # Purpose; `*` for every purpose. Stored in upper case.
    purpose: str
    # Categories: families of events, `document`, and labels such as `42CFR2`; empty for all. Only a PERMIT
    # with `42CFR2` covers 42 CFR Part 2 data.
    categories: list[str]
    # Actors, keys or requesters of access that the consent applies to; empty for everyone.
    actors: list[str]
    # Signed form, a document of the vault.
    source_document_id: str | None
    # Person who gave the consent for the member.
    grantor: str | None
    # Note.
    note: str | None
    # Tenant.
    tenant_id: str
    # Time of creation.
    created_at: str
    # API key that created it.
    created_by: str
    # Time of the last change.
    updated_at: str
    # Actions allowed now.
    allowed_actions: list[str]
    # Number of the current revision.
    revision: int


_ConsentChangeRequired = TypedDict(
    "_ConsentChangeRequired",
    {
        # Revision after the step.
        "revision": "int",
        # Action.
        "action": "str",
        # Status before.
        "from": "str | None",
        # Status after.
        "to": "Literal[\"ACTIVE\", \"REVOKED\"]",
        # Time of the step.
        "at": "str",
        # Key that took the step.
        "by": "str",
        # Actor of the key.
        "actor_id": "str | None",
    },
)


_ConsentChangeOptional = TypedDict(
    "_ConsentChangeOptional",
    {
    }, total=False,
)


class ConsentChange(_ConsentChangeRequired, _ConsentChangeOptional):
    """One step of a consent."""


class _ConsentCheckInputRequired(TypedDict):
    # Member of the record.
    member_id: str
    # Purpose.
    purpose: str


class ConsentCheckInput(_ConsentCheckInputRequired, total=False):
    """A question to the rules of consent."""
    # A family of events, `document`, or a label; default records without special protection.
    category: str
    # Actor who would see the record.
    actor: str


class ConsentCheckResult(TypedDict):
    """The decision on a question."""
    # Decision.
    decision: Literal["PERMIT", "DENY"]
    # Reason for DENY.
    reason: Literal["CONSENT_DENIED", "42CFR2", None]
    # Consents that decided; empty if the default rule did.
    consent_ids: list[str]


class _ConsentInputRequired(TypedDict):
    # Member of the covered records.
    member_id: str
    # Decision; DENY wins over PERMIT.
    decision: Literal["PERMIT", "DENY"]
    # Purpose; `*` for every purpose. Stored in upper case.
    purpose: str


class ConsentInput(_ConsentInputRequired, total=False):
    """A new consent."""
    # Period of the consent.
    period: ConsentPeriodInput
    # Categories: families of events, `document`, and labels such as `42CFR2`; empty for all. Only a PERMIT
    # with `42CFR2` covers 42 CFR Part 2 data.
    categories: list[str]
    # Actors, keys or requesters of access that the consent applies to; empty for everyone.
    actors: list[str]
    # Signed form, a document of the vault.
    source_document_id: str
    # Person who gave the consent for the member.
    grantor: str
    # Note.
    note: str


class ConsentPage(TypedDict):
    """One page of a list."""
    # The items of this page.
    items: list[Consent]
    # Cursor of the next page; null on the last page.
    next_cursor: str | None


class ConsentPeriod(TypedDict):
    """A period from start (inclusive) to end (exclusive); null is open."""
    # Start.
    start: str | None
    # End.
    end: str | None


class ConsentPeriodInput(TypedDict, total=False):
    """A period from start (inclusive) to end (exclusive); an absent bound is open."""
    # Start.
    start: str
    # End.
    end: str


class _ConsentPolicyInputRequired(TypedDict):
    # Source systems of 42 CFR Part 2 programs; protects their documents and diagnoses of substance use.
    part2_source_systems: list[str]


class ConsentPolicyInput(_ConsentPolicyInputRequired, total=False):
    """Consent policy for all members of the tenant."""
    # Revision that the caller has read; CONFLICT if the record has another one.
    revision: int


class ConsentPolicyRecord(TypedDict):
    """Consent policy for all members of the tenant."""
    # Source systems of 42 CFR Part 2 programs.
    part2_source_systems: list[str]
    # Revision; 0 before the first change.
    revision: int
    # Time of the last change.
    updated_at: str | None
    # Key that changed it.
    updated_by: str | None


class ConsentRevocation(TypedDict, total=False):
    """The revocation of a consent."""
    # Reason.
    reason: str
    # Revision that the caller has read; CONFLICT if the record has another one.
    revision: int


class ConsistencyProof(TypedDict):
    """Proof that the tree of the second size begins with the tree of the first (RFC 6962)."""
    # The earlier size.
    first: int
    # The later size.
    second: int
    # Root at the first size, hexadecimal.
    first_root_hash: str
    # Root at the second size, hexadecimal.
    second_root_hash: str
    # Hashes of the proof, hexadecimal; in base64 lines under text/plain.
    hashes: list[str]
    # Checkpoint published at the first size; null if there is none.
    first_checkpoint: Checkpoint | None
    # Checkpoint published at the second size; null if there is none.
    second_checkpoint: Checkpoint | None


_ConversationLinkRequired = TypedDict(
    "_ConversationLinkRequired",
    {
        # The event that states the relation.
        "from": "str",
        # The event that it leads to.
        "to": "str",
        # Kind of relation; see docs/linking.md.
        "kind": "str",
        # Meaning of the number that both name.
        "via": "str",
    },
)


_ConversationLinkOptional = TypedDict(
    "_ConversationLinkOptional",
    {
    }, total=False,
)


class ConversationLink(_ConversationLinkRequired, _ConversationLinkOptional):
    """A relation between two events of a conversation."""


class CreatedApiKey(TypedDict):
    """A new API key with its secret."""
    # Identifier of the key.
    key_id: str
    # Tenant, or "*" for an operator key.
    tenant_id: str
    # First characters of the key; null for a key that an operator provided.
    prefix: str | None
    # Last four characters of the key.
    last_four: str
    # ROTATING: valid until grace_ends_at, as is its successor. REVOKED and EXPIRED are final.
    status: Literal["ACTIVE", "ROTATING", "EXPIRED", "REVOKED"]
    # Time of creation.
    created_at: str
    # API key that created it; null for the first operator key.
    created_by: str | None
    # End of validity of a rotated key.
    grace_ends_at: str | None
    # Successor.
    rotated_to: str | None
    # Predecessor.
    rotated_from: str | None
    # Time of the last use, to the minute.
    last_used_at: str | None
    # Address of the last use, to find a leaked key.
    last_used_address: str | None
    # Time of revocation.
    revoked_at: str | None
    # API key that revoked it.
    revoked_by: str | None
    # Purpose of the key.
    name: str
    # Scopes in addition to those of the roles. The caller must hold every scope.
    scopes: list[str]
    # Built-in roles by name, other roles by id. A key has scopes, roles or both.
    role_ids: list[str]
    # Actor that the key is bound to; its roles limit the scopes of the key.
    actor_id: str | None
    # IPv4 or IPv6 blocks that requests may come from; any address by default.
    allowed_cidrs: list[str]
    # Time at which the key expires.
    expires_at: str | None
    # The key itself; returned once and not stored.
    api_key: str


class CreatedBundleLink(TypedDict):
    """A new link with its token."""
    # Identifier.
    link_id: str
    # The bundle.
    bundle_id: str
    # Current status.
    status: Literal["ACTIVE", "USED_UP", "REVOKED"]
    # Time from which the link opens nothing.
    expires_at: str
    # Whether that time has passed.
    expired: bool
    # Number of answers with bytes so far.
    downloads: int
    # Time of the last one, or null.
    last_download_at: str | None
    # Steps, oldest first.
    history: list[BundleLinkStep]
    # Party that receives the link.
    recipient: str
    # Purpose of the disclosure.
    purpose: str
    # Number of answers with bytes; an answer to a Range counts too.
    max_downloads: int
    # Tenant.
    tenant_id: str
    # Time of creation.
    created_at: str
    # API key that created it.
    created_by: str
    # Time of the last change.
    updated_at: str
    # Actions allowed now.
    allowed_actions: list[str]
    # Number of the current revision.
    revision: int
    # The token; returned once, the service stores only its hash.
    token: str
    # Path of the download on this host, with the token.
    url: str


class _CustodyActorRequired(TypedDict):
    # The actor of a key, a key without an actor, or the service itself.
    type: Literal["ACTOR", "KEY", "SERVICE"]
    # Its identifier.
    id: str


class CustodyActor(_CustodyActorRequired, total=False):
    """The actor who did it."""
    # The key that an actor used.
    key_id: str


class _CustodyEntryRequired(TypedDict):
    # The entry.
    custody_id: str
    # Its tenant.
    tenant_id: str
    # What was done.
    action: Literal["READ_CONTENT", "READ_RAW", "READ_TIMELINE", "READ_MEMBER_RECORD", "READ_DISCLOSURES", "DOWNLOAD_BUNDLE", "SHARE", "UNSHARE", "EXPORT_EDX", "UPLOAD", "RELEASE", "REJECT", "REDACT", "HOLD", "UNHOLD", "NOTIFY", "ACKNOWLEDGE", "WITHDRAW", "DISPOSE", "INTEGRITY_FAILURE", "RECEIVED", "TRANSFERRED", "DISCLOSED", "COPIED", "INSPECTED", "RETURNED", "DESTROYED", "NOTED"]
    # Whether the service itself or a caller of the API recorded it.
    recorded: Literal["AUTOMATIC", "MANUAL"]
    # With what.
    subject: CustodySubject
    # By whom.
    actor: CustodyActor
    # When.
    at: str
    # Place in the chain of custody, from 1.
    seq: int
    # When it was recorded.
    recorded_at: str
    # Hash of the previous entry.
    prev_hash: str
    # Hash of this entry.
    entry_hash: str


class CustodyEntry(_CustodyEntryRequired, total=False):
    """One act of custody, as recorded in the ledger."""
    # Further subjects.
    subjects: list[CustodySubject]
    # Number of further subjects, if there are too many to list.
    subject_count: int
    # Root of the RFC 6962 tree over them.
    subjects_root: str
    # Members of the record.
    member_ids: list[str]
    # The stated purpose.
    purpose: str
    # The recipient.
    recipient: str
    # SHA-256 of the content before.
    sha256_before: str
    # SHA-256 of the content after.
    sha256_after: str
    # Further details.
    detail: dict[str, Any]
    # The request that did it.
    request_id: str


class _CustodyInputRequired(TypedDict):
    # The action, outside the service.
    action: Literal["RECEIVED", "TRANSFERRED", "DISCLOSED", "COPIED", "INSPECTED", "RETURNED", "DESTROYED", "NOTED"]
    # With what.
    subject: CustodySubjectInput


class CustodyInput(_CustodyInputRequired, total=False):
    """An act of custody outside the service."""
    # Accepts a subject that the service does not know; the entry records it in `detail`.
    allow_unknown: bool
    # Further subjects.
    subjects: list[CustodySubjectInput]
    # Members of the record.
    member_ids: list[str]
    # When it was done; the time of the request by default.
    at: str
    # Why.
    purpose: str
    # The recipient.
    recipient: str
    # SHA-256 of the content before.
    sha256_before: str
    # SHA-256 of the content after.
    sha256_after: str
    # Further details.
    detail: dict[str, Any]


class CustodyPage(TypedDict):
    """One page of a list."""
    # The items of this page.
    items: list[CustodyEntry]
    # Cursor of the next page; null on the last page.
    next_cursor: str | None


class CustodySubject(TypedDict):
    """Subject of custody."""
    # Kind of subject; RAW is the body of a raw message, named by its SHA-256.
    kind: Literal["EVENT", "DOCUMENT", "BUNDLE", "MEMBER", "HOLD", "RAW"]
    # Its identifier.
    id: str


class CustodySubjectInput(TypedDict):
    """Subject of custody."""
    # Kind of subject; RAW is the body of a raw message, named by its SHA-256.
    kind: Literal["EVENT", "DOCUMENT", "BUNDLE", "MEMBER", "HOLD", "RAW"]
    # Its identifier.
    id: str


_DashboardRequired = TypedDict(
    "_DashboardRequired",
    {
        # The tenant.
        "tenant_id": "str",
        # Start of the window, included.
        "from": "str | None",
        # End of the window, excluded.
        "to": "str | None",
        # Time of the counts.
        "generated_at": "str",
        # Events by effective time.
        "events": "DashboardEvents",
        # Raw messages by time of receipt.
        "raw_ingests": "DashboardRawIngests",
        # Exceptions by the time they were opened.
        "exceptions": "DashboardExceptions",
        # Integrity checks of the evidence.
        "integrity": "DashboardIntegrity",
        # API keys now.
        "api_keys": "DashboardRecords",
        # Actors now.
        "actors": "DashboardRecords",
        # Feature flags now.
        "feature_flags": "DashboardRecords",
        # Leads by time of creation.
        "leads": "DashboardLeads",
    },
)


_DashboardOptional = TypedDict(
    "_DashboardOptional",
    {
        # Tenants of the platform now; only for operators.
        "tenants": "DashboardRecords",
    }, total=False,
)


class Dashboard(_DashboardRequired, _DashboardOptional):
    """Counts of a tenant."""


class DashboardEvents(TypedDict):
    """Events without the service's own partitions; names in lower case, most frequent first."""
    # Total.
    total: int
    # By day of their effective time.
    by_day: list[DayCount]
    # By family.
    by_family: list[NamedCount]
    # By type.
    by_type: list[NamedCount]
    # By outcome.
    by_outcome: list[NamedCount]
    # By source system.
    by_source_system: list[NamedCount]
    # A list was cut to its 500 most frequent names.
    truncated: bool


class DashboardExceptions(TypedDict):
    """Exceptions."""
    # Total.
    total: int
    # By kind.
    by_kind: list[NamedCount]
    # By status.
    by_status: list[NamedCount]
    # By severity.
    by_severity: list[NamedCount]


class DashboardIntegrity(TypedDict):
    """Current integrity checks of the evidence."""
    # Segments of the write-once store.
    segments: DashboardSegments
    # Scrub of the write-once store.
    scrub: DashboardScrub
    # Comparison of chains with copies and tree.
    reconciliation: DashboardReconciliation


class DashboardLeads(TypedDict):
    """Leads."""
    # Total.
    total: int
    # By status.
    by_status: list[NamedCount]
    # By type.
    by_type: list[NamedCount]


class DashboardRawIngests(TypedDict):
    """Raw messages and the results of their parts."""
    # Messages.
    total: int
    # Transactions of the messages.
    transactions: int
    # Accepted parts.
    accepted: int
    # Duplicate parts.
    duplicated: int
    # Rejected parts.
    rejected: int
    # Messages by format.
    by_format: list[NamedCount]


class DashboardReconciliation(TypedDict):
    """The comparison of chains with their write-once copies and the tree."""
    # Chains compared to their end at least once.
    chains: int
    # Time since which every chain is compared to its end, or null.
    passed_at: str | None
    # Missing copies that were restored.
    repaired: int


class DashboardRecords(TypedDict):
    """Records by status."""
    # Total.
    total: int
    # By status.
    by_status: list[NamedCount]


class DashboardScrub(TypedDict):
    """The scrub of the write-once store: the running one, else the last one."""
    # Start of the running scrub, or null.
    started_at: str | None
    # Progress in percent of the bytes.
    progress_percent: int | None
    # End of the last complete scrub, or null.
    finished_at: str | None
    # Records read.
    records: int
    # Large contents read.
    blobs: int
    # Bytes read.
    bytes: int
    # Damaged contents; each has an exception.
    damaged: int
    # Records without a ledger entry.
    unexplained: int
    # Longest time since a content was read; null before the first scrub.
    oldest_unverified_seconds: int | None


class DashboardSegments(TypedDict):
    """Segments of the write-once store by state."""
    # Open for records.
    open: int
    # Closed, but not sealed yet.
    full: int
    # Sealed by a signed entry of the ledger.
    sealed: int


class DataDisclosure(TypedDict):
    """A disclosure of a member's data (45 CFR 164.528(b)(2))."""
    # Identifier of the custody entry.
    custody_id: str
    # Time.
    at: str
    # Recipient, if known.
    recipient: str | None
    # Purpose, if known.
    purpose: str | None
    # Action.
    action: Literal["DISCLOSED", "TRANSFERRED", "COPIED", "INSPECTED", "DOWNLOAD_BUNDLE", "EXPORT_EDX", "READ_MEMBER_RECORD", "READ_TIMELINE", "READ_CONTENT", "READ_RAW"]
    # Description of the action.
    what: str
    # Disclosed record.
    subject: DisclosureSubject
    # Number of further subjects of the action.
    further_subjects: int
    # Actor or key that took or recorded the action.
    by: str
    # Position in the chain of custody.
    seq: int
    # Hash of the custody entry.
    entry_hash: str


class DataDisclosurePage(TypedDict):
    """One page of a list."""
    # The items of this page.
    items: list[DataDisclosure]
    # Cursor of the next page; null on the last page.
    next_cursor: str | None


class DataRight(TypedDict):
    """A request of a member about their data."""
    # Identifier.
    data_right_id: str
    # Member, as given.
    member_id: str
    # Requested right.
    right: Literal["ACCESS", "AMENDMENT", "RESTRICTION", "ACCOUNTING_OF_DISCLOSURES", "ERASURE"]
    # Status.
    status: Literal["RECEIVED", "VERIFIED", "IN_PROGRESS", "FULFILLED", "DENIED"]
    # Requester.
    requester: DataRightRequester
    # Time of receipt.
    received_at: str
    # Deadline: 30 days after receipt.
    due_at: str
    # Extended deadline.
    extended_to: str | None
    # Reason for the extension.
    extension_reason: str | None
    # True for an open request past its deadline.
    overdue: bool
    # Verification of the requester.
    verification: DataRightVerified | None
    # Ground of the denial.
    denial_ground: str | None
    # Text of the request.
    details: str | None
    # Work done for the request.
    fulfilment: DataRightFulfilment | None
    # Steps, oldest first.
    history: list[MemberRecordStep]
    # Tenant.
    tenant_id: str
    # Time of creation.
    created_at: str
    # API key that created it.
    created_by: str
    # Time of the last change.
    updated_at: str
    # Actions allowed now.
    allowed_actions: list[str]
    # Number of the current revision.
    revision: int


class _DataRightDenialRequired(TypedDict):
    # Ground of the denial.
    ground: str


class DataRightDenial(_DataRightDenialRequired, total=False):
    """Denies a request."""
    # Revision that the caller has read; CONFLICT if the record has another one.
    revision: int


class _DataRightDisagreementRequired(TypedDict):
    # Event with the statement of the member.
    statement_of_disagreement_event_id: str


class DataRightDisagreement(_DataRightDisagreementRequired, total=False):
    """A member's disagreement with a denied amendment."""
    # Revision that the caller has read; CONFLICT if the record has another one.
    revision: int


class _DataRightExtensionRequired(TypedDict):
    # Reason for the extension.
    reason: str


class DataRightExtension(_DataRightExtensionRequired, total=False):
    """An extension of the deadline."""
    # New deadline: after due_at and at most 30 days after it, which is the default.
    to: str
    # Revision that the caller has read; CONFLICT if the record has another one.
    revision: int


class DataRightFulfilment(TypedDict, total=False):
    """The work done for a request; members depend on the right."""
    # ACCESS: identifier of the bundle.
    bundle_id: str
    # RESTRICTION: identifier of the denying consent.
    consent_id: str
    # RESTRICTION: purpose.
    purpose: str
    # RESTRICTION: categories of records; empty for all.
    categories: list[str]
    # RESTRICTION: actors; empty for everyone.
    actors: list[str]
    # AMENDMENT: amended events.
    event_ids: list[str]
    # AMENDMENT: correcting events.
    correction_event_ids: list[str]
    # AMENDMENT: event with the disagreement of the member.
    statement_of_disagreement_event_id: str
    # ACCOUNTING_OF_DISCLOSURES: period.
    period: DisclosurePeriod
    # ACCOUNTING_OF_DISCLOSURES: number of disclosures.
    disclosure_count: int
    # SHA-256 over the hashes of the entries in order, each followed by a line feed.
    disclosures_sha256: str
    # Last included position in the chain of custody.
    last_custody_seq: int
    # ERASURE: true when all records were processed.
    complete: bool
    # ERASURE: disposed records.
    disposed: ErasedCounts
    # ERASURE: kept records with reasons.
    refused: list[ErasureRefused]


class DataRightFulfilmentInput(TypedDict, total=False):
    """Fulfils a request; only an AMENDMENT has events."""
    # Amended events.
    event_ids: list[str]
    # Correcting events.
    correction_event_ids: list[str]
    # Revision that the caller has read; CONFLICT if the record has another one.
    revision: int


class _DataRightInputRequired(TypedDict):
    # Member; 404 for an unknown member.
    member_id: str
    # Requested right.
    right: Literal["ACCESS", "AMENDMENT", "RESTRICTION", "ACCOUNTING_OF_DISCLOSURES", "ERASURE"]


class DataRightInput(_DataRightInputRequired, total=False):
    """A request of a member about their data."""
    # Requester; default the member.
    requester: RequesterInput
    # Time of receipt; default now. The deadline counts from here.
    received_at: str
    # Text of the request.
    details: str


class DataRightPage(TypedDict):
    """One page of a list."""
    # The items of this page.
    items: list[DataRight]
    # Cursor of the next page; null on the last page.
    next_cursor: str | None


class DataRightRequester(TypedDict):
    """The requester."""
    # Name.
    name: str | None
    # Relationship to the member.
    relationship: Literal["SELF", "PERSONAL_REPRESENTATIVE", "ATTORNEY", "OTHER"]


class DataRightStart(TypedDict, total=False):
    """Starts or continues the work; only a RESTRICTION has further members."""
    # Purpose; default `*`, every purpose.
    purpose: str
    # Categories of records, as in consents.
    categories: list[str]
    # Actors, as in consents.
    actors: list[str]
    # Revision that the caller has read; CONFLICT if the record has another one.
    revision: int


class _DataRightVerificationRequired(TypedDict):
    # Method.
    how: str


class DataRightVerification(_DataRightVerificationRequired, total=False):
    """The verification of the requester."""
    # Verifier; default the key's actor or name.
    verified_by: str
    # Revision that the caller has read; CONFLICT if the record has another one.
    revision: int


class DataRightVerified(TypedDict):
    """The verification of the requester."""
    # Verifier.
    verified_by: str
    # Method.
    how: str
    # Time.
    at: str


class DayCount(TypedDict):
    """The count of one day."""
    # The day, UTC.
    date: str
    # Count.
    count: int


DeliveryDimension: TypeAlias = "Literal[\"TYPE\", \"STATUS\", \"TRIGGER\", \"DAY\"]"


_DenialSummaryRequired = TypedDict(
    "_DenialSummaryRequired",
    {
        # Start of the span.
        "from": "str",
        # End of the span, exclusive.
        "to": "str",
        # Number of denials; each counts once.
        "denials": "int",
        # The groups, the largest first. A denial with two reasons or providers is in the group of each.
        "items": "list[DenialSummaryGroup]",
        # True if the answer omits something: more events than one analysis examines, or more items than asked
        # for.
        "truncated": "bool",
    },
)


_DenialSummaryOptional = TypedDict(
    "_DenialSummaryOptional",
    {
    }, total=False,
)


class DenialSummary(_DenialSummaryRequired, _DenialSummaryOptional):
    """Denials by provider, reason, program and month."""


class DenialSummaryGroup(TypedDict):
    """Denials with the same provider, reason, program and month."""
    # NPI of the provider; null where the denial names none.
    provider: str | None
    # Claim adjustment reason code; null where the denial names none.
    code: str | None
    # Program in lower case; null where the denial names none.
    program: str | None
    # Month of the effective time in UTC.
    month: str
    # Number of denials.
    denials: int
    # Denials with an appeal of the same claim.
    appealed: int
    # Denials with an overturned appeal.
    overturned: int
    # Share of the appealed denials that were overturned; null if none was appealed.
    overturn_rate: float | None


class DiffHead(TypedDict):
    """The Merkle tree under which a bundle was sealed."""
    # Number of entries.
    tree_size: int
    # Root hash.
    root_hash: str


_DisclosurePeriodRequired = TypedDict(
    "_DisclosurePeriodRequired",
    {
        # Start (inclusive).
        "from": "str",
        # End (exclusive).
        "to": "str",
    },
)


_DisclosurePeriodOptional = TypedDict(
    "_DisclosurePeriodOptional",
    {
    }, total=False,
)


class DisclosurePeriod(_DisclosurePeriodRequired, _DisclosurePeriodOptional):
    """Period of an accounting."""


class DisclosureSubject(TypedDict):
    """The subject of a disclosure."""
    # Kind of record.
    kind: Literal["EVENT", "DOCUMENT", "BUNDLE", "MEMBER", "HOLD", "RAW"]
    # Identifier.
    id: str


class _DocumentRequired(TypedDict):
    # Current status.
    status: Literal["AVAILABLE", "QUARANTINED", "REJECTED", "DISPOSED"]
    # Identifier of the document.
    document_id: str
    # The member concerned, if there is exactly one.
    member_id: str | None
    # Scan of the content.
    scan: DocumentScanShape
    # Review in quarantine.
    review: DocumentReviewShape | None
    # The applied redaction, if any.
    redaction_id: str | None
    # Whether this reader gets the redacted rendition instead of the original.
    redacted: bool
    # Steps, oldest first.
    history: list[DocumentStep]
    # SHA-256 of the content that this reader gets.
    sha256: str
    # Size of the content that this reader gets, in bytes.
    size: int
    # Media type.
    media_type: str
    # Name of the file, without paths and control characters.
    filename: str
    # Title.
    title: str | None
    # Kind of document.
    document_type: str | None
    # Originating system.
    source_system: str | None
    # Members concerned.
    member_ids: list[str]
    # Events to which it is attached.
    event_ids: list[str]
    # Legal matter of the document.
    matter_id: str | None
    # Tags for the search.
    tags: list[str]
    # Effective time.
    effective_at: str | None
    # Tenant.
    tenant_id: str
    # Time of creation.
    created_at: str
    # API key that created it.
    created_by: str
    # Time of the last change.
    updated_at: str
    # Actions allowed now.
    allowed_actions: list[str]
    # Number of the current revision.
    revision: int


class Document(_DocumentRequired, total=False):
    """One upload; equal bytes are stored once for all documents."""
    # Text extraction of the content that this reader gets; only in the answer for one document, and absent
    # before the extraction.
    text: DocumentTextShape


class _DocumentContentRequired(TypedDict):
    # The document.
    document_id: str
    # SHA-256 of the bytes.
    sha256: str
    # Size in bytes.
    size: int
    # Their media type.
    media_type: str
    # Name of the file.
    filename: str
    # Scan status.
    scan_status: Literal["PENDING", "CLEAN", "FLAGGED"]
    # Members concerned.
    member_ids: list[str]
    # Events to which it is attached.
    event_ids: list[str]


class DocumentContent(_DocumentContentRequired, total=False):
    """Location of the bytes that a reader gets."""
    # The redaction of this rendition.
    redaction_id: str


class DocumentFacetValue(TypedDict):
    """Number of hits with a value."""
    # The value.
    value: str
    # Number of hits.
    count: int


class _DocumentHighlightRequired(TypedDict):
    # The snippet; … marks a cut.
    snippet: str
    # Matches in the snippet.
    matches: list[DocumentMatch]


class DocumentHighlight(_DocumentHighlightRequired, total=False):
    """A snippet of a document around a match."""
    # Place in the record (RFC 6901); absent for the text of the content.
    pointer: str


class DocumentMatch(TypedDict):
    """A match within a snippet."""
    # Start of the match.
    start: int
    # End of the match, exclusive.
    end: int


class _DocumentPageRequired(TypedDict):
    # The items of this page.
    items: list[Document]
    # Cursor of the next page; null on the last page.
    next_cursor: str | None


class DocumentPage(_DocumentPageRequired, total=False):
    """One page of a list."""
    # Told where consent keeps records out of this page: for a stated purpose, and for tokens of member
    # access.
    withheld: Withheld


class DocumentReviewShape(TypedDict):
    """Review of a quarantined document."""
    # Decision of the reviewer.
    decision: Literal["RELEASED", "REJECTED"]
    # Reason of the reviewer.
    reason: str
    # Name of the reviewer.
    reviewed_by: str
    # Time of the step or review.
    reviewed_at: str


class DocumentScanShape(TypedDict):
    """Scan of a document."""
    # Current status.
    status: Literal["PENDING", "CLEAN", "FLAGGED"]
    # Names of the engines.
    engine: str | None
    # Findings of the engines.
    findings: list[ScanFindingShape]
    # Time of the scan.
    scanned_at: str | None


class DocumentSearchFacets(TypedDict):
    """Counts over all hits."""
    # Hits by kind of document, the most frequent first; 20 at most.
    document_type: list[DocumentFacetValue]
    # Hits by media type, the most frequent first; 20 at most.
    media_type: list[DocumentFacetValue]
    # Hits by source system, the most frequent first; 20 at most.
    source_system: list[DocumentFacetValue]
    # Hits by month (UTC), the most frequent first; 20 at most.
    month: list[DocumentFacetValue]


class _DocumentSearchHitRequired(TypedDict):
    # The document.
    id: str
    # Relevance from 0 to 1, comparable between pages and kinds.
    score: float
    # Name of the file.
    filename: str
    # Media type.
    media_type: str
    # Members concerned.
    member_ids: list[str]
    # Effective time, else upload time.
    at: str
    # Up to three snippets of its text or its record.
    highlights: list[DocumentHighlight]


class DocumentSearchHit(_DocumentSearchHitRequired, total=False):
    """A document that matches by its text or its record."""
    # Title.
    title: str
    # Kind of document.
    document_type: str
    # Originating system.
    source_system: str
    # Legal matter.
    matter_id: str


class _DocumentSearchPageRequired(TypedDict):
    # Hits of this page.
    items: list[DocumentSearchHit]
    # For each hit, the cursor that continues after it.
    cursors: list[str]
    # Total number of hits.
    total: int
    # Whether the search left out older documents.
    truncated: bool
    # Counts over all hits.
    facets: DocumentSearchFacets
    # Cursor of the next page; null on the last one.
    next_cursor: str | None


class DocumentSearchPage(_DocumentSearchPageRequired, total=False):
    """A page of hits, best first."""
    # Hits that consent withholds for the stated purpose; no item and no count includes them.
    withheld: Withheld


_DocumentStepRequired = TypedDict(
    "_DocumentStepRequired",
    {
        # Revision after the step.
        "revision": "int",
        # Action of the step.
        "action": "str",
        # Status before.
        "from": "Literal[\"AVAILABLE\", \"QUARANTINED\", \"REJECTED\", \"DISPOSED\", None]",
        # Status after.
        "to": "Literal[\"AVAILABLE\", \"QUARANTINED\", \"REJECTED\", \"DISPOSED\"]",
        # Time of the step.
        "at": "str",
        # Key that took the step.
        "by": "str",
        # Actor of the key.
        "actor_id": "str | None",
    },
)


_DocumentStepOptional = TypedDict(
    "_DocumentStepOptional",
    {
    }, total=False,
)


class DocumentStep(_DocumentStepRequired, _DocumentStepOptional):
    """A step of a document."""


class DocumentTextShape(TypedDict):
    """State of the text extraction for the search."""
    # Current status.
    status: Literal["PENDING", "READY", "FAILED", "UNSUPPORTED"]
    # Failure code.
    reason: str | None


class _DocumentUploadInputRequired(TypedDict):
    # Proof that the caller has uploaded them.
    ticket: str
    # SHA-256 of the stored bytes.
    sha256: str
    # Size in bytes.
    size: int
    # Media type as declared; the scan compares it with the bytes.
    media_type: str
    # Name of the file, without paths and control characters.
    filename: str


class DocumentUploadInput(_DocumentUploadInputRequired, total=False):
    """A stored file and its description by the sender."""
    # Title.
    title: str
    # Kind of document.
    document_type: str
    # Originating system.
    source_system: str
    # Members concerned.
    member_ids: list[str]
    # Events to which it is attached.
    event_ids: list[str]
    # Legal matter of the document.
    matter_id: str
    # Tags for the search.
    tags: list[str]
    # Effective time.
    effective_at: str


class DocumentsDiff(TypedDict):
    """Documents that differ between two bundles."""
    # Only in this bundle.
    added: list[str]
    # Only in the other bundle.
    removed: list[str]
    # In both, with different state or content.
    changed: list[ChangedDocument]


class _DropFolderConnectorConfigRequired(TypedDict):
    # How messages arrive.
    transport: Literal["DROP_FOLDER"]
    # Name of the folder below the tenant's folder.
    folder: str


class DropFolderConnectorConfig(_DropFolderConnectorConfigRequired, total=False):
    """A folder into which senders drop files."""
    # Scan interval; default 5 seconds.
    poll_seconds: int
    # Time without a change of size before a file is ingested; default 5 seconds.
    stable_seconds: int
    # Reject messages with faults that an acknowledgement reports.
    strict: bool
    # Write acknowledgements into out/; default true.
    acknowledge: bool


class EdxExport(TypedDict):
    """Location of the archive for an export."""
    # The bundle.
    bundle_id: str
    # SHA-256 of the sealed ZIP.
    worm_blob_sha256: str
    # Size of the sealed ZIP in bytes.
    size: int
    # Format of the export.
    format: Literal["json", "xml", "dat", "csv", "case", "fhir", "zip"]
    # Prefix of the control numbers; null for the default.
    prefix: str | None
    # Volume of the production.
    volume: int
    # Members with records in the bundle.
    member_ids: list[str]


class ErasedCounts(TypedDict):
    """Disposed records of an erasure."""
    # Number of events.
    events: int
    # Number of documents.
    documents: int


class _ErasureRefusedRequired(TypedDict):
    # Kind of record.
    kind: Literal["EVENT", "DOCUMENT"]
    # Reason; a hold comes first. OTHER_MEMBERS: a document that also belongs to other members. DAMAGED: the
    # record fails its check. OPEN_REQUEST: another request is not answered yet.
    reason: Literal["LEGAL_HOLD", "RETENTION", "OTHER_MEMBERS", "DAMAGED", "OPEN_REQUEST"]
    # Number of records.
    count: int


class ErasureRefused(_ErasureRefusedRequired, total=False):
    """Records that an erasure keeps for one reason."""
    # Holds on these records.
    hold_ids: list[str]
    # Earliest end of retention.
    earliest_at: str
    # Latest end of retention.
    latest_at: str


class _EventAggregateRequired(TypedDict):
    # Number of events; each counts once.
    events: int
    # Cost of the aggregate; the limit is 20,000.
    cost: int
    # The groups, the largest first. An event with two providers or codes is in the group of each.
    items: list[EventAggregateGroup]
    # Whether there are more groups than shown.
    truncated: bool


class EventAggregate(_EventAggregateRequired, total=False):
    """Groups of events with their figures."""
    # Events that consent withholds for the stated purpose; they are in no figure.
    withheld: Withheld


class EventAggregateGroup(TypedDict):
    """Events with the same values."""
    # NPI of the provider; null where the event names none, or the query does not group by it.
    provider: str | None
    # Claim adjustment reason code; null where the event names none, or the query does not group by it.
    carc: str | None
    # Remittance advice remark code; null where the event names none, or the query does not group by it.
    rarc: str | None
    # Program; null where the event names none, or the query does not group by it.
    program: str | None
    # Jurisdiction; null where the event names none, or the query does not group by it.
    jurisdiction: str | None
    # Family; null where the event names none, or the query does not group by it.
    family: str | None
    # Outcome; null where the event names none, or the query does not group by it.
    outcome: str | None
    # Type; null where the event names none, or the query does not group by it.
    type: str | None
    # Source system; null where the event names none, or the query does not group by it.
    source_system: str | None
    # Day in UTC; null where the event names none, or the query does not group by it.
    day: str | None
    # Month in UTC; null where the event names none, or the query does not group by it.
    month: str | None
    # Year in UTC; null where the event names none, or the query does not group by it.
    year: str | None
    # Number of events.
    count: int
    # Sum of the billed amounts; null if no event states one.
    sum_billed: str | None
    # Sum of the paid amounts; null if no event states one.
    sum_paid: str | None
    # Share of the appealed denials that were overturned; null if none was appealed.
    overturn_rate: float | None
    # Mean days from the earliest request or claim to its decision; null if the group has no decision.
    days_to_decision: float | None


class EventAmountFilter(TypedDict, total=False):
    """A range of amounts. An event without the amount is in no range."""
    # This amount or more.
    at_least: str
    # Less than this amount.
    less_than: str
    # True: events that state a value. False: events that state none.
    exists: bool


_EventCodeFilterRequired = TypedDict(
    "_EventCodeFilterRequired",
    {
    },
)


_EventCodeFilterOptional = TypedDict(
    "_EventCodeFilterOptional",
    {
        # Names this code, as SYSTEM:CODE. A code matches as a whole.
        "is": "str",
        # Names one of these codes.
        "in": "list[str]",
        # Names any code of this system: carc, rarc, ncpdp, icd10cm, icd10pcs, icd9cm, cpt, hcpcs, ndc, loinc,
        # revenue, snomed, other, icd10, icd9.
        "system": "str",
        # True: events that state a value. False: events that state none.
        "exists": "bool",
    }, total=False,
)


class EventCodeFilter(_EventCodeFilterRequired, _EventCodeFilterOptional):
    """Codes of an event. All members of the filter must hold."""


class _EventConnectionRequired(TypedDict):
    # The events of this page.
    nodes: list[EventRecord]
    # The place of this page.
    pageInfo: PageInfo
    # Number of events on all pages that the reader may see. The service verifies each event that it counts,
    # and examines at most about 1,000.
    totalCount: int
    # False if `totalCount` is a lower estimate, because more events were left to examine.
    totalCountIsExact: bool


class EventConnection(_EventConnectionRequired, total=False):
    """Events of callers' own source systems, in order of time."""
    # Events of this page that consent withholds for the stated purpose; no node shows them.
    withheld: Withheld


EventDimension: TypeAlias = "Literal[\"PROVIDER\", \"CARC\", \"RARC\", \"PROGRAM\", \"JURISDICTION\", \"FAMILY\", \"OUTCOME\", \"TYPE\", \"SOURCE_SYSTEM\", \"DAY\", \"MONTH\", \"YEAR\"]"


class EventEdge(TypedDict):
    """An item of a connection and its place."""
    # Place of the item.
    cursor: str
    # The item.
    node: EventRecord


class _EventEnvelopeRequired(TypedDict):
    # Grouping of the event.
    event_family: str
    # Kind of event within the family.
    event_type: str
    # Originating system; with the tenant it names the hash chain. Names with a leading _ are reserved.
    source_system: str
    # Identifier of the record in the source system.
    source_record_id: str
    # When the event took effect: RFC 3339 with a zone, kept as sent.
    event_effective_timestamp: str


class EventEnvelope(_EventEnvelopeRequired, total=False):
    """One event as its source system sends it."""
    # Member the event concerns.
    member_id: str
    # Result of the event.
    outcome: str
    # Free content.
    payload: EventPayload
    # May repeat the request's tenant; must not name another tenant.
    tenant_id: str


_EventFilterInputRequired = TypedDict(
    "_EventFilterInputRequired",
    {
    },
)


_EventFilterInputOptional = TypedDict(
    "_EventFilterInputOptional",
    {
        # All of these filters hold.
        "and": "list[EventFilterInput]",
        # At least one of these filters holds.
        "or": "list[EventFilterInput]",
        # This filter does not hold.
        "not": "EventFilterInput",
        # Member concerned.
        "member_id": "EventValueFilter",
        # Claim (`payload.claim_id`).
        "claim": "EventValueFilter",
        # Provider, as npi: and ten digits.
        "provider": "EventValueFilter",
        # Codes of reasons, procedures and diagnoses.
        "code": "EventCodeFilter",
        # Jurisdiction (`payload.jurisdiction`), in any case.
        "jurisdiction": "EventValueFilter",
        # Program (`payload.program`), in any case.
        "program": "EventValueFilter",
        # Outcome, in any case.
        "outcome": "EventValueFilter",
        # Family, in any case.
        "event_family": "EventValueFilter",
        # Type, in any case.
        "event_type": "EventValueFilter",
        # Source system.
        "source_system": "EventValueFilter",
        # Effective time.
        "effective_at": "EventTimeFilter",
        # Billed amount (`payload.amounts.charge`).
        "charge": "EventAmountFilter",
        # Paid amount (`payload.amounts.paid`, or `total_paid`).
        "paid": "EventAmountFilter",
    }, total=False,
)


class EventFilterInput(_EventFilterInputRequired, _EventFilterInputOptional):
    """A filter of events. All members must hold; `{}` is every event."""


class EventLink(TypedDict):
    """An event that shares a number with this one."""
    # Relation of this event to the other: a remittance ADJUDICATES a claim, a claim is AUTHORIZED_BY a
    # decision.
    kind: Literal["ADJUDICATES", "ADJUDICATED_BY", "REPORTS_ON", "REPORTED_BY", "AUTHORIZED_BY", "AUTHORIZES", "REFERRED_BY", "REFERS", "ANSWERS", "ANSWERED_BY", "REVERSES", "REVERSED_BY", "REPLACES", "REPLACED_BY", "SAME_CLAIM", "SAME_AUTHORIZATION"]
    # The other event.
    event_id: str
    # Its type, in lower case.
    event_type: str
    # Meaning of the number.
    via: Literal["CLAIM", "PAYER_CLAIM", "CLEARINGHOUSE_CLAIM", "AUTHORIZATION", "REFERRAL", "TRACE", "SUBMISSION", "PRESCRIPTION", "MESSAGE", "RESOURCE", "HOOK", "CARD"]


class EventLinkList(TypedDict):
    """Returns the events that share a number with an event."""
    # The newest event first, 500 at most.
    items: list[EventLink]
    # True if there are more than shown.
    truncated: bool


EventMeasure: TypeAlias = "Literal[\"COUNT\", \"SUM_BILLED\", \"SUM_PAID\", \"OVERTURN_RATE\", \"DAYS_TO_DECISION\"]"


class EventOpening(TypedDict):
    """What opens the commitments of an event (docs/evidence.md section 2), for a reader who recomputes them."""
    # The event.
    event_id: str
    # Whether fields are hidden.
    state: Literal["INCLUDED", "REDACTED"]
    # The header that entry_hash covers, as JCS.
    header: Any
    # The record R: its UTF-8 bytes are those that were hashed. Null unless the reader sees all of it.
    record: str | None
    # Seed of the commitments, hexadecimal. Null unless the reader sees the whole record.
    seed: str | None
    # Of a redacted event: shown fields with their salts, and the digests of the others.
    line: Any


EventOrder: TypeAlias = "Literal[\"EFFECTIVE_AT_DESC\", \"EFFECTIVE_AT_ASC\"]"


class _EventPageRequired(TypedDict):
    # The items of this page.
    items: list[EventRecord]
    # Cursor of the next page; null on the last page.
    next_cursor: str | None


class EventPage(_EventPageRequired, total=False):
    """One page of a list."""
    # Told where consent keeps records out of this page: for a stated purpose, and for tokens of member
    # access.
    withheld: Withheld


class EventPayload(TypedDict, total=False):
    """Free content of an event; the keys listed here are checked if present."""
    # Service concerned.
    service: str
    # Procedure codes.
    procedure_codes: list[str]
    # Diagnosis codes.
    diagnosis_codes: list[str]
    # Jurisdiction.
    jurisdiction: str
    # Programme of cover.
    program: str
    # Claim adjustment reason codes.
    carc: list[str]
    # Reason given.
    rationale: str


class EventProof(TypedDict):
    """Proof that the tenant's tree contains an event, up to the latest signed checkpoint."""
    # The event.
    event_id: str
    # Originating system.
    source_system: str
    # Place in its chain.
    sequence: int
    # The tree's entry: the hash of the link in its chain.
    entry_hash: str
    # Place in the tree, from 0.
    tree_index: int
    # Hashes from the leaf's sibling up, hexadecimal.
    hashes: list[str]
    # The checkpoint that the hashes lead to.
    checkpoint: Checkpoint
    # The whole proof in one text (C2SP tlog-proof); alone under text/plain.
    tlog_proof: str


class _EventRawRequired(TypedDict):
    # The event.
    event_id: str
    # SHA-256 of the body that holds them.
    raw_sha256: str
    # Offset of the bytes in the body.
    offset: int
    # Number of bytes.
    length: int
    # SHA-256 of these bytes.
    sha256: str
    # Their media type.
    media_type: str
    # Suggested file name.
    filename: str
    # Whether they are the whole body.
    is_whole: bool


class EventRaw(_EventRawRequired, total=False):
    """Place and description of the raw bytes of an event; the bytes are streamed outside the graph."""
    # Member concerned.
    member_id: str


class _EventRecordRequired(TypedDict):
    # The event.
    event_id: str
    # Tenant.
    tenant_id: str
    # When the service received it.
    received_at: str
    # Kind of event within the family.
    event_type: str
    # Originating system.
    source_system: str
    # When it took effect, as sent.
    event_effective_timestamp: str
    # Place in its chain, from 1.
    sequence: int
    # When it was recorded.
    recorded_at: str
    # Hash of the previous entry.
    prev_hash: str
    # Hash of this entry.
    entry_hash: str
    # Place in the tenant's tree; null until assigned.
    tree_index: int | None
    # REDACTED if a redaction hides fields from readers without documents:unredacted; otherwise INCLUDED.
    state: Literal["INCLUDED", "REDACTED", "DISPOSED"]


class EventRecord(_EventRecordRequired, total=False):
    """An event as recorded: the members of its record, flat, and its place in the ledger."""
    # Grouping of the event; absent where a redaction hides it.
    event_family: str
    # Member concerned.
    member_id: str
    # Record in the source system; absent where a redaction hides it.
    source_record_id: str
    # Result of the event.
    outcome: str
    # Free content.
    payload: Any
    # SHA-256 of the write-once copy; absent from a redacted record.
    worm_sha256: str
    # The latest redaction of the event, if there is one.
    redaction_id: str
    # Redacted line (shown fields with salts, digests of hidden fields) and header of the event; the hash of
    # the header is entry_hash. Present in a read of one redacted event.
    rendition: Any


class EventSearchFacets(TypedDict):
    """Counts over all hits, not only those of this page."""
    # Hits by family, the most frequent first; at most 20.
    event_family: list[SearchFacetValue]
    # Hits by type, the most frequent first; at most 20.
    event_type: list[SearchFacetValue]
    # Hits by outcome, the most frequent first; at most 20.
    outcome: list[SearchFacetValue]
    # Hits by source system, the most frequent first; at most 20.
    source_system: list[SearchFacetValue]
    # Hits by month of the effective time (UTC), the most frequent first; at most 20.
    month: list[SearchFacetValue]


class _EventSearchHitRequired(TypedDict):
    # The event.
    id: str
    # Relevance: 0 to 1, comparable between pages and kinds.
    score: float
    # Place in its chain, from 1.
    sequence: int
    # Pieces of text with matches; at most three.
    highlights: list[SearchHighlight]


class EventSearchHit(_EventSearchHitRequired, total=False):
    """An event found, with its identifying members."""
    # Grouping of the event.
    event_family: str
    # Kind of event.
    event_type: str
    # Result of the event.
    outcome: str
    # Member concerned.
    member_id: str
    # Originating system.
    source_system: str
    # Record of the source system.
    source_record_id: str
    # When it took effect, as sent.
    event_effective_timestamp: str


class _EventSearchPageRequired(TypedDict):
    # The hits of this page.
    items: list[EventSearchHit]
    # For each hit: the cursor of the next hits after it.
    cursors: list[str]
    # Total number of hits.
    total: int
    # Older events were not examined: hits and counts cover the newest 5,000 with the rarest part.
    truncated: bool
    # Counts over all hits.
    facets: EventSearchFacets
    # Progress of the index.
    freshness: SearchFreshness
    # Cursor of the next page; null on the last one.
    next_cursor: str | None


class EventSearchPage(_EventSearchPageRequired, total=False):
    """Events found, the best first."""
    # Number of hits that consent withholds for the stated purpose: they are in no item and no count.
    withheld: Withheld


_EventTimeFilterRequired = TypedDict(
    "_EventTimeFilterRequired",
    {
    },
)


_EventTimeFilterOptional = TypedDict(
    "_EventTimeFilterOptional",
    {
        # At this time or later.
        "from": "str",
        # Before this time.
        "to": "str",
    }, total=False,
)


class EventTimeFilter(_EventTimeFilterRequired, _EventTimeFilterOptional):
    """A span of time."""


class EventValidation(TypedDict):
    """Whether an envelope would be accepted; nothing is written."""
    # True if it would be accepted.
    valid: bool
    # Every fault found.
    errors: list[FieldFault]
    # SHA-256 of the canonical envelope as sent, without tenant_id; null if it is no JSON object.
    canonical_sha256: str | None


_EventValueFilterRequired = TypedDict(
    "_EventValueFilterRequired",
    {
    },
)


_EventValueFilterOptional = TypedDict(
    "_EventValueFilterOptional",
    {
        # Exactly this value.
        "is": "str",
        # One of these values.
        "in": "list[str]",
        # True: events that state a value. False: events that state none.
        "exists": "bool",
    }, total=False,
)


class EventValueFilter(_EventValueFilterRequired, _EventValueFilterOptional):
    """Values of one member of an event. All members of the filter must hold."""


class EventsDiff(TypedDict):
    """Events that differ between two bundles."""
    # Only in this bundle.
    added: list[str]
    # Only in the other bundle.
    removed: list[str]
    # In both, with different state or content.
    changed: list[ChangedEvent]


class _ExceptionRequired(TypedDict):
    # Identifier of the exception.
    exception_id: str
    # Its tenant.
    tenant_id: str
    # Kind of problem.
    kind: Literal["PARSE_FAILED", "VALIDATION_FAILED", "SOURCE_RECORD_CONFLICT", "UNKNOWN_MEMBER", "SEQUENCE_GAP", "CHAIN_BREAK", "WORM_MISMATCH", "WORM_MISSING", "FEED_STALE", "CONTROL_NUMBER_GAP", "UNMATCHED_REMITTANCE", "BUNDLE_FAILED", "AI_ADVERSE_UNREVIEWED", "WEBHOOK_FAILING", "WEBHOOK_SUSPENDED", "CHECKPOINT_REGRESS", "JOB_POISONED", "AUTHORIZATION_LATE", "AUTHORIZATION_MISMATCH", "REMITTANCE_UNBALANCED", "DOCUMENT_QUARANTINED", "DATA_RIGHT_OVERDUE"]
    # Severity of the problem.
    severity: Literal["LOW", "MEDIUM", "HIGH", "CRITICAL"]
    # Status of the exception.
    status: Literal["OPEN", "ASSIGNED", "KNOWN_GAP", "RESOLVED"]
    # Actions that are possible now.
    allowed_actions: list[str]
    # Part of the service that found it.
    source: Literal["INGEST", "RECONCILIATION"]
    # Subject: kind and identifiers.
    subject: dict[str, Any]
    # What happened, with everything that an operator needs; docs/exceptions.md lists the members by kind.
    detail: dict[str, Any]
    # Meaning of the kind.
    meaning: str
    # What to do about it.
    advice: str
    # Number of reports while it was not resolved.
    occurrences: int
    # Time of the last report.
    last_seen_at: str
    # Number of its steps.
    revision: int
    # When it was opened.
    created_at: str
    # Time of its last step.
    updated_at: str
    # Its steps, oldest first.
    history: list[ExceptionStepRecord]


class Exception(_ExceptionRequired, total=False):
    """A problem that needs an operator."""
    # SHA-256 of the raw body that it came with.
    raw_sha256: str
    # User who works on it.
    assigned_to: str
    # How it was resolved; CLEARED: its cause has gone.
    resolution: str
    # Note of the resolution.
    resolution_note: str
    # When it was resolved.
    resolved_at: str
    # Why it is a known gap.
    known_gap: KnownGapRecord


class ExceptionAggregate(TypedDict):
    """Groups of exceptions with their figures."""
    # Number of exceptions.
    count: int
    # The groups, the largest first.
    items: list[ExceptionAggregateGroup]
    # Whether there are more groups than shown.
    truncated: bool


class ExceptionAggregateGroup(TypedDict):
    """Exceptions with the same values."""
    # Kind of problem; null where the query does not group by it.
    kind: str | None
    # Status; null where the query does not group by it.
    status: str | None
    # Severity; null where the query does not group by it.
    severity: str | None
    # What found the problem; null where the query does not group by it.
    source: str | None
    # Month in UTC; null where the query does not group by it.
    month: str | None
    # Number of exceptions.
    count: int
    # Number of resolved exceptions.
    resolved: int
    # Mean days from opening to resolution; null if none is resolved.
    days_to_resolution: float | None


class _ExceptionAssignmentRequired(TypedDict):
    # The user who works on it from now on.
    assignee: str


class ExceptionAssignment(_ExceptionAssignmentRequired, total=False):
    """The user who is to work on an exception."""
    # Revision that the caller has read; another current revision is a CONFLICT.
    revision: int


ExceptionDimension: TypeAlias = "Literal[\"KIND\", \"STATUS\", \"SEVERITY\", \"SOURCE\", \"MONTH\"]"


class ExceptionPage(TypedDict):
    """One page of a list."""
    # The items of this page.
    items: list[Exception]
    # Cursor of the next page; null on the last page.
    next_cursor: str | None


class _ExceptionResolutionRequired(TypedDict):
    # The resolution, in a few words.
    resolution: str


class ExceptionResolution(_ExceptionResolutionRequired, total=False):
    """How an exception was resolved."""
    # Further note.
    note: str
    # Revision that the caller has read; another current revision is a CONFLICT.
    revision: int


_ExceptionStepRecordRequired = TypedDict(
    "_ExceptionStepRecordRequired",
    {
        # Note of the step.
        "note": "str | None",
        # Revision after the step.
        "revision": "int",
        # Action of the step.
        "action": "str",
        # Status before.
        "from": "Literal[\"OPEN\", \"ASSIGNED\", \"KNOWN_GAP\", \"RESOLVED\", None]",
        # Status after.
        "to": "Literal[\"OPEN\", \"ASSIGNED\", \"KNOWN_GAP\", \"RESOLVED\"]",
        # Time of the step.
        "at": "str",
        # Key that took the step.
        "by": "str",
        # Actor of the key.
        "actor_id": "str | None",
    },
)


_ExceptionStepRecordOptional = TypedDict(
    "_ExceptionStepRecordOptional",
    {
    }, total=False,
)


class ExceptionStepRecord(_ExceptionStepRecordRequired, _ExceptionStepRecordOptional):
    """One step of an exception."""


class ExceptionSummary(TypedDict):
    """Unresolved exceptions by kind and age."""
    # The time by which ages are counted.
    as_of: str
    # Number of unresolved exceptions.
    count: int
    # By kind, then by age, the youngest first.
    items: list[ExceptionSummaryGroup]


class ExceptionSummaryGroup(TypedDict):
    """Unresolved exceptions of one kind and age."""
    # Kind of problem.
    kind: Literal["PARSE_FAILED", "VALIDATION_FAILED", "SOURCE_RECORD_CONFLICT", "UNKNOWN_MEMBER", "SEQUENCE_GAP", "CHAIN_BREAK", "WORM_MISMATCH", "WORM_MISSING", "FEED_STALE", "CONTROL_NUMBER_GAP", "UNMATCHED_REMITTANCE", "BUNDLE_FAILED", "AI_ADVERSE_UNREVIEWED", "WEBHOOK_FAILING", "WEBHOOK_SUSPENDED", "CHECKPOINT_REGRESS", "JOB_POISONED", "AUTHORIZATION_LATE", "AUTHORIZATION_MISMATCH", "REMITTANCE_UNBALANCED", "DOCUMENT_QUARANTINED", "DATA_RIGHT_OVERDUE"]
    # Age in whole days.
    age: Literal["DAYS_0_7", "DAYS_8_30", "DAYS_31_90", "OVER_90_DAYS"]
    # Number of exceptions.
    count: int
    # When the oldest was opened.
    oldest_at: str


class ExplainCitation(TypedDict):
    """A source of an answer: a rule revision, or a data file of the service."""
    # Rule id, or the name of the data file.
    rule_id: str
    # The revision.
    revision: int
    # SHA-256 of the artifact or file.
    sha256: str


class _ExplainedAmountsRequired(TypedDict):
    # ISO 4217.
    currency: str
    # Written off under a contract (group CO).
    not_owed: str
    # Cut by the payer (group PI).
    payer_reduction: str
    # Other adjustments (group OA).
    other: str
    # Corrections (group CR).
    correction: str
    # Adjustments without a group.
    ungrouped: str


class ExplainedAmounts(_ExplainedAmountsRequired, total=False):
    """Amounts that the event states, by who owes them; decimal strings."""
    # Billed amount.
    charge: str
    # Amount that the plan paid.
    paid: str
    # Amount that the member owes (group PR).
    member_owes: str
    # Charge minus payment and adjustments; 0.00 if the event balances.
    unexplained: str


class _ExplainedReasonRequired(TypedDict):
    # The code; TEXT for a reason in the sender’s own words.
    code: str
    # The code list: CARC, RARC, HCR03, X12-886, AAA03, NCPDP, X12-508, OTHER, SENDER_WORDS.
    code_system: str
    # Meaning of the code; says so if the code is unknown.
    meaning: str
    # Cause of the decision, and the party that bears the amount.
    why_it_happened: str
    # What the member can do.
    what_to_do: str


class ExplainedReason(_ExplainedReasonRequired, total=False):
    """One reason code of an event in plain words."""
    # Adjustment group: the party that bears the amount.
    group: Literal["CO", "PR", "OA", "PI", "CR"]
    # Last day to file a first appeal, if an appeal can help and the day can be computed.
    deadline: str


class _ExplanationAnswerRequired(TypedDict):
    # The event.
    event_id: str
    # Outcome that the event states.
    outcome: str | None
    # The decision, the amounts owed and the number of reasons.
    summary: str
    # All reasons, at most 50; empty if the event has no code.
    reasons: list[ExplainedReason]
    # Appeal rights.
    appeal_rights: AppealRightsShown
    # Sources of the answer.
    citations: list[ExplainCitation]
    # School grade of the text of the answer: Flesch-Kincaid, or for Spanish Fernández-Huerta on the same
    # scale.
    reading_grade: float
    # Language of the answer.
    language: Literal["en", "es"]


class ExplanationAnswer(_ExplanationAnswerRequired, total=False):
    """Explains the outcome of an event in plain words. Not legal or medical advice."""
    # Amounts, if the event states any.
    amounts: ExplainedAmounts
    # SHA-256 of the canonical answer (RFC 8785) without this member and `recorded`.
    answer_sha256: str
    # Present if `record` was set.
    recorded: RecordedAnswer


class FactEvidence(TypedDict):
    """The place in a record that states a fact."""
    # The event.
    event_id: str
    # JSON Pointer to the member of the event.
    field: str
    # Value at that place.
    value: Any


class FeatureFlag(TypedDict):
    """A feature flag."""
    # The flag's key.
    key: str
    # Tenant.
    tenant_id: str
    # Number of changes.
    revision: int
    # Time of creation.
    created_at: str
    # Time of the last change.
    updated_at: str
    # Latest changes, oldest first.
    history: list[FeatureFlagChange]
    # Type of the variants.
    type: Literal["boolean", "string", "number", "object"]
    # Purpose.
    description: str | None
    # Values by name, all of the given type.
    variants: dict[str, Any]
    # Variant returned if no rule matches.
    default_variant: str
    # Rules in order.
    targeting: list[FlagTargetingRule]
    # True by default; false returns the default variant.
    enabled: bool
    # Responsible person or team.
    owner: str | None
    # From this time on the flag counts as disabled.
    expires_at: str | None


class FeatureFlagChange(TypedDict):
    """One change of a flag."""
    # Revision after the change.
    revision: int
    # Action.
    action: str
    # Time of the change.
    at: str
    # API key that made the change.
    by: str
    # Actor of the API key.
    actor_id: str | None
    # Members that changed.
    changed: list[str]


class _FeatureFlagInputRequired(TypedDict):
    # Type of the variants.
    type: Literal["boolean", "string", "number", "object"]
    # Values by name, all of the given type.
    variants: dict[str, Any]
    # Variant returned if no rule matches.
    default_variant: str


class FeatureFlagInput(_FeatureFlagInputRequired, total=False):
    """The definition of a feature flag."""
    # Revision that the caller has read; another current revision is a CONFLICT.
    revision: int
    # Purpose.
    description: str
    # Rules in order.
    targeting: list[FlagTargetingRule]
    # True by default; false returns the default variant.
    enabled: bool
    # Responsible person or team.
    owner: str
    # From this time on the flag counts as disabled.
    expires_at: str


class FeatureFlagPage(TypedDict):
    """One page of a list."""
    # The items of this page.
    items: list[FeatureFlag]
    # Cursor of the next page; null on the last page.
    next_cursor: str | None


class _FhirEndpointConnectorConfigRequired(TypedDict):
    # How messages arrive.
    transport: Literal["ENDPOINT"]


class FhirEndpointConnectorConfig(_FhirEndpointConnectorConfigRequired, total=False):
    """Accepts FHIR resources and Bundles at POST /v1/connectors/{id}/fhir."""
    # Reject messages with faults that an acknowledgement reports.
    strict: bool


class _FhirPollConnectorConfigRequired(TypedDict):
    # How messages arrive.
    transport: Literal["POLL"]
    # Base address of the server.
    base_url: str
    # Resource types to query.
    resource_types: list[str]


class FhirPollConnectorConfig(_FhirPollConnectorConfigRequired, total=False):
    """Polls a FHIR server for updated resources."""
    # Poll interval; default 60 seconds.
    poll_seconds: int
    # Resources per page (_count); default 100.
    page_size: int
    # Only resources updated at this time or later; default all.
    since: str
    # Reject messages with faults that an acknowledgement reports.
    strict: bool
    # Authentication at the server; default NONE.
    authorization: Literal["NONE", "BEARER", "BASIC"]
    # For BASIC.
    username: str
    # For BEARER; write-only.
    token: str
    # For BASIC; write-only.
    password: str


class FhirReceipt(TypedDict):
    """Result of a body posted to a connector."""
    # The ingest; null if the body was rejected as a whole.
    ingest_id: str | None
    # Events appended.
    accepted: int
    # Events received before.
    duplicated: int
    # Parts rejected.
    rejected: int
    # OperationOutcome or response Bundle, as JSON text.
    content: str | None
    # Code of the reason for which the body was rejected as a whole.
    refusal_code: str | None
    # Description of that reason.
    refusal_message: str | None


class _FieldFaultRequired(TypedDict):
    # JSON Pointer (RFC 6901) to the faulty value.
    path: str
    # Code of the fault.
    code: str
    # Description of the fault.
    message: str


class FieldFault(_FieldFaultRequired, total=False):
    """One fault in the request."""
    # The known name that is nearest to an unknown one.
    did_you_mean: str
    # Line in the text of a JSON body that is not valid, counted from 1.
    line: int
    # Column in that line, in characters, counted from 1.
    column: int


class FlagEvaluation(TypedDict):
    """The value of a flag for one context, in the terms of OpenFeature."""
    # The flag.
    key: str
    # Value; null after an error.
    value: Any
    # Name of the variant.
    variant: str | None
    # Reason of the value.
    reason: Literal["STATIC", "DEFAULT", "TARGETING_MATCH", "SPLIT", "DISABLED", "ERROR"]
    # Error code.
    error_code: Literal["FLAG_NOT_FOUND", "TYPE_MISMATCH", "TARGETING_KEY_MISSING", "PARSE_ERROR", "INVALID_CONTEXT", "GENERAL", None]
    # Error message.
    error_message: str | None
    # Revision and owner of the flag.
    metadata: dict[str, Any]


class _FlagEvaluationsRequired(TypedDict):
    # One for each flag, by key.
    evaluations: list[FlagEvaluation]


class FlagEvaluations(_FlagEvaluationsRequired, total=False):
    """Evaluations of one context."""
    # Error of the whole request.
    error_code: Literal["FLAG_NOT_FOUND", "TYPE_MISMATCH", "TARGETING_KEY_MISSING", "PARSE_ERROR", "INVALID_CONTEXT", "GENERAL"]
    # Error message.
    error_message: str


class FlagShare(TypedDict):
    """A share of the contexts that a rule matches."""
    # Variant of the share.
    variant: str
    # Percentage, two decimals. Flag key and targeting key alone decide who is in the share.
    percent: float


class FlagTargetingRule(TypedDict, total=False):
    """A targeting rule; the first matching rule decides. It has either variant or split."""
    # Condition; absent matches every context. JsonLogic with == != < <= > >= in starts_with ends_with and or
    # ! var, at most 8 deep.
    when: Any
    # Variant that the rule returns.
    variant: str
    # Percentage of the matching contexts; the others continue with the next rule.
    percent: float
    # Shares of at most 100 percent in total; the other contexts continue with the next rule.
    split: list[FlagShare]


_GraphEdgeRequired = TypedDict(
    "_GraphEdgeRequired",
    {
        # The node that states the edge.
        "from": "str",
        # The node that the edge leads to.
        "to": "str",
        # Relation of `from` to `to`; see docs/graph.md.
        "kind": "Literal[\"CONCERNS\", \"INVOLVES\", \"ABOUT_CLAIM\", \"PROCEDURE\", \"DIAGNOSIS\", \"REASON\", \"ATTACHED_TO\", \"IN_MATTER\", \"HOLDS\", \"INCLUDES\", \"APPLIES_TO\", \"ADJUDICATES\", \"REPORTS_ON\", \"AUTHORIZED_BY\", \"REFERRED_BY\", \"ANSWERS\", \"REVERSES\", \"REPLACES\", \"SAME_CLAIM\", \"SAME_AUTHORIZATION\"]",
        # Time of the edge.
        "at": "str",
        # The event at one end.
        "event_id": "str | None",
    },
)


_GraphEdgeOptional = TypedDict(
    "_GraphEdgeOptional",
    {
    }, total=False,
)


class GraphEdge(_GraphEdgeRequired, _GraphEdgeOptional):
    """An edge between two nodes."""


class _GraphExportPageRequired(TypedDict):
    # Nodes, the requested ones first, nearer ones before others.
    nodes: list[GraphNode]
    # Edges between these nodes.
    edges: list[GraphEdge]
    # True if the answer omits nodes or edges.
    truncated: bool
    # Cursor of the next page; null on the last page.
    next_cursor: str | None


class GraphExportPage(_GraphExportPageRequired, total=False):
    """A page of the whole graph: records and their outgoing edges."""
    # Records that consent withholds for the stated purpose.
    withheld: GraphWithheld


class _GraphNeighborsRequired(TypedDict):
    # Nodes, the requested ones first, nearer ones before others.
    nodes: list[GraphNode]
    # Edges between these nodes.
    edges: list[GraphEdge]
    # True if the answer omits nodes or edges.
    truncated: bool
    # Cursor of the next page; null on the last page and for a depth over 1.
    next_cursor: str | None


class GraphNeighbors(_GraphNeighborsRequired, total=False):
    """Nodes around one node."""
    # Records that consent withholds for the stated purpose.
    withheld: GraphWithheld


class _GraphNodeRequired(TypedDict):
    # Node id: `member:…`, `event:…`, `claim:SOURCE_SYSTEM/ID`, `code:SYSTEM/CODE`, `provider:NPI` and others.
    id: str
    # Kind of node.
    kind: Literal["member", "event", "document", "bundle", "matter", "hold", "rule", "provider", "claim", "code"]


class GraphNode(_GraphNodeRequired, total=False):
    """A record, or an identifier that records name."""
    # Time of a record.
    at: str
    # Type of an event, a document or a bundle.
    label: str
    # Outcome of an event (DISPOSED after disposal); status of another record.
    status: str
    # Source system of an event or a document.
    source_system: str
    # Nodes of records merged into this member; walks treat them as one.
    same_as: list[str]


class _GraphPathsRequired(TypedDict):
    # Nodes, the requested ones first, nearer ones before others.
    nodes: list[GraphNode]
    # Edges between these nodes.
    edges: list[GraphEdge]
    # True if the answer omits nodes or edges.
    truncated: bool
    # Each path as node ids from end to end, the shortest first; empty if no path exists.
    paths: list[list[str]]


class GraphPaths(_GraphPathsRequired, total=False):
    """Paths between two nodes."""
    # Records that consent withholds for the stated purpose.
    withheld: GraphWithheld


class _GraphViewRequired(TypedDict):
    # Nodes, the requested ones first, nearer ones before others.
    nodes: list[GraphNode]
    # Edges between these nodes.
    edges: list[GraphEdge]
    # True if the answer omits nodes or edges.
    truncated: bool


class GraphView(_GraphViewRequired, total=False):
    """Nodes and the edges between them."""
    # Records that consent withholds for the stated purpose.
    withheld: GraphWithheld


class GraphWithheld(TypedDict):
    """Records that consent withholds."""
    # Number of records.
    count: int
    # Reason.
    reason: str


class _GuidelineAnswerRequired(TypedDict):
    # The event; the answer does not change it.
    event_id: str
    # Events of the record that this caller may not see in full.
    withheld: list[WithheldEvent]
    # Limits of the answer.
    limits: str
    # SHA-256 of the canonical answer (RFC 8785) without this member and `recorded`.
    answer_sha256: str
    # Verdict over all guidelines.
    verdict: Literal["SUPPORTS", "DOES_NOT_SUPPORT", "INSUFFICIENT_INFORMATION", "NO_GUIDELINE"]
    # Guidelines that apply.
    guidelines: list[GuidelineResult]
    # How the verdict follows from the criteria.
    verdict_rule: str
    # Rules and events that the answer is based on.
    stood_on: StoodOn


class GuidelineAnswer(_GuidelineAnswerRequired, total=False):
    """Whether published guidelines support the service of an event."""
    # Events of the record that consent withholds.
    withheld_by_consent: Withheld
    # Present if `record` was set.
    recorded: RecordedAnswer


class _GuidelineCriterionRequired(TypedDict):
    # Its id in the rule.
    id: str
    # Text of the criterion.
    text: str
    # True if met; null if the record does not say.
    met: bool | None
    # Evidence in the record that decided it.
    evidence: list[FactEvidence]


class GuidelineCriterion(_GuidelineCriterionRequired, total=False):
    """One criterion, checked against the record."""
    # Group name: one met criterion of the group is enough.
    alternative: str
    # Present if the criterion is unknown.
    settled_by: GuidelineSettledBy


class GuidelineNotApplicable(TypedDict):
    """A criterion that does not apply to this case."""
    # Its id in the rule.
    id: str
    # Text of the criterion.
    text: str


class GuidelineResult(TypedDict):
    """A guideline that applies to the event, in the revision in force at its effective time."""
    # The rule.
    rule_id: str
    # The revision.
    revision: int
    # Key of the rule.
    key: str
    # Its title.
    title: str
    # Kind of rule.
    kind: Literal["GUIDELINE", "POLICY"]
    # Published source.
    citation: str | None
    # Time from which it is in force.
    effective_from: str
    # Time at which it ends.
    effective_to: str | None
    # SHA-256 of the stored artifact.
    artifact_sha256: str
    # Verdict of this guideline alone.
    verdict: Literal["SUPPORTS", "DOES_NOT_SUPPORT", "INSUFFICIENT_INFORMATION"]
    # Its criteria.
    criteria: list[GuidelineCriterion]
    # Criteria that do not apply to this case.
    not_applicable: list[GuidelineNotApplicable]
    # Notes of the guideline that the service does not check.
    notes: list[str]


class GuidelineSettledBy(TypedDict):
    """The document that would settle an unknown criterion."""
    # Kind of document, if the rule names one.
    kind: str | None
    # Description of the document.
    text: str
    # Documents of that kind that the record already names. A person must read them.
    on_record: list[FactEvidence]


class HoldNotice(TypedDict):
    """A notice to a custodian of a legal hold, and its acknowledgement."""
    # Identifier.
    notice_id: str
    # The hold.
    hold_id: str
    # Current status.
    status: Literal["PENDING", "ACKNOWLEDGED", "WITHDRAWN"]
    # Time by which the custodian shall acknowledge.
    due_at: str
    # Whether that time has passed without it.
    overdue: bool
    # Number of reminders.
    reminders: int
    # Time of the last reminder, or null.
    reminded_at: str | None
    # Time of the acknowledgement, or null.
    acknowledged_at: str | None
    # How a custodian without a key acknowledged, by a link under which name; null for one of the actor.
    how: str | None
    # Time at which the newest link of the notice ends; null without a link.
    link_expires_at: str | None
    # Steps, oldest first.
    history: list[HoldNoticeStep]
    # Name or e-mail address of the custodian.
    custodian: str
    # Actor of the custodian, who alone acknowledges then; null for a custodian without a key.
    custodian_id: str | None
    # Text of the notice.
    text: str
    # Tenant.
    tenant_id: str
    # Time of creation.
    created_at: str
    # API key that created it.
    created_by: str
    # Time of the last change.
    updated_at: str
    # Actions allowed now.
    allowed_actions: list[str]
    # Number of the current revision.
    revision: int


class HoldNoticeAcknowledgement(TypedDict, total=False):
    """An acknowledgement."""
    # How a custodian without a key acknowledged; required for such a custodian.
    how: str


class _HoldNoticeInputRequired(TypedDict):
    # Name or e-mail address of the custodian.
    custodian: str
    # Text of the notice.
    text: str


class HoldNoticeInput(_HoldNoticeInputRequired, total=False):
    """A new notice to a custodian."""
    # Days in which the custodian shall acknowledge; 14 by default.
    due_in_days: int
    # Actor of the custodian, who alone acknowledges then; null for a custodian without a key.
    custodian_id: str


class HoldNoticeLinkInput(TypedDict):
    """A new link to a notice."""
    # Hours until the link ends.
    expires_in_hours: int


class HoldNoticePage(TypedDict):
    """One page of a list."""
    # The items of this page.
    items: list[HoldNotice]
    # Cursor of the next page; null on the last page.
    next_cursor: str | None


_HoldNoticeStepRequired = TypedDict(
    "_HoldNoticeStepRequired",
    {
        # Revision after the step.
        "revision": "int",
        # Action of the step.
        "action": "str",
        # Status before.
        "from": "Literal[\"PENDING\", \"ACKNOWLEDGED\", \"WITHDRAWN\", None]",
        # Status after.
        "to": "Literal[\"PENDING\", \"ACKNOWLEDGED\", \"WITHDRAWN\"]",
        # Time of the step.
        "at": "str",
        # Key that took the step.
        "by": "str",
        # Actor of the key.
        "actor_id": "str | None",
    },
)


_HoldNoticeStepOptional = TypedDict(
    "_HoldNoticeStepOptional",
    {
    }, total=False,
)


class HoldNoticeStep(_HoldNoticeStepRequired, _HoldNoticeStepOptional):
    """A step of a notice."""


class HoldTombstone(TypedDict):
    """A listed record of a hold."""
    # Identifier of the hold.
    hold_id: str
    # Kind of record.
    kind: Literal["EVENT", "DOCUMENT"]
    # Identifier of the record.
    id: str
    # Time of the listing.
    held_at: str
    # Number of stopped deletions.
    refused_deletions: int
    # Time of the last stopped deletion.
    refused_at: str | None


class HoldTombstonePage(TypedDict):
    """One page of a list."""
    # The items of this page.
    items: list[HoldTombstone]
    # Cursor of the next page; null on the last page.
    next_cursor: str | None


class IngestBatchResult(TypedDict):
    """Result for a batch; the results are in the order of its envelopes."""
    # Envelopes appended.
    accepted: int
    # Number of repeated envelopes.
    duplicated: int
    # Envelopes refused.
    rejected: int
    # One result for each envelope.
    results: list[IngestResult]


class _IngestErrorRequired(TypedDict):
    # Error code.
    code: str
    # Explanation of the fault.
    message: str


class IngestError(_IngestErrorRequired, total=False):
    """Why an item was rejected."""
    # Each fault with its place.
    errors: list[FieldFault]


class _IngestExceptionRequired(TypedDict):
    # The exception.
    exception_id: str
    # Kind.
    kind: str
    # Subject of the exception.
    subject: Any


class IngestException(_IngestExceptionRequired, total=False):
    """An exception opened by the ingest."""
    # What was found.
    detail: Any


class _IngestResultRequired(TypedDict):
    # Place in the batch, from 0.
    index: int
    # DUPLICATE: the same envelope was sent before; the result names the first event.
    status: Literal["ACCEPTED", "DUPLICATE", "REJECTED"]


class IngestResult(_IngestResultRequired, total=False):
    """Result for one envelope."""
    # The event.
    event_id: str
    # Tenant.
    tenant_id: str
    # Originating system.
    source_system: str
    # Place in the chain, from 1.
    sequence: int
    # Hash of the previous entry.
    prev_hash: str
    # Hash of this entry.
    entry_hash: str
    # SHA-256 of the write-once copy.
    worm_sha256: str
    # When it was recorded.
    accepted_at: str
    # Why it was rejected.
    error: IngestError


class IngestRowPage(TypedDict):
    """One page of a list."""
    # The items of this page.
    items: list[RawIngestRow]
    # Cursor of the next page; null on the last page.
    next_cursor: str | None


class _IngestWarningRequired(TypedDict):
    # What it is, as a word.
    code: str
    # What it is, as a sentence.
    message: str


class IngestWarning(_IngestWarningRequired, total=False):
    """An irregularity that did not stop reading."""
    # Position in the body.
    position: Any
    # Source feed that agrees to this fault of its sender.
    agreed_by: str


class JobQueue(TypedDict):
    """One job queue: counts and times, no row data."""
    # Its name.
    name: str
    # Description of its rows.
    description: str
    # Rows that are due. Counted up to 10,000.
    due: int
    # Rows that are scheduled for later. Counted up to 10,000.
    scheduled: int
    # Rows that a process is handling. Counted up to 10,000.
    running: int
    # Rows abandoned after failed handlings; each opened JOB_POISONED. Counted up to 10,000.
    failed: int
    # Due time of the oldest due row.
    oldest_due_at: str | None
    # Due time of the next scheduled row.
    next_at: str | None
    # Time of the last handled row; for operators without a tenant.
    last_run_at: str | None
    # Time of the last error; for operators without a tenant.
    last_error_at: str | None
    # Class of that error; for operators without a tenant.
    last_error_class: str | None


class JobsView(TypedDict):
    """The state of background jobs."""
    # Queues; tenants see counts of their own rows.
    queues: list[JobQueue]
    # Recurring jobs; for operators without a tenant.
    recurring: list[RecurringJob]


_JsonWebKeyRequired = TypedDict(
    "_JsonWebKeyRequired",
    {
        # RFC 8037.
        "kty": "Literal[\"OKP\"]",
        # RFC 8037.
        "crv": "Literal[\"Ed25519\"]",
        # The public key, base64url.
        "x": "str",
        # Identifier of the key.
        "kid": "str",
        # Always sig.
        "use": "Literal[\"sig\"]",
        # RFC 8037.
        "alg": "Literal[\"EdDSA\"]",
        # Purpose; the key signs nothing else.
        "purpose": "Literal[\"BUNDLE\", \"CHECKPOINT\", \"SEGMENT\"]",
        # Status.
        "status": "Literal[\"PENDING\", \"ACTIVE\", \"RETIRED\", \"REVOKED\"]",
        # Start of validity; null before activation.
        "from": "str | None",
        # Signatures from this time on are invalid; null for no end yet.
        "until": "str | None",
        # RFC 7638 thumbprint of the public key; bundles and checkpoints refer to it.
        "thumbprint": "str",
        # Changes, oldest first.
        "history": "list[SigningKeyChangeView]",
    },
)


_JsonWebKeyOptional = TypedDict(
    "_JsonWebKeyOptional",
    {
        # Time from which others may sign with it; only for a key revoked for KEY_COMPROMISE.
        "compromised_from": "str",
    }, total=False,
)


class JsonWebKey(_JsonWebKeyRequired, _JsonWebKeyOptional):
    """One public key of a set (RFC 7517) with its validity."""


class JsonWebKeySet(TypedDict):
    """The public signing keys of a tenant (RFC 7517)."""
    # Oldest first.
    keys: list[JsonWebKey]


class _KnownGapInputRequired(TypedDict):
    # Why.
    reason: str


class KnownGapInput(_KnownGapInputRequired, total=False):
    """Why an exception is a known gap."""
    # When it reopens; never if absent.
    until: str
    # Revision that the caller has read; another current revision is a CONFLICT.
    revision: int


class KnownGapRecord(TypedDict):
    """Why an exception is a known gap, and until when."""
    # Why.
    reason: str
    # When it reopens; null for never.
    until: str | None


class Lead(TypedDict):
    """An enquiry or a tip that may become a matter, a member or a tenant."""
    # Identifier of the lead.
    lead_id: str
    # Current status.
    status: Literal["NEW", "CONTACTED", "QUALIFIED", "CONVERTED", "CLOSED"]
    # Record that the lead became.
    converted_to: LeadConversion | None
    # Reason for closing.
    close_reason: Literal["RESOLVED", "UNREACHABLE", "NOT_INTERESTED", "DUPLICATE", "SPAM", "OTHER", None]
    # Steps, oldest first.
    history: list[LeadStep]
    # Subject of the lead.
    lead_type: Literal["PROSPECT", "MEMBER_HELP", "FRAUD_TIP", "APPEAL_HELP"]
    # Channel or campaign the lead came from.
    source: str | None
    # Contact details; null for an anonymous tip.
    contact: LeadContact | None
    # Request in their own words; stored encrypted.
    summary: str | None
    # True if they agreed to be contacted; false by default.
    consent_to_contact: bool
    # Likelihood that the lead succeeds, in percent.
    score: int | None
    # User who works on the lead.
    assigned_to: str | None
    # Earlier lead that this one repeats.
    duplicate_of: str | None
    # Tenant.
    tenant_id: str
    # Time of creation.
    created_at: str
    # API key that created it.
    created_by: str
    # Time of the last change.
    updated_at: str
    # Actions allowed now.
    allowed_actions: list[str]
    # Number of the current revision.
    revision: int


class _LeadClosingRequired(TypedDict):
    # Why.
    reason: Literal["RESOLVED", "UNREACHABLE", "NOT_INTERESTED", "DUPLICATE", "SPAM", "OTHER"]


class LeadClosing(_LeadClosingRequired, total=False):
    """Why a lead is closed."""
    # The lead that it repeats.
    duplicate_of: str


class LeadContact(TypedDict, total=False):
    """Who asked, and how to answer them: stored encrypted."""
    # Their name.
    name: str
    # Their e-mail address.
    email: str
    # Their telephone number.
    phone: str
    # Their postal address.
    address: str
    # How they want to be answered.
    preferred_channel: Literal["EMAIL", "PHONE", "POST"]


class LeadContactInput(TypedDict, total=False):
    """Who asked, and how to answer them."""
    # Their name.
    name: str
    # Their e-mail address.
    email: str
    # Their telephone number.
    phone: str
    # Their postal address.
    address: str
    # How they want to be answered.
    preferred_channel: Literal["EMAIL", "PHONE", "POST"]


class LeadConversion(TypedDict):
    """What a lead became."""
    # Kind of record.
    kind: Literal["MEMBER", "MATTER", "TENANT"]
    # Its identifier.
    id: str


class LeadConversionInput(TypedDict):
    """What became of a lead."""
    # Kind of record.
    kind: Literal["MEMBER", "MATTER", "TENANT"]
    # Its identifier.
    id: str


class _LeadInputRequired(TypedDict):
    # Subject of the lead.
    lead_type: Literal["PROSPECT", "MEMBER_HELP", "FRAUD_TIP", "APPEAL_HELP"]


class LeadInput(_LeadInputRequired, total=False):
    """A new lead."""
    # Channel or campaign the lead came from.
    source: str
    # Contact details; null for an anonymous tip.
    contact: LeadContactInput
    # Request in their own words; stored encrypted.
    summary: str
    # True if they agreed to be contacted; false by default.
    consent_to_contact: bool
    # Likelihood that the lead succeeds, in percent.
    score: int
    # User who works on the lead.
    assigned_to: str
    # Earlier lead that this one repeats.
    duplicate_of: str


class LeadPage(TypedDict):
    """One page of a list."""
    # The items of this page.
    items: list[Lead]
    # Cursor of the next page; null on the last page.
    next_cursor: str | None


class LeadPatch(TypedDict, total=False):
    """Changes of a lead: null removes a value, an absent member stays."""
    # Revision that the caller has read; CONFLICT if the lead has another one.
    revision: int
    # Channel or campaign the lead came from.
    source: str | None
    # Contact details; null for an anonymous tip.
    contact: LeadContactInput | None
    # Request in their own words; stored encrypted.
    summary: str | None
    # True if they agreed to be contacted; false by default.
    consent_to_contact: bool
    # Likelihood that the lead succeeds, in percent.
    score: int | None
    # User who works on the lead.
    assigned_to: str | None
    # Earlier lead that this one repeats.
    duplicate_of: str | None


_LeadStepRequired = TypedDict(
    "_LeadStepRequired",
    {
        # Revision that it made.
        "revision": "int",
        # What was done.
        "action": "str",
        # Status before.
        "from": "Literal[\"NEW\", \"CONTACTED\", \"QUALIFIED\", \"CONVERTED\", \"CLOSED\", None]",
        # Status after.
        "to": "Literal[\"NEW\", \"CONTACTED\", \"QUALIFIED\", \"CONVERTED\", \"CLOSED\"]",
        # When.
        "at": "str",
        # The key that did it.
        "by": "str",
        # The key's actor.
        "actor_id": "str | None",
    },
)


_LeadStepOptional = TypedDict(
    "_LeadStepOptional",
    {
    }, total=False,
)


class LeadStep(_LeadStepRequired, _LeadStepOptional):
    """One step of a lead."""


class LedgerAnchorShown(TypedDict):
    """A note that holds the ledger to its history."""
    # CALLER, WITNESS and TIME_STAMP are outside of this machine; SIGNER and FOLDER are on it.
    kind: Literal["CALLER", "WITNESS", "TIME_STAMP", "SIGNER", "FOLDER"]
    # Name of the witness or authority; null for other kinds.
    name: str | None
    # Size of the tree under the note.
    tree_size: int
    # Time of the note or the stamp; of the request for the caller's own.
    at: str


class LedgerAnchoringShown(TypedDict):
    """What the last part of a verification found of anchors."""
    # True if a note outside of this machine agrees.
    is_anchored: bool
    # Notes that agree with the ledger.
    anchors: list[LedgerAnchorShown]
    # Leaves that no note outside of this machine covers.
    unanchored: Unanchored


class _LedgerBreakRequired(TypedDict):
    # Kind of fault.
    kind: Literal["GENESIS_MISMATCH", "SEQUENCE_GAP", "LINK_MISMATCH", "TIME_REVERSED", "ENTRY_HASH_MISMATCH", "RECORD_MISSING", "RECORD_MISMATCH", "RECORD_NOT_CANONICAL", "COMMIT_MISMATCH", "FIELDS_MISMATCH", "IDENTITY_MISMATCH", "QUERY_FIELDS_MISMATCH", "DUPLICATE_KEY_MISMATCH", "WORM_MISSING", "WORM_MISMATCH", "TREE_MISSING", "TREE_MISMATCH", "CHECKPOINT_GAP", "CHECKPOINT_MISMATCH", "CHECKPOINT_REGRESS", "CHECKPOINT_SIGNATURE", "MAP_MISMATCH", "SEGMENT_MISMATCH", "SEGMENT_SIGNATURE", "ROW_MALFORMED", "ROW_DIFFERS", "ROW_MISSING", "FACT_MISSING"]
    # Originating system; null for a fault of the tree, a checkpoint or a segment.
    source_system: str | None
    # Place in the chain.
    sequence: int | None
    # The event; null if there is none to name.
    event_id: str | None
    # Explanation of the comparison.
    detail: str


class LedgerBreak(_LedgerBreakRequired, total=False):
    """One fault that the verification found."""
    # Collection of the damaged row, for a fault of a stored row.
    collection: str
    # Key of the damaged row; for a record its kind and identifier.
    key: str
    # Field that is wrong; several are separated by commas.
    field: str


class LedgerIncarnation(TypedDict):
    """An incarnation of the tree, declared by an operator."""
    # Its number.
    incarnation: int
    # Why it was declared.
    reason: str
    # Actor or key that declared it.
    declared_by: str
    # When.
    declared_at: str
    # The last checkpoint before it.
    previous: PreviousCheckpoint | None
    # Number of entries in the tree at the declaration.
    tree_size: int


class LedgerPartition(TypedDict):
    """A hash chain and its head."""
    # Originating system.
    source_system: str
    # Sequence of the last entry.
    sequence: int
    # Hash of the last entry.
    entry_hash: str
    # The last event.
    event_id: str
    # When the last entry was recorded.
    recorded_at: str


class LedgerVerification(TypedDict):
    """Result of verifying a ledger against itself and its write-once copies."""
    # True if no fault was found.
    valid: bool
    # Number of entries verified.
    checked: int
    # Number of chains verified.
    partitions: list[VerifiedPartition]
    # Every break found.
    breaks: list[LedgerBreak]
    # Parts that this verification does not cover.
    not_checked: list[NotChecked]


class LedgerVerificationPart(TypedDict):
    """A part of a verification: its findings, and the state for the next part."""
    # The part that was verified.
    phase: Literal["CHAINS", "TREE", "MAP", "SEGMENTS", "RECORDS"]
    # Number of entries verified since the start.
    checked: int
    # Chains that end in this part.
    partitions: list[VerifiedPartition]
    # Findings of this part.
    breaks: list[LedgerBreak]
    # Parts that the whole verification does not cover; set in the last part.
    not_checked: list[NotChecked]
    # Of the last part of a verification of the whole ledger; null before it.
    anchoring: LedgerAnchoringShown | None
    # State to pass to the next part; null at the end.
    next_state: str | None


class LegalHold(TypedDict):
    """A legal hold: while it is ACTIVE, nothing that it covers can be deleted."""
    # Current status.
    status: Literal["ACTIVE", "RELEASED"]
    # Identifier of the hold.
    hold_id: str
    # Counts of listed records.
    counts: LegalHoldCounts
    # Time at which the listing last reached the end of ledger and documents, or null.
    listed_at: str | None
    # Release of the hold.
    release: LegalHoldRelease | None
    # Steps, oldest first.
    history: list[LegalHoldStep]
    # Name of the hold.
    name: str
    # Legal matter; its documents are held too.
    matter_id: str | None
    # Scope of the hold; may be empty only with a matter.
    scope: LegalHoldScope
    # Reason.
    reason: str
    # Ordering authority, with a reference.
    authority: str | None
    # Tenant.
    tenant_id: str
    # Time of creation.
    created_at: str
    # API key that created it.
    created_by: str
    # Time of the last change.
    updated_at: str
    # Actions allowed now.
    allowed_actions: list[str]
    # Number of the current revision.
    revision: int


class _LegalHoldAuthorityRequired(TypedDict):
    # Kind of authority.
    kind: Literal["COURT_ORDER", "COUNSEL_APPROVAL", "SETTLEMENT", "REGULATOR_CLOSURE"]
    # Citation.
    reference: str


class LegalHoldAuthority(_LegalHoldAuthorityRequired, total=False):
    """The authority that ended a hold."""
    # Document of the authority, in the vault.
    document_id: str


class _LegalHoldAuthorityInputRequired(TypedDict):
    # Kind of authority.
    kind: Literal["COURT_ORDER", "COUNSEL_APPROVAL", "SETTLEMENT", "REGULATOR_CLOSURE"]
    # Citation.
    reference: str


class LegalHoldAuthorityInput(_LegalHoldAuthorityInputRequired, total=False):
    """The authority that ends a hold."""
    # Document of the authority, in the vault.
    document_id: str


class LegalHoldCounts(TypedDict):
    """Listed records of a hold; protection does not depend on the listing."""
    # Number of listed events.
    events: int
    # Number of listed documents.
    documents: int
    # Number of stopped deletions.
    refused_deletions: int


class _LegalHoldInputRequired(TypedDict):
    # Name of the hold.
    name: str
    # Scope of the hold; may be empty only with a matter.
    scope: LegalHoldScopeInput
    # Reason.
    reason: str


class LegalHoldInput(_LegalHoldInputRequired, total=False):
    """A new legal hold."""
    # Accepts names of unknown records, for a hold over what is still to come. The scope of the hold records
    # it.
    allow_unknown: bool
    # Legal matter; its documents are held too.
    matter_id: str
    # Ordering authority, with a reference.
    authority: str


class LegalHoldPage(TypedDict):
    """One page of a list."""
    # The items of this page.
    items: list[LegalHold]
    # Cursor of the next page; null on the last page.
    next_cursor: str | None


class LegalHoldPatch(TypedDict, total=False):
    """Changes of an active hold: absent members stay, null removes a value. The scope can only be widened."""
    # Legal matter, if the hold has none yet.
    matter_id: str
    # Accepts names of unknown records, for a hold over what is still to come. The scope of the hold records
    # it.
    allow_unknown: bool
    # Expected current revision; CONFLICT if it differs.
    revision: int
    # Name of the hold.
    name: str
    # Scope of the hold; may be empty only with a matter.
    scope: LegalHoldScopeInput
    # Reason.
    reason: str
    # Ordering authority, with a reference.
    authority: str | None


class LegalHoldRelease(TypedDict):
    """Release of a hold."""
    # Authority of the release.
    authority: LegalHoldAuthority
    # Reason.
    reason: str
    # Person who released the hold.
    released_by: str
    # Time of the release.
    released_at: str


class LegalHoldReleaseInput(TypedDict):
    """A release under a documented authority."""
    # Authority of the release.
    authority: LegalHoldAuthorityInput
    # Reason.
    reason: str
    # Person who releases the hold.
    released_by: str


_LegalHoldScopeRequired = TypedDict(
    "_LegalHoldScopeRequired",
    {
    },
)


_LegalHoldScopeOptional = TypedDict(
    "_LegalHoldScopeOptional",
    {
        # Members with held records.
        "member_ids": "list[str]",
        # Held events, with their attached documents.
        "event_ids": "list[str]",
        # Held documents.
        "document_ids": "list[str]",
        # Originating systems.
        "source_systems": "list[str]",
        # Event families, case-insensitive.
        "event_families": "list[str]",
        # Effective at this time or later.
        "from": "str",
        # Effective before this time.
        "to": "str",
        # True for a hold that may name records which do not exist yet.
        "allow_unknown": "bool",
    }, total=False,
)


class LegalHoldScope(_LegalHoldScopeRequired, _LegalHoldScopeOptional):
    """Scope of a hold: the records named by id, and those that match all other members."""


_LegalHoldScopeInputRequired = TypedDict(
    "_LegalHoldScopeInputRequired",
    {
    },
)


_LegalHoldScopeInputOptional = TypedDict(
    "_LegalHoldScopeInputOptional",
    {
        # Members with held records.
        "member_ids": "list[str]",
        # Held events, with their attached documents.
        "event_ids": "list[str]",
        # Held documents.
        "document_ids": "list[str]",
        # Originating systems.
        "source_systems": "list[str]",
        # Event families, case-insensitive.
        "event_families": "list[str]",
        # Effective at this time or later.
        "from": "str",
        # Effective before this time.
        "to": "str",
        # True for a hold that may name records which do not exist yet.
        "allow_unknown": "bool",
    }, total=False,
)


class LegalHoldScopeInput(_LegalHoldScopeInputRequired, _LegalHoldScopeInputOptional):
    """Scope of a hold."""


_LegalHoldStepRequired = TypedDict(
    "_LegalHoldStepRequired",
    {
        # Revision after the step.
        "revision": "int",
        # Action of the step.
        "action": "str",
        # Status before.
        "from": "Literal[\"ACTIVE\", \"RELEASED\", None]",
        # Status after.
        "to": "Literal[\"ACTIVE\", \"RELEASED\"]",
        # Time of the step.
        "at": "str",
        # Key that took the step.
        "by": "str",
        # Actor of the key.
        "actor_id": "str | None",
    },
)


_LegalHoldStepOptional = TypedDict(
    "_LegalHoldStepOptional",
    {
    }, total=False,
)


class LegalHoldStep(_LegalHoldStepRequired, _LegalHoldStepOptional):
    """A step of a hold."""


class LegalMatter(TypedDict):
    """The records of one legal case: members, holds, bundles, exceptions and documents."""
    # Identifier of the matter.
    matter_id: str
    # Tenant of the matter.
    tenant_id: str
    # Current status; CLOSED is final.
    status: Literal["OPEN", "CLOSED"]
    # Actions allowed now.
    allowed_actions: list[str]
    # Number of the current revision.
    revision: int
    # Time of creation.
    created_at: str
    # Key that created it.
    created_by: str
    # Time of the last change.
    updated_at: str
    # Time of closing.
    closed_at: str | None
    # Steps, oldest first.
    history: list[LegalMatterStep]
    # Name of the matter.
    name: str
    # Kind of matter.
    kind: Literal["LITIGATION", "INVESTIGATION", "REGULATORY", "AUDIT", "APPEAL", "SUBPOENA", "OTHER"]
    # Subject of the matter.
    description: str | None
    # Members in the matter: its bundles include their records.
    member_ids: list[str]
    # Legal holds of the matter.
    hold_ids: list[str]
    # Bundles made for the matter.
    bundle_ids: list[str]
    # Exceptions that the matter is about.
    exception_ids: list[str]
    # Documents in the matter.
    document_ids: list[str]


class _LegalMatterInputRequired(TypedDict):
    # Name of the matter.
    name: str
    # Kind of matter.
    kind: Literal["LITIGATION", "INVESTIGATION", "REGULATORY", "AUDIT", "APPEAL", "SUBPOENA", "OTHER"]


class LegalMatterInput(_LegalMatterInputRequired, total=False):
    """A new legal matter."""
    # Subject of the matter.
    description: str
    # Members in the matter: its bundles include their records.
    member_ids: list[str]
    # Legal holds of the matter.
    hold_ids: list[str]
    # Bundles made for the matter.
    bundle_ids: list[str]
    # Exceptions that the matter is about.
    exception_ids: list[str]
    # Documents in the matter.
    document_ids: list[str]


class LegalMatterLink(TypedDict):
    """The record that a step linked or unlinked."""
    # Kind of record.
    kind: Literal["members", "holds", "bundles", "exceptions", "documents"]
    # Identifier of the record.
    ref: str


class LegalMatterPage(TypedDict):
    """One page of a list."""
    # The items of this page.
    items: list[LegalMatter]
    # Cursor of the next page; null on the last page.
    next_cursor: str | None


class LegalMatterPatch(TypedDict, total=False):
    """Changes of an open matter: absent members stay, null removes a value."""
    # Expected current revision; CONFLICT if it differs.
    revision: int
    # Name of the matter.
    name: str
    # Kind of matter.
    kind: Literal["LITIGATION", "INVESTIGATION", "REGULATORY", "AUDIT", "APPEAL", "SUBPOENA", "OTHER"]
    # Subject of the matter.
    description: str | None


_LegalMatterStepRequired = TypedDict(
    "_LegalMatterStepRequired",
    {
        # Revision after the step.
        "revision": "int",
        # Action of the step.
        "action": "str",
        # Status before.
        "from": "Literal[\"OPEN\", \"CLOSED\", None]",
        # Status after.
        "to": "Literal[\"OPEN\", \"CLOSED\"]",
        # Record that the step linked or unlinked.
        "link": "LegalMatterLink | None",
        # Time of the step.
        "at": "str",
        # Key that took the step.
        "by": "str",
        # Actor of the key.
        "actor_id": "str | None",
    },
)


_LegalMatterStepOptional = TypedDict(
    "_LegalMatterStepOptional",
    {
    }, total=False,
)


class LegalMatterStep(_LegalMatterStepRequired, _LegalMatterStepOptional):
    """One step of a legal matter."""


class MatchContribution(TypedDict):
    """The weight of one field in a score."""
    # The field.
    field: Literal["given", "family", "name_order", "suffix", "birth_date", "sex", "postal_code", "street", "house_number", "city", "phone", "email", "ssn", "identifier"]
    # Level of agreement.
    level: str
    # Weight in bits: log2 of how much likelier this level is for one person than for two.
    weight: float


class Member(TypedDict):
    """A member of the directory."""
    # Identifier of the member, chosen by the caller.
    member_id: str
    # Status. MERGED: merged into another record; see links.
    status: Literal["ACTIVE", "INACTIVE", "MERGED"]
    # Records of the same person.
    links: list[MemberLink]
    # Identifiers with their systems.
    identifiers: list[MemberIdentifier]
    # Name.
    name: MemberName
    # Former family names.
    former_families: list[str]
    # Date of birth: YYYY-MM-DD, YYYY-MM or YYYY.
    birth_date: str | None
    # True for a multiple birth; null if unknown.
    multiple_birth: bool | None
    # Administrative sex.
    sex: Literal["FEMALE", "MALE", "OTHER", "UNKNOWN", None]
    # Addresses.
    addresses: list[MemberAddress]
    # Telephone numbers.
    phones: list[str]
    # E-mail addresses.
    emails: list[str]
    # Coverage program.
    program: str | None
    # Jurisdiction.
    jurisdiction: str | None
    # Tenant.
    tenant_id: str
    # Time of creation.
    created_at: str
    # API key that created it.
    created_by: str
    # Time of the last change.
    updated_at: str
    # Actions allowed now.
    allowed_actions: list[str]
    # Number of the current revision.
    revision: int


class _MemberAddressRequired(TypedDict):
    # Address lines, house number and street first.
    lines: list[str]


class MemberAddress(_MemberAddressRequired, total=False):
    """An address."""
    # City.
    city: str
    # State or province.
    state: str
    # Postal code.
    postal_code: str
    # Country.
    country: str


class MemberAddressInput(TypedDict, total=False):
    """An address."""
    # Address lines, house number and street first.
    lines: list[str]
    # City.
    city: str
    # State or province.
    state: str
    # Postal code.
    postal_code: str
    # Country.
    country: str


class _MemberChallengeRequired(TypedDict):
    # Identifier to verify the code with.
    challenge_id: str
    # Expiry of the code; it is valid once, with five attempts.
    expires_at: str
    # Channel of the code.
    delivery: Literal["log", "webhook", "smtp"]


class MemberChallenge(_MemberChallengeRequired, total=False):
    """A requested code; the answer is the same for unknown members."""
    # The code; only outside production with SERVICE_CODE_IN_RESPONSE.
    code: str


class MemberIdentifier(TypedDict):
    """An identifier of a person in one system."""
    # System: a URI, an OID or a name.
    system: str
    # The identifier.
    value: str


class MemberIdentifierInput(TypedDict):
    """An identifier of a person in one system."""
    # System: a URI, an OID or a name.
    system: str
    # The identifier.
    value: str


class _MemberInputRequired(TypedDict):
    # Identifier of the member, chosen by the caller.
    member_id: str


class MemberInput(_MemberInputRequired, total=False):
    """A new member."""
    # Identifiers with their systems.
    identifiers: list[MemberIdentifierInput]
    # Name.
    name: MemberNameInput
    # Former family names.
    former_families: list[str]
    # Date of birth: YYYY-MM-DD, YYYY-MM or YYYY.
    birth_date: str | None
    # True for a multiple birth; null if unknown.
    multiple_birth: bool | None
    # Administrative sex.
    sex: Literal["FEMALE", "MALE", "OTHER", "UNKNOWN", None]
    # Addresses.
    addresses: list[MemberAddressInput]
    # Telephone numbers.
    phones: list[str]
    # E-mail addresses.
    emails: list[str]
    # Coverage program.
    program: str | None
    # Jurisdiction.
    jurisdiction: str | None


class MemberLink(TypedDict):
    """A link between records of one person."""
    # REPLACES: the other record is merged into this one. REPLACED_BY: this record is merged into the other.
    type: Literal["REPLACES", "REPLACED_BY"]
    # The other record.
    member_id: str
    # Time of the merge.
    since: str


class MemberLogout(TypedDict):
    """Result of a logout; the same if no session existed."""
    # Always true.
    logged_out: bool


class _MemberMatchRequired(TypedDict):
    # The member; for a merged record, its survivor.
    member: Member
    # The record that matched: the member's own, or one merged into it.
    matched_member_id: str
    # Sum of the contributions, in bits.
    score: float
    # EXACT: names and one more identifying field agree fully. PROBABLE, POSSIBLE: by the thresholds of the
    # deployment.
    match: Literal["EXACT", "PROBABLE", "POSSIBLE"]
    # Weights of the fields.
    contributions: list[MatchContribution]


class MemberMatch(_MemberMatchRequired, total=False):
    """A member that matches a search or a record."""
    # Reason for POSSIBLE where the score alone would allow a better grade.
    caution: str


class MemberMatches(TypedDict):
    """Matching members, the likeliest first."""
    # The members.
    items: list[MemberMatch]


class _MemberNameRequired(TypedDict):
    # Family name.
    family: str | None
    # Given names in order.
    given: list[str]


class MemberName(_MemberNameRequired, total=False):
    """A person's name."""
    # Suffix, such as Jr, Sr or III.
    suffix: str


class MemberNameInput(TypedDict, total=False):
    """A person's name."""
    # Family name.
    family: str
    # Given names in order.
    given: list[str]
    # Suffix, such as Jr, Sr or III.
    suffix: str


class _MemberNeighborhoodRequired(TypedDict):
    # Nodes, the member first, nearer ones before others.
    nodes: list[GraphNode]
    # Edges at these nodes.
    edges: list[GraphEdge]
    # True if the answer omits nodes or edges.
    truncated: bool


class MemberNeighborhood(_MemberNeighborhoodRequired, total=False):
    """Nodes around a member, and the edges that lead to them."""
    # Records that consent withholds for the stated purpose.
    withheld: GraphWithheld


class MemberPage(TypedDict):
    """One page of a list."""
    # The items of this page.
    items: list[Member]
    # Cursor of the next page; null on the last page.
    next_cursor: str | None


class MemberPatch(TypedDict, total=False):
    """Changes of a member: null removes a value, an absent member stays."""
    # INACTIVE: no longer a member; the record remains.
    status: Literal["ACTIVE", "INACTIVE"]
    # Revision that the caller has read; CONFLICT if the member has another one.
    revision: int
    # Identifiers with their systems.
    identifiers: list[MemberIdentifierInput]
    # Name.
    name: MemberNameInput
    # Former family names.
    former_families: list[str]
    # Date of birth: YYYY-MM-DD, YYYY-MM or YYYY.
    birth_date: str | None
    # True for a multiple birth; null if unknown.
    multiple_birth: bool | None
    # Administrative sex.
    sex: Literal["FEMALE", "MALE", "OTHER", "UNKNOWN", None]
    # Addresses.
    addresses: list[MemberAddressInput]
    # Telephone numbers.
    phones: list[str]
    # E-mail addresses.
    emails: list[str]
    # Coverage program.
    program: str | None
    # Jurisdiction.
    jurisdiction: str | None


_MemberRecordStepRequired = TypedDict(
    "_MemberRecordStepRequired",
    {
        # Revision after the step.
        "revision": "int",
        # Action.
        "action": "str",
        # Status before.
        "from": "str | None",
        # Status after.
        "to": "str",
        # Time of the step.
        "at": "str",
        # Key that took the step.
        "by": "str",
        # Actor of the key.
        "actor_id": "str | None",
    },
)


_MemberRecordStepOptional = TypedDict(
    "_MemberRecordStepOptional",
    {
    }, total=False,
)


class MemberRecordStep(_MemberRecordStepRequired, _MemberRecordStepOptional):
    """One step of a record about a member."""


class MemberRecordStepInput(TypedDict, total=False):
    """A step of a record about a member."""
    # Reason; stored if the step ends the record.
    reason: str
    # Revision that the caller has read; CONFLICT if the record has another one.
    revision: int


_MemberStepRequired = TypedDict(
    "_MemberStepRequired",
    {
        # Identifier of the change.
        "change_id": "str",
        # Revision after the change; null for a merge.
        "revision": "int | None",
        # Action.
        "action": "str",
        # Status before.
        "from": "Literal[\"ACTIVE\", \"INACTIVE\", \"MERGED\", None]",
        # Status after.
        "to": "Literal[\"ACTIVE\", \"INACTIVE\", \"MERGED\"]",
        # Changed members with their previous values.
        "before": "Any",
        # Other record of a merge.
        "other_member_id": "str | None",
        # Reason given by the caller.
        "reason": "str | None",
        # Event that caused the change.
        "event_id": "str | None",
        # Time of the change.
        "at": "str",
        # Key that made the change.
        "by": "str",
        # Actor of the key.
        "actor_id": "str | None",
    },
)


_MemberStepOptional = TypedDict(
    "_MemberStepOptional",
    {
    }, total=False,
)


class MemberStep(_MemberStepRequired, _MemberStepOptional):
    """One change of a member."""


class MemberStepPage(TypedDict):
    """One page of a list."""
    # The items of this page.
    items: list[MemberStep]
    # Cursor of the next page; null on the last page.
    next_cursor: str | None


class MemberTimeline(TypedDict):
    """The member of a timeline, with the identifiers to read its records by."""
    # The surviving record of the person; null for a member known only from events.
    member: Member | None
    # Every identifier of the person, the survivor first.
    member_ids: list[str]


class MemberTokens(TypedDict):
    """Tokens of a member's session; returned once."""
    # Bearer token for the record of this member only.
    access_token: str
    # Type of token.
    token_type: Literal["Bearer"]
    # Expiry of the access token.
    expires_at: str
    # Token to renew the session; valid once.
    refresh_token: str
    # End of the session, even with renewals.
    refresh_expires_at: str
    # Member of the record that the token opens.
    member_id: str


class _MllpConnectorConfigRequired(TypedDict):
    # How messages arrive.
    transport: Literal["MLLP"]


class MllpConnectorConfig(_MllpConnectorConfigRequired, total=False):
    """An HL7 v2 listener over MLLP; answers each message when it is durable."""
    # Port in the range of the deployment; default any free one.
    port: int
    # Reject messages with faults that an acknowledgement reports.
    strict: bool
    # Longest message; a longer one ends its connection. Default 1 MiB.
    max_frame_bytes: int
    # Concurrent connections; default 64.
    max_connections: int
    # Messages of one connection that may wait for answers before reading pauses; default 16.
    max_in_flight: int
    # Seconds of silence after which a connection is closed; default 3,600.
    idle_seconds: int
    # Address blocks of allowed senders; default all.
    allowed_addresses: list[str]
    # Certificate chain, PEM; enables TLS.
    tls_certificate: str
    # Its private key, PEM; write-only.
    tls_private_key: str
    # Authority that must have signed the senders' certificates, PEM.
    tls_client_ca: str


class NamedCount(TypedDict):
    """The count of one name."""
    # The name; null for records without one.
    name: str | None
    # Count.
    count: int


class NotChecked(TypedDict):
    """A part that this verification does not cover."""
    # The part that was not verified.
    what: str
    # Why not.
    why: str


class OpenedSession(TypedDict):
    """A new session."""
    # Token of the session, for its cookie; returned once and not stored.
    token: str
    # Identity and rights that the session has.
    caller: Caller


class OperatorProof(TypedDict):
    """Proof that the operator's log covers the ledger of this tenant."""
    # Start of the period.
    period: str
    # When the notes were collected.
    recorded_at: str
    # Number of logs under the root.
    logs: int
    # Root over the newest notes of all logs in the order of their origins (RFC 6962), hexadecimal.
    root_hash: str
    # Place of this ledger among the logs, from 0.
    leaf_index: int
    # Hashes from the note's leaf to the root, hexadecimal.
    hashes: list[str]
    # The checkpoint; its note is the leaf.
    checkpoint: Checkpoint
    # Header of the operator's entry: its entry_hash covers it, as JCS.
    header: Any
    # Record of the entry, which names period, number of logs and root.
    record: str
    # Seed of the entry's commitments, hexadecimal.
    seed: str
    # Proof of the entry in the operator's log.
    entry: EventProof


class PageInfo(TypedDict):
    """The place of a page in its connection."""
    # Whether a page follows.
    hasNextPage: bool
    # Whether a page precedes: true if the page was asked with `after`.
    hasPreviousPage: bool
    # Cursor of the first item; null on an empty page.
    startCursor: str | None
    # Value of `after` for the next page. A page can be short or empty and have a next page, because a filter
    # examines a limited number of records at a time.
    endCursor: str | None


class PageRegion(TypedDict):
    """A rectangle of a page, in points (of an image: pixels) from the upper left corner as displayed."""
    # Distance from the left edge.
    x: float
    # Distance from the upper edge.
    y: float
    # Width of the rectangle.
    width: float
    # Height of the rectangle.
    height: float


class PageRegionInput(TypedDict):
    """A rectangle of a page."""
    # Distance from the left edge.
    x: float
    # Distance from the upper edge.
    y: float
    # Width of the rectangle.
    width: float
    # Height of the rectangle.
    height: float


class PartitionList(TypedDict):
    """One page of a list."""
    # The items of this page.
    items: list[LedgerPartition]
    # Cursor of the next page; null on the last page.
    next_cursor: str | None


class PersonInput(TypedDict, total=False):
    """A person to match."""
    # Identifiers with their systems.
    identifiers: list[MemberIdentifierInput]
    # Name.
    name: MemberNameInput
    # Former family names.
    former_families: list[str]
    # Date of birth: YYYY-MM-DD, YYYY-MM or YYYY.
    birth_date: str | None
    # True for a multiple birth; null if unknown.
    multiple_birth: bool | None
    # Administrative sex.
    sex: Literal["FEMALE", "MALE", "OTHER", "UNKNOWN", None]
    # Addresses.
    addresses: list[MemberAddressInput]
    # Telephone numbers.
    phones: list[str]
    # E-mail addresses.
    emails: list[str]


class PractitionerInput(TypedDict, total=False):
    """The practitioner: NPI, actor or both. A name alone reserves no time."""
    # National provider identifier.
    npi: str
    # The actor.
    actor: str
    # Name.
    name: str


class PreviewedCriterion(TypedDict):
    """Results of one criterion of a previewed rule."""
    # Its id in the rule.
    id: str
    # Text of the criterion.
    text: str
    # Events that meet it.
    met: int
    # Events that do not meet it.
    not_met: int
    # Events whose record does not say.
    no_value: int


class PreviewedException(TypedDict):
    """An exception that an ingest would open."""
    # Kind.
    kind: str
    # What was found.
    detail: Any


class PreviewedVerdicts(TypedDict):
    """Number of events by verdict."""
    # Every criterion is met.
    SUPPORTS: int
    # A criterion is not met.
    DOES_NOT_SUPPORT: int
    # The record does not decide it.
    INSUFFICIENT_INFORMATION: int


class PreviousCheckpoint(TypedDict):
    """The last checkpoint before the declaration of an incarnation."""
    # The checkpoint.
    checkpoint_id: str
    # Its incarnation.
    incarnation: int
    # Number of entries that it covers.
    tree_size: int
    # Its root, hexadecimal.
    root_hash: str


class Provider(TypedDict):
    """A provider that events name by NPI."""
    # National Provider Identifier.
    npi: str


class QuarantinePage(TypedDict):
    """One page of a list."""
    # The items of this page.
    items: list[Document]
    # Cursor of the next page; null on the last page.
    next_cursor: str | None


class QuarantineReviewInput(TypedDict):
    """Decision of a reviewer of the quarantine."""
    # Reason.
    reason: str
    # Name of the reviewer.
    reviewed_by: str


class _RawIngestResultRequired(TypedDict):
    # The ingest.
    ingest_id: str
    # Format of the body.
    format: Literal["x12", "hl7v2", "fhir", "ncpdp", "cda"]
    # Transactions read.
    transactions: int
    # Events appended.
    accepted: int
    # Events that existed already.
    duplicated: int
    # Parts rejected.
    rejected: int
    # Exceptions opened, at most 1,000.
    exceptions: list[IngestException]
    # At most 1,000 rows, rejected ones first.
    results: list[RawIngestRow]
    # True if there are more rows than shown.
    results_truncated: bool
    # Warnings about the message, at most 1,000.
    warnings: list[IngestWarning]
    # Provider-level adjustments (X12 835 PLB), by transaction.
    provider_level: list[Any]
    # The sender's acknowledgement (999 and TA1, ACK, OperationOutcome, NCPDP response) as { format,
    # media_type, content }; null if the sender expects none.
    acknowledgement: Any
    # Time at which the message was read.
    received_at: str


class RawIngestResult(_RawIngestResultRequired, total=False):
    """Result of a raw message."""
    # SHA-256 of the raw bytes in the write-once store; absent for readers without documents:unredacted if an
    # event of the message is redacted.
    raw_sha256: str


class _RawIngestRowRequired(TypedDict):
    # Part of the message, from 0, in reading order.
    index: int
    # Result of the part.
    status: Literal["ACCEPTED", "DUPLICATE", "REJECTED"]


class RawIngestRow(_RawIngestRowRequired, total=False):
    """Result of one part of a raw message."""
    # Record in the source system.
    source_record_id: str
    # Source system.
    source_system: str
    # Rejected item, if the part yields no event.
    item: str
    # Segment of the fault.
    segment: str
    # Position in the body.
    position: Any
    # Warnings about it.
    warnings: list[IngestWarning]
    # Reason for the rejection.
    error: IngestError
    # The event.
    event_id: str
    # Place in the chain.
    sequence: int
    # Hash of the entry.
    entry_hash: str
    # SHA-256 of the write-once copy.
    worm_sha256: str


class RawPreview(TypedDict):
    """What a raw message would become. Nothing is stored."""
    # Format of the body.
    format: Literal["x12", "hl7v2", "fhir", "ncpdp", "cda"]
    # Transactions read.
    transactions: int
    # Parts that would be events.
    valid: int
    # Parts that would be rejected.
    rejected: int
    # At most 1,000 rows, in reading order.
    results: list[RawPreviewRow]
    # True if there are more rows than shown.
    results_truncated: bool
    # Exceptions about the body that an ingest would open, at most 1,000. Each rejected part opens one too.
    exceptions: list[PreviewedException]
    # Warnings about the message, at most 1,000.
    warnings: list[IngestWarning]


class _RawPreviewRowRequired(TypedDict):
    # Part of the message, from 0, in reading order.
    index: int
    # Whether it would be an event.
    status: Literal["VALID", "REJECTED"]


class RawPreviewRow(_RawPreviewRowRequired, total=False):
    """What one part of a raw message would become."""
    # Record in the source system.
    source_record_id: str
    # Source system.
    source_system: str
    # Rejected item, if the part yields no event.
    item: str
    # Segment of the fault.
    segment: str
    # Position in the body.
    position: Any
    # Warnings about it.
    warnings: list[IngestWarning]
    # Reason for the rejection.
    error: IngestError
    # The event, for the first 50 of them.
    event: Any


class _RecodeAnswerRequired(TypedDict):
    # The event; the answer does not change it.
    event_id: str
    # Events of the record that this caller may not see in full.
    withheld: list[WithheldEvent]
    # Limits of the answer.
    limits: str
    # SHA-256 of the canonical answer (RFC 8785) without this member and `recorded`.
    answer_sha256: str
    # Suggested codes, in rule order.
    suggestions: list[RecodeSuggestion]
    # Problems that the record cannot correct.
    needed: list[RecodeNeed]
    # A draft for the signer to review.
    appeal: Appeal
    # Rules, events and tables that the answer is based on.
    stood_on: RecodeStoodOn


class RecodeAnswer(_RecodeAnswerRequired, total=False):
    """Other codes that the record of an event supports, and a draft of an appeal."""
    # Events of the record that consent withholds.
    withheld_by_consent: Withheld
    # Present if `record` was set.
    recorded: RecordedAnswer


class RecodeCandidate(TypedDict):
    """A valid code that a fuller record could support."""
    # The code.
    code: str
    # Description in the imported table.
    description: str


class RecodeInput(TypedDict, total=False):
    """Codes to check instead of the event’s own, and notes for the letter."""
    # Procedure codes to check instead of the event’s; a modifier follows a hyphen.
    procedure_codes: list[str]
    # Diagnosis codes to check instead of the event’s.
    diagnosis_codes: list[str]
    # Notes that the letter quotes; they support no code.
    notes: str


class RecodeNeed(TypedDict):
    """A problem that the record cannot correct."""
    # The code.
    code: str
    # The problem.
    problem: str
    # The record that would correct it.
    needs: str
    # Rule of the corpus, or the name of a built-in rule.
    rule_id: str
    # Possible codes; none is suggested.
    candidates: list[RecodeCandidate]


class RecodeStoodOn(TypedDict):
    """The rules, events and tables that a recoding is based on."""
    # Rule revisions.
    rules: list[StoodOnRule]
    # The event, and other events of its member that gave evidence.
    events: list[StoodOnEvent]
    # True if the member has more events than were read; only the newest were read.
    record_capped: bool
    # Code tables used. A system without a table is not checked.
    tables: list[StoodOnTable]


_RecodeSuggestionRequired = TypedDict(
    "_RecodeSuggestionRequired",
    {
        # The present code; null if the suggestion adds a code.
        "from": "str | None",
        # The suggested code; a modifier follows a hyphen.
        "to": "str",
        # Reason.
        "reason": "str",
        # Rule of the corpus, or the name of a built-in rule.
        "rule_id": "str",
        # Share that the record decides, from 0 to 1.
        "confidence": "float",
        # Evidence in the record; never empty.
        "supported_by": "list[FactEvidence]",
    },
)


_RecodeSuggestionOptional = TypedDict(
    "_RecodeSuggestionOptional",
    {
    }, total=False,
)


class RecodeSuggestion(_RecodeSuggestionRequired, _RecodeSuggestionOptional):
    """Another code that the record supports."""


class RecordedAnswer(TypedDict):
    """The ledger entry that records an answer."""
    # Its partition.
    source_system: str
    # Its id in the partition.
    source_record_id: str


class RecurringJob(TypedDict):
    """A recurring job; it runs in one process of the deployment at a time."""
    # Its name.
    name: str
    # Description.
    description: str
    # Seconds between two starts.
    every_seconds: int
    # True while a process runs it.
    running: bool
    # Time of the last start.
    last_run_at: str | None
    # Time of the last end.
    last_finished_at: str | None
    # Time of the next start.
    next_run_at: str | None
    # Failures since the last success.
    failures: int
    # Time of the last failure.
    last_error_at: str | None
    # Class of that error.
    last_error_class: str | None


class _RedactedPageRequired(TypedDict):
    # Page number, from 1.
    page: int


class RedactedPage(_RedactedPageRequired, total=False):
    """Hidden parts of one page."""
    # Hidden regions; the whole page by default.
    regions: list[PageRegion]


class _RedactedPageInputRequired(TypedDict):
    # Page number, from 1.
    page: int


class RedactedPageInput(_RedactedPageInputRequired, total=False):
    """Hidden parts of one page."""
    # Hidden regions; the whole page by default.
    regions: list[PageRegionInput]


class _RedactionRequired(TypedDict):
    # Current status.
    status: Literal["DRAFT", "APPLIED", "DISCARDED"]
    # Identifier of the redaction.
    redaction_id: str
    # Subject of the redaction.
    subject: RedactionSubject
    # Drafter: an actor, or a key without one.
    drafted_by: str
    # Person who applied it.
    applied_by: str | None
    # Time of applying.
    applied_at: str | None
    # SHA-256 of the rendition.
    rendition_sha256: str | None
    # Size of the rendition in bytes.
    rendition_size: int | None
    # Steps, oldest first.
    history: list[RedactionStep]
    # For an event: JSON Pointers into its record; a pointer to a subtree hides every leaf below it.
    pointers: list[str]
    # For a PDF: pages, or regions of pages. For an image: page 1, or regions of it.
    pages: list[RedactedPage]
    # Reason.
    reason: str
    # The rule, order or request that requires it.
    basis: str
    # Tenant.
    tenant_id: str
    # Time of creation.
    created_at: str
    # API key that created it.
    created_by: str
    # Time of the last change.
    updated_at: str
    # Actions allowed now.
    allowed_actions: list[str]
    # Number of the current revision.
    revision: int


class Redaction(_RedactionRequired, total=False):
    """The parts of an event or a document that are hidden from readers without documents:unredacted."""
    # For a document: hidden terms. After the draft, only for readers with documents:unredacted.
    terms: list[str]
    # SHA-256 of the original document; only for readers with documents:unredacted.
    original_sha256: str


class _RedactionDraftRequired(TypedDict):
    # Subject of the redaction.
    subject: RedactionSubjectInput
    # Reason.
    reason: str
    # The rule, order or request that requires it.
    basis: str


class RedactionDraft(_RedactionDraftRequired, total=False):
    """A new redaction."""
    # For an event: JSON Pointers into its record; a pointer to a subtree hides every leaf below it.
    pointers: list[str]
    # For a PDF: pages, or regions of pages. For an image: page 1, or regions of it.
    pages: list[RedactedPageInput]
    # For a document: hidden terms, as whole words, in any case, taken literally.
    terms: list[str]


class RedactionPage(TypedDict):
    """One page of a list."""
    # The items of this page.
    items: list[Redaction]
    # Cursor of the next page; null on the last page.
    next_cursor: str | None


class RedactionPatch(TypedDict, total=False):
    """Changes of a draft: absent members stay."""
    # Expected current revision; CONFLICT if it differs.
    revision: int
    # For an event: JSON Pointers into its record; a pointer to a subtree hides every leaf below it.
    pointers: list[str]
    # For a PDF: pages, or regions of pages. For an image: page 1, or regions of it.
    pages: list[RedactedPageInput]
    # Reason.
    reason: str
    # The rule, order or request that requires it.
    basis: str
    # For a document: hidden terms, as whole words, in any case, taken literally.
    terms: list[str]


class RedactionReview(TypedDict, total=False):
    """The draft that the reviewer has read."""
    # Revision of the reviewed draft; CONFLICT if the draft has changed since.
    revision: int


_RedactionStepRequired = TypedDict(
    "_RedactionStepRequired",
    {
        # Revision after the step.
        "revision": "int",
        # Action of the step.
        "action": "str",
        # Status before.
        "from": "Literal[\"DRAFT\", \"APPLIED\", \"DISCARDED\", None]",
        # Status after.
        "to": "Literal[\"DRAFT\", \"APPLIED\", \"DISCARDED\"]",
        # Time of the step.
        "at": "str",
        # Key that took the step.
        "by": "str",
        # Actor of the key.
        "actor_id": "str | None",
    },
)


_RedactionStepOptional = TypedDict(
    "_RedactionStepOptional",
    {
    }, total=False,
)


class RedactionStep(_RedactionStepRequired, _RedactionStepOptional):
    """A step of a redaction."""


class RedactionSubject(TypedDict):
    """Subject of the redaction."""
    # Kind of record.
    kind: Literal["EVENT", "DOCUMENT"]
    # Identifier of the record.
    id: str


class RedactionSubjectInput(TypedDict):
    """Subject of the redaction."""
    # Kind of record.
    kind: Literal["EVENT", "DOCUMENT"]
    # Identifier of the record.
    id: str


class _RequesterInputRequired(TypedDict):
    # Relationship to the member.
    relationship: Literal["SELF", "PERSONAL_REPRESENTATIVE", "ATTORNEY", "OTHER"]


class RequesterInput(_RequesterInputRequired, total=False):
    """The requester."""
    # Name.
    name: str


class RetentionPolicies(TypedDict):
    """Retention policies."""
    # Years for records without a policy.
    default_years: int
    # Start of the default period: the later of effective and recording time.
    default_counts_from: Literal["EFFECTIVE", "LATER"]
    # Minimum of the deployment for every policy.
    minimum_years: int
    # Policies by family or type.
    policies: list[RetentionPolicy]
    # Revision; 0 before the first change.
    revision: int
    # Time of the last change.
    updated_at: str | None
    # Key of the last change.
    updated_by: str | None


class _RetentionPoliciesInputRequired(TypedDict):
    # Policies, each for one family or type.
    policies: list[RetentionPolicyInput]


class RetentionPoliciesInput(_RetentionPoliciesInputRequired, total=False):
    """All retention policies of a tenant."""
    # Years for records without a policy; default 10.
    default_years: int
    # Expected current revision; CONFLICT if it differs.
    revision: int


class _RetentionPolicyRequired(TypedDict):
    # Retention in calendar years.
    years: int


class RetentionPolicy(_RetentionPolicyRequired, total=False):
    """Retention of events of a family, or of documents of a type."""
    # Event family, case-insensitive.
    event_family: str
    # Document type.
    document_type: str
    # Start of the period: EFFECTIVE time (default), or the LATER of effective and recording time.
    counts_from: Literal["EFFECTIVE", "LATER"]


class _RetentionPolicyInputRequired(TypedDict):
    # Retention in calendar years.
    years: int


class RetentionPolicyInput(_RetentionPolicyInputRequired, total=False):
    """Retention of events of a family, or of documents of a type."""
    # Event family, case-insensitive.
    event_family: str
    # Document type.
    document_type: str
    # Start of the period: EFFECTIVE time (default), or the LATER of effective and recording time.
    counts_from: Literal["EFFECTIVE", "LATER"]


class RetentionSweep(TypedDict):
    """One retention sweep."""
    # Identifier of the sweep.
    sweep_id: str
    # Whether the sweep only reported.
    dry_run: bool
    # Whether all records were checked; if not, the daily job continues.
    complete: bool
    # Time of the sweep.
    at: str
    # Counts of events.
    events: SweepCountsShape
    # Counts of documents.
    documents: SweepCountsShape
    # Segments of the write-once store that were deleted whole.
    segments_dropped: list[str]


class _RevocationInputRequired(TypedDict):
    # Reason.
    reason: Literal["KEY_COMPROMISE", "SUPERSEDED", "CESSATION_OF_OPERATION", "UNSPECIFIED"]


class RevocationInput(_RevocationInputRequired, total=False):
    """Reason and start of a revocation."""
    # Signatures from this time on are invalid. Default: now; never in the future.
    effective_at: str


class Role(TypedDict):
    """A named set of scopes: built in, or of a tenant."""
    # Identifier; the name of a built-in role.
    role_id: str
    # Tenant; null for a built-in role, which every tenant has.
    tenant_id: str | None
    # Purpose.
    description: str | None
    # True for a built-in role, which cannot change.
    built_in: bool
    # Time of creation.
    created_at: str
    # API key that created it; null for a built-in role.
    created_by: str | None
    # Time of the last change.
    updated_at: str
    # Name, unique in the tenant.
    name: str
    # Scopes of the role. The caller must hold every scope; holders have them within 5 s.
    scopes: list[str]


class RoleChangeInput(TypedDict, total=False):
    """Changes of a role; absent members stay."""
    # Purpose.
    description: str
    # Name, unique in the tenant.
    name: str
    # Scopes of the role. The caller must hold every scope; holders have them within 5 s.
    scopes: list[Literal["events:read", "events:write", "ai-provenance:read", "ai-provenance:write", "appointments:read", "appointments:write", "bundles:read", "bundles:request", "bundles:export", "care-team:read", "care-team:write", "admin", "documents:read", "documents:write", "documents:unredacted", "quarantine:release", "members:read", "members:write", "custody:read", "custody:write", "holds:read", "holds:write", "matters:read", "matters:write", "exceptions:read", "exceptions:write", "redactions:read", "redactions:write", "redactions:apply", "rules:read", "rules:write", "search:read", "graph:read", "graph:query", "connectors:read", "connectors:write", "feeds:read", "feeds:write", "webhooks:own", "webhooks:read", "webhooks:write", "dashboard:read", "consent:read", "consent:write", "data-rights:read", "data-rights:write", "leads:read", "leads:write", "flags:read", "flags:write", "retention:read", "retention:write", "member-auth:write", "ava-access:write"]]


class _RoleInputRequired(TypedDict):
    # Name, unique in the tenant.
    name: str
    # Scopes of the role. The caller must hold every scope; holders have them within 5 s.
    scopes: list[Literal["events:read", "events:write", "ai-provenance:read", "ai-provenance:write", "appointments:read", "appointments:write", "bundles:read", "bundles:request", "bundles:export", "care-team:read", "care-team:write", "admin", "documents:read", "documents:write", "documents:unredacted", "quarantine:release", "members:read", "members:write", "custody:read", "custody:write", "holds:read", "holds:write", "matters:read", "matters:write", "exceptions:read", "exceptions:write", "redactions:read", "redactions:write", "redactions:apply", "rules:read", "rules:write", "search:read", "graph:read", "graph:query", "connectors:read", "connectors:write", "feeds:read", "feeds:write", "webhooks:own", "webhooks:read", "webhooks:write", "dashboard:read", "consent:read", "consent:write", "data-rights:read", "data-rights:write", "leads:read", "leads:write", "flags:read", "flags:write", "retention:read", "retention:write", "member-auth:write", "ava-access:write"]]


class RoleInput(_RoleInputRequired, total=False):
    """A new role of a tenant: a named set of scopes."""
    # Tenant of the role. Default: the caller's tenant.
    tenant_id: str
    # Purpose.
    description: str


class RolePage(TypedDict):
    """One page of a list."""
    # The items of this page.
    items: list[Role]
    # Cursor of the next page; null on the last page.
    next_cursor: str | None


class RotationInput(TypedDict, total=False):
    """Options of a rotation."""
    # Seconds for which the old key stays valid, never beyond its expiry. Default: a day. 0 revokes it at
    # once.
    grace_seconds: int


class Rule(TypedDict):
    """One revision of a rule; it never changes."""
    # Identifier of the rule.
    rule_id: str
    # Number of the revision.
    revision: int
    # True for a rule of the shared corpus, which every tenant reads and none changes.
    shared: bool
    # Hash of the artifact in the write-once store.
    artifact_sha256: str
    # Size in bytes.
    artifact_size: int
    # Its media type.
    artifact_media_type: str
    # Time of this revision.
    created_at: str
    # API key that made it.
    created_by: str
    # Your name for the rule; all its revisions share it.
    key: str
    # Title.
    title: str
    # Kind of rule; the same in every revision.
    kind: Literal["GUIDELINE", "CODE_EDIT", "POLICY", "STATUTE", "REASON_CODE"]
    # Jurisdiction; everywhere by default.
    jurisdiction: str | None
    # Program; all programs by default.
    program: str | None
    # Start of validity: a day, or a time (RFC 3339).
    effective_from: str
    # End of validity: the first day or time out of force. Default: the start of the next revision.
    effective_to: str | None
    # Codes of the rule: `SYSTEM/CODE`, or `SYSTEM/START*` for a family.
    codes: list[str]
    # A list of criteria, each with `text` and `logic` (JsonLogic); or one JsonLogic expression.
    criteria: Any
    # Text of the rule.
    body: str | None
    # Published source.
    citation: str | None


class _RuleInputRequired(TypedDict):
    # Your name for the rule; all its revisions share it.
    key: str
    # Title.
    title: str
    # Kind of rule; the same in every revision.
    kind: Literal["GUIDELINE", "CODE_EDIT", "POLICY", "STATUTE", "REASON_CODE"]
    # Start of validity: a day, or a time (RFC 3339).
    effective_from: str


class RuleInput(_RuleInputRequired, total=False):
    """A new rule, or the next revision of the rule with this key."""
    # The source document in base64, at most 10 MiB. Default: the rule in canonical JSON.
    artifact: str
    # Media type of the artifact.
    artifact_media_type: str
    # Revision of the rule that the caller has read, 0 for a new rule; CONFLICT if it has another one.
    revision: int
    # Jurisdiction; everywhere by default.
    jurisdiction: str
    # Program; all programs by default.
    program: str
    # End of validity: the first day or time out of force. Default: the start of the next revision.
    effective_to: str
    # Codes of the rule: `SYSTEM/CODE`, or `SYSTEM/START*` for a family.
    codes: list[str]
    # A list of criteria, each with `text` and `logic` (JsonLogic); or one JsonLogic expression.
    criteria: Any
    # Text of the rule.
    body: str
    # Published source.
    citation: str


class RulePage(TypedDict):
    """One page of a list."""
    # The items of this page.
    items: list[Rule]
    # Cursor of the next page; null on the last page.
    next_cursor: str | None


class RulePreview(TypedDict):
    """What a rule would say about the newest events."""
    # Events that were looked at.
    looked_at: int
    # Events that the rule applies to by its codes and program.
    judged: int
    # Verdicts on these events.
    verdicts: PreviewedVerdicts
    # Results of each criterion. A criterion that does not apply to an event counts nowhere.
    criteria: list[PreviewedCriterion]


class SavedView(TypedDict):
    """A name for the address of a screen of the console with its filters."""
    # Identifier.
    view_id: str
    # Tenant.
    tenant_id: str
    # Screen of the view.
    screen: Literal["EVENTS", "EXCEPTIONS", "GRAPH"]
    # Actor that saved it, or the key without an actor.
    owner: str
    # True if the caller is the owner.
    own: bool
    # Time of creation.
    created_at: str
    # Name; unique among the views of the owner for the screen.
    name: str
    # Address of the screen below /console, with its filters.
    address: str
    # True if every reader of the screen in the tenant sees the view; false by default.
    shared: bool


class _SavedViewInputRequired(TypedDict):
    # Name; unique among the views of the owner for the screen.
    name: str
    # Address of the screen below /console, with its filters.
    address: str


class SavedViewInput(_SavedViewInputRequired, total=False):
    """A new saved view."""
    # True if every reader of the screen in the tenant sees the view; false by default.
    shared: bool


class SavedViewPage(TypedDict):
    """One page of a list."""
    # The items of this page.
    items: list[SavedView]
    # Cursor of the next page; null on the last page.
    next_cursor: str | None


class ScanFindingShape(TypedDict):
    """A finding of the scan."""
    # Engine of the finding.
    engine: str
    # Kind of finding.
    code: str
    # Description; quotes no content.
    detail: str


class SearchFacetValue(TypedDict):
    """Number of hits with a value."""
    # The value, in lower case where case does not matter.
    value: str
    # Number of hits.
    count: int


class SearchFreshness(TypedDict):
    """Progress of the index, which follows appends within moments."""
    # Events in the index.
    indexed: int
    # Events appended and not yet indexed.
    behind: int


class SearchHighlight(TypedDict):
    """A piece of text around a match, as it was recorded."""
    # Place of the text in the record (RFC 6901).
    pointer: str
    # The piece; … marks a cut.
    snippet: str
    # Matches within it.
    matches: list[SearchMatch]


class SearchMatch(TypedDict):
    """A match within a snippet: from start up to but not including end, in UTF-16 code units."""
    # Start of the match.
    start: int
    # End of the match.
    end: int


class Session(TypedDict):
    """A session of the console, opened with an API key. Its token is never shown again."""
    # Identifier of the session.
    session_id: str
    # Tenant, or "*" for a session of an operator.
    tenant_id: str
    # Key that opened it; the session has its rights.
    key_id: str
    # Name of the key.
    key_name: str | None
    # ENDED: signed out, ended by an administrator, or its key ended. EXPIRED: too old, or idle for too long.
    status: Literal["ACTIVE", "ENDED", "EXPIRED"]
    # Address that opened it.
    address: str | None
    # Time of opening.
    created_at: str
    # Time of the last request, to the minute.
    last_seen_at: str
    # Time at which it ended before its time.
    ended_at: str | None
    # Key that ended it.
    ended_by: str | None


class SessionPage(TypedDict):
    """One page of a list."""
    # The items of this page.
    items: list[Session]
    # Cursor of the next page; null on the last page.
    next_cursor: str | None


class SharedHoldNotice(TypedDict):
    """A notice with a new link."""
    # Identifier.
    notice_id: str
    # The hold.
    hold_id: str
    # Current status.
    status: Literal["PENDING", "ACKNOWLEDGED", "WITHDRAWN"]
    # Time by which the custodian shall acknowledge.
    due_at: str
    # Whether that time has passed without it.
    overdue: bool
    # Number of reminders.
    reminders: int
    # Time of the last reminder, or null.
    reminded_at: str | None
    # Time of the acknowledgement, or null.
    acknowledged_at: str | None
    # How a custodian without a key acknowledged, by a link under which name; null for one of the actor.
    how: str | None
    # Time at which the newest link of the notice ends; null without a link.
    link_expires_at: str | None
    # Steps, oldest first.
    history: list[HoldNoticeStep]
    # Name or e-mail address of the custodian.
    custodian: str
    # Actor of the custodian, who alone acknowledges then; null for a custodian without a key.
    custodian_id: str | None
    # Text of the notice.
    text: str
    # Tenant.
    tenant_id: str
    # Time of creation.
    created_at: str
    # API key that created it.
    created_by: str
    # Time of the last change.
    updated_at: str
    # Actions allowed now.
    allowed_actions: list[str]
    # Number of the current revision.
    revision: int
    # The token; returned once, the service stores only its hash.
    token: str
    # Path of the page on this host that opens the link; the token is behind the #.
    url: str


class SignatureCheck(TypedDict):
    """One check."""
    # Name of the check.
    name: str
    # Whether it passed.
    ok: bool
    # Result in words.
    detail: str


class SigningKey(TypedDict):
    """A signing key of a tenant; its private part is stored wrapped and never shown."""
    # Identifier, and `kid` in signatures.
    key_id: str
    # Tenant.
    tenant_id: str
    # Purpose; the key signs nothing else.
    purpose: Literal["BUNDLE", "CHECKPOINT", "SEGMENT"]
    # RFC 8032.
    algorithm: Literal["Ed25519"]
    # Only the ACTIVE key signs: one for each tenant and purpose.
    status: Literal["PENDING", "ACTIVE", "RETIRED", "REVOKED"]
    # The public key, `x` of its JWK (RFC 8037).
    public_key: str
    # RFC 7638 thumbprint of the public key; bundles and checkpoints refer to it.
    thumbprint: str
    # Time of creation.
    created_at: str
    # API key that created it, or the service.
    created_by: str
    # Time of activation.
    activated_at: str | None
    # Time of retirement.
    retired_at: str | None
    # Time of revocation.
    revoked_at: str | None
    # Reason of the revocation.
    revocation_reason: str | None
    # Signatures from this time on are invalid.
    revocation_effective_at: str | None
    # Changes, oldest first.
    history: list[SigningKeyChangeView]


class _SigningKeyChangeViewRequired(TypedDict):
    # ROTATED: replaced by another key. COMPROMISED: revoked, because others may have the private key.
    change: Literal["CREATED", "ACTIVATED", "ROTATED", "RETIRED", "REVOKED", "COMPROMISED"]
    # Time of the change.
    at: str


class SigningKeyChangeView(_SigningKeyChangeViewRequired, total=False):
    """One change of a signing key."""
    # Reason of the revocation.
    reason: str
    # Signatures from this time on are invalid.
    effective_at: str


class _SigningKeyInputRequired(TypedDict):
    # Purpose; the key signs nothing else.
    purpose: Literal["BUNDLE", "CHECKPOINT", "SEGMENT"]


class SigningKeyInput(_SigningKeyInputRequired, total=False):
    """A new signing key."""
    # Must equal the tenant of the request.
    tenant_id: str
    # The only algorithm.
    algorithm: Literal["Ed25519"]


class SigningKeyPage(TypedDict):
    """One page of a list."""
    # The items of this page.
    items: list[SigningKey]
    # Cursor of the next page; null on the last page.
    next_cursor: str | None


class SourceFeed(TypedDict):
    """The promise of a source system to send a sign of life regularly."""
    # Identifier of the feed.
    feed_id: str
    # Tenant of the feed.
    tenant_id: str
    # Status as of the last sweep or sign of life.
    status: Literal["HEALTHY", "STALE", "PAUSED", "DELETED"]
    # Actions allowed now.
    allowed_actions: list[str]
    # Time of the last heartbeat.
    last_heartbeat_at: str | None
    # Time at which the last event of the source system was recorded; it counts as a heartbeat.
    last_event_at: str | None
    # Deadline; null while the feed is paused.
    due_at: str | None
    # Number of the current revision.
    revision: int
    # Time of registration.
    created_at: str
    # Key that registered it.
    created_by: str
    # Time of the last change.
    updated_at: str
    # The latest 50 steps, oldest first.
    history: list[SourceFeedStep]
    # Source system that sends the events.
    source_system: str
    # Format of the messages.
    format: str | None
    # Description for operators.
    description: str | None
    # Longest time between two signs of life, in seconds.
    expected_interval_seconds: int
    # Further seconds before the feed is stale; 0 by default.
    grace_seconds: int
    # Faults that this sender of X12 always makes, and which are agreed; they become marked warnings.
    agreed_faults: list[Literal["OTHER_SUBSCRIBER_AFTER_LINES", "LX_MISSING", "SEGMENT_COUNT_MISMATCH", "GROUP_COUNT_MISMATCH", "INTERCHANGE_COUNT_MISMATCH"]] | None
    # First day (UTC) of the agreement.
    agreed_from: str | None
    # Last day (UTC) of the agreement.
    agreed_until: str | None


class _SourceFeedInputRequired(TypedDict):
    # Source system that sends the events.
    source_system: str
    # Longest time between two signs of life, in seconds.
    expected_interval_seconds: int


class SourceFeedInput(_SourceFeedInputRequired, total=False):
    """A new source feed."""
    # Format of the messages.
    format: Literal["json", "x12", "hl7v2", "fhir", "ncpdp", "cda"]
    # Description for operators.
    description: str
    # Further seconds before the feed is stale; 0 by default.
    grace_seconds: int
    # Faults that this sender of X12 always makes, and which are agreed; they become marked warnings.
    agreed_faults: list[Literal["OTHER_SUBSCRIBER_AFTER_LINES", "LX_MISSING", "SEGMENT_COUNT_MISMATCH", "GROUP_COUNT_MISMATCH", "INTERCHANGE_COUNT_MISMATCH"]]
    # First day (UTC) of the agreement.
    agreed_from: str
    # Last day (UTC) of the agreement.
    agreed_until: str


class SourceFeedPage(TypedDict):
    """One page of a list."""
    # The items of this page.
    items: list[SourceFeed]
    # Cursor of the next page; null on the last page.
    next_cursor: str | None


class SourceFeedPatch(TypedDict, total=False):
    """Changes of a source feed: null removes a value, an absent member stays."""
    # PAUSED pauses the feed. HEALTHY resumes it, and its interval starts again.
    status: Literal["HEALTHY", "PAUSED"]
    # Revision that the caller has read; CONFLICT if the feed has another one.
    revision: int
    # Format of the messages.
    format: Literal["json", "x12", "hl7v2", "fhir", "ncpdp", "cda", None]
    # Description for operators.
    description: str | None
    # Longest time between two signs of life, in seconds.
    expected_interval_seconds: int
    # Further seconds before the feed is stale; 0 by default.
    grace_seconds: int
    # Faults that this sender of X12 always makes, and which are agreed; they become marked warnings.
    agreed_faults: list[Literal["OTHER_SUBSCRIBER_AFTER_LINES", "LX_MISSING", "SEGMENT_COUNT_MISMATCH", "GROUP_COUNT_MISMATCH", "INTERCHANGE_COUNT_MISMATCH"]] | None
    # First day (UTC) of the agreement.
    agreed_from: str | None
    # Last day (UTC) of the agreement.
    agreed_until: str | None


_SourceFeedStepRequired = TypedDict(
    "_SourceFeedStepRequired",
    {
        # Revision after the step.
        "revision": "int",
        # Action of the step.
        "action": "str",
        # Status before.
        "from": "str | None",
        # Status after.
        "to": "str",
        # Time of the step.
        "at": "str",
        # Key that took the step, or the part of the service.
        "by": "str",
    },
)


_SourceFeedStepOptional = TypedDict(
    "_SourceFeedStepOptional",
    {
    }, total=False,
)


class SourceFeedStep(_SourceFeedStepRequired, _SourceFeedStepOptional):
    """One step of a source feed."""


class SourceFeedSweep(TypedDict):
    """Result of a sweep."""
    # Number of feeds that were stale or past their deadline.
    judged: int
    # Feeds that became stale.
    became_stale: list[str]
    # Feeds that became healthy again.
    recovered: list[str]


class StoodOn(TypedDict):
    """The rules and events that an answer is based on."""
    # Rule revisions.
    rules: list[StoodOnRule]
    # The event, and other events of its member that gave evidence.
    events: list[StoodOnEvent]
    # True if the member has more events than were read; only the newest were read.
    record_capped: bool


class StoodOnEvent(TypedDict):
    """A ledger entry that an answer is based on."""
    # The event.
    event_id: str
    # Its entry hash in the chain.
    entry_hash: str


class StoodOnRule(TypedDict):
    """A rule revision that an answer is based on."""
    # The rule.
    rule_id: str
    # Revision in force at the event’s effective time.
    revision: int
    # SHA-256 of the stored artifact.
    artifact_sha256: str


class StoodOnTable(TypedDict):
    """An imported code table."""
    # The system.
    system: str
    # The edition.
    edition: str


class SweepCountsShape(TypedDict):
    """Result of a sweep."""
    # Expired records.
    past_age: int
    # Disposed records; with dry_run, those that would be.
    disposed: int
    # Expired records that a hold keeps.
    held: int
    # Records that fail their check; each has an exception.
    damaged: int


class _TenantRequired(TypedDict):
    # The tenant's identifier.
    tenant_id: str
    # Display name.
    name: str
    # Requests of a SUSPENDED tenant fail with TENANT_SUSPENDED.
    status: Literal["ACTIVE", "SUSPENDED"]
    # Time of creation.
    created_at: str


class Tenant(_TenantRequired, total=False):
    """A health plan; its records are isolated from all others."""
    # Requests a minute, if the tenant has its own limit; 0 is no limit.
    rate_limit_per_minute: int


class TenantChangeInput(TypedDict, total=False):
    """Changes of a tenant; absent members stay."""
    # Display name.
    name: str
    # SUSPENDED rejects the tenant's keys everywhere within 5 s.
    status: Literal["ACTIVE", "SUSPENDED"]
    # Requests a minute; 0 is no limit, null the deployment's limit (SERVICE_RATE_LIMIT_PER_MINUTE).
    rate_limit_per_minute: int | None


class TenantInput(TypedDict):
    """A new tenant."""
    # The tenant's identifier, chosen by the caller and permanent.
    tenant_id: str
    # Display name.
    name: str


class TenantPage(TypedDict):
    """One page of a list."""
    # The items of this page.
    items: list[Tenant]
    # Cursor of the next page; null on the last page.
    next_cursor: str | None


class TimelineEntry(TypedDict):
    """One record on the timeline of a member."""
    # Kind of the record.
    kind: Literal["EVENT", "DECISION", "DOCUMENT", "HOLD", "BUNDLE", "CONSENT", "APPOINTMENT", "CARE_TEAM"]
    # Identifier of the record.
    id: str
    # Time of the record; docs/timeline.md lists the time of each kind.
    at: str
    # Member identifier in the record.
    member_id: str
    # Type of the record.
    type: str | None
    # Outcome or status.
    status: str | None
    # Source system.
    source_system: str | None
    # The record as this caller may see it.
    record: Any


class TimelinePart(TypedDict):
    """A page of one kind, under one identifier of the member."""
    # In order of time.
    items: list[TimelineEntry]
    # Last position read, if there are more.
    next_cursor: str | None


class Unanchored(TypedDict):
    """Leaves that no anchor outside of this machine covers."""
    # They begin at this size of the tree.
    since_size: int
    # Time of the newest anchor outside; null without one.
    since: str | None


class UnmatchedProvider(TypedDict):
    """Remittances of one provider that no claim matches."""
    # NPI of the provider; null where the remittance names none.
    provider: str | None
    # Number of remittances.
    remittances: int
    # Effective time of the oldest.
    oldest_at: str
    # Effective time of the newest.
    newest_at: str
    # The newest of these events; 20 at most.
    event_ids: list[str]


class UnmatchedRemittances(TypedDict):
    """Providers with remittances that no claim matches."""
    # Number of such remittances; each counts once.
    remittances: int
    # The providers, the one with most remittances first.
    items: list[UnmatchedProvider]
    # True if the answer omits something: more events than one analysis examines, or more items than asked
    # for.
    truncated: bool


class VerifiedPartition(TypedDict):
    """The part of a chain that was verified."""
    # Originating system.
    source_system: str
    # First sequence verified.
    from_sequence: int
    # Last sequence verified.
    to_sequence: int
    # Number of entries verified.
    checked: int
    # Hash of the last entry verified; null if there is none.
    head_hash: str | None


class Webhook(TypedDict):
    """A subscription to platform events."""
    # Identifier of the webhook.
    webhook_id: str
    # Event kinds of the webhook.
    event_types: list[str]
    # Only an ACTIVE webhook receives deliveries. The service suspends one that answers 410 or fails for five
    # days.
    status: Literal["ACTIVE", "PAUSED", "SUSPENDED"]
    # Reason of the suspension: the receiver answered 410 (GONE) or failed for five days (FAILING).
    suspension_reason: Literal["GONE", "FAILING", None]
    # Health.
    health: WebhookHealthShape
    # Time until which a former secret also signs, or null.
    previous_secret_expires_at: str | None
    # Time from which it receives events.
    last_enabled_at: str
    # Target of deliveries: HTTPS, without credentials, and not in a private network.
    url: str
    # Only events of these source systems. Default: all but the reserved partitions, which must be named.
    source_systems: list[str] | None
    # Purpose.
    description: str | None
    # Maximum deliveries started a second; null for no limit.
    throttle_per_second: int | None
    # Maximum concurrent deliveries.
    max_in_flight: int
    # Tenant.
    tenant_id: str
    # Time of creation.
    created_at: str
    # API key that created it.
    created_by: str
    # Time of the last change.
    updated_at: str
    # Actions allowed now.
    allowed_actions: list[str]
    # Number of the current revision.
    revision: int


class _WebhookAttemptRequired(TypedDict):
    # Start of the request.
    at: str
    # Duration in milliseconds.
    duration_ms: int


class WebhookAttempt(_WebhookAttemptRequired, total=False):
    """One request to the receiver."""
    # HTTP status of the answer, if any.
    status: int
    # Reason of the failure.
    error: str


class WebhookDeliveryAggregate(TypedDict):
    """Groups of deliveries with their figures."""
    # Number of deliveries.
    count: int
    # The groups, the largest first.
    items: list[WebhookDeliveryGroup]
    # Whether there are more groups than shown.
    truncated: bool


class _WebhookDeliveryDetailRequired(TypedDict):
    # Identifier.
    delivery_id: str
    # Webhook.
    webhook_id: str
    # The message: `id` of its body, and the header webhook-id.
    message_id: str
    # The event kind.
    type: str
    # Status; the sixth failed attempt is final.
    status: Literal["PENDING", "RETRY_SCHEDULED", "DELIVERED", "FAILED", "CANCELLED"]
    # Cause: an event (SCHEDULED), or a request.
    trigger: Literal["SCHEDULED", "REDELIVERY", "RECOVERY", "TEST"]
    # Attempts, oldest first.
    attempts: list[WebhookAttempt]
    # Time of creation.
    created_at: str
    # Body of the message; null after 30 days.
    body: Any


class WebhookDeliveryDetail(_WebhookDeliveryDetailRequired, total=False):
    """A delivery with its message."""
    # Time of the next attempt, while it waits.
    next_attempt_at: str


class WebhookDeliveryGroup(TypedDict):
    """Deliveries with the same values."""
    # The event kind; null where the query does not group by it.
    type: str | None
    # Status; null where the query does not group by it.
    status: str | None
    # Cause; null where the query does not group by it.
    trigger: str | None
    # Day in UTC; null where the query does not group by it.
    day: str | None
    # Number of deliveries.
    count: int
    # Number of delivered ones.
    delivered: int
    # Number of failed ones.
    failed: int
    # Mean number of attempts.
    attempts_mean: float
    # Share of delivered ones among delivered and failed ones; null if there are none.
    delivered_rate: float | None


class WebhookDeliveryPage(TypedDict):
    """One page of a list."""
    # The items of this page.
    items: list[WebhookDeliveryShape]
    # Cursor of the next page; null on the last page.
    next_cursor: str | None


class _WebhookDeliveryShapeRequired(TypedDict):
    # Identifier.
    delivery_id: str
    # Webhook.
    webhook_id: str
    # The message: `id` of its body, and the header webhook-id.
    message_id: str
    # The event kind.
    type: str
    # Status; the sixth failed attempt is final.
    status: Literal["PENDING", "RETRY_SCHEDULED", "DELIVERED", "FAILED", "CANCELLED"]
    # Cause: an event (SCHEDULED), or a request.
    trigger: Literal["SCHEDULED", "REDELIVERY", "RECOVERY", "TEST"]
    # Attempts, oldest first.
    attempts: list[WebhookAttempt]
    # Time of creation.
    created_at: str


class WebhookDeliveryShape(_WebhookDeliveryShapeRequired, total=False):
    """One message for one webhook."""
    # Time of the next attempt, while it waits.
    next_attempt_at: str


class WebhookEventType(TypedDict):
    """An event kind of the catalogue."""
    # Name.
    type: str
    # Area.
    area: str
    # Description of the event.
    description: str
    # JSON Schema of the body.
    schema: dict[str, Any]
    # Example of a body.
    example: dict[str, Any]


class WebhookEventTypePage(TypedDict):
    """One page of a list."""
    # The items of this page.
    items: list[WebhookEventType]
    # Cursor of the next page; null on the last page.
    next_cursor: str | None


class WebhookHealthShape(TypedDict):
    """Health of a webhook; tests do not count."""
    # Failed attempts since the last success.
    consecutive_failures: int
    # Start of the current failures, or null.
    first_failure_at: str | None
    # Time of the last failed attempt.
    last_failure_at: str | None
    # Time of the last success, to the second.
    last_success_at: str | None


class _WebhookInputRequired(TypedDict):
    # Target of deliveries: HTTPS, without credentials, and not in a private network.
    url: str


class WebhookInput(_WebhookInputRequired, total=False):
    """A new webhook."""
    # Must equal the tenant of the request.
    tenant_id: str
    # Event kinds of the catalogue; `*` for all, `bundle.*` for a family.
    event_types: list[str]
    # Alias of `event_types`; if both are present, they must be equal.
    events: list[str]
    # Only events of these source systems. Default: all but the reserved partitions, which must be named.
    source_systems: list[str]
    # Purpose.
    description: str
    # Maximum deliveries started a second; null for no limit.
    throttle_per_second: int
    # Maximum concurrent deliveries.
    max_in_flight: int


class WebhookPage(TypedDict):
    """One page of a list."""
    # The items of this page.
    items: list[Webhook]
    # Cursor of the next page; null on the last page.
    next_cursor: str | None


class WebhookPatch(TypedDict, total=False):
    """Changes of a webhook; absent members stay, null removes a value."""
    # Event kinds of the catalogue; `*` for all, `bundle.*` for a family.
    event_types: list[str]
    # Alias of `event_types`; if both are present, they must be equal.
    events: list[str]
    # PAUSED stops deliveries; ACTIVE resumes them and clears the failures.
    status: Literal["ACTIVE", "PAUSED"]
    # Revision that the caller has read; another current revision is a CONFLICT.
    revision: int
    # Target of deliveries: HTTPS, without credentials, and not in a private network.
    url: str
    # Only events of these source systems. Default: all but the reserved partitions, which must be named.
    source_systems: list[str] | None
    # Purpose.
    description: str | None
    # Maximum deliveries started a second; null for no limit.
    throttle_per_second: int | None
    # Maximum concurrent deliveries.
    max_in_flight: int


class WebhookRecovery(TypedDict):
    """The result of a recovery."""
    # The webhook.
    webhook_id: str
    # True if it only counted.
    dry_run: bool
    # Number of messages that are, or would be, sent again.
    count: int
    # Start of the next recovery if one was not enough; else null.
    continue_from: str | None


class _WebhookRecoveryInputRequired(TypedDict):
    # Start of the span, included.
    since: str
    # End of the span, excluded.
    until: str


class WebhookRecoveryInput(_WebhookRecoveryInputRequired, total=False):
    """A time span; its messages are sent again."""
    # Only these kinds of the webhook.
    event_types: list[str]
    # True only counts the messages.
    dry_run: bool


class WebhookTestInput(TypedDict, total=False):
    """A test delivery."""
    # Event kind of the example. Default: the first kind that the webhook accepts.
    event_type: Literal["event.ingested", "event.duplicated", "document.ingested", "document.quarantined", "bundle.requested", "bundle.sealed", "bundle.failed", "rule.created", "rule.updated", "exception.opened", "exception.resolved", "legal-hold.created", "legal-hold.released", "advocacy.verdict", "checkpoint.published"]


class WebhookWithSecret(TypedDict):
    """A webhook with its secret, which is returned once."""
    # Identifier of the webhook.
    webhook_id: str
    # Event kinds of the webhook.
    event_types: list[str]
    # Only an ACTIVE webhook receives deliveries. The service suspends one that answers 410 or fails for five
    # days.
    status: Literal["ACTIVE", "PAUSED", "SUSPENDED"]
    # Reason of the suspension: the receiver answered 410 (GONE) or failed for five days (FAILING).
    suspension_reason: Literal["GONE", "FAILING", None]
    # Health.
    health: WebhookHealthShape
    # Time until which a former secret also signs, or null.
    previous_secret_expires_at: str | None
    # Time from which it receives events.
    last_enabled_at: str
    # Target of deliveries: HTTPS, without credentials, and not in a private network.
    url: str
    # Only events of these source systems. Default: all but the reserved partitions, which must be named.
    source_systems: list[str] | None
    # Purpose.
    description: str | None
    # Maximum deliveries started a second; null for no limit.
    throttle_per_second: int | None
    # Maximum concurrent deliveries.
    max_in_flight: int
    # Tenant.
    tenant_id: str
    # Time of creation.
    created_at: str
    # API key that created it.
    created_by: str
    # Time of the last change.
    updated_at: str
    # Actions allowed now.
    allowed_actions: list[str]
    # Number of the current revision.
    revision: int
    # Secret that signs every delivery; it cannot be read again.
    secret: str


class Withheld(TypedDict):
    """Records that consent withholds from this answer."""
    # Number of withheld records; in a list, on this page.
    count: int
    # Reason.
    reason: Literal["CONSENT_DENIED", "42CFR2"]


class WithheldEvent(TypedDict):
    """An event of the record that this caller may not see in full."""
    # The event.
    event_id: str
    # Reason.
    state: Literal["REDACTED", "DISPOSED"]


class _ErrorRequired(TypedDict):
    # The error code, for programs.
    code: Literal["VALIDATION_ERROR", "MALFORMED_BODY", "TENANT_REQUIRED", "UNAUTHENTICATED", "STEP_UP_REQUIRED", "FORBIDDEN", "TENANT_MISMATCH", "TENANT_SUSPENDED", "NOT_FOUND", "METHOD_NOT_ALLOWED", "CONFLICT", "NOT_SEALED", "QUARANTINED", "LEGAL_HOLD_ACTIVE", "INVALID_TRANSITION", "SCOPE_MISMATCH", "IDEMPOTENCY_IN_PROGRESS", "DOCUMENT_REJECTED", "DISPOSED", "PAYLOAD_TOO_LARGE", "UNSUPPORTED_MEDIA_TYPE", "RANGE_NOT_SATISFIABLE", "IDEMPOTENCY_KEY_REUSED", "RATE_LIMITED", "INTERNAL", "INTEGRITY_FAILURE", "UNAVAILABLE"]
    # The error, as a sentence.
    message: str
    # The HTTP status.
    status: int
    # Name it when you ask for support.
    request_id: str
    # RFC 9457 type; names the code.
    type: str
    # RFC 9457 title.
    title: str


class Error(_ErrorRequired, total=False):
    """The error object of every status."""
    # Each fault with its path.
    errors: list[FieldFault]


class _IngestEventsBody3Required(TypedDict):
    events: list[EventEnvelope]


class IngestEventsBody3(_IngestEventsBody3Required, total=False):
    tenant_id: str


class IngestEventsAnswer1(TypedDict):
    # DUPLICATE: the same envelope was sent before; the result names the first event.
    status: Literal["ACCEPTED", "DUPLICATE"]
    # The event.
    event_id: str
    # Tenant.
    tenant_id: str
    # Originating system.
    source_system: str
    # Place in the chain, from 1.
    sequence: int
    # Hash of the previous entry.
    prev_hash: str
    # Hash of this entry.
    entry_hash: str
    # SHA-256 of the write-once copy.
    worm_sha256: str
    # When it was recorded.
    accepted_at: str


class DeclareIncarnationBody(TypedDict):
    # Why the tree need not extend its last checkpoint; stored permanently and public.
    reason: str


class _SearchBodyRequired(TypedDict):
    # Words, codes, "phrases", pre*fixes and -exclusions; a hit must have every part.
    query: str


class SearchBody(_SearchBodyRequired, total=False):
    # Kinds of records to search; by default all that the key may read.
    kinds: list[Literal["event", "document"]]
    # Further conditions on hits.
    filters: SearchBodyFilters
    # Purpose of the read: records that consent withholds are left out and counted. Without a purpose, every
    # record is shown.
    purpose: str
    # Largest number of hits to return; 50 by default.
    limit: int
    # The `next_cursor` of the previous page.
    cursor: str


_SearchBodyFiltersRequired = TypedDict(
    "_SearchBodyFiltersRequired",
    {
    },
)


_SearchBodyFiltersOptional = TypedDict(
    "_SearchBodyFiltersOptional",
    {
        # Only of this kind; finds documents alone.
        "document_type": "str",
        # Effective at or after.
        "from": "str",
        # Only of this legal matter; finds documents alone.
        "matter_id": "str",
        # Only of this media type; finds documents alone.
        "media_type": "str",
        # Of this member.
        "member_id": "str",
        # Of this source system; required to search a system partition.
        "source_system": "str",
        # Effective before.
        "to": "str",
        # Of this family, in any case.
        "event_family": "str",
        # Of this type, in any case.
        "event_type": "str",
        # With this outcome, in any case.
        "outcome": "str",
    }, total=False,
)


class SearchBodyFilters(_SearchBodyFiltersRequired, _SearchBodyFiltersOptional):
    """Further conditions on hits."""


class _SearchAnswerRequired(TypedDict):
    # The hits of this page.
    items: list[SearchAnswerItemsItem]
    # Total number of hits.
    total: int
    # Older events were not examined: hits and counts cover the newest 5,000 with the rarest part.
    truncated: bool
    # Counts over all hits, not only those of this page.
    facets: SearchAnswerFacets
    # Cursor of the next page; null on the last one.
    next_cursor: str | None


class SearchAnswer(_SearchAnswerRequired, total=False):
    """Hits, the best first."""
    # Progress of the index.
    freshness: SearchFreshness
    # Number of hits that consent withholds for the stated purpose: they are in no item and no count.
    withheld: Withheld


class _SearchAnswerItemsItemRequired(TypedDict):
    # The kind of record.
    kind: Literal["event", "document"]
    # The event or the document.
    id: str
    # Relevance: 0 to 1, comparable between pages and kinds.
    score: float
    # The matching passages; three at most.
    highlights: list[SearchAnswerItemsItemHighlightsItem]


class SearchAnswerItemsItem(_SearchAnswerItemsItemRequired, total=False):
    """A hit."""
    # Name of the file.
    filename: str
    # Media type.
    media_type: str
    # Title.
    title: str
    # Kind of document.
    document_type: str
    # Originating system.
    source_system: str
    # Legal matter.
    matter_id: str
    # Members concerned.
    member_ids: list[str]
    # Effective time, else upload time.
    at: str
    # Grouping of the event.
    event_family: str
    # Kind of event.
    event_type: str
    # Result of the event.
    outcome: str
    # Member concerned.
    member_id: str
    # Record of the source system.
    source_record_id: str
    # When it took effect, as sent.
    event_effective_timestamp: str
    # Place in its chain, from 1.
    sequence: int


class _SearchAnswerItemsItemHighlightsItemRequired(TypedDict):
    # The piece; … marks a cut.
    snippet: str
    # Matches within it.
    matches: list[SearchMatch]


class SearchAnswerItemsItemHighlightsItem(_SearchAnswerItemsItemHighlightsItemRequired, total=False):
    """A piece of text around a match, as it was recorded."""
    # Place of the text in the record (RFC 6901).
    pointer: str


class _SearchAnswerFacetsRequired(TypedDict):
    # Hits by source system, the most frequent first; at most 20.
    source_system: list[SearchFacetValue]
    # Hits by month of the effective time (UTC), the most frequent first; at most 20.
    month: list[SearchFacetValue]


class SearchAnswerFacets(_SearchAnswerFacetsRequired, total=False):
    """Counts over all hits, not only those of this page."""
    # Hits by kind of document, the most frequent first; 20 at most.
    document_type: list[DocumentFacetValue]
    # Hits by media type, the most frequent first; 20 at most.
    media_type: list[DocumentFacetValue]
    # Hits by family, the most frequent first; at most 20.
    event_family: list[SearchFacetValue]
    # Hits by type, the most frequent first; at most 20.
    event_type: list[SearchFacetValue]
    # Hits by outcome, the most frequent first; at most 20.
    outcome: list[SearchFacetValue]


class ListQuestionsAnswer(TypedDict):
    # The questions.
    items: list[ListQuestionsAnswerItemsItem]
    # Null: the list has one page.
    next_cursor: str | None


class ListQuestionsAnswerItemsItem(TypedDict):
    # Name of the question, and of the operation in its query.
    name: str
    # The question.
    title: str
    # What the answer counts or lists.
    explanation: str
    # The query, to send to /graphql.
    query: str
    # The variables of the query.
    variables: list[ListQuestionsAnswerItemsItemVariablesItem]


class ListQuestionsAnswerItemsItemVariablesItem(TypedDict):
    # Name of the variable.
    name: str
    # Type of the variable in the graph.
    type: str
    # Whether the query needs it.
    required: bool
    # Meaning of the variable.
    description: str
    # A possible value.
    example: str


class _RecordAiDecisionAnswerRequired(TypedDict):
    # Identifier of the decision.
    decision_id: str
    # Its tenant.
    tenant_id: str
    # Kind of decision.
    decision_type: Literal["UTILIZATION_MANAGEMENT", "DENIAL", "FRAUD_SCORE", "OTHER"]
    # The model.
    model: AiModel
    # SHA-256 of the model's input.
    input_sha256: str
    # What it recommended.
    recommendation: str
    # The current outcome: that of the last override, else the recommendation.
    outcome: str
    # Whether a person reviewed it.
    human_review: AiHumanReview
    # Whether it is adverse to the member.
    adverse: bool
    # Adverse, and recorded without a licensed reviewer.
    unreviewed: bool
    # The exception that this opened.
    exception_id: str | None
    # Whether it considered the person.
    individualized: AiIndividualized
    # When it was made.
    decided_at: str
    # Place of its entry in the ledger.
    status: Literal["RECORDED", "OVERRIDDEN"]
    # When it was recorded.
    created_at: str
    # The key that sent it.
    recorded_by: str
    # Its entry.
    provenance: AiProvenance
    # Its overrides, oldest first.
    overrides: list[AiOverride]


class RecordAiDecisionAnswer(_RecordAiDecisionAnswerRequired, total=False):
    # Member concerned.
    member_id: str
    # The event that it decides about.
    event_id: str
    # Its subject, if that is not an event of this service.
    subject_ref: str
    # The model's output.
    output: Any
    # Its score.
    score: float
    # The threshold for the score.
    threshold: float
    # Why.
    rationale: str
    # Anything else that was recorded.
    metadata: Any
    # Members of the request that the service does not know, as sent.
    extra: dict[str, Any]
    # Members of the body that the service does not know; absent without any.
    warnings: list[RecordAiDecisionAnswerWarningsItem]


class _RecordAiDecisionAnswerWarningsItemRequired(TypedDict):
    # JSON Pointer to the member.
    pointer: str
    # Code of the warning.
    code: Literal["unknown_field"]


class RecordAiDecisionAnswerWarningsItem(_RecordAiDecisionAnswerWarningsItemRequired, total=False):
    # The known name that is nearest.
    did_you_mean: str


class _OverrideAiDecisionAnswerRequired(TypedDict):
    # Identifier of the decision.
    decision_id: str
    # Its tenant.
    tenant_id: str
    # Kind of decision.
    decision_type: Literal["UTILIZATION_MANAGEMENT", "DENIAL", "FRAUD_SCORE", "OTHER"]
    # The model.
    model: AiModel
    # SHA-256 of the model's input.
    input_sha256: str
    # What it recommended.
    recommendation: str
    # The current outcome: that of the last override, else the recommendation.
    outcome: str
    # Whether a person reviewed it.
    human_review: AiHumanReview
    # Whether it is adverse to the member.
    adverse: bool
    # Adverse, and recorded without a licensed reviewer.
    unreviewed: bool
    # The exception that this opened.
    exception_id: str | None
    # Whether it considered the person.
    individualized: AiIndividualized
    # When it was made.
    decided_at: str
    # Place of its entry in the ledger.
    status: Literal["RECORDED", "OVERRIDDEN"]
    # When it was recorded.
    created_at: str
    # The key that sent it.
    recorded_by: str
    # Its entry.
    provenance: AiProvenance
    # Its overrides, oldest first.
    overrides: list[AiOverride]


class OverrideAiDecisionAnswer(_OverrideAiDecisionAnswerRequired, total=False):
    # Member concerned.
    member_id: str
    # The event that it decides about.
    event_id: str
    # Its subject, if that is not an event of this service.
    subject_ref: str
    # The model's output.
    output: Any
    # Its score.
    score: float
    # The threshold for the score.
    threshold: float
    # Why.
    rationale: str
    # Anything else that was recorded.
    metadata: Any
    # Members of the request that the service does not know, as sent.
    extra: dict[str, Any]
    # Members of the body that the service does not know; absent without any.
    warnings: list[OverrideAiDecisionAnswerWarningsItem]


class _OverrideAiDecisionAnswerWarningsItemRequired(TypedDict):
    # JSON Pointer to the member.
    pointer: str
    # Code of the warning.
    code: Literal["unknown_field"]


class OverrideAiDecisionAnswerWarningsItem(_OverrideAiDecisionAnswerWarningsItemRequired, total=False):
    # The known name that is nearest.
    did_you_mean: str


class CreateTenantBody(TypedDict):
    # Display name.
    name: str
    # The tenant's identifier, chosen by the caller and permanent.
    tenant_id: str


class _CreateActorAnswerRequired(TypedDict):
    # Identifier.
    actor_id: str
    # Keys of a SUSPENDED actor are rejected.
    status: Literal["ACTIVE", "SUSPENDED"]
    # Name.
    name: str
    # Kind; HUMAN by default.
    kind: Literal["HUMAN", "SERVICE"]
    # E-mail address by which the sign-in provider names the person, if it has verified the address.
    email: str | None
    # Identifier of the person at the sign-in provider (claim sub). With it, the e-mail address does not
    # count.
    subject: str | None
    # Built-in roles by name, other roles by id. The caller must hold every role.
    role_ids: list[str]
    # Tenant.
    tenant_id: str
    # Time of creation.
    created_at: str
    # API key that created it.
    created_by: str
    # Time of the last change.
    updated_at: str


class CreateActorAnswer(_CreateActorAnswerRequired, total=False):
    # Members of the request that the service does not know, as sent.
    extra: dict[str, Any]
    # Members of the body that the service does not know; absent without any.
    warnings: list[CreateActorAnswerWarningsItem]


class _CreateActorAnswerWarningsItemRequired(TypedDict):
    # JSON Pointer to the member.
    pointer: str
    # Code of the warning.
    code: Literal["unknown_field"]


class CreateActorAnswerWarningsItem(_CreateActorAnswerWarningsItemRequired, total=False):
    # The known name that is nearest.
    did_you_mean: str


class _GiveRoleAnswerRequired(TypedDict):
    # Identifier.
    actor_id: str
    # Keys of a SUSPENDED actor are rejected.
    status: Literal["ACTIVE", "SUSPENDED"]
    # Name.
    name: str
    # Kind; HUMAN by default.
    kind: Literal["HUMAN", "SERVICE"]
    # E-mail address by which the sign-in provider names the person, if it has verified the address.
    email: str | None
    # Identifier of the person at the sign-in provider (claim sub). With it, the e-mail address does not
    # count.
    subject: str | None
    # Built-in roles by name, other roles by id. The caller must hold every role.
    role_ids: list[str]
    # Tenant.
    tenant_id: str
    # Time of creation.
    created_at: str
    # API key that created it.
    created_by: str
    # Time of the last change.
    updated_at: str


class GiveRoleAnswer(_GiveRoleAnswerRequired, total=False):
    # Members of the request that the service does not know, as sent.
    extra: dict[str, Any]
    # Members of the body that the service does not know; absent without any.
    warnings: list[GiveRoleAnswerWarningsItem]


class _GiveRoleAnswerWarningsItemRequired(TypedDict):
    # JSON Pointer to the member.
    pointer: str
    # Code of the warning.
    code: Literal["unknown_field"]


class GiveRoleAnswerWarningsItem(_GiveRoleAnswerWarningsItemRequired, total=False):
    # The known name that is nearest.
    did_you_mean: str


class EvaluateFlagsBody(TypedDict, total=False):
    # Context: targeting_key (or targetingKey), and attributes for the rules.
    context: EvaluateFlagsBodyContext
    # Key of one flag; all flags of the tenant if absent.
    key: str
    # Expected type; another one is TYPE_MISMATCH.
    type: Literal["boolean", "string", "number", "object"]


class EvaluateFlagsBodyContext(TypedDict, total=False):
    """Context: targeting_key (or targetingKey), and attributes for the rules."""
    targeting_key: str
    targetingKey: str


class EvaluateFlagByOpenFeatureBody(TypedDict, total=False):
    # The evaluation context: targetingKey, and attributes that rules look at.
    context: EvaluateFlagByOpenFeatureBodyContext


class EvaluateFlagByOpenFeatureBodyContext(TypedDict, total=False):
    """The evaluation context: targetingKey, and attributes that rules look at."""
    targetingKey: str | None


class _EvaluateFlagByOpenFeatureAnswerRequired(TypedDict):
    key: str
    value: Any
    reason: str


class EvaluateFlagByOpenFeatureAnswer(_EvaluateFlagByOpenFeatureAnswerRequired, total=False):
    variant: str
    metadata: dict[str, Any]


class EvaluateFlagsByOpenFeatureBody(TypedDict, total=False):
    # The evaluation context: targetingKey, and attributes that rules look at.
    context: EvaluateFlagsByOpenFeatureBodyContext


class EvaluateFlagsByOpenFeatureBodyContext(TypedDict, total=False):
    """The evaluation context: targetingKey, and attributes that rules look at."""
    targetingKey: str | None


class EvaluateFlagsByOpenFeatureAnswer(TypedDict):
    flags: list[EvaluateFlagsByOpenFeatureAnswerFlagsItem1 | EvaluateFlagsByOpenFeatureAnswerFlagsItem2]


class _EvaluateFlagsByOpenFeatureAnswerFlagsItem1Required(TypedDict):
    key: str
    value: Any
    reason: str


class EvaluateFlagsByOpenFeatureAnswerFlagsItem1(_EvaluateFlagsByOpenFeatureAnswerFlagsItem1Required, total=False):
    variant: str
    metadata: dict[str, Any]


class _EvaluateFlagsByOpenFeatureAnswerFlagsItem2Required(TypedDict):
    key: str
    errorCode: str


class EvaluateFlagsByOpenFeatureAnswerFlagsItem2(_EvaluateFlagsByOpenFeatureAnswerFlagsItem2Required, total=False):
    errorDetails: str


class ExportGraphAnswer(TypedDict):
    nodes: list[GraphNode]
    edges: list[GraphEdge]
    # Whether links of very common numbers are left out.
    truncated: bool


class ConvertLeadBody(TypedDict):
    # The other record.
    converted_to: LeadConversionInput


class _CreateAppointmentAnswerRequired(TypedDict):
    # Identifier.
    appointment_id: str
    # Member, as given.
    member_id: str
    # Status (FHIR).
    status: Literal["proposed", "pending", "waitlist", "booked", "arrived", "checked-in", "fulfilled", "cancelled", "noshow", "entered-in-error"]
    # Kind of service.
    service_type: str | None
    # The practitioner.
    practitioner: AppointmentPractitioner | None
    # Reason for the appointment.
    reason: str | None
    # Reason for the cancellation.
    cancellation_reason: str | None
    # Other participants.
    participants: list[AppointmentParticipant]
    # Steps, oldest first.
    history: list[MemberRecordStep]
    # Start; requires `end`.
    start: str | None
    # End, at most 24 hours after the start.
    end: str | None
    # Time zone (IANA).
    timezone: str | None
    # Location.
    location: str | None
    # Tenant.
    tenant_id: str
    # Time of creation.
    created_at: str
    # API key that created it.
    created_by: str
    # Time of the last change.
    updated_at: str
    # Actions allowed now.
    allowed_actions: list[str]
    # Number of the current revision.
    revision: int


class CreateAppointmentAnswer(_CreateAppointmentAnswerRequired, total=False):
    # Members of the request that the service does not know, as sent.
    extra: dict[str, Any]
    # Members of the body that the service does not know; absent without any.
    warnings: list[CreateAppointmentAnswerWarningsItem]


class _CreateAppointmentAnswerWarningsItemRequired(TypedDict):
    # JSON Pointer to the member.
    pointer: str
    # Code of the warning.
    code: Literal["unknown_field"]


class CreateAppointmentAnswerWarningsItem(_CreateAppointmentAnswerWarningsItemRequired, total=False):
    # The known name that is nearest.
    did_you_mean: str


class _CreateCareTeamEntryAnswerRequired(TypedDict):
    # Identifier.
    care_team_id: str
    # Status (FHIR).
    status: Literal["proposed", "active", "suspended", "inactive", "entered-in-error"]
    # Period of care.
    period: CareTeamPeriod
    # Reason for the end.
    ended_reason: str | None
    # Steps, oldest first.
    history: list[MemberRecordStep]
    # Member, as given.
    member_id: str
    # Role of the carer.
    role: str
    # National provider identifier.
    npi: str | None
    # The actor.
    actor: str | None
    # Name.
    name: str | None
    # Organization.
    organization: str | None
    # Note.
    note: str | None
    # Tenant.
    tenant_id: str
    # Time of creation.
    created_at: str
    # API key that created it.
    created_by: str
    # Time of the last change.
    updated_at: str
    # Actions allowed now.
    allowed_actions: list[str]
    # Number of the current revision.
    revision: int


class CreateCareTeamEntryAnswer(_CreateCareTeamEntryAnswerRequired, total=False):
    # Members of the request that the service does not know, as sent.
    extra: dict[str, Any]
    # Members of the body that the service does not know; absent without any.
    warnings: list[CreateCareTeamEntryAnswerWarningsItem]


class _CreateCareTeamEntryAnswerWarningsItemRequired(TypedDict):
    # JSON Pointer to the member.
    pointer: str
    # Code of the warning.
    code: Literal["unknown_field"]


class CreateCareTeamEntryAnswerWarningsItem(_CreateCareTeamEntryAnswerWarningsItemRequired, total=False):
    # The known name that is nearest.
    did_you_mean: str


class _StartMemberAuthBodyRequired(TypedDict):
    # Member who signs in.
    member_id: str


class StartMemberAuthBody(_StartMemberAuthBodyRequired, total=False):
    # Client address of the person; limits the number of codes per address.
    client_address: str


class VerifyMemberAuthBody(TypedDict):
    # Identifier of the challenge.
    challenge_id: str
    # The code.
    code: str


class RefreshMemberAuthBody(TypedDict):
    # The newest refresh token of the session.
    refresh_token: str


class LogoutMemberBody(TypedDict, total=False):
    # Any token of the session.
    token: str


class _RequestAvaAccessBodyRequired(TypedDict):
    # Member of the record to read; the member receives the code.
    member_id: str
    # Purpose; consent rules apply to it at every read.
    purpose: str
    # Reader of the record; shown to the member and recorded in custody at every read.
    requested_by: str


class RequestAvaAccessBody(_RequestAvaAccessBodyRequired, total=False):
    # Client address of the person; limits the number of codes per address.
    client_address: str
    # Members that the service does not know, kept as sent: at most 16384 bytes of JSON.
    extra: dict[str, Any]
    # Lifetime of the token in seconds; default 900.
    ttl_seconds: int


class _RequestAvaAccessAnswerRequired(TypedDict):
    # Identifier of the request.
    request_id: str
    # Status of the code.
    status: Literal["PENDING", "VERIFIED", "LOCKED", "EXPIRED", "REVOKED"]
    # Expiry of the code; it is valid once, with five attempts.
    expires_at: str
    # Channel of the code.
    delivery: Literal["log", "webhook", "smtp"]


class RequestAvaAccessAnswer(_RequestAvaAccessAnswerRequired, total=False):
    # Members of the request that the service does not know, as sent.
    extra: dict[str, Any]
    # The code; only outside production with SERVICE_CODE_IN_RESPONSE.
    code: str
    # Members of the body that the service does not know; absent without any.
    warnings: list[RequestAvaAccessAnswerWarningsItem]


class _RequestAvaAccessAnswerWarningsItemRequired(TypedDict):
    # JSON Pointer to the member.
    pointer: str
    # Code of the warning.
    code: Literal["unknown_field"]


class RequestAvaAccessAnswerWarningsItem(_RequestAvaAccessAnswerWarningsItemRequired, total=False):
    # The known name that is nearest.
    did_you_mean: str


class VerifyAvaAccessBody(TypedDict):
    # The code that the member received.
    code: str
    # Identifier of the request.
    request_id: str


class _VerifyAvaAccessAnswerRequired(TypedDict):
    # Bearer token; custody records every read with it.
    access_token: str
    # Type of token.
    token_type: Literal["Bearer"]
    # Expiry, at most 15 minutes from now.
    expires_at: str
    # Member of the record that the token opens.
    member_id: str
    # Purpose of the access.
    purpose: str
    # Scopes of the token.
    scopes: list[str]


class VerifyAvaAccessAnswer(_VerifyAvaAccessAnswerRequired, total=False):
    # Members of the body that the service does not know; absent without any.
    warnings: list[VerifyAvaAccessAnswerWarningsItem]


class _VerifyAvaAccessAnswerWarningsItemRequired(TypedDict):
    # JSON Pointer to the member.
    pointer: str
    # Code of the warning.
    code: Literal["unknown_field"]


class VerifyAvaAccessAnswerWarningsItem(_VerifyAvaAccessAnswerWarningsItemRequired, total=False):
    # The known name that is nearest.
    did_you_mean: str


class ReadSharedNoticeAnswer(TypedDict):
    """A notice to a custodian without a key."""
    # The custodian.
    custodian: str
    # Text of the notice.
    text: str
    # Current status.
    status: Literal["PENDING", "ACKNOWLEDGED"]
    # Time by which the custodian shall acknowledge.
    due_at: str
    # Time of the acknowledgement, or null.
    acknowledged_at: str | None


class AcknowledgeSharedNoticeBody(TypedDict):
    # Name of the person who acknowledges.
    name: str


class AcknowledgeSharedNoticeAnswer(TypedDict):
    """A notice to a custodian without a key."""
    # The custodian.
    custodian: str
    # Text of the notice.
    text: str
    # Current status.
    status: Literal["PENDING", "ACKNOWLEDGED"]
    # Time by which the custodian shall acknowledge.
    due_at: str
    # Time of the acknowledgement, or null.
    acknowledged_at: str | None


class SweepRetentionBody(TypedDict, total=False):
    # Reports without disposing.
    dry_run: bool


class RegenerateBundleBody(TypedDict, total=False):
    # Members that the service does not know, kept as sent: at most 16384 bytes of JSON.
    extra: dict[str, Any]


class _RegenerateBundleAnswerRequired(TypedDict):
    # Identifier of the bundle.
    bundle_id: str
    # Tenant of the bundle.
    tenant_id: str
    # Scope.
    bundle_type: Literal["MEMBER", "MATTER", "INCIDENT"]
    # Requested scope.
    scope: BundleScope
    # Extent of the proofs.
    profile: Literal["full", "minimal"]
    # Requester.
    requested_by: str
    # Current status.
    status: Literal["REQUESTED", "SEALED", "FAILED"]
    # Progress of the build.
    progress: BundleProgress
    # Time of the request.
    created_at: str
    # Key of the request.
    created_by: str


class RegenerateBundleAnswer(_RegenerateBundleAnswerRequired, total=False):
    # Purpose in upper case; absent if consent was not checked.
    purpose: str
    # SHA-256 of the sealed ZIP, once sealed.
    worm_blob_sha256: str
    # Size of the sealed ZIP in bytes.
    size: int
    # Number of events.
    event_count: int
    # Number of documents, those without content included.
    document_count: int
    # Events and documents that consent withholds, if any; set by the seal.
    withheld: Withheld
    # Thumbprint of the signing key (RFC 7638).
    signing_key_id: str
    # Digest of the content: equal for two bundles exactly if their contents are equal.
    content_digest: str
    # Time of the seal.
    sealed_at: str
    # The sealed bundle that this one rebuilds.
    regenerated_from: str
    # Members of the request that the service does not know, as sent.
    extra: dict[str, Any]
    # Reason for the failure.
    failure: BundleFailureView
    # Members of the body that the service does not know; absent without any.
    warnings: list[RegenerateBundleAnswerWarningsItem]


class _RegenerateBundleAnswerWarningsItemRequired(TypedDict):
    # JSON Pointer to the member.
    pointer: str
    # Code of the warning.
    code: Literal["unknown_field"]


class RegenerateBundleAnswerWarningsItem(_RegenerateBundleAnswerWarningsItemRequired, total=False):
    # The known name that is nearest.
    did_you_mean: str


class _VerifyBundleSignatureAnswerRequired(TypedDict):
    # The bundle.
    bundle_id: str
    # Whether every check passed.
    valid: bool
    # Verdict of the verifier: VALID, VALID_WITH_NOTES, INTEGRITY_ONLY or INVALID.
    verdict: str
    # All checks.
    checks: list[SignatureCheck]
    # Number of integrity breaks.
    breaks: int
    # Thumbprint of the signing key.
    signing_key_id: str
    # SHA-256 of the ZIP.
    worm_blob_sha256: str


class VerifyBundleSignatureAnswer(_VerifyBundleSignatureAnswerRequired, total=False):
    # Members of the body that the service does not know; absent without any.
    warnings: list[VerifyBundleSignatureAnswerWarningsItem]


class _VerifyBundleSignatureAnswerWarningsItemRequired(TypedDict):
    # JSON Pointer to the member.
    pointer: str
    # Code of the warning.
    code: Literal["unknown_field"]


class VerifyBundleSignatureAnswerWarningsItem(_VerifyBundleSignatureAnswerWarningsItemRequired, total=False):
    # The known name that is nearest.
    did_you_mean: str


class ExportBundleAnswer(TypedDict):
    edx_version: Any
    bundle_id: str
    worm_blob_sha256: str
    # manifest.json as sealed.
    manifest: dict[str, Any]
    # The structure of EDRM XML 1.2.
    edrm: ExportBundleAnswerEdrm
    # The load files themselves: Concordance DAT and CSV.
    load_files: ExportBundleAnswerLoadFiles
    control_numbers: ExportBundleAnswerControlNumbers
    custody: ExportBundleAnswerCustody
    fhir: ExportBundleAnswerFhir


class ExportBundleAnswerEdrm(TypedDict):
    """The structure of EDRM XML 1.2."""
    Documents: list[dict[str, Any]]
    Relationships: list[dict[str, Any]]


class ExportBundleAnswerLoadFiles(TypedDict):
    """The load files themselves: Concordance DAT and CSV."""
    dat: str
    csv: str


class ExportBundleAnswerControlNumbers(TypedDict):
    prefix: str
    count: int


class ExportBundleAnswerCustody(TypedDict):
    case_jsonld: dict[str, Any]


class ExportBundleAnswerFhir(TypedDict):
    audit_events: list[dict[str, Any]]
    provenance: list[dict[str, Any]]


class _MatchMemberBodyRequired(TypedDict):
    # The record to match.
    record: PersonInput


class MatchMemberBody(_MatchMemberBodyRequired, total=False):
    # Maximum number of members; default 20.
    limit: int


class _GetMemberTimelineAnswerRequired(TypedDict):
    # The surviving record of the person; null for a member known only from events.
    member: Member | None
    # Every identifier of the person, the survivor first.
    member_ids: list[str]
    # In order of time, then of id; in the direction asked for.
    items: list[TimelineEntry]
    # Cursor of the next page; null on the last page.
    next_cursor: str | None


class GetMemberTimelineAnswer(_GetMemberTimelineAnswerRequired, total=False):
    """The member of a timeline, with the identifiers to read its records by."""
    # Told where consent keeps records out of this page: for a stated purpose, and for tokens of member
    # access.
    withheld: Withheld


class _MergeMembersBodyRequired(TypedDict):
    # The record to merge.
    source_member_id: str


class MergeMembersBody(_MergeMembersBodyRequired, total=False):
    # Reason.
    reason: str


class _UnmergeMembersBodyRequired(TypedDict):
    # The record to merge.
    source_member_id: str


class UnmergeMembersBody(_UnmergeMembersBodyRequired, total=False):
    # Reason.
    reason: str


class _RecodeEventAnswerRequired(TypedDict):
    # The event; the answer does not change it.
    event_id: str
    # Events of the record that this caller may not see in full.
    withheld: list[WithheldEvent]
    # Limits of the answer.
    limits: str
    # SHA-256 of the canonical answer (RFC 8785) without this member and `recorded`.
    answer_sha256: str
    # Suggested codes, in rule order.
    suggestions: list[RecodeSuggestion]
    # Problems that the record cannot correct.
    needed: list[RecodeNeed]
    # A draft for the signer to review.
    appeal: Appeal
    # Rules, events and tables that the answer is based on.
    stood_on: RecodeStoodOn


class RecodeEventAnswer(_RecodeEventAnswerRequired, total=False):
    # Events of the record that consent withholds.
    withheld_by_consent: Withheld
    # Present if `record` was set.
    recorded: RecordedAnswer
    # Members of the body that the service does not know; absent without any.
    warnings: list[RecodeEventAnswerWarningsItem]


class _RecodeEventAnswerWarningsItemRequired(TypedDict):
    # JSON Pointer to the member.
    pointer: str
    # Code of the warning.
    code: Literal["unknown_field"]


class RecodeEventAnswerWarningsItem(_RecodeEventAnswerWarningsItemRequired, total=False):
    # The known name that is nearest.
    did_you_mean: str


class _PreviewRuleBodyRequired(TypedDict):
    # The rule, as POST /v1/rules takes it.
    rule: RuleInput


class PreviewRuleBody(_PreviewRuleBodyRequired, total=False):
    # How many of the newest events to look at; default 50.
    last: int


class CheckHealthAnswer(TypedDict):
    status: Literal["ok"]
    checks: dict[str, CheckHealthAnswerChecksValue]


class _CheckHealthAnswerChecksValueRequired(TypedDict):
    status: Literal["ok", "failed"]


class CheckHealthAnswerChecksValue(_CheckHealthAnswerChecksValueRequired, total=False):
    # Why the check failed.
    cause: str
    # Of anchors: verdict (VALID, VALID_UNANCHORED, INVALID), anchors and unanchored of the ledger of the
    # operator, as far as they tell without a verification.
    details: dict[str, Any]


class CheckReadinessAnswer(TypedDict):
    status: Literal["ok"]
    checks: dict[str, CheckReadinessAnswerChecksValue]


class _CheckReadinessAnswerChecksValueRequired(TypedDict):
    status: Literal["ok", "failed"]


class CheckReadinessAnswerChecksValue(_CheckReadinessAnswerChecksValueRequired, total=False):
    # Why the check failed.
    cause: str
    # Of anchors: verdict (VALID, VALID_UNANCHORED, INVALID), anchors and unanchored of the ledger of the
    # operator, as far as they tell without a verification.
    details: dict[str, Any]


class QueryGraphBody(TypedDict, total=False):
    query: str
    operationName: str | None
    variables: dict[str, Any] | None
    extensions: dict[str, Any] | None


class QueryGraphAnswer(TypedDict, total=False):
    data: dict[str, Any] | None
    errors: list[QueryGraphAnswerErrorsItem]


class _QueryGraphAnswerErrorsItemRequired(TypedDict):
    message: str
    extensions: dict[str, Any]


class QueryGraphAnswerErrorsItem(_QueryGraphAnswerErrorsItemRequired, total=False):
    path: list[Any]


class EventIngestedDelivery(TypedDict):
    """An event was appended to the ledger."""
    # The same on every attempt; equals the header webhook-id.
    id: str
    # The event kind.
    type: Literal["event.ingested"]
    # The tenant it belongs to.
    tenant_id: str
    # When it happened.
    created_at: str
    data: EventIngestedDeliveryData


class EventIngestedDeliveryData(TypedDict):
    # The event.
    event_id: str
    # Its source system.
    source_system: str
    # Its place in the chain of its source system.
    sequence: int
    # Its link in the chain.
    entry_hash: str
    # When it was recorded.
    recorded_at: str


class EventDuplicatedDelivery(TypedDict):
    """A request repeated events that the ledger holds already; nothing was appended."""
    # The same on every attempt; equals the header webhook-id.
    id: str
    # The event kind.
    type: Literal["event.duplicated"]
    # The tenant it belongs to.
    tenant_id: str
    # When it happened.
    created_at: str
    data: EventDuplicatedDeliveryData


class EventDuplicatedDeliveryData(TypedDict):
    # The events held already.
    event_ids: list[str]


class DocumentIngestedDelivery(TypedDict):
    """A document was stored."""
    # The same on every attempt; equals the header webhook-id.
    id: str
    # The event kind.
    type: Literal["document.ingested"]
    # The tenant it belongs to.
    tenant_id: str
    # When it happened.
    created_at: str
    data: DocumentIngestedDeliveryData


class DocumentIngestedDeliveryData(TypedDict):
    # The document.
    document_id: str
    # When.
    at: str
    # Its content.
    sha256: str


class DocumentQuarantinedDelivery(TypedDict):
    """The scan flagged a document; reads of it are blocked."""
    # The same on every attempt; equals the header webhook-id.
    id: str
    # The event kind.
    type: Literal["document.quarantined"]
    # The tenant it belongs to.
    tenant_id: str
    # When it happened.
    created_at: str
    data: DocumentQuarantinedDeliveryData


class DocumentQuarantinedDeliveryData(TypedDict):
    # The document.
    document_id: str
    # When.
    at: str


class BundleRequestedDelivery(TypedDict):
    """A bundle was asked for."""
    # The same on every attempt; equals the header webhook-id.
    id: str
    # The event kind.
    type: Literal["bundle.requested"]
    # The tenant it belongs to.
    tenant_id: str
    # When it happened.
    created_at: str
    data: BundleRequestedDeliveryData


class BundleRequestedDeliveryData(TypedDict):
    # The bundle.
    bundle_id: str
    # What it gathers.
    bundle_type: Literal["MEMBER", "MATTER", "INCIDENT"]


class BundleSealedDelivery(TypedDict):
    """A bundle is sealed and can be downloaded."""
    # The same on every attempt; equals the header webhook-id.
    id: str
    # The event kind.
    type: Literal["bundle.sealed"]
    # The tenant it belongs to.
    tenant_id: str
    # When it happened.
    created_at: str
    data: BundleSealedDeliveryData


class BundleSealedDeliveryData(TypedDict):
    # The bundle.
    bundle_id: str
    # What it gathers.
    bundle_type: Literal["MEMBER", "MATTER", "INCIDENT"]
    # The sealed ZIP.
    worm_blob_sha256: str
    # When.
    sealed_at: str


class BundleFailedDelivery(TypedDict):
    """A bundle could not be built."""
    # The same on every attempt; equals the header webhook-id.
    id: str
    # The event kind.
    type: Literal["bundle.failed"]
    # The tenant it belongs to.
    tenant_id: str
    # When it happened.
    created_at: str
    data: BundleFailedDeliveryData


class BundleFailedDeliveryData(TypedDict):
    # The bundle.
    bundle_id: str
    # What it gathers.
    bundle_type: Literal["MEMBER", "MATTER", "INCIDENT"]
    # Why.
    code: str


class RuleCreatedDelivery(TypedDict):
    """A rule was added."""
    # The same on every attempt; equals the header webhook-id.
    id: str
    # The event kind.
    type: Literal["rule.created"]
    # The tenant it belongs to.
    tenant_id: str
    # When it happened.
    created_at: str
    data: RuleCreatedDeliveryData


class RuleCreatedDeliveryData(TypedDict):
    # The rule.
    rule_id: str
    # Its key.
    key: str
    # The revision that is new.
    revision: int
    # Hash of the artifact as it was stored.
    artifact_sha256: str


class RuleUpdatedDelivery(TypedDict):
    """A rule has a new revision."""
    # The same on every attempt; equals the header webhook-id.
    id: str
    # The event kind.
    type: Literal["rule.updated"]
    # The tenant it belongs to.
    tenant_id: str
    # When it happened.
    created_at: str
    data: RuleUpdatedDeliveryData


class RuleUpdatedDeliveryData(TypedDict):
    # The rule.
    rule_id: str
    # Its key.
    key: str
    # The revision that is new.
    revision: int
    # Hash of the artifact as it was stored.
    artifact_sha256: str


class ExceptionOpenedDelivery(TypedDict):
    """Something needs an operator."""
    # The same on every attempt; equals the header webhook-id.
    id: str
    # The event kind.
    type: Literal["exception.opened"]
    # The tenant it belongs to.
    tenant_id: str
    # When it happened.
    created_at: str
    data: ExceptionOpenedDeliveryData


class ExceptionOpenedDeliveryData(TypedDict):
    # The exception.
    exception_id: str
    # What it is about.
    kind: str
    # How pressing.
    severity: Literal["LOW", "MEDIUM", "HIGH", "CRITICAL"]


class ExceptionResolvedDelivery(TypedDict):
    """An exception was resolved."""
    # The same on every attempt; equals the header webhook-id.
    id: str
    # The event kind.
    type: Literal["exception.resolved"]
    # The tenant it belongs to.
    tenant_id: str
    # When it happened.
    created_at: str
    data: ExceptionResolvedDeliveryData


class ExceptionResolvedDeliveryData(TypedDict):
    # The exception.
    exception_id: str
    # What it was about.
    kind: str


class LegalHoldCreatedDelivery(TypedDict):
    """A legal hold is in force."""
    # The same on every attempt; equals the header webhook-id.
    id: str
    # The event kind.
    type: Literal["legal-hold.created"]
    # The tenant it belongs to.
    tenant_id: str
    # When it happened.
    created_at: str
    data: LegalHoldCreatedDeliveryData


class LegalHoldCreatedDeliveryData(TypedDict):
    # The hold.
    hold_id: str
    # When.
    at: str


class LegalHoldReleasedDelivery(TypedDict):
    """A legal hold was released under an authority."""
    # The same on every attempt; equals the header webhook-id.
    id: str
    # The event kind.
    type: Literal["legal-hold.released"]
    # The tenant it belongs to.
    tenant_id: str
    # When it happened.
    created_at: str
    data: LegalHoldReleasedDeliveryData


class LegalHoldReleasedDeliveryData(TypedDict):
    # The hold.
    hold_id: str
    # When.
    at: str


class AdvocacyVerdictDelivery(TypedDict):
    """A guideline check or a recoding gave a new answer."""
    # The same on every attempt; equals the header webhook-id.
    id: str
    # The event kind.
    type: Literal["advocacy.verdict"]
    # The tenant it belongs to.
    tenant_id: str
    # When it happened.
    created_at: str
    data: AdvocacyVerdictDeliveryData


class AdvocacyVerdictDeliveryData(TypedDict):
    # The event judged.
    event_id: str
    # The answer.
    verdict: Literal["SUPPORTS", "DOES_NOT_SUPPORT", "INSUFFICIENT_INFORMATION", "NO_GUIDELINE", "RECODED"]
    # Hash of the whole answer.
    answer_sha256: str


class CheckpointPublishedDelivery(TypedDict):
    """A signed checkpoint of the ledger is out."""
    # The same on every attempt; equals the header webhook-id.
    id: str
    # The event kind.
    type: Literal["checkpoint.published"]
    # The tenant it belongs to.
    tenant_id: str
    # When it happened.
    created_at: str
    data: CheckpointPublishedDeliveryData


class CheckpointPublishedDeliveryData(TypedDict):
    # The checkpoint.
    checkpoint_id: str
    # Entries that it covers.
    tree_size: int
    # Its root.
    root_hash: str


# The body of a delivery, by its `type`.
WebhookDelivery = Union["EventIngestedDelivery", "EventDuplicatedDelivery", "DocumentIngestedDelivery", "DocumentQuarantinedDelivery", "BundleRequestedDelivery", "BundleSealedDelivery", "BundleFailedDelivery", "RuleCreatedDelivery", "RuleUpdatedDelivery", "ExceptionOpenedDelivery", "ExceptionResolvedDelivery", "LegalHoldCreatedDelivery", "LegalHoldReleasedDelivery", "AdvocacyVerdictDelivery", "CheckpointPublishedDelivery"]
