import { describe, expect, it } from '@jest/globals';
import type { EventItem } from '../../../../subgraphs/ledger/formats/format-adapter.js';
import { eventsOf, fixture, readBody } from './reading.js';

// ORU: one event a message and patient, with its groups in the payload (docs/formats.md).

const PERSON = 'PID|1||SYN-MEMBER-1^^^SYNTHPLAN^MB||ALDERBROOK^TESSA';

function body(trigger: string, ...segments: readonly string[]): Buffer {
  const header = `MSH|^~\\&|SYNTH-LAB|LAB|PLAN|PLAN|20260302080000||ORU^${trigger}|SYN-R|P|2.5.1`;
  return Buffer.from(`${[header, PERSON, ...segments].join('\r')}\r`, 'latin1');
}

const order = (status: string, at = '20260302070000', reportedAt = '20260302075500'): string =>
  `OBR|1|ORD-1|FIL-1|4548-4^Hemoglobin A1c^LN|||${at}|||||||||||||||${reportedAt}|||${status}`;
const observation = (status: string, at = ''): string =>
  `OBX|1|NM|4548-4^Hemoglobin A1c^LN||7.5|%|4.0-5.6|H|||${status}|||${at}`;

async function onlyEvent(message: Buffer): Promise<EventItem> {
  const [event, ...more] = eventsOf(await readBody(message));
  if (event === undefined || more.length > 0) throw new Error('the message has not one event');
  return event;
}

describe('a message of several result groups', () => {
  it('is one event with all groups and observations', async () => {
    const { envelope } = await onlyEvent(fixture('results'));
    expect(envelope).toMatchObject({
      event_family: 'clinical',
      event_type: 'result_reported',
      outcome: 'recorded',
      member_id: 'SYN-MEMBER-1',
      payload: { procedure_codes: ['57021-8', '600-7', '2345-7'] },
    });
    const { groups, results } = envelope.payload as { groups: object[]; results: { group?: number }[] };
    expect(groups).toMatchObject([{ status_text: 'final' }, { placer_number: 'ORD-2' }, { status: 'C' }]);
    expect(results.map(({ group }) => group)).toEqual([undefined, 1, 1, 2, 3]);
    expect(results[1]).toMatchObject({ code: '718-7', system: 'LN', values: ['13.2'], unit: 'g/dL', flags: ['N'] });
  });
});

describe('the status of a group', () => {
  it.each([
    ['F', 'final'],
    ['P', 'preliminary'],
    ['A', 'partial'],
    ['C', 'corrected'],
    ['M', 'corrected'],
    ['I', 'pending'],
    ['N', 'pending'],
    ['X', 'cancelled'],
    ['Q', undefined],
  ])('OBR-25 %s is %s', async (status, words) => {
    const { envelope } = await onlyEvent(body('R01', order(status), observation('F')));
    const [group] = envelope.payload['groups'] as { status: string; status_text?: string }[];
    expect([group?.status, group?.status_text, envelope.outcome]).toEqual([status, words, 'recorded']);
  });

  it.each(['R01', 'R03', 'R30', 'R31', 'R32', 'R40', 'W01'])('is read in ORU^%s', async (trigger) => {
    const { envelope } = await onlyEvent(body(trigger, order('P'), observation('P')));
    expect(envelope).toMatchObject({ event_type: 'result_reported', payload: { trigger_event: trigger } });
  });
});

describe('the time of a result', () => {
  it.each([
    ['OBR-22', order('F'), observation('F', '20260302071000'), '2026-03-02T07:55:00.000Z'],
    ['OBR-7', order('F', '20260302070000', ''), observation('F', '20260302071000'), '2026-03-02T07:00:00.000Z'],
  ])('is %s', async (field, group, observed, time) => {
    const { envelope } = await onlyEvent(body('R01', group, observed));
    expect(envelope.event_effective_timestamp).toBe(time);
    expect(envelope.payload['timestamp_basis']).toBe(`${field} read as UTC`);
  });
});

describe('a document inside a result', () => {
  const document = (data: string, after = '||||||F'): string =>
    `OBX|2|ED|PDF^Report of the laboratory^L||SYNTH^AP^PDF^Base64^${data}${after}`;
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  const texts = ({ documents = [] }: EventItem): string[] =>
    documents.map(({ bytes, mediaType, title }) => `${mediaType} ${title}: ${Buffer.from(bytes).toString()}`);

  it('goes to the vault with its media type and the words of OBX-3, and the payload has its hash', async () => {
    const event = await onlyEvent(body('R01', order('F'), observation('F'), document(base64('%PDF-1.7'))));
    expect(texts(event)).toEqual(['application/pdf Report of the laboratory: %PDF-1.7']);
    expect(event.warnings).toEqual([]);
    const { results } = event.envelope.payload as { results: { documents?: object[] }[] };
    expect(results[1]?.documents).toMatchObject([{ media_type: 'application/pdf', size_bytes: 8 }]);
  });

  it('that is elsewhere (RP) keeps its pointer and media type, and is warned of', async () => {
    const event = await onlyEvent(body('R01', order('F'), 'OBX|1|RP|IMG||https://img.example/1^SYNTH^IM^JPEG||||||F'));
    expect(texts(event)).toEqual([]);
    expect(event.warnings).toMatchObject([{ code: 'CONTENT_NOT_STORED', segment: 'OBX', element: 5 }]);
    expect(event.envelope.payload['results']).toMatchObject([
      { documents: [{ media_type: 'image/jpeg', reference: 'https://img.example/1' }] },
    ]);
  });

  it('that the end of the body may have cut stays out of the vault', async () => {
    const whole = body('R01', order('F'), document(base64('%PDF-1.7 and more'), ''));
    const event = await onlyEvent(whole.subarray(0, -6));
    expect(texts(event)).toEqual([]);
    expect(event.warnings.map(({ code }) => code)).toContain('CONTENT_NOT_STORED');
  });

  it('beyond the 50th of one event is warned of', async () => {
    const many = Array.from({ length: 51 }, (_, at) => document(base64(`report ${at}`)));
    const event = await onlyEvent(body('R01', order('F'), ...many));
    expect(event.documents).toHaveLength(50);
    expect(event.warnings).toMatchObject([{ code: 'CONTENT_NOT_STORED' }]);
  });
});
