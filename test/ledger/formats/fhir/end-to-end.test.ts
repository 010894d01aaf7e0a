import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { repositoryFile } from '../../../../app/repository.js';
import { freshTenant } from '../../../support/http.js';
import { describeUnless, lackOfShared } from '../../../support/needs.js';
import { startWholeService, type WholeService } from '../../../support/whole-service.js';
import { asXml } from './as-xml.js';
import { fixture } from './reading.js';

// FHIR over HTTP: resources in, events and the client's own answer out, and the same bytes again add nothing.

const samples = join(repositoryFile('.'), '..', 'shared', 'samples', 'fhir');
const expected: Record<string, { events: { member_id: string | null }[]; refused: string[]; counts?: object }> =
  JSON.parse(readFileSync(repositoryFile('test/ledger/formats/fhir/samples.json'), 'utf8'));
const files = Object.keys(expected).filter((name) => existsSync(join(samples, name)) && !expected[name]?.counts);
const headers = { 'content-type': 'application/fhir+json' };

let service: WholeService;

beforeAll(async () => {
  service = await startWholeService();
}, 240_000);
afterAll(() => service.stop());

describe('a transaction', () => {
  it('is answered per entry, in JSON and bare', async () => {
    const { http } = await freshTenant(service.operator);
    const answer = await http.post('/v1/ingest/raw', fixture('transaction.json'), headers);
    expect(answer.json).toMatchObject({ format: 'fhir', transactions: 1, accepted: 2, rejected: 1 });
    const { content, media_type } = answer.json.acknowledgement as { content: string; media_type: string };
    expect(media_type).toBe('application/fhir+json');
    expect(JSON.parse(content)).toMatchObject({ resourceType: 'Bundle', type: 'transaction-response' });
    const bare = await http.post('/v1/ingest/raw', fixture('transaction.json'), { ...headers, accept: media_type });
    expect(bare.headers.get('content-type')).toContain(media_type);
    expect(bare.json).toMatchObject({ entry: [{ response: { status: '200 OK' } }, {}, {}, {}] });
  });
});

describe('a transaction in XML', () => {
  it('is accepted as application/fhir+xml and by its bytes, and answered per entry', async () => {
    const { http } = await freshTenant(service.operator, ['admin']);
    const body = asXml(JSON.parse(fixture('transaction.json').toString()), '\n');
    const answer = await http.post('/v1/ingest/raw', body, { 'content-type': 'application/fhir+xml' });
    expect(answer.json).toMatchObject({ format: 'fhir', transactions: 1, accepted: 2, rejected: 1 });
    const { content } = answer.json.acknowledgement as { content: string };
    expect(JSON.parse(content)).toMatchObject({ resourceType: 'Bundle', type: 'transaction-response' });
    const rows = answer.json.results as { event_id?: string }[];
    const event_id = rows.find((row) => row.event_id !== undefined)?.event_id;
    const raw = await http.get(`/v1/events/${event_id}/raw`);
    expect(raw.headers.get('content-type')).toContain('application/fhir+xml');
    const again = await http.post('/v1/ingest/raw', body, { 'content-type': 'text/xml' });
    expect(again.json).toMatchObject({ format: 'fhir', accepted: 0, duplicated: 2 });
  });
});

describe('resources, one per line', () => {
  it('are detected by their bytes', async () => {
    const { http } = await freshTenant(service.operator);
    const answer = await http.post('/v1/ingest/raw', fixture('lines.ndjson'), { 'content-type': 'text/plain' });
    expect(answer.json).toMatchObject({ format: 'fhir', accepted: 3, rejected: 0 });
    const listed = await http.get('/v1/events?event_family=remittance&member_id=SYN-2002');
    expect(listed.json.items).toMatchObject([{ outcome: 'denied', payload: { carc: ['50'] } }]);
  });
});

describeUnless(lackOfShared('samples/fhir'))('sample files of ../shared/samples/fhir', () => {
  it('each sample file posted twice yields its events once, and the chains verify', async () => {
    const { http } = await freshTenant(service.operator);
    for (const name of files) {
      const body = readFileSync(join(samples, name));
      const wanted = expected[name];
      const path = `/v1/ingest/raw?source_system=${encodeURIComponent(name)}`;
      const first = await http.post(path, body, headers);
      const counts = [wanted?.events.length, wanted?.refused.length];
      // A resource that is cut is all that its file holds.
      const status = wanted?.refused.includes('RESOURCE_CUT') && wanted.events.length === 0 ? 422 : 200;
      expect([name, first.status, first.json.accepted, first.json.rejected]).toEqual([name, status, ...counts]);
      const again = await http.post(path, body, headers);
      expect([name, again.json.accepted, again.json.duplicated]).toEqual([name, 0, counts[0]]);
    }
    expect((await http.get('/v1/ledger/verify')).json).toMatchObject({ valid: true, breaks: [] });
  }, 240_000);
});
