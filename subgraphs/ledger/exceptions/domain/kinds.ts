import type { ExceptionKind } from '../../../../shared/contracts/exceptions.js';

export type Severity = 'LOW' | 'MEDIUM' | 'HIGH' | 'CRITICAL';
export type { ExceptionKind } from '../../../../shared/contracts/exceptions.js';

interface ExceptionKindRow {
  readonly severity: Severity;
  /** What happened, in a sentence. */
  readonly meaning: string;
  /** What an operator should do; shown in the record. */
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

/** Every kind of exception (api.md section 2 "Exceptions"); docs/exceptions.md is generated from this table. */
export const EXCEPTION_TABLE: Readonly<Record<ExceptionKind, ExceptionKindRow>> = {
  PARSE_FAILED: kind(
    'MEDIUM',
    'A part of a raw message could not be read; the service accepted the rest.',
    'Read the raw body at the named place. Have the sender correct and resend it, then resolve. Parts that were accepted before answer DUPLICATE.',
    PLACE,
  ),
  VALIDATION_FAILED: kind(
    'MEDIUM',
    'A part of a raw message was read, and its envelope was rejected.',
    'The faults name the members. Have the sender correct the part, or correct the mapping, and send the message again.',
    ['faults', 'code', 'byte_offset'],
  ),
  SOURCE_RECORD_CONFLICT: kind(
    'HIGH',
    'A source system stated a fact again with different content: same record, type and effective time.',
    'Compare the event with the events that it conflicts with. Both stay in evidence; ask the source system which one is right, and note the answer.',
    ['source_system', 'sequence', 'conflicts_with'],
  ),
  UNKNOWN_MEMBER: kind(
    'LOW',
    'An event names no member, or a member that the member index does not have.',
    'Register the member, or correct the identifier at the source and have the message sent again.',
    ['code', 'message', 'byte_offset', 'event_id'],
  ),
  SEQUENCE_GAP: kind(
    'CRITICAL',
    'Entries are missing inside a chain.',
    'Do not trust the chain after the gap. Run GET /v1/ledger/verify, compare with the write-once copies and with a backup, and find out who wrote to the database.',
    ['source_system', 'sequence', 'missing_until', 'seen_in'],
  ),
  CHAIN_BREAK: kind(
    'CRITICAL',
    'An entry does not follow from the previous one or differs from the recorded entry, or the row of a record differs from its facts.',
    'Run GET /v1/ledger/verify to see every break. Compare with a checkpoint kept outside the service and with the write-once copy. Treat the database as tampered with until the cause is known.',
    ['source_system', 'sequence', 'event_id', 'compared', 'found'],
  ),
  WORM_MISMATCH: kind(
    'CRITICAL',
    'Bytes in the write-once store do not match their hash; the service does not return them.',
    'Check the disk, and who can write to the store. The service cannot repair the content: restore it from a backup and verify again.',
    ['compared', 'segment', 'read_for'],
  ),
  WORM_MISSING: kind(
    'HIGH',
    'The write-once store lacks bytes that the ledger names.',
    'The copier restores what the ledger still holds. Restore the rest from a backup, then run the reconciliation again.',
    ['compared', 'source_system', 'sequence', 'read_for'],
  ),
  FEED_STALE: kind(
    'MEDIUM',
    'A source feed has been silent for longer than its interval and grace.',
    'Check the source and the connection to it. The exception resolves automatically with the next message or heartbeat.',
    ['source_system', 'last_heartbeat_at', 'expected_interval_seconds', 'grace_seconds', 'due_at'],
  ),
  CONTROL_NUMBER_GAP: kind(
    'MEDIUM',
    "A sender's control numbers skip or repeat.",
    'Ask the sender for the interchanges between the expected and the found number, or whether the counter was reset. Then resolve the exception, or mark a known gap.',
    ['what', 'sender', 'expected', 'found', 'missing_from', 'missing_to', 'first_raw_sha256'],
  ),
  UNMATCHED_REMITTANCE: kind(
    'LOW',
    'A remittance names a claim that was not submitted here.',
    'Have the claim sent, or note that it was sent elsewhere. The exception resolves automatically when the claim arrives.',
    ['claim_id', 'payer_claim_id'],
  ),
  BUNDLE_FAILED: kind(
    'HIGH',
    'A bundle could not be built.',
    'The code names the cause. Correct it, then POST /v1/bundles/{id}/regenerate.',
    ['code'],
  ),
  AI_ADVERSE_UNREVIEWED: kind(
    'HIGH',
    'A model made an adverse decision that was recorded without a licensed human reviewer (CMS-4201-F, California SB 1120).',
    'Have a licensed clinician review the case and record the outcome as an override of the decision; then resolve.',
    ['why', 'decision_type', 'model', 'version', 'provenance_event_id'],
  ),
  WEBHOOK_FAILING: kind(
    'LOW',
    'All deliveries of a webhook have failed for half of the time after which it is suspended.',
    'Check its deliveries and correct the receiver. The exception resolves automatically with the next successful delivery.',
    ['failing_since', 'suspended_at'],
  ),
  WEBHOOK_SUSPENDED: kind(
    'MEDIUM',
    'A webhook was suspended because all deliveries failed for days.',
    'Correct the receiver, set the webhook ACTIVE again, and request missed messages by POST /v1/webhooks/{id}/recover.',
    ['failing_since', 'reason'],
  ),
  CHECKPOINT_REGRESS: kind(
    'CRITICAL',
    'The ledger is smaller than its last checkpoint or differs from it; the service signs nothing more.',
    'Find out whether the database was restored or rewritten. Only then declare a new incarnation by POST /v1/ledger/incarnations, with the reason.',
    ['tree_size', 'last_published'],
  ),
  JOB_POISONED: kind(
    'HIGH',
    'A job was abandoned after too many unexpected failures.',
    'The detail has the class of the error, and the log its stack. Correct the cause and request the job again.',
    ['claims', 'reason'],
  ),
  AUTHORIZATION_LATE: kind(
    'MEDIUM',
    'A prior authorization was decided after it was due, or is due and undecided.',
    'Check the times at the source. If they are right, follow the procedure for late decisions of the program. An undecided one resolves automatically when a timely decision arrives; a late one never does.',
    ['requested_at', 'due_at', 'answered_at', 'hours', 'limit_hours', 'pace', 'program', 'rule', 'answer_event_id'],
  ),
  AUTHORIZATION_MISMATCH: kind(
    'MEDIUM',
    'A claim or a remittance does not agree with the authorization that it names.',
    'Compare the events and have the wrong one corrected at its source. DENIED_THOUGH_APPROVED wins an appeal: the decision on file is its evidence.',
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
    'The detail has the differences: of the payment (BPR02 less claims and PLB), of claims and of lines. Ask the payer for a corrected remittance.',
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
    'The scan flagged a document; no reader can open it.',
    'Check the findings, then release it with a reason and a reviewer, or reject it.',
    ['engine', 'findings'],
  ),
  DATA_RIGHT_OVERDUE: kind(
    'HIGH',
    "A member's request about their data is past its due date.",
    'Fulfil or deny the request, and inform the member of the reason for the delay.',
    ['right', 'due_at'],
  ),
};

export const SEVERITIES = ['LOW', 'MEDIUM', 'HIGH', 'CRITICAL'] as const;
