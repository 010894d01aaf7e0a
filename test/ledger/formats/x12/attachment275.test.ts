import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { codesOf, envelopesOf, eventsOf, fixtureText, readBody, readText, refusedOf, without } from './reading.js';

// A 275 sends documents about a claim. Synthetic bodies.

const information = fixtureText('attachment.275');
const note = '<ClinicalDocument>SYNTHETIC~SE*1*0001~*NOTE</ClinicalDocument>';
const sha256 = (bytes: Buffer | string): string => createHash('sha256').update(bytes).digest('hex');

/** The body with another document, which may hold any bytes. */
const withDocument = (bytes: Buffer, length = bytes.length): Buffer =>
  Buffer.from(
    information.replace(`BIN*${note.length}*${note}~`, () => `BIN*${length}*${bytes.toString('latin1')}~`),
    'latin1',
  );
const documentsOf = async (body: Buffer): Promise<unknown> =>
  eventsOf(await readBody(body)).map(({ envelope }) => {
    const [first] = envelope.payload['attachments'] as { documents: unknown[] }[];
    return first?.documents[0];
  });

describe('a 275', () => {
  it('yields one event with the claim, the patient and the documents by hash and size', async () => {
    const events = await envelopesOf(information);
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({
      event_family: 'document',
      event_type: 'attachment_received',
      outcome: 'recorded',
      member_id: 'SYN0001',
      source_record_id: '000000092/92/0001/1/SYN-CLAIM-1',
      event_effective_timestamp: '2026-03-01T09:05:00.000Z',
      payload: {
        claim_id: 'SYN-CLAIM-1',
        payer_claim_id: 'SYN-PAYER-1',
        bill_type: '111',
        trace_numbers: ['SYN-CONTROL-1', 'SYN-CONTROL-2'],
        service_period: { from: '2026-01-10', to: '2026-01-10' },
        patient: { id: 'SYN0001', last_name: 'NAMEONE' },
        payer: { name: 'SYNTHETIC PLAN' },
        providers: [{ npi: '1999999984' }],
        attachments: [
          {
            control_numbers: ['SYN-CONTROL-1'],
            request: ['R4', '18842-5', '', 'LOI'],
            report_type: 'AE',
            report_code: 'HL',
            submitted: '2026-03-01',
            documents: [
              {
                format: 'CDA',
                file_name: 'note.xml',
                media_type: 'application/xml',
                size_bytes: note.length,
                sha256: sha256(note),
              },
            ],
          },
          {
            documents: [
              { encoding: 'B64', media_type: 'application/pdf', size_bytes: 18, sha256: sha256('%PDF-1.4 synthetic') },
            ],
          },
        ],
      },
    });
  });

  it('passes the bytes of each document on for the vault, without a warning', async () => {
    const items = await readText(information);
    expect(codesOf(items)).toEqual([]);
    const [event] = eventsOf(items);
    expect(event?.documents?.map(({ bytes }) => Buffer.from(bytes).toString('latin1'))).toEqual([
      expect.any(String),
      '%PDF-1.4 synthetic',
    ]);
    const described = JSON.stringify(event?.envelope.payload['attachments']);
    for (const { bytes } of event?.documents ?? []) expect(described).toContain(sha256(Buffer.from(bytes)));
  });

  it('leaves documents beyond 64 MiB of one transaction in the raw message, with one warning', async () => {
    const large = Buffer.alloc(15 * 1024 * 1024, 'x').toString('latin1');
    const segment = `BIN*${large.length}*${large}~`;
    const items = await readText(information.replace('BIN*', `${segment.repeat(6)}BIN*`));
    expect(codesOf(items).filter((code) => code === 'DOCUMENT_NOT_STORED')).toHaveLength(1);
    expect(eventsOf(items)[0]?.documents).toHaveLength(6);
  });

  it('reads a document of any bytes by its stated length, in chunks of any size', async () => {
    const every = Buffer.concat([
      Buffer.from(Array.from({ length: 512 }, (_, at) => at % 256)),
      Buffer.from(information),
    ]);
    const body = withDocument(every);
    const expected = { media_type: 'application/octet-stream', size_bytes: every.length, sha256: sha256(every) };
    expect(await documentsOf(body)).toMatchObject([expected]);
    const whole = eventsOf(await readBody(body));
    for (const size of [1, 7, 97, 1000]) {
      const chunks = Array.from({ length: Math.ceil(body.length / size) }, (_, at) =>
        body.subarray(at * size, (at + 1) * size),
      );
      expect(eventsOf(await readBody(chunks))).toEqual(whole);
    }
  });

  it('reads a document of 3 MiB', async () => {
    const large = Buffer.alloc(3 * 1024 * 1024, 'scan~*');
    expect(await documentsOf(withDocument(large))).toMatchObject([{ size_bytes: large.length, sha256: sha256(large) }]);
  });

  it.each([-1, 1, 100_000])('rejects the event when the stated length is wrong by %i bytes', async (by) => {
    const items = await readBody(withDocument(Buffer.from('SYNTHETIC NOTE'), 14 + by));
    expect(refusedOf(items)).toMatchObject([{ code: 'BINARY_LENGTH_WRONG', segment: 'BIN', element: 1 }]);
    expect(eventsOf(items)).toEqual([]);
  });

  it('reads the interchange after many wrong lengths', async () => {
    const lies = 'BIN*16000000*x~'.repeat(50);
    const items = await readText(information.replace('BIN*', `${lies}BIN*`) + fixtureText('premium.820'));
    expect(eventsOf(items).map(({ envelope }) => envelope.event_family)).toEqual(Array(4).fill('premium'));
  });

  it('rejects a second patient, and names no member without a number of the plan', async () => {
    const second = await readText(information.replace('REF*1K', 'NM1*QC*1*NAMETWO*GIVEN****MI*SYN0002~\nREF*1K'));
    expect(refusedOf(second)).toMatchObject([{ code: 'LOOP_ORDER', segment: 'NM1' }]);
    const [nobody] = await envelopesOf(without(information, 'NM1*QC*1*NAMEONE*GIVEN****MI*SYN0001~'));
    expect(nobody?.member_id).toBeUndefined();
  });

  it('rejects a document outside an attachment, and reports segments without a BGN', async () => {
    const outside = await readText(information.replace(/LX\*1~\n(?:[^~]*~\n){5}/, ''));
    expect(refusedOf(outside)).toMatchObject([{ code: 'LX_MISSING' }]);
    const items = await readText(without(information, 'BGN*11*SYN-ATTACH-1*20260301*0905~'));
    expect(refusedOf(items)).toMatchObject([{ code: 'LOOP_ORDER' }]);
    expect(codesOf(items)).toContain('NO_PATIENT_INFORMATION');
  });

  it('keeps at most 500 attachments', async () => {
    const items = await readText(information.replace('LX*2~\n', 'LX*2~\n'.repeat(600)));
    expect(eventsOf(items)[0]?.envelope.payload['attachments']).toHaveLength(500);
    expect(codesOf(items).filter((code) => code === 'ATTACHMENTS_LEFT_OUT')).toHaveLength(1);
  });
});
