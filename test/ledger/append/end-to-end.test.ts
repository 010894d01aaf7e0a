import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Binary, MongoClient } from 'mongodb';
import { repositoryFile } from '../../../app/repository.js';
import { envelope } from '../../support/envelopes.js';
import { freshTenant } from '../../support/http.js';
import { describeUnless, lackOfShared } from '../../support/needs.js';
import { startWholeService, type WholeService } from '../../support/whole-service.js';

// The main job over HTTP: files in, events out, and verification names the stored data that was altered.

interface Expected {
  readonly transactions: readonly { readonly events: readonly { readonly member_id?: string }[] }[];
}

const samples = join(repositoryFile('.'), '..', 'shared', 'samples', 'x12');
const expected = JSON.parse(readFileSync(repositoryFile('test/ledger/formats/x12/samples.json'), 'utf8')) as Record<
  string,
  Expected
>;
const files = Object.keys(expected).filter((name) => existsSync(join(samples, name)));

let service: WholeService;
let client: MongoClient;

beforeAll(async () => {
  service = await startWholeService();
  client = await MongoClient.connect(service.databaseUri);
});
afterAll(async () => {
  await client.close();
  await service.stop();
});

describeUnless(lackOfShared('samples/x12'))('sample files of ../shared/samples/x12', () => {
  it('each sample file posted twice yields its events once, and the chains verify', async () => {
    const { http } = await freshTenant(service.operator);
    for (const name of files) {
      const body = readFileSync(join(samples, name));
      const wanted = (expected[name]?.transactions ?? []).flatMap(({ events }) => events);
      const path = `/v1/ingest/raw?source_system=${encodeURIComponent(name)}`;
      const headers = { 'content-type': 'application/edi-x12' };
      const first = await http.post(path, body, headers);
      // The only claim of this file is cut.
      const status = name === 'derived__837p_truncated.edi' ? 422 : 200;
      expect([name, first.status, first.json.accepted]).toEqual([name, status, wanted.length]);
      const again = await http.post(path, body, headers);
      expect([name, again.json.accepted, again.json.duplicated]).toEqual([name, 0, wanted.length]);
      const listed = await http.get(`/v1/events?limit=500&source_system=${encodeURIComponent(name)}`);
      const members = (listed.json.items as { member_id?: string }[]).map(({ member_id }) => member_id ?? null);
      expect([name, members.sort()]).toEqual([name, wanted.map(({ member_id }) => member_id ?? null).sort()]);
    }
    expect((await http.get('/v1/ledger/verify')).json).toMatchObject({ valid: true, breaks: [] });
  });
});

describe('a record altered in the database', () => {
  it('is named by GET /v1/ledger/verify, in the ledger and in the write-once store', async () => {
    const { http, tenantId } = await freshTenant(service.operator);
    const batch = await http.post(
      '/v1/events',
      [1, 2, 3].map((n) => envelope(n)),
    );
    const results = batch.json.results as { event_id: string; worm_sha256: string }[];
    const ledger = client.db('eas').collection<{ event_id: string; record: Binary }>('ledger');
    const row = await ledger.findOne({ tenant_id: tenantId, event_id: results[1]?.event_id ?? '' });
    await ledger.updateOne({ _id: row?._id as never }, { $set: { record: withFlippedBit(row?.record) as never } });
    await flipInSegments(results[2]?.worm_sha256 ?? '');

    const verdict = (await http.get('/v1/ledger/verify?source_system=um-core')).json;
    expect(verdict).toMatchObject({ valid: false, checked: 3 });
    const found = (verdict.breaks as { kind: string; sequence: number }[]).map(
      ({ kind, sequence }) => `${kind} ${sequence}`,
    );
    expect(found).toEqual(expect.arrayContaining(['COMMIT_MISMATCH 2', 'WORM_MISMATCH 3']));
    expect(found.filter((text) => text.endsWith(' 1'))).toEqual([]);
  });
});

function withFlippedBit(record: Binary | undefined): Buffer {
  const bytes = Buffer.from(record?.buffer ?? []);
  const at = bytes.indexOf('prior_auth');
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  return bytes;
}

async function flipInSegments(sha256: string): Promise<void> {
  const worm = client.db('eas_worm');
  const names = (await worm.listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name);
  for (const name of names.filter((it) => it.startsWith('worm_log_'))) {
    const segment = worm.collection<{ _id: string } & Record<string, unknown>>(name);
    const found = await segment.findOne({ _id: sha256 });
    if (!found) continue;
    const [field, bytes] = Object.entries(found).find(([, value]) => typeof value === 'object') ?? [];
    await segment.updateOne({ _id: sha256 }, { $set: { [field ?? '']: withFlippedBit(bytes as Binary) } });
    return;
  }
  throw new Error('no segment holds the record');
}
