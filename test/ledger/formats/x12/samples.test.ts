import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from '@jest/globals';
import { sniffFormat } from '../../../../subgraphs/ledger/formats/domain.js';
import type { AdapterItem, EventItem } from '../../../../subgraphs/ledger/formats/format-adapter.js';
import { itUnless } from '../../../support/needs.js';
import { eventsOf, readBody, refusedOf } from './reading.js';

/** Expectations of each file, read by other tools than the code under test. */
interface Expected {
  transactions: { transaction: string; events: Record<string, unknown>[] }[];
  /** The types of what yields no events, in order. */
  refused: string[];
}

const samples = join(process.cwd(), '..', 'shared', 'samples', 'x12');
const expectations: Record<string, Expected> = JSON.parse(
  readFileSync(join(process.cwd(), 'test/ledger/formats/x12/samples.json'), 'utf8'),
);

/** The one sample that ends inside a segment. */
const CUT = 'derived__837p_truncated.edi';

describe('X12 sample files yield the events that a person reads in them', () => {
  for (const [name, expected] of Object.entries(expectations)) {
    const path = join(samples, name);
    const run = itUnless(existsSync(path) ? null : '../shared/samples is absent');
    run(name, async () => {
      const body = readFileSync(path);
      const items = await readBody(body);
      expect(sniffFormat(body)).toBe('x12');
      const refusedAlone = new Set(expected.refused);
      const read = transactionsOf(items).filter(({ transaction }) => !refusedAlone.has(transaction));
      expect(read).toEqual(expected.transactions);
      const refused = refusedOf(items);
      expect(refused.map(({ item }) => item)).toEqual(expected.refused);
      for (const { code, position } of refused) {
        expect(code).toBe(name === CUT ? 'SEGMENT_CUT' : 'UNSUPPORTED_TRANSACTION');
        expect(position?.segmentNumber).toBeGreaterThan(1);
      }
      for (const event of eventsOf(items)) expectOwnBytes(event, body);
    });
  }
});

function transactionsOf(items: readonly AdapterItem[]): Expected['transactions'] {
  const transactions: Expected['transactions'] = [];
  let events: Record<string, unknown>[] = [];
  for (const item of items) {
    if (item.kind === 'event') events.push(readable(item));
    if (item.kind !== 'transaction') continue;
    transactions.push({ transaction: item.transaction, events });
    events = [];
  }
  return transactions;
}

/** The event in the form of the expectations, which omit absent members except a null member id. */
function readable({ envelope }: EventItem): Record<string, unknown> {
  const { payload } = envelope;
  const amounts = (payload['amounts'] ?? {}) as Record<string, string>;
  const found = {
    claim_id: payload['claim_id'],
    member_id: envelope.member_id ?? null,
    event_type: envelope.event_type,
    outcome: envelope.outcome,
    program: payload['program'],
    procedure_codes: payload['procedure_codes'],
    diagnosis_codes: payload['diagnosis_codes'],
    carc: payload['carc'],
    rarc: payload['rarc'],
    charge: amounts['charge'],
    paid: amounts['paid'],
    ...(later.has(String((payload['raw'] as Record<string, unknown>)['transaction'])) ? moreOf(envelope) : {}),
  };
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined));
}

/** Transactions with further expectations: the numbers that join them, and their dates. */
const later: ReadonlySet<string> = new Set(['278', '277', '277CA', '271', '834', '270', '276']);

function moreOf({
  payload,
  source_record_id,
  event_effective_timestamp,
}: EventItem['envelope']): Record<string, unknown> {
  return {
    source_record_id,
    event_effective_timestamp,
    authorization_number: payload['authorization_number'],
    payer_claim_id: payload['payer_claim_id'],
    trace_numbers: payload['trace_numbers'],
    service: payload['service'],
    decision_reason: payload['decision_reason'],
    rationale: payload['rationale'],
    plan: payload['plan'],
  };
}

/** The event's part is its own claim's bytes: it begins with the segment that opens its loop and hashes to what the event says. */
function expectOwnBytes(event: EventItem, body: Buffer): void {
  const { offset, length, sha256 } = event.part;
  const bytes = body.subarray(offset, offset + length);
  expect(createHash('sha256').update(bytes).digest('hex')).toBe(sha256);
  expect(bytes.toString('latin1')).toMatch(/^(?:CL[MP]|HL|TRN|STC|INS|RMR|BGN)\W.*[^\s]$/s);
  expect(event.envelope.payload['raw']).toMatchObject({ part_sha256: sha256, offset, length, format: 'x12' });
}
