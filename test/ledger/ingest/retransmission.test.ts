import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { repositoryFile } from '../../../app/repository.js';
import { freshTenant } from '../../support/http.js';
import { startWholeService, type WholeService } from '../../support/whole-service.js';
import { asXml } from '../formats/fhir/as-xml.js';
import { telecom } from '../formats/ncpdp/reading.js';

// The content of a message decides whether it is a retransmission, not the bytes around it.

const fixture = (name: string): string => readFileSync(repositoryFile(`test/ledger/formats/${name}`), 'latin1');
const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1');
const headers = { 'content-type': 'text/plain' };

let service: WholeService;
beforeAll(async () => {
  service = await startWholeService();
}, 240_000);
afterAll(() => service.stop());

const remittance = fixture('x12/fixtures/remittance.835').replaceAll(/[\r\n]/g, '');
/** Of another sender, who counts for himself. */
const claims = fixture('x12/fixtures/professional.837')
  .replaceAll(/[\r\n]/g, '')
  .replace(/^(ISA.{32}).{15}/, '$1OTHER          ')
  .replaceAll(/GS\*(\w+)\*[^*]+/g, 'GS*$1*OTHER');
const admit = fixture('hl7v2/fixtures/admit.hl7')
  .trim()
  .replaceAll(/[\r\n]+/g, '\r');
const lines = fixture('fhir/fixtures/lines.ndjson');
const asDocuments = (indent: string): string =>
  lines
    .trim()
    .split('\n')
    .map((line) => asXml(JSON.parse(line), indent))
    .join('\n');
const pharmacy = telecom(fixture('ncpdp/fixtures/eligibility.ncpdp'));
const spaced = lines
  .trim()
  .split('\n')
  .map((line) => JSON.stringify(JSON.parse(line), null, 3))
  .join('\n');

/** The interchange with other control numbers of ISA, GS and their trailers. */
const renumber = (text: string): string => {
  const control = text.slice(90, 99);
  return text
    .replaceAll(control, '000777777')
    .replace(/(GS(?:\*[^*]*){5}\*)[^*]+/, '$1777')
    .replace(/(GE\*\d+\*)\d+/, '$1777');
};

describe('POST /v1/ingest/raw', () => {
  it.each([
    ['X12 with line ends', remittance, remittance.replaceAll('~', '~\r\n')],
    ['X12 with other separators', remittance, remittance.replaceAll('*', '|').replaceAll('~', '\n')],
    ['X12 behind another interchange', remittance, claims + remittance],
    ['X12 without its last terminator', remittance, remittance.replace(/~$/, '')],
    ['HL7 with LF', `${admit}\r`, `${admit.replaceAll('\r', '\n')}\n`],
    ['HL7 in a frame', `${admit}\r`, `\x0b${admit}\r\x1c\r`],
    ['HL7 without its last terminator', `${admit}\r`, admit],
    ['FHIR with other spacing', lines, spaced],
    ['FHIR XML with other spacing', asDocuments(''), asDocuments('\r\n\t')],
    ['FHIR in XML, then in JSON', asDocuments('\n'), lines],
    ['D.0 with a line end', pharmacy, `${pharmacy}\r\n`],
  ])('answers a retransmission as duplicates: %s', async (_, first, again) => {
    const { http } = await freshTenant(service.operator);
    const { accepted } = (await http.post('/v1/ingest/raw', latin1(first), headers)).json;
    expect(accepted).toBeGreaterThan(0);
    const answer = await http.post('/v1/ingest/raw', latin1(again), headers);
    expect(answer.json).toMatchObject({ duplicated: accepted });
    const { items } = (await http.get('/v1/exceptions')).json;
    for (const { kind, detail } of items as { kind: string; detail: { what?: string } }[]) {
      expect(kind).not.toBe('SOURCE_RECORD_CONFLICT');
      expect(detail.what).not.toBe('REPEAT');
    }
    expect((await http.get('/v1/ledger/verify')).json).toMatchObject({ valid: true, breaks: [] });
  });

  it('answers the second of two equal interchanges in one body as a duplicate', async () => {
    const { http } = await freshTenant(service.operator);
    const { json } = await http.post('/v1/ingest/raw', latin1(remittance + remittance), headers);
    expect(json.accepted).toBeGreaterThan(0);
    expect(json.duplicated).toBe(json.accepted);
  });

  it('reports another content under the same numbers as a conflict', async () => {
    const { http } = await freshTenant(service.operator);
    await http.post('/v1/ingest/raw', latin1(remittance), headers);
    // An element that no event shows belongs to the content all the same.
    const changed = remittance.replace(/~SVC\*/, '~K3*ANOTHER NOTE~SVC*');
    expect(changed).not.toBe(remittance);
    const { json } = await http.post('/v1/ingest/raw', latin1(changed), headers);
    expect(json.accepted).toBeGreaterThan(0);
    const { items } = (await http.get('/v1/exceptions')).json;
    expect((items as { kind: string }[]).map(({ kind }) => kind)).toContain('SOURCE_RECORD_CONFLICT');
  });

  it('stores the same content under other control numbers, with a warning that names the first event', async () => {
    const { http } = await freshTenant(service.operator);
    const first = (await http.post('/v1/ingest/raw', latin1(remittance), headers)).json;
    const renumbered = renumber(remittance);
    const { json, status } = await http.post('/v1/ingest/raw', latin1(renumbered), headers);
    expect([status, json.accepted, json.duplicated]).toEqual([200, first.accepted, 0]);
    const [{ event_id: firstId }] = first.results;
    const [row] = json.results as { event_id: string; warnings: { code: string; message: string }[] }[];
    expect(row?.warnings).toContainEqual({ code: 'CONTENT_REPEATED', message: expect.stringContaining(firstId) });
    const { payload } = (await http.get(`/v1/events/${row?.event_id}`)).json;
    expect(payload.raw.warnings).toContainEqual({
      code: 'CONTENT_REPEATED',
      message: expect.stringContaining(firstId),
    });
    // Sent again, it is a duplicate.
    const again = (await http.post('/v1/ingest/raw', latin1(renumbered), headers)).json;
    expect([again.accepted, again.duplicated]).toEqual([0, first.accepted]);
    const { items } = (await http.get('/v1/exceptions')).json;
    expect((items as { kind: string }[]).map(({ kind }) => kind)).not.toContain('SOURCE_RECORD_CONFLICT');
  });

  it('names the earlier item where one message repeats a content under other control numbers', async () => {
    const { http } = await freshTenant(service.operator);
    const { json } = await http.post('/v1/ingest/raw', latin1(remittance + renumber(remittance)), headers);
    const rows = json.results as { index: number; warnings?: { code: string; message: string }[] }[];
    const half = rows.length / 2;
    rows.forEach(({ index, warnings = [] }) => {
      const messages = warnings.flatMap(({ code, message }) => (code === 'CONTENT_REPEATED' ? [message] : []));
      expect([index, messages]).toEqual([index, index < half ? [] : [expect.stringContaining('of this message')]]);
    });
  });
});
