import { fork } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { repositoryFile } from '../../../app/repository.js';
import type { Database } from '../../../shared/db/database.js';
import { startTestServer, type TestServer } from '../../support/database.js';
import { envelope } from '../../support/envelopes.js';
import { ManualClock } from '../../support/fakes.js';
import { EVENT, INGEST, type LedgerProcess, startLedger, VERIFY } from '../ledger-kit.js';

let server: TestServer;
let database: Database;
let one: LedgerProcess;

beforeAll(async () => {
  server = await startTestServer();
  database = await server.connect('append');
  one = await startLedger(database);
});

afterAll(async () => {
  await one.close();
  await server.stop();
});

const tenantOf = (name: string) => `tenant-${name}`;

async function ingest(process: LedgerProcess, items: readonly unknown[], tenant: string) {
  return (await process.run(INGEST, { items }, tenant)).ingestEvents;
}

async function expectWhole(process: LedgerProcess, tenant: string, checked: number): Promise<void> {
  const { verifyLedger } = await process.run(VERIFY, {}, tenant);
  expect(verifyLedger).toMatchObject({ valid: true, checked, breaks: [] });
}

describe('an accepted event', () => {
  it('returns its place and is read back as it was sent', async () => {
    const tenant = tenantOf('first');
    const sent = envelope(1, { payload: { carc: ['50'], note: 'Zoë 😀', amount: 10.5 } });
    const { accepted, results } = await ingest(one, [sent], tenant);
    expect(accepted).toBe(1);
    expect(results[0]).toMatchObject({
      index: 0,
      status: 'ACCEPTED',
      tenant_id: tenant,
      source_system: 'um-core',
      sequence: 1,
    });
    const { event } = await one.run(EVENT, { id: results[0].event_id }, tenant);
    expect(event).toMatchObject({ ...sent, tenant_id: tenant, sequence: 1, tree_index: null, state: 'INCLUDED' });
    expect(event.recorded_at).toBe(results[0].accepted_at);
    expect(await one.run(EVENT, { id: results[0].event_id }, tenantOf('other'))).toEqual({ event: null });
    await expectWhole(one, tenant, 1);
  });

  it('is in one chain per source system, in the order sent', async () => {
    const tenant = tenantOf('order');
    const items = Array.from({ length: 1_000 }, (_, n) => envelope(n, { source_system: `source-${n % 3}` }));
    const { accepted, results } = await ingest(one, items, tenant);
    expect(accepted).toBe(1_000);
    const sequences = results.map((result: { sequence: number }) => result.sequence);
    expect(sequences).toEqual(items.map((_, n) => Math.floor(n / 3) + 1));
    await expectWhole(one, tenant, 1_000);
  });
});

describe('a repeated envelope', () => {
  it('yields one event and the same id when sent 200 times at once', async () => {
    const tenant = tenantOf('same');
    const answers = await Promise.all(Array.from({ length: 200 }, () => ingest(one, [envelope('same')], tenant)));
    const results = answers.map((answer) => answer.results[0]);
    expect(results.filter((result) => result.status === 'ACCEPTED')).toHaveLength(1);
    expect(results.filter((result) => result.status === 'DUPLICATE')).toHaveLength(199);
    expect(new Set(results.map((result) => `${result.event_id} ${result.entry_hash}`)).size).toBe(1);
    await expectWhole(one, tenant, 1);
  });

  it('is a duplicate within a batch and later, in other key order and with the tenant named', async () => {
    const tenant = tenantOf('again');
    const sent = envelope('again');
    const first = await ingest(one, [sent, envelope('other'), sent], tenant);
    expect(first.results.map((result: { status: string }) => result.status)).toEqual([
      'ACCEPTED',
      'ACCEPTED',
      'DUPLICATE',
    ]);
    expect(first.results[2].event_id).toBe(first.results[0].event_id);
    const reversed = { ...Object.fromEntries(Object.entries(sent).reverse()), tenant_id: tenant };
    const second = await ingest(one, [reversed], tenant);
    expect(second).toMatchObject({ accepted: 0, duplicated: 1 });
    expect(second.results[0]).toEqual({ ...first.results[0], status: 'DUPLICATE' });
    await expectWhole(one, tenant, 2);
  });

  it('is a separate event for another tenant and another source system', async () => {
    const [a, b] = [tenantOf('a'), tenantOf('b')];
    const sent = [envelope('x'), envelope('x', { source_system: 'claims' })];
    for (const tenant of [a, b]) expect((await ingest(one, sent, tenant)).accepted).toBe(2);
  });

  it('opens one exception when its content differs, naming the events and nothing personal', async () => {
    const tenant = tenantOf('conflict');
    const first = await ingest(one, [envelope('c')], tenant);
    const second = await ingest(
      one,
      [envelope('c', { outcome: 'DENIED' }), envelope('c', { outcome: 'PENDED' })],
      tenant,
    );
    expect(second.accepted).toBe(2);
    const rows = await database.db.collection('exceptions').find({ tenant_id: tenant }).sort({ _id: 1 }).toArray();
    expect(rows.map((row) => [row['kind'], row['subject'].id])).toEqual([
      ['SOURCE_RECORD_CONFLICT', second.results[0].event_id],
      ['SOURCE_RECORD_CONFLICT', second.results[1].event_id],
    ]);
    expect(rows[1]?.['detail'].conflicts_with).toEqual([first.results[0].event_id, second.results[0].event_id]);
    expect(JSON.stringify(rows)).not.toMatch(/M-c|PA-c/);
  });
});

describe('a rejected event', () => {
  it('does not stop valid events, and every fault names its place', async () => {
    const tenant = tenantOf('faults');
    const { event_type: _, ...untyped } = envelope('u');
    const items = [
      envelope('good'),
      null,
      untyped,
      envelope('z', { event_effective_timestamp: '2026-02-30T00:00:00Z' }),
      envelope('z', { event_effective_timestamp: '2026-02-03T00:00:00' }),
      envelope('r', { source_system: '_custody' }),
      envelope('r', { source_system: 'ai-provenance' }),
      envelope('t', { tenant_id: 'somebody-else' }),
      envelope('x', { surprise: 1 }),
      envelope('p', { payload: { carc: '50', rationale: 7 } }),
      envelope('p', { payload: [] }),
      envelope('e', { member_id: '' }),
      envelope('c', { source_record_id: 'a\u0000b' }),
    ];
    const { accepted, rejected, results } = await ingest(one, items, tenant);
    expect([accepted, rejected]).toEqual([1, items.length - 1]);
    const faults = results
      .slice(1)
      .map((result: { error: { code: string; errors: { path: string; code: string }[] } }) => [
        result.error.code,
        ...result.error.errors.map((fault) => `${fault.path} ${fault.code}`),
      ]);
    expect(faults).toEqual([
      ['VALIDATION_ERROR', ' type'],
      ['VALIDATION_ERROR', '/event_type required'],
      ['VALIDATION_ERROR', '/event_effective_timestamp format'],
      ['VALIDATION_ERROR', '/event_effective_timestamp format'],
      ['VALIDATION_ERROR', '/source_system reserved'],
      ['VALIDATION_ERROR', '/source_system reserved'],
      ['VALIDATION_ERROR', '/tenant_id tenant'],
      ['VALIDATION_ERROR', '/surprise unknown_field'],
      ['VALIDATION_ERROR', '/payload/carc type', '/payload/rationale type'],
      ['VALIDATION_ERROR', '/payload type'],
      ['VALIDATION_ERROR', '/member_id length', '/member_id pattern'],
      ['VALIDATION_ERROR', '/source_record_id pattern'],
    ]);
  });

  it('over the limit is rejected alone; an empty or too long batch is rejected as a whole', async () => {
    const tenant = tenantOf('limits');
    const large = envelope('large', { payload: { note: 'x'.repeat(300_000) } });
    const { results } = await ingest(one, [large, envelope('small')], tenant);
    expect(results.map((result: { status: string }) => result.status)).toEqual(['REJECTED', 'ACCEPTED']);
    expect(results[0].error.code).toBe('PAYLOAD_TOO_LARGE');
    await expect(ingest(one, [], tenant)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    const many = Array.from({ length: 1_001 }, (_, n) => envelope(n));
    await expect(ingest(one, many, tenant)).rejects.toMatchObject({ code: 'PAYLOAD_TOO_LARGE' });
    await expectWhole(one, tenant, 1);
  });
});

describe('several processes on one chain', () => {
  it('append contiguously with separate queues and connections, and every answer is true', async () => {
    const tenant = tenantOf('queues');
    const others = await Promise.all([1, 2, 3].map(async () => startLedger(await server.connect('append'))));
    const processes = [one, ...others];
    const answers = await Promise.all(
      processes.flatMap((process, p) =>
        Array.from({ length: 25 }, (_, n) => ingest(process, [envelope(`${p}-${n}`), envelope(`shared-${n}`)], tenant)),
      ),
    );
    const results = answers.flatMap((answer) => answer.results);
    const accepted = results.filter((result) => result.status === 'ACCEPTED');
    expect(accepted).toHaveLength(100 + 25);
    expect(accepted.map((result) => result.sequence).sort((a, b) => a - b)).toEqual(accepted.map((_, n) => n + 1));
    await expectWhole(one, tenant, 125);
    for (const other of others) await other.close();
  });

  it('leave one contiguous chain when four real processes append at once', async () => {
    const tenant = tenantOf('processes');
    const children = await Promise.all([0, 1, 2, 3].map((name) => appender(tenant, String(name))));
    const receipts = children.flat();
    expect(receipts).toHaveLength(4 * 120);
    expect(receipts.map((receipt) => receipt.sequence).sort((a, b) => a - b)).toEqual(receipts.map((_, n) => n + 1));
    await expectWhole(one, tenant, 480);
  });
});

/** A separate process that appends 120 events, ten at a time, and reports its answers. */
function appender(tenant: string, name: string): Promise<{ sequence: number; entry_hash: string }[]> {
  return new Promise((resolve, reject) => {
    const child = fork(repositoryFile('test/ledger/append/appender.mjs'), [
      server.uriOf('append'),
      'append',
      tenant,
      name,
    ]);
    child.once('message', (message) => resolve(message as { sequence: number; entry_hash: string }[]));
    child.once('exit', (code) => reject(new Error(`the appender ended with ${code}`)));
  });
}

describe('a wrong clock', () => {
  it('set back, frozen or forward never decreases recorded_at, and the chain verifies', async () => {
    const tenant = tenantOf('clock');
    const clock = new ManualClock();
    const process = await startLedger(await server.connect('append'), { clock });
    const times: string[] = [];
    for (const [n, move] of [0, -86_400_000, 0, 5, -5, 3_600_000].entries()) {
      clock.advance(move);
      const { results } = await ingest(process, [envelope(n), envelope(`b${n}`)], tenant);
      times.push(...results.map((result: { accepted_at: string }) => result.accepted_at));
    }
    expect([...times].sort()).toEqual(times);
    await expectWhole(process, tenant, 12);
    await process.close();
  });
});
