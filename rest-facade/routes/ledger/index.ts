import { CONSISTENCY_EXAMPLE, NOTE_EXAMPLE, TLOG_PROOF_EXAMPLE } from '../../openapi/text-examples.js';
import { type RouteArea, routeTable } from '../../route-table.js';
import { timestampReply } from '../../timestamp-reply.js';
import { consistencyLines, plainText, textMember } from './plain-text.js';
import { verifyLedger } from './verify-ledger.js';

const LEDGER: RouteArea = { area: 'ledger', id: 'checkpoint_id', reads: 'events:read', writes: 'admin' };

export const ledgerRoutes = routeTable(LEDGER, {
  'GET /v1/ledger/partitions': {
    summary: 'List the tenant’s chains and their heads',
    operation: { name: 'ListPartitions', field: 'ledgerPartitions' },
    answer: 'The head of each partition.',
  },
  'GET /v1/ledger/verify': {
    summary: 'Verify the ledger against the write-once store, its tree and its checkpoints',
    description:
      'With `Accept: application/x-ndjson`, progress and breaks are streamed one per line; the last line is the result or the error. Closing the connection stops the verification.',
    operationId: 'verifyLedger',
    operation: { name: 'VerifyLedgerPart', field: 'verifyLedgerPart' },
    answer: 'The checked parts and every break.',
    extend: verifyLedger,
  },
  'GET /v1/ledger/checkpoints': {
    summary: 'List signed checkpoints of the ledger',
    operation: { name: 'ListCheckpoints', field: 'checkpoints' },
    answer: 'Checkpoints, newest first.',
  },
  'GET /v1/ledger/checkpoints/latest': {
    summary: 'Read the latest signed checkpoint',
    description: '404 if the ledger has no checkpoint yet; the first one follows the first entry within seconds.',
    operation: { name: 'GetLatestCheckpoint', field: 'latestCheckpoint' },
    answer: 'The checkpoint with its signed note.',
    extend: plainText('Only the signed note.', NOTE_EXAMPLE, textMember('note')),
  },
  'GET /v1/ledger/checkpoints/{id}': {
    summary: 'Read a signed checkpoint',
    operation: { name: 'GetCheckpoint', field: 'checkpoint' },
    answer: 'The checkpoint with its signed note.',
    extend: plainText('Only the signed note.', NOTE_EXAMPLE, textMember('note')),
  },
  'GET /v1/ledger/checkpoints/{id}/timestamp': {
    summary: 'The time-stamp of a checkpoint (RFC 3161)',
    description:
      'If the deployment configures a time-stamp authority, it signs the SHA-256 of the note of one checkpoint a day. `Accept: application/timestamp-reply` returns the bare reply, for `openssl ts -verify` over the note.',
    operation: { name: 'GetCheckpointTimestamp', field: 'checkpointTimestamp' },
    conflicts: true,
    answer: 'The time-stamp, or its state.',
    extend: timestampReply,
  },
  'GET /v1/ledger/consistency': {
    summary: 'Prove that the ledger has only grown',
    description:
      'Proves that the tree of the second size begins with the tree of the first (RFC 6962). Take sizes and roots from ' +
      'checkpoints that you have verified, not from this answer. Sizes of earlier incarnations cannot be proven. ' +
      'Before the first checkpoint: 409 CONFLICT with Retry-After; it follows within seconds.',
    operation: { name: 'GetConsistency', field: 'ledgerConsistency' },
    conflicts: true,
    answer: 'The proof, and the checkpoints at both sizes.',
    extend: plainText('The hashes of the proof in base64, one per line.', CONSISTENCY_EXAMPLE, consistencyLines),
  },
  'GET /v1/ledger/operator-proof': {
    summary: "Prove that the operator's log covers this ledger",
    description:
      "Once an hour the root over the newest notes of all tenants' ledgers becomes one entry of the operator's log. A copy of the operator's note outside then covers this ledger too. 409 CONFLICT with Retry-After until the first hour of this ledger is recorded.",
    operation: { name: 'GetOperatorProof', field: 'operatorProof' },
    conflicts: true,
    answer: 'The proof, from the note of this ledger to the note of the operator.',
  },
  'GET /v1/events/{id}/proof': {
    area: 'events',
    summary: 'Prove that an event is in the ledger',
    description:
      'The inclusion proof up to the latest signed checkpoint. 409 CONFLICT with Retry-After if no checkpoint covers the ' +
      'event yet; one follows within seconds.',
    operation: { name: 'GetEventProof', field: 'eventProof' },
    params: { id: 'event_id' },
    conflicts: true,
    answer: 'The proof and its checkpoint.',
    extend: plainText('Only the proof, as C2SP tlog-proof.', TLOG_PROOF_EXAMPLE, textMember('tlog_proof')),
  },
  'POST /v1/ledger/incarnations': {
    summary: "Declare a new incarnation of the ledger's tree",
    description:
      'After a regress (exception CHECKPOINT_REGRESS: the database was restored or changed), no checkpoint is published until ' +
      'an operator declares here that new checkpoints need not extend the published ones. The declaration is permanent, and ' +
      'the origin of every later checkpoint names it.',
    operation: { name: 'DeclareIncarnation', field: 'declareIncarnation' },
    bodyExample: { reason: 'Restored from the backup of 2 March.' },
    answer: 'The incarnation.',
  },
});
