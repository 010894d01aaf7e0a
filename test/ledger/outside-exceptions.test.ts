import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { LocalDataSource } from '../../gateway/local-data-source.js';
import { exceptionDeskOver } from '../../gateway/ports/exceptions.js';
import { subgraphClient } from '../../gateway/subgraph-client.js';
import { internalContext } from '../../shared/auth/context.js';
import type { TenantId } from '../../shared/ids/tenant.js';
import { startTestServer, type TestServer } from '../support/database.js';
import { recordingLogger } from '../support/fakes.js';
import { GraphFault, type LedgerProcess, startLedger, TENANT } from './ledger-kit.js';

let server: TestServer;
let process: LedgerProcess;

beforeAll(async () => {
  server = await startTestServer();
  process = await startLedger(await server.connect('outside_exceptions'));
});
afterAll(async () => {
  await process.close();
  await server.stop();
});

const POISONED = {
  kind: 'JOB_POISONED',
  subject: { queue: 'parcel.send', row_id: 'a-1' },
  detail: { claims: 8, reason: 'TypeError' },
} as const;

describe('the desk of exceptions', () => {
  test('opens one exception of a kind and subject, however often it is told', async () => {
    const sources = new Map([
      ['ledger' as const, new LocalDataSource(process.ledger.schema, recordingLogger().logger)],
    ]);
    const desk = exceptionDeskOver(subgraphClient(sources, 'ledger'), 'test');
    await desk.open(TENANT as TenantId, POISONED);
    await desk.open(TENANT as TenantId, { ...POISONED, detail: { claims: 9, reason: 'TypeError' } });
    await desk.open(TENANT as TenantId, { ...POISONED, subject: { queue: 'parcel.send', row_id: 'a-2' } });
    const query = 'query($from_ms: SafeInteger) { countLedger(from_ms: $from_ms) }';
    const { countLedger } = await subgraphClient(sources, 'ledger').run(
      query,
      { from_ms: null },
      internalContext(TENANT as TenantId, 'test'),
    );
    expect((countLedger as { exceptions: unknown }).exceptions).toMatchObject({
      total: 2,
      by_kind: [{ name: 'JOB_POISONED', count: 2 }],
      by_severity: [{ name: 'HIGH', count: 2 }],
    });
  });

  test('is closed to every key', async () => {
    const open = process.run('mutation($s: JSON!) { openException(kind: "JOB_POISONED", subject: $s, detail: $s) }', {
      s: {},
    });
    await expect(open).rejects.toBeInstanceOf(GraphFault);
    await expect(open).rejects.toMatchObject({ code: 'FORBIDDEN' });
  });
});
