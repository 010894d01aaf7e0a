import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from '@jest/globals';
import { sniffFormat } from '../../../../subgraphs/ledger/formats/domain.js';
import type { EventItem } from '../../../../subgraphs/ledger/formats/format-adapter.js';
import { itUnless } from '../../../support/needs.js';
import { eventsOf, readBody, refusedOf } from './reading.js';

// The expectations come from other tools than the code under test: plain splits for D.0, another XML parser for SCRIPT.

const samples = join(process.cwd(), '..', 'shared', 'samples', 'ncpdp');
const expectations: Record<string, Record<string, unknown>[]> = JSON.parse(
  readFileSync(join(process.cwd(), 'test/ledger/formats/ncpdp/samples.json'), 'utf8'),
);

describe('NCPDP sample files yield the events that a person reads in them', () => {
  for (const [name, expected] of Object.entries(expectations)) {
    const path = join(samples, name);
    const run = itUnless(existsSync(path) ? null : '../shared/samples is absent');
    run(name, async () => {
      const body = readFileSync(path);
      const items = await readBody(body);
      expect(sniffFormat(body)).toBe('ncpdp');
      expect(eventsOf(items).map(readable)).toEqual(expected);
      expect(refusedOf(items)).toEqual([]);
      for (const event of eventsOf(items)) expectOwnBytes(event, body);
    });
  }
});

describe('a sample cut at any byte', () => {
  for (const name of Object.keys(expectations)) {
    const path = join(samples, name);
    const run = itUnless(existsSync(path) ? null : '../shared/samples is absent');
    run(`yields no event to another member: ${name}`, async () => {
      const body = readFileSync(path);
      const whole = eventsOf(await readBody(body));
      const stride = body.length > 1_000 ? 7 : 1;
      for (let length = 0; length < body.length; length += stride) {
        for (const [at, { envelope }] of eventsOf(await readBody(body.subarray(0, length))).entries()) {
          const known = [undefined, whole[at]?.envelope.member_id];
          expect([length, known]).toEqual([length, expect.arrayContaining([envelope.member_id])]);
        }
      }
    });
  }
});

/** The event in the form of the expectations, which omit absent members except a null member id. */
function readable({ envelope }: EventItem): Record<string, unknown> {
  const { payload, event_family, event_type, outcome, source_record_id, source_system } = envelope;
  const told = [
    'procedure_codes',
    'diagnosis_codes',
    'reject_codes',
    'reason_codes',
    'amounts',
    'rationale',
    'relates_to',
  ];
  const found: Record<string, unknown> = {
    event_family,
    event_type,
    outcome,
    member_id: envelope.member_id ?? null,
    source_record_id,
    source_system,
    event_effective_timestamp: envelope.event_effective_timestamp,
    authorization_number: payload['authorization_number'],
  };
  for (const name of told) found[name] = payload[name];
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined));
}

/** The event's part is its own bytes of the body and hashes to what the event says. */
function expectOwnBytes(event: EventItem, body: Buffer): void {
  const { offset, length, sha256 } = event.part;
  const bytes = body.subarray(offset, offset + length);
  expect(createHash('sha256').update(bytes).digest('hex')).toBe(sha256);
  expect(event.envelope.payload['raw']).toMatchObject({ part_sha256: sha256, offset, length, format: 'ncpdp' });
}
