import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { uploadTicket } from '../../../shared/crypto/upload-ticket.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import type { RecurringSpec } from '../../../shared/jobs/jobs.js';
import { wormDatabase } from '../../../shared/worm/kept-worm-store.js';
import { ManualClock } from '../../support/fakes.js';
import { Acts, openVault, startTestServer, type TestServer, type VaultProcess, YEAR_MS } from './retention-kit.js';

// Sweeps of two processes at once, the daily job by its clock, and deletions other than events and documents.

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

let server: TestServer;
let one: VaultProcess;
let two: VaultProcess;
let next = 0;
const clock = new ManualClock();

beforeAll(async () => {
  server = await startTestServer();
  one = await openVault(server, { clock });
  two = await openVault(server, { clock });
});

afterAll(async () => {
  await two.close();
  await one.close();
  await server.stop();
});

const acts = async (): Promise<Acts> => new Acts(one, await one.tenant(`swept-${next++}`));

async function wormOf(tenantId: TenantId) {
  const tenant = await one.local.deps.tenants.find(tenantId);
  if (!tenant) throw new Error('no such tenant');
  return one.worm.forTenant({ tenantId, logId: tenant.log_id });
}

async function blobOf(tenantId: TenantId, text: string): Promise<string> {
  const content = (async function* () {
    yield Buffer.from(text);
  })();
  return (await (await wormOf(tenantId)).putBlob(content, 1_000_000)).sha256;
}

const TAKE = 'mutation($input: DocumentUploadInput!) { takeDocument(input: $input) { document_id } }';

async function take(tenant: TenantId, input: object): Promise<string> {
  const named = { filename: 'a.txt', media_type: 'text/plain', ...input };
  return (await one.ask('vault', tenant, TAKE, { input: named })).takeDocument.document_id;
}

async function documentOf(tenant: TenantId, text: string): Promise<string> {
  const content = { sha256: await blobOf(tenant, text), size: text.length };
  return take(tenant, { ...content, ticket: uploadTicket(one.local.deps.masterKey, tenant, content) });
}

/** Every id that entries and first certificates of this tenant's disposals name, as often as they do. */
async function named(tenant: TenantId): Promise<{ entries: string[]; certified: string[] }> {
  const disposals = `{ events(source_system: "_system", event_type: "records.disposed", limit: 500) { items { payload } } }`;
  const { events } = await one.ask('ledger', tenant, disposals);
  const custody = `{ custody(action: "DISPOSE", limit: 500) { items { subject { id } subjects { id } detail } } }`;
  const { items } = (await one.ask('ledger', tenant, custody)).custody;
  const first = items.filter(({ detail }: { detail: { stage: string } }) => detail.stage === 'DISPOSED');
  return {
    entries: events.items.flatMap(({ payload }: { payload: { events: { event_id: string }[] } }) =>
      payload.events.map(({ event_id }) => event_id),
    ),
    certified: first.flatMap(({ subject, subjects }: { subject: { id: string }; subjects: { id: string }[] | null }) =>
      [subject, ...(subjects ?? [])].map(({ id }) => id),
    ),
  };
}

describe('two sweeps of one tenant at once', () => {
  it('name each event and document in one entry and one certificate, and keep held records', async () => {
    const all = await acts();
    await all.hold({ member_ids: ['M-held'] });
    const ids: string[] = [];
    for (let n = 0; n < 240; n += 40) ids.push(...(await all.ingest(Array.from({ length: 40 }, (_, i) => n + i))));
    const [held = ''] = await all.ingest(['held'], { member_id: 'M-held' });
    const documents = [await documentOf(all.tenant, 'first'), await documentOf(all.tenant, 'second')];
    clock.advance(10.2 * YEAR_MS);
    const sweeps = await Promise.all([
      all.sweep(),
      new Acts(two, all.tenant).sweep(),
      new Acts(two, all.tenant).sweep(),
      all.sweep(),
    ]);
    const { entries, certified } = await named(all.tenant);
    expect(entries.sort()).toEqual([...ids].sort());
    expect(certified.sort()).toEqual([...ids, ...documents].sort());
    expect(sweeps.reduce((sum, { events }) => sum + events.disposed, 0)).toBe(ids.length);
    expect(sweeps.reduce((sum, sweep) => sum + sweep.documents.disposed, 0)).toBe(documents.length);
    expect(await all.stateOf(held)).toBe('INCLUDED');
    expect(await all.verify()).toMatchObject({ valid: true, breaks: [] });
  });
});

describe('the daily job', () => {
  /** The job as the service registers it. */
  const run = async (): Promise<void> => {
    const job = registered.find(({ name }) => name === 'retention.sweep');
    if (!job) throw new Error('no such job');
    await job.run(new AbortController().signal);
  };
  const registered: RecurringSpec[] = [];

  beforeAll(async () => {
    const { build } = await import('../../../subgraphs/vault/index.js');
    const idle = { name: 'idle', wake: () => undefined, runDue: async () => 0 };
    const recurring = (spec: RecurringSpec): void => void registered.push(spec);
    const watched = { ...one.local.deps, jobs: { queue: async () => idle, recurring } };
    await build(watched as unknown as typeof one.local.deps);
  });

  it('sweeps each tenant once a day, and skips rules set within the last day', async () => {
    const [plain, ruled] = [await acts(), await acts()];
    const first = [...(await plain.ingest(['a'])), ...(await ruled.ingest(['a']))];
    clock.advance(10.2 * YEAR_MS);
    const put = `mutation($input: RetentionPoliciesInput!) { putRetentionPolicies(input: $input) { revision } }`;
    await one.ask('vault', ruled.tenant, put, { input: { default_years: 10, policies: [] } });
    const states = async () => [await plain.stateOf(String(first[0])), await ruled.stateOf(String(first[1]))];
    await run();
    expect(await states()).toEqual(['DISPOSED', 'INCLUDED']);
    const second = [...(await plain.ingest(['b'], { event_effective_timestamp: '2001-01-01T00:00:00.000Z' }))];
    // Looked at again within the day: this tenant was swept.
    clock.advance(23 * HOUR_MS);
    await run();
    expect(await states()).toEqual(['DISPOSED', 'INCLUDED']);
    clock.advance(2 * HOUR_MS);
    await run();
    expect(await states()).toEqual(['DISPOSED', 'DISPOSED']);
    expect(await plain.stateOf(String(second[0]))).toBe('INCLUDED');
  });

  it('continues after the failure of one tenant, and fails the run', async () => {
    const [broken, sound] = [await acts(), await acts()];
    const [id] = await sound.ingest(['a']);
    const [lost] = await broken.ingest(['a']);
    clock.advance(10.2 * YEAR_MS);
    const rules = one.database.db.collection<{ _id: string }>('retention_policies');
    await rules.insertOne({ _id: broken.tenant, tenant_id: broken.tenant, updated_at: 'no time' } as { _id: string });
    await expect(run()).rejects.toThrow();
    expect([await broken.stateOf(String(lost)), await sound.stateOf(String(id))]).toEqual(['INCLUDED', 'DISPOSED']);
    await rules.deleteOne({ _id: broken.tenant });
  });

  it('deletes bytes of abandoned uploads, and keeps stored bytes without a document', async () => {
    const all = await acts();
    const worm = await wormOf(all.tenant);
    const vanishing = (async function* () {
      for (let n = 0; n < 2; n++) yield Buffer.alloc(1_048_576, n);
      throw new Error('the client vanished');
    })();
    await expect(worm.putBlob(vanishing, 10_000_000)).rejects.toThrow('vanished');
    const stored = await blobOf(all.tenant, 'stored, and named by nobody');
    const chunks = wormDatabase(one.database).collection('worm_blobs.chunks');
    const before = await chunks.countDocuments();
    clock.advance(26 * HOUR_MS);
    await run();
    expect(before - (await chunks.countDocuments())).toBe(1);
    expect(await worm.blobSize(stored)).not.toBeNull();
  });
});

describe('an upload ticket', () => {
  it('is valid only for its bytes, length and tenant: a hash alone creates no document', async () => {
    const [all, other] = [await acts(), await acts()];
    const content = { sha256: await blobOf(all.tenant, 'whose hash is known'), size: 19 };
    await blobOf(other.tenant, 'whose hash is known');
    const { masterKey } = one.local.deps;
    const right = uploadTicket(masterKey, all.tenant, content);
    const code = (tenant: TenantId, input: object): Promise<unknown> =>
      take(tenant, { ...content, ...input }).then(
        () => 'taken',
        (error: { code?: unknown }) => error.code,
      );
    const wrong = [
      await code(all.tenant, { ticket: '' }),
      await code(all.tenant, { ticket: 'ab'.repeat(32) }),
      await code(all.tenant, { ticket: right.slice(2) }),
      await code(all.tenant, { ticket: right, size: 20 }),
      await code(all.tenant, { ticket: right, sha256: 'ab'.repeat(32) }),
      await code(other.tenant, { ticket: right }),
    ];
    expect(wrong).not.toContain('taken');
    expect(wrong).not.toContain('INTERNAL');
    expect(await code(all.tenant, { ticket: right })).toBe('taken');
  });
});

describe('the rendition of a redacted record', () => {
  const APPLY = `mutation($id: String!) { applyRedaction(redaction_id: $id) { rendition_sha256 } }`;

  async function drafted({ tenant }: Acts, members: object): Promise<string> {
    const draft = `mutation($input: RedactionDraft!) { draftRedaction(input: $input) { redaction_id } }`;
    const input = { reason: 'Names a third person.', basis: '45 CFR 164.502(b)', ...members };
    return (await one.ask('vault', tenant, draft, { input })).draftRedaction.redaction_id;
  }

  const applied = async ({ tenant }: Acts, id: string): Promise<string> => {
    const counsel = 'key_01JQ0000000000000000000002';
    return (await one.ask('vault', tenant, APPLY, { id }, counsel)).applyRedaction.rendition_sha256;
  };

  const ofEvent = (id: string) => ({ subject: { kind: 'EVENT', id }, pointers: ['/outcome'] });

  /** @param meanwhile once the bytes of the next rendition are stored, before anybody hears of it. */
  function whileStored(meanwhile: (sha256: string) => Promise<void>): void {
    const { forTenant } = one.worm;
    one.worm.forTenant = (tenant) => {
      const store = forTenant(tenant);
      const putBlob: typeof store.putBlob = async (content, maxBytes) => {
        one.worm.forTenant = forTenant;
        const blob = await store.putBlob(content, maxBytes);
        await meanwhile(blob.sha256);
        return blob;
      };
      return { ...store, putBlob };
    };
  }

  it('is deleted with the event, and not before', async () => {
    const all = await acts();
    const [id = ''] = await all.ingest(['a']);
    const line = await applied(all, await drafted(all, ofEvent(id)));
    const worm = await wormOf(all.tenant);
    clock.advance(9 * YEAR_MS);
    await all.sweep();
    expect(await worm.blobSize(line)).not.toBeNull();
    clock.advance(1.2 * YEAR_MS + 2 * DAY_MS);
    await all.sweep();
    expect([await all.stateOf(id), await worm.blobSize(line)]).toEqual(['DISPOSED', null]);
    expect(await all.verify()).toMatchObject({ valid: true, breaks: [] });
  });

  it('is deleted if the redaction was never applied because its process ended', async () => {
    const all = await acts();
    const [id = ''] = await all.ingest(['a']);
    let line = '';
    whileStored(async (sha256) => {
      line = sha256;
      throw new Error('the process ended');
    });
    await expect(applied(all, await drafted(all, ofEvent(id)))).rejects.toThrow();
    const worm = await wormOf(all.tenant);
    expect(await worm.blobSize(line)).not.toBeNull();
    clock.advance(10.2 * YEAR_MS);
    await all.sweep();
    expect([await all.stateOf(id), await worm.blobSize(line)]).toEqual(['DISPOSED', null]);
  });

  it('is deleted if the event was disposed of during the redaction', async () => {
    const all = await acts();
    const [id = ''] = await all.ingest(['a']);
    const draft = await drafted(all, ofEvent(id));
    clock.advance(10.2 * YEAR_MS);
    let line = '';
    whileStored(async (sha256) => {
      line = sha256;
      await all.sweep();
    });
    await applied(all, draft);
    const worm = await wormOf(all.tenant);
    expect([await all.stateOf(id), await worm.blobSize(line)]).toEqual(['DISPOSED', expect.any(Number)]);
    // Whatever a disposal's own last look has come to: it is past, and its row is out of the way.
    await one.database.db.collection('disposals').deleteMany({ tenant_id: all.tenant });
    clock.advance(2 * DAY_MS);
    await all.sweep();
    expect(await worm.blobSize(line)).toBeNull();
  });

  it('is deleted with its document, also after a later redaction has replaced it', async () => {
    const all = await acts();
    const id = await documentOf(all.tenant, 'Dr Grey saw Ms White.');
    const ofDocument = (term: string) => ({ subject: { kind: 'DOCUMENT', id }, terms: [term] });
    const first = await applied(all, await drafted(all, ofDocument('Grey')));
    const second = await applied(all, await drafted(all, ofDocument('White')));
    const worm = await wormOf(all.tenant);
    const sizes = async () => [await worm.blobSize(first), await worm.blobSize(second)];
    expect(await sizes()).toEqual([expect.any(Number), expect.any(Number)]);
    clock.advance(10.2 * YEAR_MS);
    await all.sweep();
    expect(await sizes()).toEqual([null, null]);
  });
});
