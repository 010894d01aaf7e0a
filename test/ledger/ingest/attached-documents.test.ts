import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { repositoryFile } from '../../../app/repository.js';
import { EICAR } from '../../../subgraphs/vault/scan/adapters/byte-search.js';
import { eventually } from '../../support/eventually.js';
import { freshTenant, type Http } from '../../support/http.js';
import { startWholeService, type WholeService } from '../../support/whole-service.js';

const fixture = (name: string): string => readFileSync(repositoryFile(`test/ledger/formats/${name}`), 'latin1');
const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1');
const sha256 = (bytes: Uint8Array | string): string => createHash('sha256').update(bytes).digest('hex');
const headers = { 'content-type': 'text/plain' };

let service: WholeService;
beforeAll(async () => {
  service = await startWholeService({ SERVICE_CONTENT_SCAN_INLINE: 'true' });
}, 240_000);
afterAll(() => service.stop());

const admin = async (): Promise<Http> => (await freshTenant(service.operator, ['admin'])).http;
const ingest = async (http: Http, body: string) => (await http.post('/v1/ingest/raw', latin1(body), headers)).json;

interface Listed {
  readonly document_id: string;
  readonly sha256: string;
  readonly [member: string]: unknown;
}
async function documentsOf(http: Http): Promise<Listed[]> {
  return (await http.get('/v1/documents?order=asc')).json.items;
}

const information = fixture('x12/fixtures/attachment.275');
const notice = fixture('hl7v2/fixtures/document.hl7')
  .trim()
  .replaceAll(/[\r\n]+/g, '\r')
  // The bytes of the fixture are no PDF, which the scan would flag.
  .replace('^AP^PDF^', '^TEXT^PLAIN^');
const reference = (data: Uint8Array): string =>
  JSON.stringify({
    resourceType: 'DocumentReference',
    id: 'd1',
    status: 'current',
    date: '2026-03-02T10:00:00Z',
    subject: { identifier: { type: { coding: [{ code: 'MB' }] }, value: 'SYN-77' } },
    content: [
      {
        attachment: {
          contentType: 'text/plain',
          title: '../visit note.txt',
          data: Buffer.from(data).toString('base64'),
        },
      },
    ],
  });

const patient = { identifier: { type: { coding: [{ code: 'MB' }] }, value: 'SYN-77' } };
const attachment = (text: string) => ({ contentType: 'text/plain', data: Buffer.from(text).toString('base64') });
const communication = JSON.stringify({
  resourceType: 'Communication',
  id: 'k1',
  status: 'completed',
  sent: '2026-03-02T10:00:00Z',
  subject: patient,
  payload: [{ contentAttachment: attachment('a report') }, { contentAttachment: attachment('another') }],
});
const claim = JSON.stringify({
  resourceType: 'Claim',
  id: 'c1',
  status: 'active',
  use: 'claim',
  created: '2026-03-02',
  patient,
  supportingInfo: [
    { sequence: 1, category: { coding: [{ code: 'attachment' }] }, valueAttachment: attachment('an image') },
  ],
});

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const result = [
  'MSH|^~\\&|SYNTH-LAB|LAB|PLAN|PLAN|20260302080000||ORU^R01|SYN-R1|P|2.5.1',
  'PID|1||SYN-77^^^SYNTHPLAN^MB||ALDERBROOK^TESSA',
  'OBR|1|ORD-1|FIL-1|4548-4^Hemoglobin A1c^LN|||20260302070000|||||||||||||||20260302075500|||F',
  `OBX|1|ED|TXT^Report^L||SYNTH^TEXT^PLAIN^Base64^${base64('a report')}||||||F`,
].join('\r');
const script =
  '<Message version="2017071"><Header><From>SYN</From><MessageID>M-1</MessageID>' +
  '<SentTime>2026-03-02T10:00:00Z</SentTime></Header><Body><PARequest><Patient><HumanPatient><Identification>' +
  '<MemberID>SYN-77</MemberID></Identification></HumanPatient></Patient>' +
  `<Attachment><AttachmentData>${base64('a chart')}</AttachmentData><MIMEType>text/plain</MIMEType></Attachment>` +
  '</PARequest></Body></Message>';

describe('POST /v1/ingest/raw with documents inside messages', () => {
  it.each([
    ['X12 275', information, information.replaceAll('~\n', '~'), 2],
    ['HL7 v2 MDM', notice, `\x0b${notice}\r\x1c\r`, 2],
    ['a result of HL7 v2 ORU', `${result}\r`, `\x0b${result}\r\x1c\r`, 1],
    ['the attachment of an NCPDP SCRIPT message', script, ` ${script}\n`, 1],
    ['a FHIR DocumentReference', reference(Buffer.from('a note')), `\n ${reference(Buffer.from('a note'))}\n`, 1],
    ['a FHIR Communication', communication, ` ${communication}`, 2],
    ['the supporting information of a FHIR Claim', claim, ` ${claim}`, 1],
  ])('stores each in the vault, once, attached to its event and member: %s', async (_, body, again, count) => {
    const http = await admin();
    const { results } = await ingest(http, body);
    const event_id = String((results as { event_id: string }[])[0]?.event_id);
    const event = (await http.get(`/v1/events/${event_id}`)).json;
    const documents = await documentsOf(http);
    expect(documents).toHaveLength(count);
    for (const document of documents) {
      expect(document).toMatchObject({
        event_ids: [event_id],
        member_ids: [event.member_id],
        source_system: event.source_system,
        scan: { status: 'CLEAN' },
        created_by: 'service:vault',
      });
      // The event names the content that the document has.
      expect(JSON.stringify(event.payload)).toContain(document.sha256);
      const read = await fetch(`${http.url}/v1/documents/${document.document_id}`, {
        headers: { 'x-api-key': http.key ?? '' },
      });
      expect(sha256(new Uint8Array(await read.arrayBuffer()))).toBe(document.sha256);
    }
    for (const body of [again, again]) {
      expect(await ingest(http, body)).toMatchObject({ accepted: 0, duplicated: 1 });
      expect(await documentsOf(http)).toEqual(documents);
    }
    expect((await http.get('/v1/ledger/verify')).json).toMatchObject({ valid: true, breaks: [] });
  });

  it('cleans the file name, and records the upload in custody', async () => {
    const http = await admin();
    await ingest(http, reference(Buffer.from('a note')));
    const [document] = await documentsOf(http);
    expect(document).toMatchObject({
      filename: 'visit note.txt',
      title: '../visit note.txt',
      media_type: 'text/plain',
    });
    const path = `/v1/custody?subject_kind=DOCUMENT&subject_id=${document?.document_id}`;
    const items = await eventually(
      async () => (await http.get(path)).json.items as { action: string; actor: unknown }[],
      (seen) => seen.some(({ action }) => action === 'UPLOAD'),
    );
    expect(items.find(({ action }) => action === 'UPLOAD')).toMatchObject({
      actor: { type: 'SERVICE', id: 'service:vault' },
    });
  });

  it('scans them as uploads: flagged content is quarantined, and its event stays', async () => {
    const http = await admin();
    expect(await ingest(http, reference(EICAR))).toMatchObject({ accepted: 1 });
    const { json } = await http.get('/v1/quarantine');
    expect(json.items).toMatchObject([{ status: 'QUARANTINED', scan: { status: 'FLAGGED' } }]);
  });
});
