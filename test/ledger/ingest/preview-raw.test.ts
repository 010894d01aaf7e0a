import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Document } from 'mongodb';
import { repositoryFile } from '../../../app/repository.js';
import { connectDatabase, type Database } from '../../../shared/db/database.js';
import { wormDatabase } from '../../../shared/worm/kept-worm-store.js';
import { freshTenant, type Http } from '../../support/http.js';
import { startWholeService, type WholeService } from '../../support/whole-service.js';

const PATH = '/v1/ingest/raw/validate?source_system=trial';
const untyped = { 'content-type': 'application/octet-stream' };
const fixture = (name: string): Buffer => readFileSync(repositoryFile(`test/ledger/formats/${name}`));

let service: WholeService;
let database: Database;
beforeAll(async () => {
  service = await startWholeService();
  database = await connectDatabase(service.databaseUri);
}, 240_000);
afterAll(async () => {
  await database.close();
  await service.stop();
});

const FILES = ['x12/fixtures/remittance.835', 'x12/fixtures/professional.837', 'hl7v2/fixtures/admit.hl7'] as const;

/** Numbers of stored entries, ingests, exceptions and contents of a tenant. */
async function storedOf(tenant_id: string): Promise<readonly number[]> {
  const { db } = database;
  const of = { $or: [{ tenant_id }, { '_id.tenant_id': tenant_id }] };
  const rows = [...STORED.map((name) => db.collection(name)), wormDatabase(database).collection('blobs')];
  return Promise.all(rows.map((each) => each.countDocuments(of)));
}

const STORED = ['ledger', 'ingests', 'exceptions', 'documents'] as const;

async function ingested(http: Http, body: Buffer): Promise<Document> {
  const { json, text, status } = await http.post('/v1/ingest/raw?source_system=trial', body, untyped);
  if (status !== 200) throw new Error(text);
  return json;
}

describe('POST /v1/ingest/raw/validate', () => {
  it.each(FILES)('says what %s becomes, and stores nothing', async (name) => {
    const { http, tenantId } = await freshTenant(service.operator, ['events:read', 'events:write']);
    const before = await storedOf(tenantId);
    const { json, status } = await http.post(PATH, fixture(name), untyped);
    expect(status).toBe(200);
    expect(await storedOf(tenantId)).toEqual(before);
    expect((await http.get('/v1/events')).json.items).toEqual([]);
    const made = await ingested(http, fixture(name));
    expect(json).toMatchObject({
      format: made['format'],
      transactions: made['transactions'],
      valid: made['accepted'],
      rejected: made['rejected'],
    });
    const [event] = (await http.get('/v1/events?order=asc&limit=1')).json.items;
    const shown = json.results.map((row: Document) => row['event']);
    expect(shown).toContainEqual(
      expect.objectContaining({
        event_type: event.event_type,
        member_id: event.member_id,
        source_record_id: event.source_record_id,
        source_system: 'trial',
      }),
    );
  });

  it('takes packed bodies, the JSON wrapper and forms, as an ingest does', async () => {
    const { http } = await freshTenant(service.operator, ['events:write']);
    const body = fixture(FILES[0]);
    const plain = (await http.post(PATH, body, untyped)).json;
    const form = new FormData();
    form.append('file', new Blob([Uint8Array.from(body)]), 'remittance.835');
    const packed = (await http.post(PATH, gzipSync(body), untyped)).json;
    const wrapped = (await http.post(PATH, { content_base64: body.toString('base64') })).json;
    const headers = { 'x-api-key': http.key ?? '' };
    const sent = await (await fetch(`${http.url}${PATH}`, { method: 'POST', headers, body: form })).json();
    for (const one of [packed, wrapped, sent]) expect(one).toMatchObject({ format: 'x12', valid: plain.valid });
    expect(plain.valid).toBeGreaterThan(0);
  });

  it('names the place of each fault, and the exceptions that an ingest would open', async () => {
    const { http } = await freshTenant(service.operator, ['events:write', 'events:read', 'exceptions:read']);
    const broken = Buffer.from(fixture(FILES[1]).toString('latin1').replace('CLM*', 'CL*'), 'latin1');
    const { json } = await http.post(PATH, broken, untyped);
    const made = await ingested(http, broken);
    const faultsOf = (rows: readonly Document[]) =>
      rows.filter(({ status }) => status === 'REJECTED').map(({ index, error }) => [index, error.code]);
    expect(json.rejected + json.exceptions.length + json.warnings.length).toBeGreaterThan(0);
    expect(faultsOf(json.results)).toEqual(faultsOf(made['results']));
  });

  it('refuses what an ingest refuses, and bodies over 4 MiB', async () => {
    const { http } = await freshTenant(service.operator, ['events:write']);
    expect((await http.post(PATH, Buffer.alloc(4 * 1_048_576 + 1, 'x'), untyped)).status).toBe(413);
    const bad: readonly [string, Buffer][] = [
      ['source_system=_system', fixture(FILES[0])],
      ['format=hl7v2', fixture(FILES[0])],
      ['', Buffer.from([0, 1, 2, 3])],
      ['', Buffer.alloc(0)],
    ];
    for (const [query, body] of bad) {
      const refusal = await http.post(`/v1/ingest/raw?${query}`, body, untyped);
      const { status, json } = await http.post(`/v1/ingest/raw/validate?${query}`, body, untyped);
      expect([status, json.code]).toEqual([refusal.status, refusal.json.code]);
      expect(status).toBeGreaterThanOrEqual(400);
    }
    const reader = await freshTenant(service.operator, ['events:read']);
    expect((await reader.http.post(PATH, fixture(FILES[0]), untyped)).status).toBe(403);
  });
});
