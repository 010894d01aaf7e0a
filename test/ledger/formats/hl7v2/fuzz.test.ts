import { describe, expect, it } from '@jest/globals';
import { Hl7Acknowledger } from '../../../../subgraphs/ledger/formats/hl7v2/acknowledge.js';
import { seeded } from '../../../support/random.js';
import { eventsOf, fixture, readBody } from './reading.js';

const rounds = Number(process.env['HL7V2_FUZZ_ROUNDS'] ?? 400);
const names = [
  'admit',
  'two-patients',
  'batch-wrong-count',
  'separators',
  'charges',
  'orders',
  'referral',
  'document',
  'appointment',
  'immunization',
  'immunizations',
  'results',
];
const bodies = names.map(fixture);

/** Damage as lines and tools do it: bytes changed, lost, doubled, swapped; segments lost, doubled, moved. */
function damage(body: Buffer, random: () => number): Buffer {
  const at = Math.floor(random() * body.length);
  const length = 1 + Math.floor(random() * 40);
  const { before, taken, after } = {
    before: body.subarray(0, at),
    taken: body.subarray(at, at + length),
    after: body.subarray(at + length),
  };
  const segments = body.toString('latin1').split('\r');
  const from = Math.floor(random() * segments.length);
  const [segment = ''] = segments.slice(from, from + 1);
  switch (Math.floor(random() * 9)) {
    case 0:
      return Buffer.concat([before, Buffer.from([Math.floor(random() * 256)]), body.subarray(at + 1)]);
    case 1:
      return Buffer.concat([before, after]);
    case 2:
      return Buffer.concat([before, taken, taken, after]);
    case 3:
      return Buffer.concat([before, Buffer.from(taken).reverse(), after]);
    case 4:
      return Buffer.from(segments.toSpliced(from, 1).join('\r'), 'latin1');
    case 5:
      return Buffer.from(segments.toSpliced(from, 0, segment).join('\r'), 'latin1');
    case 6:
      return body.subarray(0, at);
    case 7:
      return Buffer.concat([before, Buffer.from('\\X1F\\\\.sp99\\\u000b\u001c"|^~&'), after]);
    default:
      return Buffer.from(`${segments.slice(0, from).join('\r')}${segments.slice(from).join('\r')}`, 'latin1');
  }
}

describe('damaged bodies', () => {
  it(
    `${rounds} seeded rounds: nothing is thrown, every event is well formed, every body can be acknowledged`,
    async () => {
      const random = seeded(20_260_301);
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
        const acknowledger = new Hl7Acknowledger();
        for (const item of items) acknowledger.take(item, item.kind === 'event' ? { status: 'ACCEPTED' } : undefined);
        const answer = acknowledger.finish({ nowIso: '2026-04-01T12:00:00.000Z', controlNumber: '1' });
        expect(answer?.text ?? '\r').toMatch(/\r$/);
      }
    },
    30 * 60_000,
  );

  it(
    `${rounds} seeded rounds: a broken segment never gives an event to another patient`,
    async () => {
      const random = seeded(77);
      const patients = 10;
      for (let round = 0; round < rounds; round += 1) {
        const { text, owners } = results(patients, random);
        const segments = text.split('\r');
        const from = 1 + Math.floor(random() * (segments.length - 2));
        const segment = segments[from] ?? '';
        // Its terminator lost, its id made unreadable, or, where no patient begins, lost as a whole.
        const instead = [[`${segment}${segments[from + 1]}`], [`?${segment}`], [segment.replace(/^(.)./, '$1#')], []];
        const ways = segment.startsWith('PID') ? 3 : 4;
        const way = Math.floor(random() * ways);
        const broken = segments.toSpliced(from, way === 0 ? 2 : 1, ...(instead[way] ?? [])).join('\r');
        for (const { envelope } of eventsOf(await readBody(Buffer.from(broken, 'latin1')))) {
          for (const { placer_number } of (envelope.payload['groups'] as { placer_number?: string }[]) ?? []) {
            const owner = placer_number === undefined ? undefined : owners.get(placer_number);
            if (owner === undefined || envelope.member_id === undefined || envelope.member_id === owner) continue;
            throw new Error(`round ${round}: ${placer_number} was given to ${envelope.member_id}`);
          }
        }
      }
    },
    30 * 60_000,
  );
});

/** Results of many patients, some in one message, and the patient of each order. */
function results(patients: number, random: () => number): { text: string; owners: Map<string, string> } {
  const owners = new Map<string, string>();
  const segments: string[] = [];
  for (let patient = 1; patient <= patients; patient += 1) {
    if (patient === 1 || random() < 0.5) {
      segments.push(`MSH|^~\\&|SYNTH-LAB|LAB|PLAN|PLAN|20260302||ORU^R01^ORU_R01|SYN-${patient}|P|2.5`);
    }
    segments.push(`PID|${patient}||SYN-MEMBER-${patient}^^^PLAN^MB||NAME^GIVEN`);
    for (let order = 1; order <= 2; order += 1) {
      const placer = `ORD-${patient}-${order}`;
      owners.set(placer, `SYN-MEMBER-${patient}`);
      segments.push(
        `OBR|${order}|${placer}||2345-7^Glucose^LN`,
        'OBX|1|NM|2345-7^Glucose^LN||90|mg/dL|||||F',
        'NTE|1||noted',
      );
    }
  }
  return { text: `${segments.join('\r')}\r`, owners };
}
