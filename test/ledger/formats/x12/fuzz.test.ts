import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { EventItem } from '../../../../subgraphs/ledger/formats/format-adapter.js';
import { seeded } from '../../../support/random.js';
import { eventsOf, readBody } from './reading.js';

const rounds = Number(process.env['X12_FUZZ_ROUNDS'] ?? 400);
const names = [
  'professional.837',
  'institutional.837',
  'remittance.835',
  'broken-claim.837',
  'two-interchanges.837',
  'professional-4010.837',
  'review.278',
  'status.277',
  'eligibility.271',
  'enrollment.834',
  'inquiry.270',
  'status-request.276',
  'premium.820',
  'attachment.275',
];
/** How many of them hold claims and claim payments. */
const claimBodies = 6;
const bodies = names.map((name) => readFileSync(join(process.cwd(), 'test/ledger/formats/x12/fixtures', name)));

/** What an event is called by its sender: its claim, the numbers that it answers, or its coverages. */
const namesOf = ({ payload }: EventItem['envelope']): unknown[] =>
  [
    payload['claim_id'],
    (payload['remittance_reference'] as { value?: string } | undefined)?.value,
    ...((payload['trace_numbers'] as unknown[] | undefined) ?? []),
    ...((payload['coverages'] as { plan?: string }[] | undefined) ?? []).map(({ plan }) => plan),
  ].filter((name) => name !== undefined);

/** The member of each claim id in an undamaged body. */
async function ownersIn(body: Buffer): Promise<Map<unknown, string | undefined>> {
  const whole = Buffer.from(body.toString('latin1').replace('*1O0*', '*100*'), 'latin1');
  const events = eventsOf(await readBody(whole));
  return new Map(
    events.flatMap(({ envelope }) => namesOf(envelope).map((name) => [name, envelope.member_id] as const)),
  );
}

/** Damage as lines and tools do it: bytes changed, lost, doubled, swapped; segments lost, doubled, moved. */
function damage(body: Buffer, random: () => number): Buffer {
  const at = Math.floor(random() * body.length);
  const length = 1 + Math.floor(random() * 40);
  const { before, taken, after } = {
    before: body.subarray(0, at),
    taken: body.subarray(at, at + length),
    after: body.subarray(at + length),
  };
  const segments = body.toString('latin1').split('\n');
  const from = Math.floor(random() * segments.length);
  const [segment = ''] = segments.slice(from, from + 1);
  switch (Math.floor(random() * 8)) {
    case 0:
      return Buffer.concat([before, Buffer.from([Math.floor(random() * 256)]), body.subarray(at + 1)]);
    case 1:
      return Buffer.concat([before, after]);
    case 2:
      return Buffer.concat([before, taken, taken, after]);
    case 3:
      return Buffer.concat([before, Buffer.from(taken).reverse(), after]);
    case 4:
      return Buffer.from(segments.toSpliced(from, 1).join('\n'), 'latin1');
    case 5:
      return Buffer.from(segments.toSpliced(from, 0, segment).join('\n'), 'latin1');
    case 6:
      return body.subarray(0, at);
    default:
      return Buffer.from(segments.toSpliced(from, 1, segment.replaceAll('~', '')).join('\n'), 'latin1');
  }
}

describe('damaged bodies', () => {
  it(
    `${rounds} seeded rounds: nothing is thrown, and every event is well formed`,
    async () => {
      const random = seeded(20_260_301);
      for (let round = 0; round < rounds; round += 1) {
        let body: Buffer = bodies[Math.floor(random() * bodies.length)] ?? Buffer.alloc(0);
        for (let times = Math.floor(random() * 3); times >= 0; times -= 1) body = damage(body, random);
        for (const { envelope, part } of eventsOf(await readBody(body, { strict: random() < 0.2 }))) {
          expect(envelope.event_effective_timestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
          expect(part.offset + part.length).toBeLessThanOrEqual(body.length);
          expect(JSON.parse(JSON.stringify(envelope))).toEqual(envelope);
        }
      }
    },
    30 * 60_000,
  );

  it(
    `${rounds} seeded rounds: a lost segment never gives a claim to another member`,
    async () => {
      const random = seeded(77);
      const owners = await Promise.all(bodies.map(ownersIn));
      for (let round = 0; round < rounds; round += 1) {
        const which = Math.floor(random() * bodies.length);
        const text = (bodies[which] ?? Buffer.alloc(0)).toString('latin1');
        const segments = text.split('\n');
        const from = Math.floor(random() * segments.length);
        const segment = segments[from] ?? '';
        // Lost as a whole, its terminator lost, or its id made unreadable.
        const instead = [[], [segment.slice(0, -1)], [`?${segment}`]][Math.floor(random() * 3)] ?? [];
        const lost = segments.toSpliced(from, 1, ...instead).join(random() < 0.5 ? '\n' : '');
        for (const { envelope } of eventsOf(await readBody(Buffer.from(lost, 'latin1')))) {
          for (const name of namesOf(envelope)) {
            const owner = owners[which]?.get(name);
            // A name that ran into the next segment is no other's; claims are refused for it.
            if (which >= claimBodies && !owners[which]?.has(name)) continue;
            if (envelope.member_id !== undefined) expect([round, envelope.member_id]).toEqual([round, owner]);
          }
        }
      }
    },
    30 * 60_000,
  );
});
