import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from '@jest/globals';
import { sniffFormat } from '../../../../subgraphs/ledger/formats/domain.js';
import type { EventItem } from '../../../../subgraphs/ledger/formats/format-adapter.js';
import { itUnless } from '../../../support/needs.js';
import { eventsOf, readBody, receivedAt, refusedOf } from './reading.js';

// The expectations come from other tools than the code under test: another language's JSON reader, and by eye where odd.

interface Expected {
  readonly events: readonly Record<string, unknown>[];
  readonly refused: readonly string[];
  /** Of a file of many events, how many of each type and outcome; `events` are then its first. */
  readonly counts?: Readonly<Record<string, number>>;
  readonly members?: readonly string[];
}

const samples = join(process.cwd(), '..', 'shared', 'samples', 'fhir');
const expectations: Record<string, Expected> = JSON.parse(
  readFileSync(join(process.cwd(), 'test/ledger/formats/fhir/samples.json'), 'utf8'),
);

describe('FHIR sample files yield the events that a person reads in them', () => {
  for (const [name, expected] of Object.entries(expectations)) {
    const path = join(samples, name);
    const run = itUnless(existsSync(path) ? null : '../shared/samples is absent');
    run(name, async () => {
      const body = readFileSync(path);
      const items = await readBody(body);
      const events = eventsOf(items);
      expect(sniffFormat(body)).toBe('fhir');
      expect(events.slice(0, expected.counts ? expected.events.length : undefined).map(readable)).toEqual(
        expected.events,
      );
      expect(refusedOf(items).map(({ code }) => code)).toEqual(expected.refused);
      for (const event of events) expectOwnBytes(event, body);
      if (expected.counts === undefined) return;
      expect(countsOf(events)).toEqual(expected.counts);
      expect([...new Set(events.map(({ envelope }) => envelope.member_id))]).toEqual(expected.members);
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
      const stride = Math.max(1, Math.floor(body.length / (body.length > 100_000 ? 20 : 120)));
      for (let length = 0; length < body.length; length += stride) {
        for (const [at, { envelope }] of eventsOf(await readBody(body.subarray(0, length))).entries()) {
          const known = [undefined, whole[at]?.envelope.member_id];
          expect([length, known]).toEqual([length, expect.arrayContaining([envelope.member_id])]);
          expect([length, envelope.source_record_id]).toEqual([length, whole[at]?.envelope.source_record_id]);
        }
      }
    });
  }
});

/** The event in the form of the expectations, which omit absent members except a null member id. */
function readable({ envelope }: EventItem): Record<string, unknown> {
  const { payload, event_family, event_type, outcome, source_record_id, source_system } = envelope;
  const time = envelope.event_effective_timestamp;
  const found = {
    event_family,
    event_type,
    outcome,
    member_id: envelope.member_id ?? null,
    // Of a resource without id and identifier the hash of its bytes is its name.
    source_record_id: source_record_id.includes('/sha256/') ? undefined : source_record_id,
    source_system,
    event_effective_timestamp: time === receivedAt ? 'received' : time,
    procedure_codes: payload['procedure_codes'],
    diagnosis_codes: payload['diagnosis_codes'],
    carc: payload['carc'],
  };
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined));
}

/** The event's part is its own bytes of the body, the resource, and hashes to what the event says. */
function expectOwnBytes(event: EventItem, body: Buffer): void {
  const { offset, length, sha256 } = event.part;
  const bytes = body.subarray(offset, offset + length);
  expect(createHash('sha256').update(bytes).digest('hex')).toBe(sha256);
  expect(JSON.parse(bytes.toString('utf8'))).toMatchObject({ resourceType: event.envelope.payload['resource_type'] });
  expect(event.envelope.payload['raw']).toMatchObject({ part_sha256: sha256, offset, length, format: 'fhir' });
}

function countsOf(events: readonly EventItem[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { envelope } of events) {
    const name = `${envelope.event_type}/${envelope.outcome}`;
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}
