import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { repositoryFile } from '../../../app/repository.js';
import type { Database } from '../../../shared/db/database.js';
import { startTestServer, type TestServer } from '../../support/database.js';
import { envelope } from '../../support/envelopes.js';
import { EVENT, EVENTS, INGEST, type LedgerProcess, logIdOf, startLedger, VERIFY } from '../ledger-kit.js';

let server: TestServer;
let database: Database;
let ledger: LedgerProcess;

beforeAll(async () => {
  server = await startTestServer();
  database = await server.connect('raw');
  ledger = await startLedger(database);
});

afterAll(async () => {
  await ledger.close();
  await server.stop();
});

const RAW = `mutation($sha: String!, $format: String, $type: String, $source: String) {
  ingestRaw(raw_sha256: $sha, format: $format, content_type: $type, source_system: $source) {
    ingest_id format raw_sha256 transactions accepted duplicated rejected results_truncated provider_level acknowledgement
    exceptions { exception_id kind subject detail } warnings { code message }
    results { index status event_id source_record_id sequence item segment position error { code message } } } }`;

async function* once(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}

async function post(tenant: string, body: Buffer | string, options: Record<string, unknown> = {}) {
  const worm = ledger.worm.forTenant({ tenantId: tenant as never, logId: logIdOf(tenant) });
  const { sha256 } = await worm.putBlob(once(Buffer.from(body)), 1e9);
  return (await ledger.run(RAW, { sha: sha256, ...options }, tenant)).ingestRaw;
}

const fixture = (name: string): Buffer => readFileSync(repositoryFile(`test/ledger/formats/x12/fixtures/${name}`));

describe('POST /v1/ingest/raw', () => {
  it('yields events with the hash of the message, and the same bytes again add nothing', async () => {
    const tenant = 'raw-twice';
    const body = fixture('professional.837');
    const first = await post(tenant, body);
    expect(first).toMatchObject({ format: 'x12', rejected: 0, duplicated: 0 });
    expect(first.acknowledgement).toMatchObject({ format: 'x12', media_type: 'application/edi-x12' });
    expect(first.acknowledgement.content).toMatch(/TA1\*\d{9}\*\d{6}\*\d{4}\*A\*000~/);
    expect(first.accepted).toBeGreaterThan(0);
    expect(first.results).toHaveLength(first.accepted);
    const { event } = await ledger.run(EVENT, { id: first.results[0].event_id }, tenant);
    expect(event.payload).toMatchObject({ raw_sha256: first.raw_sha256, raw: { format: 'x12' } });
    ledger.clock.advance(1_000);
    const second = await post(tenant, body);
    expect(second).toMatchObject({ accepted: 0, duplicated: first.accepted, rejected: 0 });
    expect(second.results.map((row: { event_id: string }) => row.event_id)).toEqual(
      first.results.map((row: { event_id: string }) => row.event_id),
    );
    expect(second.acknowledgement.content).toMatch(/TA1\*\d{9}\*\d{6}\*\d{4}\*E\*025~/);
    expect(second.exceptions).toEqual(first.exceptions);
    const { verifyLedger } = await ledger.run(VERIFY, {}, tenant);
    expect(verifyLedger).toMatchObject({ valid: true, checked: first.accepted });
  });

  it('returns the result again by its id, page by page, only to its tenant', async () => {
    const tenant = 'raw-pages';
    const answer = await post(tenant, manyClaims(1_203));
    expect(answer).toMatchObject({ accepted: 1_203, rejected: 0, results_truncated: true });
    expect(answer.results).toHaveLength(1_000);
    const ask = 'query($id: String!) { ingest(ingest_id: $id) { ingest_id accepted results { index } } }';
    const again = (await ledger.run(ask, { id: answer.ingest_id }, tenant)).ingest;
    expect(again).toMatchObject({ ingest_id: answer.ingest_id, accepted: 1_203 });
    expect(again.results).toHaveLength(1_000);
    expect((await ledger.run(ask, { id: answer.ingest_id }, 'another')).ingest).toBeNull();
    const seen: number[] = [];
    const page = `query($id: String!, $cursor: String) {
      ingestResults(ingest_id: $id, limit: 333, cursor: $cursor) { items { index } next_cursor } }`;
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const { ingestResults } = await ledger.run(page, { id: answer.ingest_id, cursor }, tenant);
      seen.push(...ingestResults.items.map((row: { index: number }) => row.index));
      cursor = ingestResults.next_cursor;
    }
    expect(seen).toEqual(Array.from({ length: 1_203 }, (_, n) => n));
  });

  it('accepts the readable claims of a truncated message and reports where it broke off', async () => {
    const tenant = 'raw-cut';
    const whole = manyClaims(5);
    const answer = await post(tenant, whole.subarray(0, Math.floor(whole.length * 0.7)));
    expect(answer.accepted).toBeGreaterThan(0);
    expect(answer.accepted + answer.rejected).toBeLessThanOrEqual(5 + 1);
    expect(answer.exceptions.length + answer.warnings.length).toBeGreaterThan(0);
    expect((await ledger.run(VERIFY, {}, tenant)).verifyLedger).toMatchObject({ valid: true });
  });

  it('reports each event without a member by its id, wherever an append of the body begins', async () => {
    const tenant = 'raw-nobody';
    const body = manyClaims(260)
      .toString('latin1')
      .replaceAll(/\*{4}MI\*M\d+~/g, '~');
    const { accepted, exceptions, results } = await post(tenant, body);
    expect(accepted).toBe(260);
    const subjects = exceptions.map(({ subject }: { subject: unknown }) => JSON.stringify(subject));
    const events = results.map((row: { event_id: string }) => JSON.stringify({ kind: 'EVENT', id: row.event_id }));
    expect(new Set(subjects)).toEqual(new Set(events));
  });

  it('rejects a message of no format, of another than stated, or of an unsupported one as a whole', async () => {
    const refused = async (body: Buffer | string, options = {}) => {
      try {
        await post('raw-refused', body, options);
        return 'taken';
      } catch (error) {
        return (error as { code: string }).code;
      }
    };
    expect(await refused('')).toBe('MALFORMED_BODY');
    expect(await refused('\ufeffI\u0000S\u0000A\u0000')).toBe('MALFORMED_BODY');
    expect(await refused('just some text')).toBe('UNSUPPORTED_MEDIA_TYPE');
    expect(await refused('MSH|^~\\&|A|B|C|D|20260302||ADT^A01|1|P|2.5\r', { format: 'X12' })).toBe('VALIDATION_ERROR');
    expect(await refused(fixture('professional.837'), { format: 'edifact' })).toBe('VALIDATION_ERROR');
    expect(await refused(fixture('professional.837'), { type: 'application/fhir+json' })).toBe('VALIDATION_ERROR');
    // A wrong name is the caller's fault: no event is refused for it one by one.
    for (const source of ['_custody', 'a'.repeat(129), 'a\u0000b', '']) {
      expect(await refused(fixture('professional.837'), { source })).toBe('VALIDATION_ERROR');
    }
    expect(await refused(Buffer.concat([Buffer.from('PK\u0003\u0004'), Buffer.alloc(30)]))).toBe('MALFORMED_BODY');
    expect(await ledger.run(EVENTS, {}, 'raw-refused')).toMatchObject({ events: { items: [] } });
    const unknown = ledger.run(RAW, { sha: '0'.repeat(64) }, 'raw-refused');
    await expect(unknown).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});

/** A synthetic 837P with one claim for each of `count` members. */
function manyClaims(count: number): Buffer {
  const isa =
    'ISA*00*          *00*          *ZZ*SENDER         *ZZ*RECEIVER       *260302*1411*^*00501*000000001*0*P*:~';
  const head = [
    'GS*HC*SENDER*RECEIVER*20260302*1411*1*X*005010X222A1',
    'ST*837*0001*005010X222A1',
    'BHT*0019*00*1*20260302*1411*CH',
    'HL*1**20*1',
    'NM1*85*2*CLINIC*****XX*1234567893',
  ];
  const claims = Array.from({ length: count }, (_, n) => [
    `HL*${n + 2}*1*22*0`,
    'SBR*P*18*******CI',
    `NM1*IL*1*TEST*PERSON****MI*M${n}`,
    `CLM*C${n}*100***11:B:1*Y*A*Y*Y`,
    'HI*ABK:M25561',
    'LX*1',
    'SV1*HC:73721*100*UN*1***1',
    'DTP*472*D8*20260301',
  ]).flat();
  const body = [...head, ...claims];
  return Buffer.from(`${isa}${body.join('~')}~SE*${body.length}*0001~GE*1*1~IEA*1*000000001~`);
}

describe('GET /v1/events', () => {
  const tenant = 'list';
  const at = (minute: number): string => `2026-03-02T14:${String(minute).padStart(2, '0')}:00Z`;

  beforeAll(async () => {
    const items = Array.from({ length: 40 }, (_, n) =>
      envelope(n, {
        event_effective_timestamp: at(Math.floor(n / 2)),
        member_id: `M-${n % 4}`,
        source_system: n % 5 === 0 ? 'claims' : 'um-core',
        source_record_id: `R-${n % 10}`,
        outcome: n % 2 ? 'DENIED' : 'approved',
      }),
    );
    await ledger.run(INGEST, { items }, tenant);
    await ledger.run(INGEST, { items: [envelope('x')] }, 'list-other');
  });

  const list = async (variables: Record<string, unknown> = {}) => (await ledger.run(EVENTS, variables, tenant)).events;

  it.each(['asc', 'desc'])('lists every event once in order %s, for any page size', async (order) => {
    for (const limit of [1, 7, 40, 500]) {
      const seen: { event_effective_timestamp: string; event_id: string }[] = [];
      for (let cursor: string | null | undefined; cursor !== null; ) {
        const page = await list({ limit, order, cursor });
        expect(page.items.length).toBeLessThanOrEqual(limit);
        seen.push(...page.items);
        cursor = page.next_cursor;
      }
      const keys = seen.map((item) => `${item.event_effective_timestamp} ${item.event_id}`);
      expect(new Set(keys).size).toBe(40);
      const sorted = [...keys].sort();
      expect(keys).toEqual(order === 'asc' ? sorted : sorted.reverse());
    }
  });

  it('filters by each field, alone and together, ignoring case for words', async () => {
    const count = async (filter: Record<string, unknown>) => (await list({ limit: 500, ...filter })).items.length;
    expect(await count({ member_id: 'M-1' })).toBe(10);
    expect(await count({ member_id: 'm-1' })).toBe(0);
    expect(await count({ source_system: 'claims' })).toBe(8);
    expect(await count({ source_record_id: 'R-3' })).toBe(4);
    expect(await count({ source_record_id: 'R-' })).toBe(0);
    expect(await count({ source_record_id: 'R-5', source_system: 'claims' })).toBe(4);
    expect(await count({ outcome: 'denied' })).toBe(20);
    expect(await count({ outcome: 'Approved', event_family: 'UTILIZATION_management' })).toBe(20);
    expect(await count({ event_type: 'prior_auth.requested', member_id: 'M-2' })).toBe(10);
    expect(await count({ from: at(5), to: at(10) })).toBe(10);
    expect(await count({ from: at(5), to: at(5) })).toBe(0);
    expect(await count({ from: '2026-03-02T09:15:00-05:00' })).toBe(10);
  });

  it('combines a cursor with bounds of time', async () => {
    const first = await list({ from: at(5), to: at(10), limit: 6 });
    const second = await list({ from: at(5), to: at(10), limit: 6, cursor: first.next_cursor });
    expect(first.items).toHaveLength(6);
    expect(second.items).toHaveLength(4);
    expect(second.next_cursor).toBeNull();
  });

  it('rejects a time without a zone and an invalid cursor', async () => {
    await expect(list({ from: '2026-03-02' })).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    await expect(list({ cursor: 'nonsense' })).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    await expect(list({ limit: 501 })).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  });

  it('returns the heads of all chains', async () => {
    const { ledgerPartitions } = await ledger.run(
      '{ ledgerPartitions { items { source_system sequence entry_hash } } }',
      {},
      tenant,
    );
    expect(ledgerPartitions.items).toMatchObject([
      { source_system: 'claims', sequence: 8 },
      { source_system: 'um-core', sequence: 32 },
    ]);
  });

  it('never returns a changed record', async () => {
    await ledger.run(INGEST, { items: [envelope('changed')] }, 'list-changed');
    const rows = database.db.collection('ledger');
    const row = await rows.findOne({ '_id.tenant_id': 'list-changed' });
    const record = String(Buffer.from(row?.['record'].buffer)).replace('SUBMITTED', 'APPROVED!');
    await rows.updateOne({ _id: row?._id as never }, { $set: { record: Buffer.from(record) } });
    const read = ledger.run(EVENT, { id: row?.['event_id'] }, 'list-changed');
    await expect(read).rejects.toMatchObject({ code: 'INTEGRITY_FAILURE' });
  });
});
