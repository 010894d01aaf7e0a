import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from '@jest/globals';
import { sniffFormat } from '../../../../subgraphs/ledger/formats/domain.js';
import type { EventItem } from '../../../../subgraphs/ledger/formats/format-adapter.js';
import { itUnless } from '../../../support/needs.js';
import { eventsOf, readBody, refusedOf } from './reading.js';

// The expectations come from other tools than the code under test: a plain split on the separators, and by eye where odd.

const samples = join(process.cwd(), '..', 'shared', 'samples', 'hl7v2');
const expectations: Record<string, Record<string, unknown>[]> = JSON.parse(
  readFileSync(join(process.cwd(), 'test/ledger/formats/hl7v2/samples.json'), 'utf8'),
);

describe('HL7 v2 sample files yield the events that a person reads in them', () => {
  for (const [name, expected] of Object.entries(expectations)) {
    const path = join(samples, name);
    const run = itUnless(existsSync(path) ? null : '../shared/samples is absent');
    run(name, async () => {
      const body = readFileSync(path);
      const items = await readBody(body);
      expect(sniffFormat(body)).toBe('hl7v2');
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
    run(`yields no event to another patient: ${name}`, async () => {
      const body = readFileSync(path);
      const whole = eventsOf(await readBody(body));
      const stride = Math.max(1, Math.floor(body.length / 150));
      for (let length = 0; length < body.length; length += stride) {
        for (const [at, { envelope }] of eventsOf(await readBody(body.subarray(0, length))).entries()) {
          const known = [null, ...(hasInsurance(body, length) ? membersOf(whole[at]) : idsOf(whole[at]))];
          expect([length, known]).toEqual([length, expect.arrayContaining([envelope.member_id ?? null])]);
        }
      }
    });
  }
});

/** Whether an IN1 has begun before the cut: from there on nothing but its own id may name the member. */
const hasInsurance = (body: Buffer, length: number): boolean =>
  /[\r\n]IN1[^\r\n]/.test(body.toString('latin1', 0, length));

const membersOf = (event: EventItem | undefined): (string | undefined)[] => [event?.envelope.member_id];

/** The event in the form of the expectations, which omit absent members except a null member id. */
function readable({ envelope }: EventItem): Record<string, unknown> {
  const { payload, event_family, event_type, outcome, source_record_id, source_system } = envelope;
  const found = {
    event_family,
    event_type,
    outcome,
    member_id: envelope.member_id ?? null,
    source_record_id,
    source_system,
    event_effective_timestamp: envelope.event_effective_timestamp,
    procedure_codes: payload['procedure_codes'],
    diagnosis_codes: payload['diagnosis_codes'],
    results: (payload['results'] as unknown[] | undefined)?.length,
    prior_ids: (payload['prior_ids'] as { id: string }[] | undefined)?.map(({ id }) => id),
  };
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined));
}

/** The event's part is its own bytes of the body and hashes to what the event says. */
function expectOwnBytes(event: EventItem, body: Buffer): void {
  const { offset, length, sha256 } = event.part;
  const bytes = body.subarray(offset, offset + length);
  expect(createHash('sha256').update(bytes).digest('hex')).toBe(sha256);
  expect(bytes.toString('latin1')).toMatch(/^(?:MSH|PID|ORC|OBR|RXA|FT1).*[^\r\n]$/s);
  expect(event.envelope.payload['raw']).toMatchObject({ part_sha256: sha256, offset, length, format: 'hl7v2' });
}

/**
 * All ids that the whole message gives the same patient. A body cut between two segments looks whole: where IN1 is lost with
 * the rest, the member is named by PID, as in a message that never had an IN1.
 */
function idsOf(event: EventItem | undefined): string[] {
  if (event === undefined) return [];
  const { member_id, payload } = event.envelope;
  const identifiers = (payload['identifiers'] as { id: string }[] | undefined) ?? [];
  return [...(member_id === undefined ? [] : [member_id]), ...identifiers.map(({ id }) => id)];
}
