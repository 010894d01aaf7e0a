import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import type { AdapterItem, EventItem } from '../../subgraphs/ledger/adapters/adapter.js';
import { x12Adapter } from '../../subgraphs/ledger/adapters/x12/x12-adapter.js';
import { eventsOf, readBody, refusedOf } from './x12-reading.js';

/** What was read off each file by other means than the code under test. */
interface Expected {
  transactions: { transaction: string; events: Record<string, unknown>[] }[];
  /** The types of what gives no events, in order. */
  refused: string[];
}

const samples = join(process.cwd(), '..', 'shared', 'samples', 'x12');
const expectations: Record<string, Expected> = JSON.parse(
  readFileSync(join(process.cwd(), 'test', 'formats', 'x12-samples.json'), 'utf8'),
);

/** The one sample that ends inside a segment. */
const CUT = 'derived__837p_truncated.edi';

describe('every X12 sample gives the events that a person reads in it', () => {
  for (const [name, expected] of Object.entries(expectations)) {
    const path = join(samples, name);
    const run = existsSync(path) ? test : test.skip;
    run(name, async () => {
      const body = readFileSync(path);
      const items = await readBody(body);
      expect(x12Adapter.detect(body.subarray(0, 4096))).toBe(true);
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

/** The event in the terms of the expectations, which leave out what is not there but say when nobody is the member. */
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

/** Transactions whose expectations say more: the numbers that join them, and when they were made. */
const later: ReadonlySet<string> = new Set(['278', '277', '277CA', '271']);

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
  expect(bytes.toString('latin1')).toMatch(/^(?:CL[MP]|HL|TRN|STC)\W.*[^\s]$/s);
  expect(event.envelope.payload['raw']).toMatchObject({ part_sha256: sha256, offset, length, format: 'x12' });
}
