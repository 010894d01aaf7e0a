import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { internalContext, type RequestContext } from '../../../shared/auth/context.js';
import { MasterKey } from '../../../shared/crypto/master-key.js';
import { connectDatabase, type Database } from '../../../shared/db/database.js';
import { systemRandomness, ulidIds } from '../../../shared/ids/ids.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { Outbox } from '../../../shared/outbox/outbox.js';
import { performersOver } from '../../../shared/outbox/performers.js';
import { createIndexes } from '../../../shared/records/collections.js';
import { openMongoWormStore } from '../../../shared/worm/open-worm-store.js';
import { codeImport, codeTables } from '../../../subgraphs/advocacy/codes/model.js';
import { RULES as RULE_COLLECTION, ruleStore } from '../../../subgraphs/advocacy/rules/model.js';
import type { RuleRows, RuleStore, TenantRuleRows, TenantRules } from '../../../subgraphs/advocacy/rules/ports.js';
import { provenRuleStore } from '../../../subgraphs/advocacy/rules/proven-rules.js';
import { putRule } from '../../../subgraphs/advocacy/rules/put-rule.js';
import { ruleBookOver } from '../../../subgraphs/advocacy/rules/read-rules.js';
import { SharedCorpus } from '../../../subgraphs/advocacy/rules/shared-corpus.js';
import { startTestServer, type TestServer } from '../../support/database.js';
import { ManualClock, RecordingPlatformEvents, RecordingSystemLedger, recordingLogger } from '../../support/fakes.js';
import { MemoryFacts, memoryGuard } from '../../support/memory-facts.js';
import { ruleWrites } from './many-rules.js';

// Twenty thousand rules of one tenant: what an event's codes select is read by the index, and by it alone.

const RULES = 20_000;
const TENANT = 'acme' as TenantId;

let server: TestServer;
let database: Database;

beforeAll(async () => {
  server = await startTestServer();
  database = await connectDatabase(server.uri);
  await createIndexes(database.db, [RULE_COLLECTION]);
  const rules = ruleStore(database.db, { relay: async () => {} })(TENANT);
  for (let at = 0; at < RULES; at += 2_000) await rules.insertMany(ruleWrites(TENANT, at, 2_000));
});

afterAll(async () => {
  await database.close();
  await server.stop();
});

describe('a corpus of 20,000 rules', () => {
  it('is queried by the index over codes, without a scan', async () => {
    const rows = database.db.collection('rules');
    const find = jest.spyOn(rows, 'find');
    const db = { collection: () => rows } as unknown as Database['db'];
    await ruleStore(db, { relay: async () => {} })(TENANT).withCodes(['HCPCS/E0601', 'ICD10CM/G47.33'], ['GUIDELINE']);
    const plan = await database.db
      .collection('rules')
      .find({ ...find.mock.calls[0]?.[0] })
      .explain('executionStats');
    const text = JSON.stringify(plan);
    expect(text).toContain('tenant_id_1_index_codes_1');
    expect(text).not.toContain('COLLSCAN');
    // Rules that name one of the codes or a family of them, and no others.
    const { totalDocsExamined, nReturned } = plan['executionStats'] as Record<string, number>;
    expect(nReturned).toBeGreaterThan(0);
    expect(totalDocsExamined).toBeLessThan(100);
  });

  it('returns the rules in force, by key', async () => {
    const book = ruleBookOver(ruleStore(database.db, { relay: async () => {} }));
    const asked = { kinds: ['GUIDELINE'], program: null, jurisdiction: null, codes: ['HCPCS/E0601'] } as const;
    const found = await book.inForce(TENANT, { ...asked, at: new Date('2026-01-01') });
    expect(found.length).toBeGreaterThan(0);
    expect(found.every(({ codes }) => codes.includes('HCPCS/E0601'))).toBe(true);
    expect(await book.inForce(TENANT, { ...asked, at: new Date('1999-01-01') })).toEqual([]);
    expect(await book.inForce('other' as TenantId, { ...asked, at: new Date('2026-01-01') })).toEqual([]);
  });
});

describe('an interrupted write of a rule', () => {
  const tenantId = 'cut-short' as TenantId;
  const rule = { title: 'Cut short', kind: 'POLICY', effective_from: '2024-01-01' } as const;
  const systemLedger = new RecordingSystemLedger();
  const facts = new MemoryFacts();
  const platformEvents = new RecordingPlatformEvents();
  const internal = internalContext(tenantId, 'test');
  const principal = { ...internal.principal, scopes: new Set(['rules:write'] as const) };
  const contextOf = (workId: string | null): RequestContext => ({ ...internal, principal, workId });

  /** As one process has it; `dies` throws where that process ends. */
  async function processOf(dies: (name: keyof TenantRules | 'relay' | 'row') => void) {
    const clock = new ManualClock();
    const { logger } = recordingLogger();
    const randomness = systemRandomness();
    const ids = ulidIds(() => clock.nowMs(), randomness);
    const limits = { segmentRecords: 100, segmentBytes: 1_048_576 };
    const worm = await openMongoWormStore({ database, limits, clock, ids, logger });
    const outbox = new Outbox({ database, logger, performers: performersOver({ systemLedger, platformEvents }) }, [
      'rules',
    ]);
    const relay: Outbox['relay'] = async (...effects) => {
      dies('relay');
      await outbox.relay(...effects);
    };
    const rows = ruleStore(database.db, { relay });
    const corpus = new SharedCorpus(() => []);
    const store = provenRuleStore({
      guard: memoryGuard(facts, clock),
      rows: dyingBefore(rows, dies),
      corpus,
    }).forTenant;
    const rules: RuleStore = (of) =>
      new Proxy(store(of), {
        get: (target, name: keyof TenantRules) => {
          dies(name);
          const member = target[name] as (...args: unknown[]) => unknown;
          return member.bind(target);
        },
      });
    const tenants = { find: async () => ({ tenant_id: tenantId, log_id: 'log-cut-short', status: 'ACTIVE' as const }) };
    const knownCodes = { among: async () => () => true };
    const masterKey = new MasterKey(Buffer.alloc(32, 7));
    return { deps: { rules, knownCodes, clock, ids, randomness, masterKey, worm, tenants }, worm, outbox, store };
  }

  /** The rows of a process that ends before it writes one. */
  const dyingBefore =
    (rows: RuleRows, dies: (name: 'row') => void): RuleRows =>
    (of) =>
      new Proxy(rows(of), {
        get: (target, name: keyof TenantRuleRows) => {
          if (name === 'insert' || name === 'addRevision') dies('row');
          const member = target[name] as (...args: unknown[]) => unknown;
          return member.bind(target);
        },
      });

  const ends = (at: string) => (name: string) => {
    if (name === at) throw new Error('the process ends here');
  };

  it.each([
    ['between its artifact and its revision', 'insert', null],
    ['between its artifact and its revision, under an Idempotency-Key', 'insert', 'wrk_01JQ0000000000000000000001'],
    ['between its fact and its row', 'row', null],
    ['between its fact and its row, under an Idempotency-Key', 'row', 'wrk_01JQ0000000000000000000003'],
    ['between its revision and what follows from it', 'relay', null],
    ['between its revision and what follows from it, under a key', 'relay', 'wrk_01JQ0000000000000000000002'],
  ])('%s, gives one revision and one event when it is repeated', async (_when, at, workId) => {
    const key = `cut-${at}-${workId === null ? 'plain' : 'keyed'}`;
    const dying = await processOf(ends(at));
    await expect(putRule(dying.deps, contextOf(workId), { ...rule, key })).rejects.toThrow('the process ends here');
    const next = await processOf(() => {});
    const before = await next.store(tenantId).byKey(key);
    expect(before?.revisions.length ?? 0).toBe(at === 'insert' ? 0 : 1);
    const made = await putRule(next.deps, contextOf(workId), { ...rule, key });
    const again = await putRule(next.deps, contextOf(null), { ...rule, key });
    expect([made.revision, again]).toEqual([1, made]);
    for (let round = 0; round < 2; round++) await next.outbox.sweep();
    expect((await next.store(tenantId).byKey(key))?.revisions).toHaveLength(1);
    const worm = await next.worm.forTenant({ tenantId, logId: 'log-cut-short' });
    expect(await worm.blobSize(made.artifact_sha256)).toBe(made.artifact_size);
    const ofRule = (one: object) => JSON.stringify(one).includes(made.rule_id);
    const history = `rule/${key}`;
    expect(facts.typesOf(tenantId, history)).toEqual(['rule.created']);
    expect(platformEvents.messages.filter(ofRule).map(({ type }) => type)).toEqual(['rule.created']);
  });
});

describe('stored code tables', () => {
  it('switch to a new edition as a whole when it is published', async () => {
    let nowMs = 0;
    const tables = codeTables(database.db, { monotonicMs: () => nowMs });
    const store = codeImport(database.db);
    const line = (code: string, description: string) => ({ code, description, is_valid: true });
    const publish = (edition: string, codes: number) =>
      store.publish({ system: 'HCPCS', edition, codes, source_sha256: edition, imported_at: new Date(0) });
    expect([await tables.has('HCPCS'), await tables.find('HCPCS', 'E0601')]).toEqual([false, null]);
    await store.insert('HCPCS', 'one', [line('E0601', 'old'), line('E0602', 'gone')]);
    // Written again after a crash: the same rows.
    await store.insert('HCPCS', 'one', [line('E0601', 'old')]);
    await publish('one', 2);
    nowMs += 10_000;
    expect(await tables.find('HCPCS', 'E0601')).toMatchObject({ description: 'old', edition: 'one' });
    await store.insert('HCPCS', 'two', [line('E0601', 'new')]);
    nowMs += 10_000;
    expect(await tables.find('HCPCS', 'E0601')).toMatchObject({ description: 'old' });
    await publish('two', 1);
    nowMs += 10_000;
    expect(await tables.find('HCPCS', 'E0601')).toMatchObject({ description: 'new', edition: 'two' });
    expect(await tables.find('HCPCS', 'E0602')).toBeNull();
    expect(await tables.alternatives('HCPCS', 'E06', 5)).toMatchObject([{ code: 'E0601' }]);
    expect([...(await tables.entries('HCPCS', ['E0601', 'E0602'])).keys()]).toEqual(['E0601']);
    expect(await tables.editions()).toMatchObject([{ system: 'HCPCS', edition: 'two', codes: 1 }]);
    await publish('three', 0);
    // The edition before stays for who is reading it; the one before that is gone.
    expect(await database.db.collection('code_table_rows').countDocuments({ edition: 'one' })).toBe(0);
    expect(await database.db.collection('code_table_rows').countDocuments({ edition: 'two' })).toBe(1);
  });
});
