import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { LocalDataSource } from '../../../gateway/local-data-source.js';
import { subgraphClient } from '../../../gateway/subgraph-client.js';
import { internalContext } from '../../../shared/auth/context.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { startTestServer, type TestServer } from '../../support/database.js';
import { recordingLogger } from '../../support/fakes.js';
import { GraphFault, type LedgerProcess, startLedger, TENANT } from '../ledger-kit.js';
import { portsOver } from './desk-kit.js';

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

describe('the exceptions port', () => {
  it('opens one exception per kind and subject, however often it is reported', async () => {
    const sources = new Map([
      ['ledger' as const, new LocalDataSource(process.ledger.schema, recordingLogger().logger)],
    ]);
    const { desk } = portsOver(process);
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

  it('returns 404 for every API key', async () => {
    const open = process.run('mutation($s: JSON!) { openException(kind: "JOB_POISONED", subject: $s, detail: $s) }', {
      s: {},
    });
    await expect(open).rejects.toBeInstanceOf(GraphFault);
    await expect(open).rejects.toMatchObject({ code: 'FORBIDDEN' });
  });
});
