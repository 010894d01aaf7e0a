import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Collection, Document } from 'mongodb';
import { connectDatabase, type Database } from '../../../shared/db/database.js';
import { sealed } from '../../bundles/bundles-kit.js';
import { envelope } from '../../support/envelopes.js';
import { freshTenant, type Http } from '../../support/http.js';
import { startWholeService, type WholeService } from '../../support/whole-service.js';

// The command as an operator runs it, over the data of a whole service that someone with the driver has damaged.

const MASTER_KEY = '05'.repeat(32);
const OLD = { event_family: 'claims', event_effective_timestamp: '2010-03-02T14:11:09.123Z' };
const POLICIES = { policies: [{ event_family: 'claims', years: 6 }] };

let service: WholeService;
let database: Database;
let rows: Collection<Document>;
let dataDir: string;

beforeAll(async () => {
  service = await startWholeService({ SERVICE_RATE_LIMIT_PER_MINUTE: '0', SERVICE_MASTER_KEY: MASTER_KEY });
  database = await connectDatabase(service.databaseUri);
  rows = database.db.collection('ledger');
  dataDir = await mkdtemp(join(tmpdir(), 'ledger-repair-'));
});
afterAll(async () => {
  await database.close();
  await service.stop();
  await rm(dataDir, { recursive: true, force: true });
});

interface Ended {
  readonly code: number;
  readonly lines: readonly Document[];
  readonly errors: string;
}

function repair(...args: readonly string[]): Promise<Ended> {
  const env = {
    ...process.env,
    MONGODB_URI: service.databaseUri,
    SERVICE_DATA_DIR: dataDir,
    SERVICE_MASTER_KEY: MASTER_KEY,
    SERVICE_LOG_LEVEL: 'silent',
  };
  return new Promise((resolve) => {
    const command = ['dist/app/commands/ledger-repair.js', ...args];
    const child = execFile(process.execPath, command, { env }, (_, stdout, errors) => {
      const lines = stdout.split('\n').filter((line) => line !== '');
      resolve({ code: child.exitCode ?? -1, lines: lines.map((line) => JSON.parse(line)), errors });
    });
  });
}

const reads = ({ http, ids }: Sent) => Promise.all(ids.map((id) => http.get(`/v1/events/${id}`)));

interface Sent {
  readonly http: Http;
  readonly tenantId: string;
  readonly ids: readonly string[];
}

/** Three events of one member under a checkpoint. */
async function sent(over: object = {}): Promise<Sent> {
  const { http, tenantId } = await freshTenant(service.operator, ['admin']);
  await http.post('/v1/members', { member_id: 'M-1', name: { family: 'Doe' } });
  const ids: string[] = [];
  for (const member of ['M-1', 'M-2', 'M-3']) {
    ids.push((await http.post('/v1/events', envelope(member, { member_id: member, ...over }))).json.event_id);
  }
  await checkpointed(http);
  return { http, tenantId, ids };
}

/** A bundle forces a checkpoint. */
const checkpointed = (http: Http): Promise<unknown> => sealed(http, { scope: { member_id: 'M-1' } });

const verdict = async (http: Http) => (await http.get('/v1/ledger/verify')).json;

describe('npm run ledger:repair', () => {
  it('restores a removed event: the read answers the same bytes again, and the ledger verifies', async () => {
    const event = await sent();
    const { http, tenantId, ids } = event;
    const before = await reads(event);
    await rows.deleteOne({ tenant_id: tenantId, event_id: ids[1] });
    expect((await http.get(`/v1/events/${ids[1]}`)).status).toBe(404);
    expect((await verdict(http)).breaks[0]).toMatchObject({ kind: 'SEQUENCE_GAP', sequence: 2 });
    const word = ['--tenant', tenantId, '--reason', 'removed by mistake', '--actor', 'ada'];
    const listed = await repair(...word);
    expect(listed).toMatchObject({ code: 1, lines: [{ outcome: 'RESTORABLE', event_id: ids[1] }, { valid: false }] });
    const applied = await repair(...word, '--apply');
    expect(applied).toMatchObject({
      code: 0,
      lines: [
        { outcome: 'RESTORED', seq: 2 },
        { valid: true, damaged: 0 },
      ],
    });
    const after = await reads(event);
    expect(after.map(({ json }) => json)).toEqual(before.map(({ json }) => json));
    expect(await verdict(http)).toMatchObject({ valid: true, breaks: [] });
    const named = await http.get('/v1/events?source_system=_system&event_type=record.restored');
    expect(named.json.items).toMatchObject([{ payload: { event_id: ids[1], reason: 'removed by mistake' } }]);
    expect(JSON.stringify(named.json)).not.toContain('seed');
    expect(await repair(...word, '--apply')).toMatchObject({ code: 0, lines: [{ valid: true }] });
  }, 180_000);

  it('restores no disposed event, also when the facts of its disposal are removed with it', async () => {
    const { http, tenantId, ids } = await sent(OLD);
    await http.call('/v1/retention-policies', { method: 'PUT', body: POLICIES });
    expect((await http.post('/v1/retention/sweep', {})).json.events.disposed).toBe(3);
    await checkpointed(http);
    const [id] = ids;
    await rows.deleteOne({ tenant_id: tenantId, event_id: id });
    await rows.deleteOne({ tenant_id: tenantId, source_system: '_system', fact_key: `disposal/${id}\u0000first` });
    const word = ['--tenant', tenantId, '--reason', 'bring it back', '--apply'];
    const { code, lines } = await repair(...word);
    expect(code).toBe(1);
    expect(lines).toMatchObject([
      { source_system: '_system', outcome: 'RESTORED' },
      { event_id: null, outcome: 'LEFT', why: 'DISPOSED' },
      { valid: false },
    ]);
    expect(await rows.countDocuments({ tenant_id: tenantId, event_id: id })).toBe(0);
  }, 180_000);

  it('refuses to run without a reason', async () => {
    expect(await repair('--apply')).toMatchObject({ code: 2, lines: [], errors: expect.stringContaining('reason') });
  }, 60_000);
});
