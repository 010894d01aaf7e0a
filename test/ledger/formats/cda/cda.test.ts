import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { repositoryFile } from '../../../../app/repository.js';
import { cdaAdapter } from '../../../../subgraphs/ledger/formats/cda/index.js';
import { sniffFormat } from '../../../../subgraphs/ledger/formats/domain.js';
import {
  type AdapterItem,
  type AdapterOptions,
  DEFAULT_ADAPTER_LIMITS,
  type EventItem,
} from '../../../../subgraphs/ledger/formats/format-adapter.js';
import { eventually } from '../../../support/eventually.js';
import { freshTenant } from '../../../support/http.js';
import { seeded } from '../../../support/random.js';
import { startWholeService, type WholeService } from '../../../support/whole-service.js';
import { codesOf, eventsOf, receivedAt, refusedOf } from '../x12/reading.js';

const bytes = readFileSync(repositoryFile('test/ledger/formats/cda/fixtures/summary.xml'));
const summary = bytes.toString();
const MEMBER = '1EG4TE5MK73';

async function readBody(
  body: string | Buffer | readonly Buffer[],
  options: Partial<AdapterOptions> = {},
): Promise<AdapterItem[]> {
  const chunks = typeof body === 'string' ? [Buffer.from(body)] : Buffer.isBuffer(body) ? [body] : body;
  const items: AdapterItem[] = [];
  const settings = { strict: false, receivedAt, limits: DEFAULT_ADAPTER_LIMITS, ...options };
  async function* stream(): AsyncGenerator<Uint8Array> {
    yield* chunks;
  }
  for await (const item of cdaAdapter.read(stream(), settings)) items.push(item);
  return items;
}
const eventOf = async (type: string, body = summary): Promise<EventItem | undefined> =>
  eventsOf(await readBody(body)).find(({ envelope }) => envelope.event_type === type);

describe('a C-CDA document', () => {
  it('is detected by its root, whatever it says of other standards', () => {
    expect(sniffFormat(bytes)).toBe('cda');
    expect(sniffFormat(Buffer.from('<!-- ncpdp --><cda:ClinicalDocument xmlns:cda="urn:hl7-org:v3"/>'))).toBe('cda');
  });

  it('yields one event for itself, and one for each coded entry', async () => {
    const events = eventsOf(await readBody(bytes));
    expect(
      events.map(({ envelope: { event_family, event_type, outcome } }) => [event_family, event_type, outcome]),
    ).toEqual([
      ['document', 'clinical_document_received', 'recorded'],
      ['clinical', 'condition.active', 'active'],
      ['clinical', 'condition.resolved', 'inactive'],
      ['clinical', 'condition.refuted', 'cancelled'],
      ['clinical', 'procedure.completed', 'recorded'],
      ['clinical', 'medication.active', 'active'],
      ['clinical', 'observation_recorded', 'recorded'],
      ['encounter', 'encounter_recorded', 'recorded'],
    ]);
    for (const { envelope, part } of events) {
      expect(envelope).toMatchObject({ member_id: MEMBER, source_system: 'Synthetic Clinic' });
      expect(envelope.payload).toMatchObject({
        document_id: '2.999.1|SYN-DOC-1',
        patient: {
          last_name: 'Nameone',
          first_name: 'Given',
          middle_name: 'Middle',
          birth_date: '1950-01-01',
          state: 'OH',
        },
      });
      expect(summary.slice(part.offset, part.offset + part.length)).toMatch(/^<[\s\S]*>$/);
    }
    expect(new Set(events.map(({ envelope }) => envelope.source_record_id)).size).toBe(events.length);
  });

  it('names code systems by the URI of their OID, with the codes of translations', async () => {
    const { envelope } = (await eventOf('condition.active')) ?? {};
    expect(envelope).toMatchObject({
      event_effective_timestamp: '2024-01-05T00:00:00.000Z',
      payload: {
        section: 'problems',
        diagnosis_codes: ['44054006', 'E11.9'],
        diagnoses: [
          {
            code: '44054006',
            system: 'SNOMED',
            system_uri: 'http://snomed.info/sct',
            display: 'Diabetes mellitus type 2',
          },
          { code: 'E11.9', system: 'ICD-10-CM', system_uri: 'http://hl7.org/fhir/sid/icd-10-cm' },
        ],
        service_period: { from: '2024-01-05', to: '2024-01-05' },
      },
    });
    expect((await eventOf('procedure.completed'))?.envelope.payload).toMatchObject({ procedure_codes: ['G0121'] });
  });

  it('reads doses, values with range and flags, and the days of an encounter', async () => {
    expect((await eventOf('medication.active'))?.envelope.payload).toMatchObject({
      procedures: [{ code: '860975', system: 'RxNorm' }],
      dose: '500',
      dose_unit: 'mg',
      route: 'ORAL',
      service_period: { from: '2026-01-01' },
    });
    expect((await eventOf('observation_recorded'))?.envelope).toMatchObject({
      event_effective_timestamp: '2026-02-01T13:30:00.000Z',
      payload: { results: [{ code: '4548-4', value: '8.1', unit: '%', range: '4.0-5.6', flags: ['H'] }] },
    });
    expect((await eventOf('encounter_recorded'))?.envelope.payload).toMatchObject({
      procedure_codes: ['99213'],
      service_period: { from: '2026-03-02', to: '2026-03-02' },
    });
  });

  it('passes itself on for the vault, and the file of a body that is no XML', async () => {
    const [document] = eventsOf(await readBody(bytes));
    expect(document?.documents).toMatchObject([{ mediaType: 'application/xml', title: 'Synthetic summary' }]);
    expect(Buffer.from(document?.documents?.[0]?.bytes ?? []).equals(bytes.subarray(0, bytes.length - 1))).toBe(true);
    const file = `<component><nonXMLBody><text mediaType="text/plain" representation="B64">${Buffer.from('a note').toString('base64')}</text></nonXMLBody></component>`;
    const plain = summary.replace(/<component><structuredBody>[\s\S]*<\/structuredBody><\/component>/, file);
    const [only, ...others] = eventsOf(await readBody(plain));
    expect(others).toEqual([]);
    expect(Buffer.from(only?.documents?.[1]?.bytes ?? []).toString()).toBe('a note');
  });

  it('has the content of the same document with other white space', async () => {
    const other = summary.replaceAll('\n', '\r\n').replaceAll(/> +</g, '>\n\t<');
    const hashes = (items: AdapterItem[]) => eventsOf(items).map(({ part }) => part.contentSha256);
    expect(hashes(await readBody(other))).toEqual(hashes(await readBody(summary)));
  });

  it('yields the same items for any chunks, and two documents one after another', async () => {
    const whole = await readBody(bytes);
    for (const size of [1, 97]) {
      const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
        bytes.subarray(at * size, (at + 1) * size),
      );
      const limits = { segmentBytes: 1024, strictHoldBytes: 1 << 20, windowBytes: 1 };
      expect(await readBody(chunks, { limits })).toEqual(whole);
    }
    expect(eventsOf(await readBody(summary + summary))).toHaveLength(2 * eventsOf(whole).length);
  });
});

describe('the member of a C-CDA document', () => {
  it.each([
    ['a member number of a plan', (text: string) => text, MEMBER],
    [
      'else the number of the facility, under its OID',
      (text: string) => text.replace(/<id root="[^"]*4\.927"[^>]*>/, ''),
      '2.999.7|MRN-1',
    ],
    [
      'never a social security number',
      (text: string) => text.replace(/<id root="(?:2\.999\.7|[^"]*4\.927)"[^>]*>/g, ''),
      undefined,
    ],
    [
      'nobody where two patients are named',
      (text: string) => text.replace(/(<recordTarget>[\s\S]*<\/recordTarget>)/, '$1$1'),
      undefined,
    ],
  ])('%s', async (_, change, member) => {
    const items = await readBody(change(summary));
    for (const { envelope } of eventsOf(items)) expect(envelope.member_id).toBe(member);
    if (member === undefined) expect(codesOf(items)).toContain('MEMBER_MISSING');
  });
});

describe('damaged C-CDA documents', () => {
  it.each([
    [
      'a DOCTYPE',
      summary.replace('<ClinicalDocument', '<!DOCTYPE a [<!ENTITY b "c">]><ClinicalDocument'),
      'DOCTYPE_REFUSED',
    ],
    ['a cut document', summary.slice(0, -40), 'XML_CUT'],
    ['tags that do not match', summary.replace('</structuredBody>', ''), 'XML_UNREADABLE'],
    ['another root', '<Document/>', 'NOT_CDA'],
  ])('rejects %s, with its place', async (_, body, code) => {
    const items = await readBody(body);
    expect(eventsOf(items)).toEqual([]);
    expect(refusedOf(items)).toMatchObject([{ code, exceptionKind: 'PARSE_FAILED', position: { segmentNumber: 1 } }]);
  });

  it('cut at every 7th byte: yields nothing, and the next document whole', async () => {
    for (let at = 1; at < summary.length - 20; at += 7) {
      expect(eventsOf(await readBody(summary.slice(0, at)))).toEqual([]);
    }
    for (let at = 200; at < summary.length - 20; at += 97) {
      expect([at, eventsOf(await readBody(summary.slice(0, at) + summary)).length]).toEqual([at, 8]);
    }
  });

  const rounds = Number(process.env['CDA_FUZZ_ROUNDS'] ?? 300);
  it(`${rounds} seeded rounds: throws nothing, and names no other member`, async () => {
    const random = seeded(31);
    const spoils = ['<', '/>', '"', '<entry>', '</section>', '<!--', '&', '\u0000', '<?xml '];
    for (let round = 0; round < rounds; round += 1) {
      const at = Math.floor(random() * summary.length);
      const spoil = spoils[Math.floor(random() * spoils.length)] ?? '';
      const body = summary.slice(0, at) + spoil + summary.slice(at + Math.floor(random() * 20));
      for (const { envelope, part } of eventsOf(await readBody(body))) {
        expect(part.offset + part.length).toBeLessThanOrEqual(Buffer.byteLength(body));
        // A stroke inside the number itself is another number, as written.
        if (body.includes('1EG4-TE5-MK73') && body.includes('4.927"')) expect(envelope.member_id).toBe(MEMBER);
      }
    }
  }, 600_000);
});

describe('POST /v1/ingest/raw with a C-CDA document', () => {
  let service: WholeService;
  beforeAll(async () => {
    service = await startWholeService({ SERVICE_CONTENT_SCAN_INLINE: 'true' });
  }, 240_000);
  afterAll(() => service.stop());

  it('stores events and document once, and the document is downloaded as it came', async () => {
    const { http } = await freshTenant(service.operator, ['admin']);
    const answer = await http.post('/v1/ingest/raw', bytes, { 'content-type': 'application/xml' });
    expect([answer.status, answer.json]).toMatchObject([200, { format: 'cda', accepted: 8, rejected: 0 }]);
    const { items } = (await http.get('/v1/documents')).json;
    expect(items).toMatchObject([{ member_ids: [MEMBER], title: 'Synthetic summary', scan: { status: 'CLEAN' } }]);
    const sha256 = createHash('sha256')
      .update(bytes.subarray(0, bytes.length - 1))
      .digest('hex');
    expect(items[0].sha256).toBe(sha256);
    const again = await http.post('/v1/ingest/raw', summary.replaceAll('\n', '\r\n'), {
      'content-type': 'application/cda+xml',
    });
    expect(again.json).toMatchObject({ accepted: 0, duplicated: 8 });
    const path = `/v1/events?member_id=${MEMBER}&code=icd10cm:E11.9`;
    const found = async () => (await http.get(path)).json.items as unknown[];
    expect(await eventually(found, (seen) => seen.length > 0)).toMatchObject([{ event_type: 'condition.active' }]);
    expect((await http.get('/v1/ledger/verify')).json).toMatchObject({ valid: true, breaks: [] });
  });
});
