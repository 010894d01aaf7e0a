import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { internalContext } from '../../../shared/auth/context.js';
import type { CustodyEntry } from '../../../shared/contracts/custody.js';
import { sha256Hex } from '../../../shared/crypto/hash.js';
import { custodyActorOf, custodySystemEntry, subjectsRoot } from '../../../shared/custody/custody-entry.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { startTestServer, type TestServer } from '../../support/database.js';
import { envelope } from '../../support/envelopes.js';
import { ask, KEY_ID, portsOver } from '../exceptions/desk-kit.js';
import { EVENTS, INGEST, type LedgerProcess, startLedger, VERIFY } from '../ledger-kit.js';

let server: TestServer;
let process: LedgerProcess;

beforeAll(async () => {
  server = await startTestServer();
  process = await startLedger(await server.connect('custody'));
});
afterAll(async () => {
  await process.close();
  await server.stop();
});

const LIST = `query($kind: String, $id: String, $action: String, $actor: String, $from: String, $to: String,
  $limit: Int, $cursor: String, $order: String) {
  custody(subject_kind: $kind, subject_id: $id, action: $action, actor_id: $actor, from: $from, to: $to, limit: $limit,
    cursor: $cursor, order: $order) {
    items { custody_id tenant_id action recorded subject { kind id } subjects { kind id } subject_count subjects_root
      member_ids actor { type id key_id } at purpose recipient sha256_before sha256_after detail request_id seq
      recorded_at prev_hash entry_hash } next_cursor } }`;

const RECORD = `mutation($input: CustodyInput!) { recordCustody(input: $input) {
  custody_id action recorded subject { kind id } actor { type id key_id } at purpose recipient detail request_id seq entry_hash } }`;

const download = (over: Partial<CustodyEntry> = {}): CustodyEntry => ({
  action: 'DOWNLOAD_BUNDLE',
  subject: { kind: 'BUNDLE', id: 'bdl_1' },
  actor: { type: 'KEY', id: KEY_ID },
  at: '2026-03-02T14:11:10.004Z',
  ...over,
});

const record = (tenant: string, ...entries: CustodyEntry[]) =>
  portsOver(process).custody.record(tenant as TenantId, entries);

const list = async (tenant: string, variables: Record<string, unknown> = {}) =>
  (await ask(process, LIST, variables, { tenant, scopes: ['custody:read'] })).custody;

describe('the custody port', () => {
  it('resolves when the entry is durable in the ledger, in the form of its partition', async () => {
    await record(
      't-form',
      download({ custody_id: 'cus_01JQ0000000000000000000001', purpose: 'litigation', request_id: 'req_1' }),
    );
    const { items } = await list('t-form');
    expect(items).toEqual([
      expect.objectContaining({
        custody_id: 'cus_01JQ0000000000000000000001',
        tenant_id: 't-form',
        action: 'DOWNLOAD_BUNDLE',
        recorded: 'AUTOMATIC',
        subject: { kind: 'BUNDLE', id: 'bdl_1' },
        actor: { type: 'KEY', id: KEY_ID, key_id: null },
        at: '2026-03-02T14:11:10.004Z',
        purpose: 'litigation',
        recipient: null,
        request_id: 'req_1',
        seq: 1,
      }),
    ]);
    const { events } = await ask(process, EVENTS, { source_system: '_custody' }, { tenant: 't-form' });
    expect(events.items).toEqual([
      expect.objectContaining({ source_record_id: 'cus_01JQ0000000000000000000001', sequence: 1 }),
    ]);
  });

  it('records an entry once, however often it is repeated under its identifier', async () => {
    const entry = download({ custody_id: 'cus_01JQ0000000000000000000002' });
    await Promise.all([record('t-once', entry), record('t-once', entry), record('t-once', entry)]);
    await record('t-once', entry);
    expect((await list('t-once')).items).toHaveLength(1);
  });

  it('rejects if the ledger cannot store it: no custody row, no bytes', async () => {
    await expect(record('nobody', download())).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('stores a count and Merkle root in place of more than a thousand subjects', () => {
    const subjects = Array.from({ length: 1_001 }, (_, i) => ({ kind: 'EVENT' as const, id: `evt_${i}` }));
    const many = custodySystemEntry('cus_1', download({ subjects })).payload;
    expect(many).toMatchObject({ subject_count: 1_001, subjects_root: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect(many).not.toHaveProperty('subjects');
    const listed = custodySystemEntry('cus_1', download({ subjects: subjects.slice(1) })).payload;
    expect(listed['subjects']).toHaveLength(1_000);
  });

  it('computes the root by RFC 6962: leaf and node prefixes, the odd node carried up', () => {
    const leaf = (text: string) => sha256Hex(Buffer.concat([Buffer.from([0]), Buffer.from(text)]));
    const node = (l: string, r: string) => sha256Hex(Buffer.concat([Buffer.from([1]), Buffer.from(l + r, 'hex')]));
    const [a, b, c] = ['EVENT/a', 'EVENT/b', 'EVENT/c'].map(leaf) as [string, string, string];
    const of = (...ids: string[]) => subjectsRoot(ids.map((id) => ({ kind: 'EVENT' as const, id })));
    expect(of('a')).toBe(a);
    expect(of('a', 'b', 'c')).toBe(node(node(a, b), c));
    expect(of()).toBe(sha256Hex(Buffer.alloc(0)));
  });

  it('names the actor of a key, the key without an actor, and the service', () => {
    const key = {
      ...internalContext(null, 'x'),
      principal: { ...internalContext(null, 'x').principal, keyId: KEY_ID },
    };
    const actor = { ...key, principal: { ...key.principal, actorId: 'act_1' } };
    expect(custodyActorOf(key)).toEqual({ type: 'KEY', id: KEY_ID });
    expect(custodyActorOf(actor)).toEqual({ type: 'ACTOR', id: 'act_1', key_id: KEY_ID });
    expect(custodyActorOf(internalContext(null, 'retention'))).toEqual({ type: 'SERVICE', id: 'service:retention' });
  });
});

describe('the list of custody', () => {
  beforeAll(async () => {
    await record(
      't-list',
      download({ at: '2026-03-03T00:00:00.000Z', subject: { kind: 'BUNDLE', id: 'b' } }),
      download({ at: '2026-03-01T00:00:00.000Z', subject: { kind: 'EVENT', id: 'e' }, action: 'READ_RAW' }),
      download({ at: '2026-03-02T00:00:00.000Z', member_ids: ['M-1', 'M-2'], actor: { type: 'ACTOR', id: 'act_9' } }),
      download({ at: '2026-03-04T00:00:00.000Z', subjects: [{ kind: 'EVENT', id: 'e' }], action: 'EXPORT_EDX' }),
    );
  });
  const days = async (variables: Record<string, unknown>) =>
    (await list('t-list', variables)).items.map(({ at }: { at: string }) => at.slice(8, 10));

  it('ascends in time by default, in any order of recording', async () => {
    expect(await days({})).toEqual(['01', '02', '03', '04']);
    expect(await days({ order: 'desc' })).toEqual(['04', '03', '02', '01']);
  });

  it.each([
    ['subject', { kind: 'EVENT', id: 'e' }, ['01', '04']],
    ['identifier alone', { id: 'e' }, ['01', '04']],
    ['kind alone', { kind: 'BUNDLE' }, ['02', '03', '04']],
    ['member that it concerns', { kind: 'MEMBER', id: 'M-2' }, ['02']],
    ['action', { action: 'READ_RAW' }, ['01']],
    ['actor', { actor: 'act_9' }, ['02']],
    ['subject and action', { id: 'e', action: 'EXPORT_EDX' }, ['04']],
    ['time', { from: '2026-03-02T00:00:00Z', to: '2026-03-04T00:00:00Z' }, ['02', '03']],
    ['nothing that there is', { kind: 'EVENT', id: 'x' }, []],
  ])('filters by %s', async (_, variables, expected) => {
    expect(await days(variables)).toEqual(expected);
  });

  it.each(['asc', 'desc'])('is paged without a gap or a repeat (%s)', async (order) => {
    const whole = (await list('t-list', { order })).items.map(({ custody_id }: { custody_id: string }) => custody_id);
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page: { items: { custody_id: string }[]; next_cursor: string | null } = await list('t-list', {
        order,
        limit: 1,
        cursor,
      });
      seen.push(...page.items.map(({ custody_id }) => custody_id));
      cursor = page.next_cursor;
    } while (cursor !== null);
    expect(seen).toEqual(whole);
  });

  it('shows nothing of another tenant', async () => {
    expect((await list('t-other')).items).toEqual([]);
  });

  it('requires custody:read, which events:read implies', async () => {
    await expect(ask(process, LIST, {}, { scopes: ['events:write'] })).rejects.toMatchObject({ code: 'FORBIDDEN' });
    await expect(ask(process, LIST, {}, { scopes: ['events:read'] })).resolves.toBeDefined();
  });

  it('reads one index: as many entries as it returns, among thousands of events', async () => {
    const items = Array.from({ length: 500 }, (_, i) => envelope(i));
    await ask(process, INGEST, { items }, { tenant: 't-list' });
    const database = await server.connect('custody');
    const filter = { tenant_id: 't-list', 'query.custody_keys': 'EVENT/e' };
    const sort = { 'query.effective_at': 1, event_id: 1 } as const;
    const { executionStats } = await database.db.collection('ledger').find(filter).sort(sort).explain('executionStats');
    expect(executionStats.totalDocsExamined).toBe(2);
    expect(executionStats.totalKeysExamined).toBeLessThanOrEqual(3);
    await database.close();
  });
});

describe('an act outside the service', () => {
  const input = {
    action: 'TRANSFERRED',
    subject: { kind: 'BUNDLE', id: 'bdl_7' },
    recipient: 'Outside counsel',
    allow_unknown: true,
  };
  const write = (given: Record<string, unknown>, as: Parameters<typeof ask>[3] = {}) =>
    ask(process, RECORD, { input: { ...input, ...given } }, { tenant: 't-hand', ...as });

  it('is recorded by hand, with its recorder', async () => {
    const { recordCustody } = await write({ detail: { seal: 'A-1' } }, { actorId: 'act_1' });
    expect(recordCustody).toMatchObject({
      action: 'TRANSFERRED',
      recorded: 'MANUAL',
      recipient: 'Outside counsel',
      detail: { seal: 'A-1' },
      actor: { type: 'ACTOR', id: 'act_1', key_id: KEY_ID },
      at: '2026-03-02T14:11:10.004Z',
      request_id: 'req_01JQ0000000000000000000001',
    });
    expect((await list('t-hand', { id: 'bdl_7' })).items[0].entry_hash).toBe(recordCustody.entry_hash);
  });

  it('names something that the service knows, unless the request allows otherwise and the entry says so', async () => {
    const unknown = { allow_unknown: false, subject: { kind: 'EVENT', id: 'evt_01JQ0000000000000000000001' } };
    await expect(write(unknown)).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      errors: [expect.objectContaining({ path: '/subject/id', code: 'unknown' })],
    });
    const { recordCustody } = await write({ detail: { seal: 'A-2' } });
    expect(recordCustody.detail).toEqual({ seal: 'A-2', allow_unknown: true });
    const member = { allow_unknown: false, subject: { kind: 'MEMBER', id: 'M-1' } };
    expect((await write(member)).recordCustody.subject).toEqual(member.subject);
  });

  it('may be in the past, not in the future', async () => {
    const past = await write({ at: '2020-01-01T09:00:00+01:00' });
    expect(past.recordCustody.at).toBe('2020-01-01T08:00:00.000Z');
    await expect(write({ at: '2030-01-01T00:00:00Z' })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      errors: [expect.objectContaining({ path: '/at' })],
    });
  });

  it('cannot use an action that the service records itself', async () => {
    await expect(write({ action: 'DOWNLOAD_BUNDLE' })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      errors: [expect.objectContaining({ path: '/input/action', code: 'enum' })],
    });
  });

  it('requires custody:write, which only the published scope admin implies', async () => {
    await expect(write({}, { scopes: ['events:read', 'events:write'] })).rejects.toMatchObject({ code: 'FORBIDDEN' });
  });

  it('is one entry for one keyed request, however often it runs', async () => {
    const workId = 'wrk_01JQ0000000000000000000001';
    const first = await write({ recipient: 'Court' }, { workId });
    process.clock.advance(5_000);
    const again = await write({ recipient: 'Court' }, { workId });
    expect(again.recordCustody).toEqual(first.recordCustody);
    expect(again.recordCustody.custody_id).toBe(first.recordCustody.custody_id);
  });
});

describe('the chain of custody', () => {
  const CHECK = '{ verifyCustody { valid checked breaks { kind sequence } } }';

  it('verifies, even before its first entry', async () => {
    const before = await ask(process, CHECK, {}, { tenant: 't-new' });
    expect(before.verifyCustody).toEqual({ valid: true, checked: 0, breaks: [] });
    await record('t-new', download(), download());
    const after = await ask(process, CHECK, {}, { tenant: 't-new' });
    expect(after.verifyCustody).toMatchObject({ checked: 2, breaks: [] });
  });

  it('reports keys of an entry that were changed in the database as a break', async () => {
    await record('t-forged', download());
    const database = await server.connect('custody');
    const rows = database.db.collection('ledger');
    await rows.updateOne({ tenant_id: 't-forged' }, { $set: { 'query.custody_keys': ['*', 'BUNDLE/other'] } });
    const { verifyLedger } = await ask(process, VERIFY, { source: '_custody' }, { tenant: 't-forged' });
    expect(verifyLedger.valid).toBe(false);
    expect(verifyLedger.breaks[0]).toMatchObject({ source_system: '_custody', sequence: 1 });
    await database.close();
  });

  it('returns no entry with a changed record', async () => {
    await record('t-edited', download());
    const database = await server.connect('custody');
    await database.db
      .collection('ledger')
      .updateOne({ tenant_id: 't-edited' }, { $set: { record: Buffer.from('{}') } });
    await expect(list('t-edited')).rejects.toMatchObject({ code: 'INTEGRITY_FAILURE' });
    await database.close();
  });
});
