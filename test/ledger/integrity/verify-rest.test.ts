import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { envelope } from '../../support/envelopes.js';
import { eventually } from '../../support/eventually.js';
import { freshTenant, type Http } from '../../support/http.js';
import { startWholeService, type WholeService } from '../../support/whole-service.js';

let service: WholeService;
let client: MongoClient;
let http: Http;
let tenantId: string;

beforeAll(async () => {
  service = await startWholeService();
  client = await MongoClient.connect(service.databaseUri);
  const fresh = await freshTenant(service.operator);
  ({ http, tenantId } = fresh);
  for (let n = 0; n < 2_000; n += 500) {
    const events = Array.from({ length: 500 }, (_, i) => envelope(n + i, { source_system: `source-${i % 2}` }));
    expect((await http.post('/v1/events', { events })).status).toBe(200);
  }
});

afterAll(async () => {
  await client.close();
  await service.stop();
});

const ledger = () => client.db('eas').collection<{ _id: object; event_id: string }>('ledger');

/** Entries looked at in the callers' own chains; the service writes to its own meanwhile. */
const ofCallers = (partitions: unknown): number[] =>
  (partitions as { source_system: string; checked: number }[])
    .filter(({ source_system }) => source_system.startsWith('source-'))
    .map(({ checked }) => checked);

interface Line {
  readonly type: string;
  readonly [member: string]: unknown;
}

async function ndjson(query = ''): Promise<{ readonly type: string | null; readonly lines: readonly Line[] }> {
  const answer = await fetch(`${http.url}/v1/ledger/verify${query}`, {
    headers: { 'x-api-key': http.key ?? '', accept: 'application/x-ndjson' },
  });
  const text = await answer.text();
  const lines = text.trimEnd().split('\n');
  return { type: answer.headers.get('content-type'), lines: lines.map((line) => JSON.parse(line) as Line) };
}

describe('GET /v1/ledger/verify', () => {
  it('returns the verdict as JSON, and the same as the last line of a stream', async () => {
    const plain = await http.get('/v1/ledger/verify');
    expect(plain.json).toMatchObject({ valid: true, breaks: [] });
    expect(ofCallers(plain.json.partitions)).toEqual([1_000, 1_000]);
    const { type, lines } = await ndjson();
    expect(type).toBe('application/x-ndjson');
    const phases = new Set(lines.filter((line) => line.type === 'progress').map((line) => line['phase']));
    expect(phases).toEqual(new Set(['CHAINS', 'TREE', 'MAP', 'SEGMENTS', 'RECORDS']));
    expect(lines.at(-1)).toMatchObject({ type: 'result', valid: true, breaks: [] });
    expect(ofCallers(lines.at(-1)?.['partitions'])).toEqual([1_000, 1_000]);
  });

  it('covers the requested part, and reports what it leaves out', async () => {
    // The tree follows within seconds; the answer also reports the entries that are not yet in it.
    const range = await eventually(
      () => http.get('/v1/ledger/verify?source_system=source-1&from_sequence=10&to_sequence=19'),
      ({ json }) => json.not_checked.length === 1,
    );
    expect(range.json).toMatchObject({ valid: true, checked: 10 });
    expect(range.json.not_checked).toMatchObject([{ what: 'checkpoints, sealed segments and rows of records' }]);
    const headers = await http.get('/v1/ledger/verify?depth=headers');
    expect(headers.json).toMatchObject({ valid: true, breaks: [] });
    expect(ofCallers(headers.json.partitions)).toEqual([1_000, 1_000]);
    expect(headers.json.not_checked).toContainEqual({
      what: 'records, stored fields and write-once copies',
      why: expect.any(String),
    });
  });

  it('rejects with a status, in either form, before the stream starts', async () => {
    for (const [query, status] of [
      ['?from_sequence=5&to_sequence=4', 400],
      ['?source_system=source-1&from_sequence=0', 400],
      ['?source_system=source-1&to_sequence=9007199254740993', 400],
      ['?source_system=nowhere', 404],
      ['?depth=shallow', 400],
      ['?known_size=4', 400],
      [`?known_size=4&known_root=${'0'.repeat(64)}&source_system=source-1`, 400],
      ['?state=forged', 400],
    ] as const) {
      for (const accept of ['application/json', 'application/x-ndjson']) {
        const answer = await fetch(`${http.url}/v1/ledger/verify${query}`, {
          headers: { 'x-api-key': http.key ?? '', accept },
        });
        expect({ query, status: answer.status, type: answer.headers.get('content-type') }).toEqual({
          query,
          status,
          type: expect.stringContaining('application/json'),
        });
      }
    }
  });

  it.each([
    ['known_size=4', ['/known_root']],
    [`known_root=${'0'.repeat(64)}`, ['/known_size']],
    [`known_size=4&known_root=${'0'.repeat(64)}&source_system=source-1`, ['/source_system']],
    [`known_size=4&known_root=${'0'.repeat(64)}&from_sequence=2&to_sequence=3`, ['/from_sequence', '/to_sequence']],
    ['known_size=4&known_root=zz', ['/known_root']],
    [`known_size=four&known_root=${'0'.repeat(64)}`, ['/known_size']],
    [`known_size=-1&known_root=${'0'.repeat(64)}`, ['/known_size']],
    [`known_size=0&known_root=${'0'.repeat(64)}`, ['/known_size']],
  ])('names the fault in the checkpoint of ?%s', async (query, paths) => {
    const { status, json } = await http.get(`/v1/ledger/verify?${query}`);
    expect({ status, paths: json.errors.map(({ path }: { path: string }) => path) }).toEqual({
      status: 400,
      paths,
    });
  });

  it('names the same in the graph', async () => {
    const asked = async (input: string) => {
      const query = `{ verifyLedger(${input}) { valid } }`;
      const { json } = await service.operator.post(`/graphql?tenant_id=${tenantId}`, { query });
      return { data: json.data?.verifyLedger ?? null, code: json.errors?.[0]?.extensions?.code };
    };
    const rejected = { data: null, code: 'VALIDATION_ERROR' };
    expect(await asked('known_size: 4')).toEqual(rejected);
    expect(await asked(`known_root: "${'0'.repeat(64)}"`)).toEqual(rejected);
    expect(await asked('known_size: 4, known_root: "zz"')).toEqual(rejected);
    expect(await asked(`known_size: 0, known_root: "${'0'.repeat(64)}"`)).toEqual(rejected);
  });

  it('calls a checkpoint beyond the tree a break: the end was cut off', async () => {
    const { status, json } = await http.get(`/v1/ledger/verify?known_size=999999&known_root=${'0'.repeat(64)}`);
    expect({ status, valid: json.valid }).toEqual({ status: 200, valid: false });
    expect(json.breaks).toMatchObject([{ kind: 'CHECKPOINT_MISMATCH', detail: expect.stringContaining('999999') }]);
  });

  it.each([
    ['first=5&second=4', ['/first']],
    ['first=1&second=9007199254740991', ['/second']],
    ['first=-1', ['/first']],
    ['first=x', ['/first']],
  ])('names the wrong size of GET /v1/ledger/consistency?%s', async (query, paths) => {
    const answer = await eventually(
      () => http.get(`/v1/ledger/consistency?${query}`),
      ({ status }) => status !== 409,
    );
    const named = answer.json.errors?.map(({ path }: { path: string }) => path);
    expect({ status: answer.status, named }).toEqual({ status: 400, named: paths });
  });

  it('compares the tree with a given checkpoint', async () => {
    const wrong = await http.get(`/v1/ledger/verify?known_size=1&known_root=${'0'.repeat(64)}`);
    expect(wrong.json.valid).toBe(false);
    expect(wrong.json.breaks).toMatchObject([{ kind: 'CHECKPOINT_MISMATCH', source_system: null, sequence: null }]);
  });

  it('stops working when the client disconnects', async () => {
    const url = new URL(`${http.url}/v1/ledger/verify`);
    const headers = { 'x-api-key': http.key ?? '', accept: 'application/x-ndjson' };
    await new Promise<void>((resolve, reject) => {
      const asked = request(url, { headers }, (answer) => {
        answer.once('data', () => {
          answer.destroy();
          resolve();
        });
      });
      asked.once('error', reject);
      asked.end();
    });
    expect((await http.get('/v1/healthz')).status).toBe(200);
  });

  it('streams each break as it is found; a read of the damaged event records custody and an exception', async () => {
    const [row] = await ledger()
      .find({ '_id.tenant_id': tenantId, '_id.source_system': 'source-0', '_id.seq': 7 } as object)
      .toArray();
    await ledger().updateOne({ _id: row?._id ?? {} }, { $set: { record: Buffer.from('{}') } as object });
    const { lines } = await ndjson();
    const broken = lines.filter((line) => line.type === 'break');
    expect(broken).toContainEqual(expect.objectContaining({ kind: 'RECORD_MISMATCH', event_id: row?.event_id }));
    expect(lines.at(-1)).toMatchObject({ type: 'result', valid: false });
    const read = await http.get(`/v1/events/${row?.event_id}`);
    expect(read.json).toMatchObject({ code: 'INTEGRITY_FAILURE', status: 500 });
    const told = await http.get('/v1/exceptions?kind=CHAIN_BREAK');
    expect(told.json.items).toMatchObject([{ subject: { kind: 'ENTRY', id: 'source-0/7' } }]);
    const custody = await http.get('/v1/custody?action=INTEGRITY_FAILURE');
    expect(custody.json.items).toMatchObject([{ subject: { kind: 'EVENT', id: row?.event_id } }]);
  });
});

describe('the metrics of the write-once store', () => {
  it('report the age of the oldest unread record, and the damage', async () => {
    const { text } = await http.get('/metrics');
    expect(text).toMatch(/^eas_worm_oldest_unverified_seconds [0-9.]+$/m);
    expect(text).toMatch(/^eas_worm_damaged 0$/m);
    expect(text).toMatch(/^eas_worm_unexplained_records 0$/m);
  });
});

describe('the dashboard', () => {
  it('reports the progress of the checks of evidence', async () => {
    const { json } = await http.get('/v1/dashboard');
    expect(json.integrity).toMatchObject({
      segments: { open: expect.any(Number), full: 0, sealed: 0 },
      scrub: { damaged: 0, unexplained: 0 },
      reconciliation: { repaired: 0 },
    });
  });
});
