import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  Acts,
  AUTHORITY,
  openVault,
  startTestServer,
  type TestServer,
  type VaultProcess,
  YEAR_MS,
} from './retention-kit.js';

let server: TestServer;
let vault: VaultProcess;
let next = 0;

beforeAll(async () => {
  server = await startTestServer();
  vault = await openVault(server);
});

afterAll(async () => {
  await vault.close();
  await server.stop();
});

const acts = async (): Promise<Acts> => new Acts(vault, await vault.tenant(`kept-${next++}`));
const ledger = () => vault.database.db.collection('ledger');
const decade = (): void => vault.clock.advance(10.1 * YEAR_MS);

describe('retention', () => {
  it('disposes of expired events: the header stays, the chain verifies, and the content is unreadable', async () => {
    const all = await acts();
    const old = await all.ingest(['a', 'b', 'c']);
    decade();
    const young = await all.ingest(['d']);
    expect(await all.sweep(true)).toMatchObject({ dry_run: true, events: { past_age: 3, disposed: 3, held: 0 } });
    expect(await all.stateOf(String(old[0]))).toBe('INCLUDED');
    expect(await all.sweep()).toMatchObject({ complete: true, events: { past_age: 3, disposed: 3, held: 0 } });
    for (const id of old) expect(await all.stateOf(id)).toBe('DISPOSED');
    expect(await all.stateOf(String(young[0]))).toBe('INCLUDED');
    const row = await ledger().findOne({ event_id: old[0] as string });
    expect(Object.keys(row ?? {}).sort()).toEqual(
      [
        '_id',
        'commit',
        'disposal_id',
        'disposed_of',
        'entry_hash',
        'event_id',
        'fields',
        'member_tag',
        'prev_hash',
        'recorded_at',
        'source_system',
        'tenant_id',
      ].sort(),
    );
    expect(JSON.stringify(row)).not.toContain('M-a');
    expect(await all.verify()).toMatchObject({ valid: true, breaks: [] });
    expect(await all.sweep()).toMatchObject({ events: { past_age: 0, disposed: 0, held: 0 } });
  });

  it('leaves a certificate in custody and an entry in _system that name the disposed records', async () => {
    const all = await acts();
    const [id] = await all.ingest(['a']);
    decade();
    await all.sweep();
    const query = `query($id: String!) { custody(subject_kind: "EVENT", subject_id: $id) { items { action detail } } }`;
    const { custody } = await vault.ask('ledger', all.tenant, query, { id });
    expect(custody.items).toMatchObject([
      { action: 'DISPOSE', detail: { stage: 'DISPOSED', policies: ['default=10y'] } },
    ]);
    const entries = `{ events(source_system: "_system", event_type: "records.disposed") { items { payload } } }`;
    const { events } = await vault.ask('ledger', all.tenant, entries);
    expect(events.items[0].payload.events).toMatchObject([{ event_id: id, sequence: 1 }]);
  });

  it('reports a missing record without an entry, and a forged pointer, as a break', async () => {
    const all = await acts();
    const [gone, forged] = await all.ingest(['a', 'b']);
    decade();
    const [other] = await all.ingest(['c']);
    await all.sweep();
    const row = await ledger().findOne({ event_id: gone as string });
    const content = { record: '', seed: '', worm_sha256: '', fact_key: '', duplicate_key: '', query: '' };
    await ledger().updateOne(
      { event_id: other as string },
      { $unset: content, $set: { disposal_id: row?.['disposal_id'] } },
    );
    await ledger().updateOne({ event_id: forged as string }, { $unset: { disposal_id: '' } });
    const { valid, breaks } = await all.verify();
    expect(valid).toBe(false);
    expect(breaks.map(({ kind, event_id }) => [kind, event_id])).toEqual(
      expect.arrayContaining([
        ['RECORD_MISSING', other],
        ['RECORD_MISSING', forged],
      ]),
    );
    expect(breaks.map(({ event_id }) => event_id)).not.toContain(gone);
  });

  it('keeps records by family, and rejects policies below the minimum of the deployment', async () => {
    const all = await acts();
    const put = `mutation($input: RetentionPoliciesInput!) { putRetentionPolicies(input: $input) { revision minimum_years } }`;
    const short = { policies: [{ event_family: 'claims', years: 5 }] };
    await expect(vault.ask('vault', all.tenant, put, { input: short })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
    });
    const input = { default_years: 6, policies: [{ event_family: 'Claims', years: 20 }] };
    const set = await vault.ask('vault', all.tenant, put, { input });
    expect(set.putRetentionPolicies).toEqual({ revision: 1, minimum_years: 6 });
    const [claim] = await all.ingest(['a'], { event_family: 'claims' });
    const [auth] = await all.ingest(['b'], { event_family: 'utilization_management' });
    vault.clock.advance(6.1 * YEAR_MS);
    await all.sweep();
    expect([await all.stateOf(String(claim)), await all.stateOf(String(auth))]).toEqual(['INCLUDED', 'DISPOSED']);
  });
});

describe('a legal hold', () => {
  it('keeps present and later records, counts refused deletions, and lists the records', async () => {
    const all = await acts();
    const [mine] = await all.ingest(['a'], { member_id: 'M-1' });
    const [other] = await all.ingest(['b'], { member_id: 'M-2' });
    const hold = await all.hold({ member_ids: ['M-1'] });
    const [later] = await all.ingest(['c'], { member_id: 'M-1' });
    decade();
    expect(await all.sweep()).toMatchObject({ events: { past_age: 3, disposed: 1, held: 2 } });
    const states = [
      await all.stateOf(String(mine)),
      await all.stateOf(String(later)),
      await all.stateOf(String(other)),
    ];
    expect(states).toEqual(['INCLUDED', 'INCLUDED', 'DISPOSED']);
    const listed = await all.tombstones(hold);
    expect(new Set(listed.map(({ id }) => id))).toEqual(new Set([mine, later]));
    expect(listed.every(({ refused_deletions }) => refused_deletions === 1)).toBe(true);
  });

  it('covers an id that is merged with its member later, until it is unmerged', async () => {
    const all = await acts();
    const ask = (name: string, mutation: string, variables: object) =>
      vault.ask('members-graph', all.tenant, `mutation${name} { ${mutation} { member_id } }`, variables);
    for (const member_id of ['M-1', 'M-2']) {
      const input = { member_id, name: { family: 'Testperson', given: ['Ada'] }, birth_date: '1970-01-31' };
      await ask('($input: MemberInput!)', 'createMember(input: $input)', { input });
    }
    const [theirs] = await all.ingest(['a'], { member_id: 'M-2' });
    await all.hold({ member_ids: ['M-1'] });
    const two = { into: 'M-1', source: 'M-2' };
    const named = '(member_id: $into, source_member_id: $source)';
    await ask('($into: String!, $source: String!)', `mergeMembers${named}`, two);
    decade();
    expect(await all.sweep()).toMatchObject({ events: { past_age: 1, disposed: 0, held: 1 } });
    expect(await all.stateOf(String(theirs))).toBe('INCLUDED');
    await ask('($into: String!, $source: String!)', `unmergeMembers${named}`, two);
    expect(await all.sweep()).toMatchObject({ events: { past_age: 1, disposed: 1, held: 0 } });
  });

  it('stays active when another hold over the same record is released', async () => {
    const all = await acts();
    const [id] = await all.ingest(['a'], { member_id: 'M-1' });
    const first = await all.hold({ member_ids: ['M-1'] });
    const second = await all.hold({ event_ids: [String(id)] });
    expect((await all.readHold(second)).counts.events).toBe(1);
    await all.release(first);
    decade();
    expect(await all.sweep()).toMatchObject({ events: { held: 1, disposed: 0 } });
    await all.release(second);
    expect(await all.sweep()).toMatchObject({ events: { held: 0, disposed: 1 } });
  });

  it('is released only once and only under an authority', async () => {
    const all = await acts();
    const hold = await all.hold({ member_ids: ['M-1'] });
    const { authority: _, ...without } = AUTHORITY;
    await expect(all.release(hold, without)).rejects.toThrow();
    const unknown = {
      ...AUTHORITY,
      authority: { ...AUTHORITY.authority, document_id: 'doc_01JQ0000000000000000000001' },
    };
    await expect(all.release(hold, unknown)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    expect((await all.release(hold)).releaseLegalHold.status).toBe('RELEASED');
    await expect(all.release(hold)).rejects.toMatchObject({ code: 'INVALID_TRANSITION' });
  });

  it('must have a scope, which can only be widened', async () => {
    const all = await acts();
    await expect(all.hold({})).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    await expect(all.hold({ member_ids: [] })).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    const id = await all.hold({ member_ids: ['M-1', 'M-2'] });
    const update = `mutation($id: String!, $input: LegalHoldPatch!) { updateLegalHold(hold_id: $id, input: $input) { revision } }`;
    const patch = (scope: object) => vault.ask('vault', all.tenant, update, { id, input: { scope } });
    await expect(patch({ member_ids: ['M-1'] })).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    await expect(patch({ member_ids: ['M-1', 'M-2'], event_families: ['claims'] })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
    });
    expect((await patch({ member_ids: ['M-1', 'M-2', 'M-3'] })).updateLegalHold.revision).toBe(2);
  });
});
