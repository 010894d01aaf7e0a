import { describe, expect, it } from '@jest/globals';
import { FhirAcknowledger } from '../../../../subgraphs/ledger/formats/fhir/acknowledge.js';
import { seeded } from '../../../support/random.js';
import { eventsOf, fixture, readBody } from './reading.js';

const rounds = Number(process.env['FHIR_FUZZ_ROUNDS'] ?? 400);
const bodies = [
  'authorization-answer.json',
  'transaction.json',
  'lines.ndjson',
  'parameters.json',
  'shapes.ndjson',
].map(fixture);
const spoils = [
  '"',
  '\\',
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  '\n',
  '\\ud83d',
  '\u0000',
  '1e999',
  '-',
  '{"resourceType":"Patient",',
  '"entry":[',
  'null',
  '\ufeff',
];

/** Damage as lines and tools do it: bytes changed, lost, doubled, turned round; syntax put in; the end cut off. */
function damage(body: Buffer, random: () => number): Buffer {
  const at = Math.floor(random() * body.length);
  const length = 1 + Math.floor(random() * 40);
  const [before, taken, after] = [body.subarray(0, at), body.subarray(at, at + length), body.subarray(at + length)];
  switch (Math.floor(random() * 6)) {
    case 0:
      return Buffer.concat([before, Buffer.from([Math.floor(random() * 256)]), body.subarray(at + 1)]);
    case 1:
      return Buffer.concat([before, after]);
    case 2:
      return Buffer.concat([before, taken, taken, after]);
    case 3:
      return Buffer.concat([before, Buffer.from(taken).reverse(), after]);
    case 4:
      return body.subarray(0, at);
    default:
      return Buffer.concat([
        before,
        Buffer.from(spoils[Math.floor(random() * spoils.length)] ?? ''),
        body.subarray(at),
      ]);
  }
}

describe('damaged bodies', () => {
  it(
    `${rounds} seeded rounds: nothing is thrown, every event is well formed, every body can be acknowledged`,
    async () => {
      const random = seeded(20_260_302);
      for (let round = 0; round < rounds; round += 1) {
        let body: Buffer = bodies[Math.floor(random() * bodies.length)] ?? Buffer.alloc(0);
        for (let times = Math.floor(random() * 3); times >= 0; times -= 1) body = damage(body, random);
        const items = await readBody(body, { strict: random() < 0.2 });
        for (const { envelope, part } of eventsOf(items)) {
          expect(envelope.event_effective_timestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
          expect(part.offset + part.length).toBeLessThanOrEqual(body.length);
          expect(JSON.parse(JSON.stringify(envelope))).toEqual(envelope);
          // Half a surrogate pair shows in JSON as an escape.
          expect(JSON.stringify(envelope)).not.toMatch(/(?<!\\)\\ud[89a-f]/);
        }
        const acknowledger = new FhirAcknowledger();
        for (const item of items) acknowledger.take(item, item.kind === 'event' ? { status: 'ACCEPTED' } : undefined);
        const answer = acknowledger.finish({ nowIso: '2026-04-01T12:00:00.000Z', controlNumber: '1' });
        expect(() => JSON.parse(answer?.text ?? '')).not.toThrow();
      }
    },
    30 * 60_000,
  );

  it(
    `${rounds} seeded rounds: no event is given to another member than its claim's`,
    async () => {
      const random = seeded(78);
      for (let round = 0; round < rounds; round += 1) {
        const { text, owners } = claims(8, random);
        const at = Math.floor(random() * text.length);
        const spoil = ['', '"', '{', '}', ']', ',', '\n', '\\'][Math.floor(random() * 8)] ?? '';
        const broken =
          spoil === '' ? text.slice(0, at) : text.slice(0, at) + spoil + text.slice(at + (random() < 0.5 ? 1 : 0));
        for (const { envelope } of eventsOf(await readBody(broken))) {
          const owner = owners.get(String(envelope.payload['claim_id']));
          if (owner === undefined || envelope.member_id === undefined || envelope.member_id === owner) continue;
          // A stroke inside the number itself is another number, as written.
          if (!text.includes(`"${envelope.member_id}"`)) continue;
          throw new Error(`round ${round}: a claim of ${owner} was given to ${envelope.member_id}`);
        }
      }
    },
    30 * 60_000,
  );
});

/** A Bundle, or lines, of claims and their coverages, in any order; and the member of each claim. */
function claims(count: number, random: () => number): { text: string; owners: Map<string, string> } {
  const owners = new Map<string, string>();
  const resources: Record<string, unknown>[] = [];
  const lines = random() < 0.3;
  for (let n = 1; n <= count; n += 1) {
    owners.set(`CLM-${n}`, `MEMBER-${n}`);
    const coverage = { resourceType: 'Coverage', id: `v${n}`, subscriberId: `MEMBER-${n}` };
    const insurance = [{ focal: true, coverage: { reference: lines ? '#c' : `Coverage/v${n}` } }];
    const claim = { resourceType: 'Claim', id: `c${n}`, use: 'claim', identifier: [{ value: `CLM-${n}` }], insurance };
    if (lines) resources.push({ ...claim, contained: [{ ...coverage, id: 'c' }] });
    else resources.push(...(random() < 0.5 ? [claim, coverage] : [coverage, claim]));
  }
  if (lines) return { text: `${resources.map((one) => JSON.stringify(one)).join('\n')}\n`, owners };
  const entry = resources.map((resource) => ({
    fullUrl: `http://a/fhir/${resource['resourceType']}/${resource['id']}`,
    resource,
  }));
  return { text: JSON.stringify({ resourceType: 'Bundle', type: 'collection', entry }), owners };
}
