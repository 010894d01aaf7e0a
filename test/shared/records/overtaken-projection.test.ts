import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Database } from '../../../shared/db/database.js';
import type { FactQuestion, Facts } from '../../../shared/facts/facts.js';
import { systemRandomness, ulidIds } from '../../../shared/ids/ids.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import type { RecordStoreDeps } from '../../../shared/records/record-store.js';
import { RecordSteps, serviceTaker } from '../../../shared/records/steps.js';
import { LINK } from '../../../subgraphs/bundles/links/link-kind.js';
import { linkStore } from '../../../subgraphs/bundles/links/model.js';
import type { StoredLink } from '../../../subgraphs/bundles/links/ports.js';
import { LINK_FACTS, LINK_ROW } from '../../../subgraphs/bundles/links/schema.js';
import { startTestServer, type TestServer } from '../../support/database.js';
import { ManualClock } from '../../support/fakes.js';
import { MemoryFacts, memoryGuard } from '../../support/memory-facts.js';

const TENANT = 'overtaken' as TenantId;
const clock = new ManualClock();
const ids = ulidIds(() => clock.nowMs(), systemRandomness());

let server: TestServer;
let database: Database;
beforeAll(async () => {
  server = await startTestServer();
  database = await server.connect('overtaken');
});
afterAll(() => server.stop());

/** The links as one process reaches them. */
function linksOver(facts: Facts) {
  const outbox = { relay: async () => undefined };
  const deps: RecordStoreDeps = { db: database.db, outbox, guard: memoryGuard(facts, clock) };
  return linkStore(deps, { check: LINK_ROW, facts: LINK_FACTS }).forTenant(TENANT);
}

const stepsOver = (rows: ReturnType<typeof linksOver>) =>
  new RecordSteps(LINK, { clock, taker: serviceTaker(ids, 'service:test'), rows });

const members = (): Omit<
  StoredLink,
  'link_id' | 'tenant_id' | 'status' | 'revision' | 'created_at' | 'created_by' | 'updated_at' | 'history'
> => ({
  bundle_id: 'bdl_1',
  recipient: 'Roe',
  purpose: 'Discovery',
  max_downloads: 9,
  expires_at: new Date(clock.nowMs() + 1_000),
  downloads: 0,
  last_download_at: null,
  token_sha256: '0'.repeat(64),
  grantor: { key_id: 'key_1', session_id: null },
});

describe('a read of a record whose row is behind its facts', () => {
  it('returns the newest state when another process writes the rows of two facts meanwhile', async () => {
    const facts = new MemoryFacts();
    const rows = linksOver(facts);
    const { link_id } = await stepsOver(rows).create(members);
    const documents = database.db.collection<{ _id: string }>('bundle_links');
    const before = await documents.findOne({ _id: link_id });
    for (const downloads of [1, 2]) await stepsOver(rows).take(link_id, 'download', { change: () => ({ downloads }) });
    const after = await documents.findOne({ _id: link_id });
    if (before === null || after === null) throw new Error('no row');
    await documents.replaceOne({ _id: link_id }, before);
    let overtaken = false;
    const overtaking: Facts = Object.assign(
      facts.seenBy(() => undefined),
      {
        read: async (tenantId: TenantId, questions: readonly FactQuestion[]) => {
          const answers = await facts.read(tenantId, questions);
          if (!overtaken) await documents.replaceOne({ _id: link_id }, after);
          overtaken = true;
          return answers;
        },
      },
    );
    expect(await linksOver(overtaking).get(link_id)).toMatchObject({ downloads: 2, revision: 3 });
    expect(overtaken).toBe(true);
  });
});
