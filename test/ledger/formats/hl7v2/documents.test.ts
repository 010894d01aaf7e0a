import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { EventItem } from '../../../../subgraphs/ledger/formats/format-adapter.js';
import { Hl7Acknowledger } from '../../../../subgraphs/ledger/formats/hl7v2/acknowledge.js';
import { eventsOf, readBody } from './reading.js';

// MDM: one event a message, its content by size, media type and hash (docs/formats.md).

const NOTICE =
  'TXA|1|DS^Discharge summary|TX|20260308093000||20260308|20260308100000|20260308110000||||^^DOC-2|^^DOC-1|ORD-1|FIL-1|summary.pdf|AU|R|AV';

const body = (trigger: string, ...segments: readonly string[]): Buffer =>
  Buffer.from(
    `${[
      `MSH|^~\\&|SYNTH-DOC|NORTH|PLAN|PLAN|20260308||MDM^${trigger}|SYN-D|P|2.5`,
      'PID|1||SYN-MEMBER-8^^^SYNTHPLAN^MB||HOLLOWAY^ARI',
      ...segments,
    ].join('\r')}\r`,
    'latin1',
  );

async function onlyEvent(message: Buffer): Promise<EventItem> {
  const [event, ...more] = eventsOf(await readBody(message));
  if (event === undefined || more.length > 0) throw new Error('the message has not one event');
  return event;
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

describe('a document notice', () => {
  it.each([
    ['T01', 'document_notified', 'recorded'],
    ['T02', 'document_notified', 'recorded'],
    ['T03', 'document_updated', 'recorded'],
    ['T04', 'document_updated', 'recorded'],
    ['T05', 'document_updated', 'recorded'],
    ['T06', 'document_updated', 'recorded'],
    ['T07', 'document_updated', 'recorded'],
    ['T08', 'document_updated', 'recorded'],
    ['T09', 'document_updated', 'recorded'],
    ['T10', 'document_updated', 'recorded'],
    ['T11', 'document_cancelled', 'cancelled'],
  ])('MDM^%s is the event %s with the outcome %s', async (trigger, type, outcome) => {
    const { envelope } = await onlyEvent(body(trigger, NOTICE));
    expect(envelope).toMatchObject({ event_family: 'document', event_type: type, outcome, member_id: 'SYN-MEMBER-8' });
  });

  it('has the type, status, unique number, parent, orders and times of TXA', async () => {
    const { payload } = (await onlyEvent(body('T01', NOTICE))).envelope;
    expect(payload['document']).toEqual({
      type: 'DS',
      type_text: 'Discharge summary',
      presentation: 'TX',
      activity_at: '2026-03-08T09:30:00',
      originated_at: '2026-03-08',
      transcribed_at: '2026-03-08T10:00:00',
      edited_at: '2026-03-08T11:00:00',
      number: 'DOC-2',
      parent_number: 'DOC-1',
      placer_number: 'ORD-1',
      filler_number: 'FIL-1',
      file_name: 'summary.pdf',
      completion_status: 'AU',
      confidentiality: 'R',
      availability: 'AV',
    });
    expect(payload['relates_to']).toBe('DOC-1');
  });

  it('without content has no warning', async () => {
    expect((await onlyEvent(body('T01', NOTICE))).warnings).toEqual([]);
  });
});

describe('the content of a document', () => {
  const contentOf = async (...segments: readonly string[]): Promise<unknown> =>
    Reflect.get(Object((await onlyEvent(body('T02', NOTICE, ...segments))).envelope.payload['document']), 'content');

  it('as text is one entry: the lines of all OBX, unescaped and joined by LF', async () => {
    const text = 'first | line\nsecond line\nthird line';
    expect(
      await contentOf(
        'OBX|1|TX|NOTE^Note||first \\F\\ line~second line||||||F',
        'OBX|2|FT|NOTE^Note||third line||||||F',
      ),
    ).toEqual([{ media_type: 'text/plain', size_bytes: text.length, sha256: sha256(text) }]);
  });

  it.each([
    ['AP^PDF^Base64', Buffer.from('%PDF-1.7').toString('base64'), 'application/pdf'],
    ['application^pdf^Base64', Buffer.from('%PDF-1.7').toString('base64'), 'application/pdf'],
    ['application/xml^^Base64', Buffer.from('%PDF-1.7').toString('base64'), 'application/xml'],
    ['IM^JPEG^Hex', Buffer.from('%PDF-1.7').toString('hex'), 'image/jpeg'],
    ['TEXT^x-hl7-cda-level-one^A', '%PDF-1.7', 'text/x-hl7-cda-level-one'],
    ['AP^^Base64', Buffer.from('%PDF-1.7').toString('base64'), 'application/octet-stream'],
    ['TX^^A', '%PDF-1.7', 'text/plain'],
  ])('embedded as %s is decoded and named by its media type', async (kind, data, mediaType) => {
    const entry = { set_id: '1', media_type: mediaType, size_bytes: 8, sha256: sha256('%PDF-1.7') };
    expect(await contentOf(`OBX|1|ED|DS||SYNTH^${kind}^${data}||||||F`)).toEqual([entry]);
  });

  it('elsewhere keeps its pointer', async () => {
    expect(await contentOf('OBX|1|RP|DS||https://docs.example/1^SYNTH^AP^PDF||||||F')).toEqual([
      { set_id: '1', media_type: 'application/pdf', reference: 'https://docs.example/1' },
    ]);
  });

  it('is passed on for the vault: embedded documents, and all text as one', async () => {
    const pdf = `OBX|1|ED|DS||SYNTH^AP^PDF^Base64^${Buffer.from('%PDF-1.7').toString('base64')}||||||F`;
    const event = await onlyEvent(
      body('T02', NOTICE, pdf, 'OBX|2|TX|NOTE^Note||one||||||F', 'OBX|3|TX|NOTE^Note||two||||||F'),
    );
    expect(event.warnings).toEqual([]);
    const documents = event.documents?.map(({ bytes, mediaType }) => [Buffer.from(bytes).toString(), mediaType]);
    expect(documents).toEqual([
      ['%PDF-1.7', 'application/pdf'],
      ['one\ntwo', 'text/plain'],
    ]);
  });

  it('elsewhere is warned of: the event has its pointer alone, and the message is accepted', async () => {
    const message = body('T02', NOTICE, 'OBX|1|RP|DS||https://docs.example/1^SYNTH^AP^PDF||||||F');
    expect((await onlyEvent(message)).warnings).toMatchObject([
      { code: 'CONTENT_NOT_STORED', segment: 'OBX', element: 5 },
    ]);
    const acknowledger = new Hl7Acknowledger();
    for (const item of await readBody(message)) {
      acknowledger.take(item, item.kind === 'event' ? { status: 'ACCEPTED' } : undefined);
    }
    const answer = acknowledger.finish({ nowIso: '2026-04-01T12:00:00.000Z', controlNumber: '1' })?.text;
    expect(answer).toContain('\rMSA|AA|SYN-D\r');
    expect(answer).toContain('|0^Message accepted^HL70357|W|CONTENT_NOT_STORED^^L|');
  });
});
