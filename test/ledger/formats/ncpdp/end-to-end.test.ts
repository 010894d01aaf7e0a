import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { repositoryFile } from '../../../../app/repository.js';
import { freshTenant } from '../../../support/http.js';
import { describeUnless, lackOfShared } from '../../../support/needs.js';
import { startWholeService, type WholeService } from '../../../support/whole-service.js';
import { fixture } from './reading.js';

// NCPDP over HTTP: transmissions and messages in, events out, and the same bytes again add nothing.

const samples = join(repositoryFile('.'), '..', 'shared', 'samples', 'ncpdp');
const expected: Record<string, { member_id: string | null }[]> = JSON.parse(
  readFileSync(repositoryFile('test/ledger/formats/ncpdp/samples.json'), 'utf8'),
);
const files = Object.keys(expected).filter((name) => existsSync(join(samples, name)));
const headers = { 'content-type': 'application/x-ncpdp' };

let service: WholeService;

beforeAll(async () => {
  service = await startWholeService();
}, 240_000);
afterAll(() => service.stop());

describe('a batch', () => {
  it('yields its claims and names the parts that yield none', async () => {
    const { http } = await freshTenant(service.operator);
    const answer = await http.post('/v1/ingest/raw', fixture('batch.ncpdp'), headers);
    expect(answer.status).toBe(200);
    expect(answer.json).toMatchObject({
      format: 'ncpdp',
      transactions: 2,
      accepted: 2,
      rejected: 1,
      warnings: [{ code: 'BATCH_COUNT_MISMATCH' }],
    });
    const listed = await http.get('/v1/events?event_family=pharmacy&member_id=SYN-MEMBER-2');
    expect(listed.json.items).toMatchObject([{ event_type: 'claim_reversal_requested' }]);
  });
});

describe('an answer', () => {
  it('is part of the JSON, and bare if the request accepts the format', async () => {
    const { http } = await freshTenant(service.operator);
    const claim = fixture('prior-authorization.ncpdp');
    const told = await http.post('/v1/ingest/raw', claim, headers);
    expect(told.json.acknowledgement).toMatchObject({ format: 'ncpdp', media_type: 'application/x-ncpdp' });
    expect(told.json.acknowledgement.content).toMatch(/^D0P41A01.*ANC/s);
    const bare = await http.post('/v1/ingest/raw', claim, { ...headers, accept: 'application/x-ncpdp' });
    expect(bare.headers.get('content-type')).toMatch(/^application\/x-ncpdp/);
    expect(bare.text).toMatch(/^D0P41A01.*ANQ/s);
    const sent = { 'content-type': 'application/xml', accept: 'application/xml' };
    const script = await http.post('/v1/ingest/raw', fixture('prior-authorization-answer.xml'), sent);
    expect(script.text).toContain('<RelatesToMessageID>SYN-MSG-2</RelatesToMessageID>');
    expect(script.text).toContain('<Status><Code>010</Code></Status>');
  });
});

describe('a body of version F6', () => {
  it('is recognised without a stated format, stored once, and answered in F6', async () => {
    const { http } = await freshTenant(service.operator);
    const body = fixture('f6.ncpdp');
    const plain = { 'content-type': 'application/octet-stream' };
    const first = await http.post('/v1/ingest/raw', body, plain);
    expect(first.json).toMatchObject({ format: 'ncpdp', accepted: 4, rejected: 0 });
    expect(first.json.acknowledgement.content).toMatch(/^F6B12A01/);
    const again = await http.post('/v1/ingest/raw', Buffer.concat([body, Buffer.from('\r\n')]), plain);
    expect(again.json).toMatchObject({ accepted: 0, duplicated: 4 });
    const listed = await http.get('/v1/events?member_id=SYN-MEMBER-WITH-A-LONG-NUMBER-0001');
    expect(listed.json.items).toHaveLength(4);
  });
});

describe('a document type', () => {
  it('is rejected with a code and an exception, and the service continues', async () => {
    const { http } = await freshTenant(service.operator);
    const body = '<!DOCTYPE m [<!ENTITY a "b">]><Message><Header/><Body><NewRx>&a;</NewRx></Body></Message>';
    const answer = await http.post('/v1/ingest/raw?format=ncpdp', Buffer.from(body), {
      'content-type': 'application/xml',
    });
    expect(answer.json).toMatchObject({
      accepted: 0,
      rejected: 1,
      results: [{ status: 'REJECTED', error: { code: 'DOCTYPE_REFUSED' } }],
      exceptions: [{ kind: 'PARSE_FAILED' }],
    });
  });
});

describeUnless(lackOfShared('samples/ncpdp'))('sample files of ../shared/samples/ncpdp', () => {
  it('each sample file posted twice yields its events once, and the chains verify', async () => {
    const { http } = await freshTenant(service.operator);
    for (const name of files) {
      const body = readFileSync(join(samples, name));
      const wanted = expected[name] ?? [];
      const path = `/v1/ingest/raw?source_system=${encodeURIComponent(name)}`;
      const sent = name.endsWith('.xml') ? { 'content-type': 'application/xml' } : headers;
      const first = await http.post(path, body, sent);
      expect([name, first.status, first.json.accepted, first.json.rejected]).toEqual([name, 200, wanted.length, 0]);
      const again = await http.post(path, body, sent);
      expect([name, again.json.accepted, again.json.duplicated]).toEqual([name, 0, wanted.length]);
      const listed = await http.get(`/v1/events?limit=500&source_system=${encodeURIComponent(name)}`);
      const members = (listed.json.items as { member_id?: string }[]).map(({ member_id }) => member_id ?? null);
      expect([name, members.sort()]).toEqual([name, wanted.map(({ member_id }) => member_id).sort()]);
    }
    expect((await http.get('/v1/ledger/verify')).json).toMatchObject({ valid: true, breaks: [] });
  }, 240_000);
});
