import type { ExceptionKind } from '../../../shared/contracts/exceptions.js';

export type Severity = 'LOW' | 'MEDIUM' | 'HIGH' | 'CRITICAL';
export type { ExceptionKind } from '../../../shared/contracts/exceptions.js';

export interface ExceptionKindRow {
  readonly severity: Severity;
  /** What has happened, in a sentence. */
  readonly meaning: string;
  /** What an operator does about it; shown in the record. */
  readonly advice: string;
  /** Members of `detail` that the advice needs. */
  readonly detail: readonly string[];
}

const kind = (severity: Severity, meaning: string, advice: string, detail: readonly string[]): ExceptionKindRow => ({
  severity,
  meaning,
  advice,
  detail,
});

const PLACE = ['code', 'message', 'segment', 'byte_offset'] as const;

/** Every kind of exception (api.md section 2 "Exceptions"): docs/exceptions.md is printed from this table. */
export const EXCEPTION_TABLE: Readonly<Record<ExceptionKind, ExceptionKindRow>> = {
  PARSE_FAILED: kind(
    'MEDIUM',
    'A part of a raw message could not be read; the rest was taken.',
    'Read the raw body at the place named, have the sender correct and resend it, then resolve. What was taken before answers DUPLICATE.',
    PLACE,
  ),
  VALIDATION_FAILED: kind(
    'MEDIUM',
    'A part of a raw message was read and made an envelope that is refused.',
    'The faults name the members. Have the sender correct the part, or correct the mapping, and send the message again.',
    ['faults', 'code', 'byte_offset'],
  ),
  SOURCE_RECORD_CONFLICT: kind(
    'HIGH',
    'A source system stated a fact again with other content: same record, type and effective time.',
    'Compare the event with those it conflicts with. Both stay in evidence; ask the source system which one holds, and note it.',
    ['source_system', 'sequence', 'conflicts_with'],
  ),
  UNKNOWN_MEMBER: kind(
    'LOW',
    'An event names no member, or one that the member index does not know.',
    'Register the member, or correct the identifier at the source and have the message sent again.',
    ['code', 'message', 'byte_offset', 'event_id'],
  ),
  SEQUENCE_GAP: kind(
    'CRITICAL',
    'Entries are missing inside a chain.',
    'Stop trusting the chain after the gap. Run GET /v1/ledger/verify, compare with the write-once copies and with a backup, and find out who wrote to the database.',
    ['source_system', 'sequence', 'missing_until', 'seen_in'],
  ),
  CHAIN_BREAK: kind(
    'CRITICAL',
    'An entry does not follow from the one before it, or is not what was recorded.',
    'Run GET /v1/ledger/verify to see every break. Compare with the checkpoint kept outside and with the write-once copy; treat the database as tampered with until the cause is known.',
    ['source_system', 'sequence', 'event_id', 'compared'],
  ),
  WORM_MISMATCH: kind(
    'CRITICAL',
    'Bytes in the write-once store do not hash to their name; they are not given out.',
    'Check the disk and who could write to the store. The content cannot be made whole here: restore it from a backup and verify again.',
    ['compared', 'segment', 'read_for'],
  ),
  WORM_MISSING: kind(
    'HIGH',
    'The write-once store lacks bytes that the ledger names.',
    'The copier repairs what the ledger still holds. What stays missing must come from a backup; then run the reconciliation again.',
    ['compared', 'source_system', 'sequence', 'read_for'],
  ),
  FEED_STALE: kind(
    'MEDIUM',
    'A source feed has been silent for longer than its interval and grace.',
    'Look at the source and the way from it. The exception resolves by itself with the next message or heartbeat.',
    ['source_system', 'last_heartbeat_at', 'expected_interval_seconds', 'grace_seconds', 'due_at'],
  ),
  CONTROL_NUMBER_GAP: kind(
    'MEDIUM',
    "A sender's control numbers skip or repeat.",
    'Ask the sender for the interchanges between the numbers expected and found, or whether the counter was reset; then resolve, or mark a known gap.',
    ['what', 'sender', 'expected', 'found', 'missing_from', 'missing_to', 'first_raw_sha256'],
  ),
  UNMATCHED_REMITTANCE: kind(
    'LOW',
    'A remittance names a claim that has not been submitted here.',
    'Have the claim sent, or note that it went another way. The exception resolves by itself when the claim comes.',
    ['claim_id', 'payer_claim_id'],
  ),
  BUNDLE_FAILED: kind(
    'HIGH',
    'A bundle could not be built.',
    'The code says why. Correct the cause, then POST /v1/bundles/{id}/regenerate.',
    ['code'],
  ),
  AI_ADVERSE_UNREVIEWED: kind(
    'HIGH',
    'An adverse decision of a model was recorded without a licensed human reviewer (CMS-4201-F, California SB 1120).',
    'Have a licensed clinician review the case and record the outcome as an override of the decision; then resolve.',
    ['why', 'decision_type', 'model', 'version', 'provenance_event_id'],
  ),
  WEBHOOK_FAILING: kind(
    'LOW',
    'A webhook has known nothing but failures for half of the time after which it is suspended.',
    'Look at its deliveries and correct the receiver. The exception resolves by itself with the next delivery that gets through.',
    ['failing_since', 'suspended_at'],
  ),
  WEBHOOK_SUSPENDED: kind(
    'MEDIUM',
    'A webhook was suspended after days of nothing but failures.',
    'Correct the receiver, set the webhook ACTIVE again, and ask for what was missed by POST /v1/webhooks/{id}/recover.',
    ['failing_since', 'reason'],
  ),
  CHECKPOINT_REGRESS: kind(
    'CRITICAL',
    'The ledger is behind, or other than, what its last checkpoint says; nothing more is signed.',
    'Find out whether the database was restored or rewritten. Only then declare a new incarnation by POST /v1/ledger/incarnations, with the reason.',
    ['tree_size', 'last_published'],
  ),
  JOB_POISONED: kind(
    'HIGH',
    'Work was given up after it had failed too often in a way that nobody expected.',
    'The class of the error is in the detail, its stack in the log. Correct the cause and ask for the work again.',
    ['claims', 'reason'],
  ),
  AUTHORIZATION_LATE: kind(
    'MEDIUM',
    'A prior authorization was decided after it was due, or is due and undecided.',
    'Check the times at the source; where they hold, follow the procedure for late decisions of the program. One that was undecided resolves by itself when a decision comes that was made in time; a late one never does.',
    ['requested_at', 'due_at', 'answered_at', 'hours', 'limit_hours', 'pace', 'program', 'rule', 'answer_event_id'],
  ),
  AUTHORIZATION_MISMATCH: kind(
    'MEDIUM',
    'A claim or a remittance does not agree with the authorization that it names.',
    'Compare the events and have the one that is wrong corrected at its source. DENIED_THOUGH_APPROVED wins an appeal: the decision on file is its evidence.',
    [
      'authorization',
      'difference',
      'message',
      'reasons',
      'claim_event_id',
      'authorization_event_id',
      'authorization_outcome',
    ],
  ),
  REMITTANCE_UNBALANCED: kind(
    'MEDIUM',
    'The amounts of a remittance do not add up.',
    'The differences are told: of the payment (BPR02 less claims and PLB), of claims and of lines. Ask the payer for a corrected remittance.',
    [
      'code',
      'message',
      'byte_offset',
      'payment_difference',
      'claims_paid',
      'provider_adjustments',
      'unbalanced_claims',
      'claims_difference',
      'first',
      'unbalanced_lines',
      'lines_difference',
      'first_lines',
    ],
  ),
  DOCUMENT_QUARANTINED: kind(
    'MEDIUM',
    'The scan flagged a document; nobody can read it.',
    'Look at the findings, then release it with a reason and a reviewer, or reject it.',
    ['engine', 'findings'],
  ),
  DATA_RIGHT_OVERDUE: kind(
    'HIGH',
    "A member's request about their data is past its due date.",
    'Fulfil or deny the request, and tell the member why it is late.',
    ['right', 'due_at'],
  ),
};

export const SEVERITIES = ['LOW', 'MEDIUM', 'HIGH', 'CRITICAL'] as const;
