import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Collection, Db, Document } from 'mongodb';
import type { RequestContext } from '../../../shared/auth/context.js';
import { openFacts } from '../../../shared/facts/project-facts.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import type { RecurringSpec } from '../../../shared/jobs/jobs.js';
import { documentSteps, serviceDocumentSteps } from '../../../subgraphs/vault/documents/change-document.js';
import { commitRendition } from '../../../subgraphs/vault/documents/document-redactions.js';
import type { StoredDocument } from '../../../subgraphs/vault/documents/ports.js';
import { caughtUpTogether, documentRecords } from '../../../subgraphs/vault/documents/wiring.js';
import { openVault, startTestServer, type TestServer, type VaultProcess } from '../retention/retention-kit.js';

// The store of documents on the real database and ledger: crashes between fact and row, and rows that someone edits.

const HOUR_MS = 3_600_000;
const ORIGINAL = 'a1'.repeat(32);
const REDACTED = 'b2'.repeat(32);

let server: TestServer;
let vault: VaultProcess;
let rows: Collection<Document & { _id: string }>;
let tenants = 0;

beforeAll(async () => {
  server = await startTestServer();
  vault = await openVault(server);
  rows = vault.database.db.collection('documents');
});
afterAll(async () => {
  await vault.close();
  await server.stop();
});

/** A separate process; its writes may fail once. */
function opened() {
  const { deps } = vault.local;
  const registered: RecurringSpec[] = [];
  const jobs = { recurring: (spec: RecurringSpec) => void registered.push(spec) };
  const guard = openFacts({ ...deps, jobs } as never, 'vault');
  const failing = { operation: '' };
  const db = new Proxy(deps.database.db, {
    get: (target, name) =>
      name === 'collection' ? (of: string) => failingOnce(target, of, failing) : target[name as keyof Db],
  });
  const outbox = { relay: async () => {} };
  const documents = documentRecords({ ...deps, db, outbox, guard, isRedacted: async () => false });
  guard.projects('document', caughtUpTogether(documents));
  const sweep = () => registered[0]?.run(new AbortController().signal);
  return { guard, documents, failing, sweep, deps };
}

/** The collection; the operation that `failing` names throws once, as when the process dies before it. */
const failingOnce = (db: Db, name: string, failing: { operation: string }): Collection<Document> =>
  new Proxy(db.collection(name), {
    get: (target, method) => {
      const value: unknown = target[method as keyof Collection<Document>];
      if (typeof value !== 'function') return value;
      if (method !== failing.operation) return value.bind(target);
      failing.operation = '';
      return () => Promise.reject(new Error('the process died'));
    },
  });

type Opened = ReturnType<typeof opened>;

const stepsOf = ({ documents, deps }: Opened, tenantId: TenantId) =>
  serviceDocumentSteps({ ...deps, documents }, tenantId);

const MEMBERS = {
  sha256: ORIGINAL,
  size: 10,
  media_type: 'text/plain',
  filename: 'letter.txt',
  title: null,
  document_type: null,
  source_system: null,
  member_ids: ['M-1'],
  event_ids: ['evt_01JQ0000000000000000000001'],
  matter_id: 'mat_1',
  tags: [],
  effective_at: null,
  scan: { status: 'CLEAN', engine: 'built-in', findings: [], scanned_at: null },
  review: null,
  rendition: null,
} as const;

async function made(process: Opened, id?: string) {
  const tenantId = await vault.tenant(`documents-${++tenants}`);
  const create = () => stepsOf(process, tenantId).create(() => MEMBERS, { action: 'upload', id });
  return { tenantId, create, id: id ?? (await create()).document_id };
}

const attach = (process: Opened, tenantId: TenantId, id: string, event: string): Promise<StoredDocument> =>
  stepsOf(process, tenantId).take(id, 'attach', {
    change: ({ event_ids }) => ({ event_ids: [...event_ids, event] }),
  });

const redact = ({ guard }: Opened, tenantId: TenantId, document_id: string, ordinal = 1) =>
  commitRendition(guard, tenantId, {
    document_id,
    ordinal,
    rendition: {
      redaction_id: `rdx_01JQ000000000000000000000${ordinal}`,
      sha256: REDACTED,
      size: 7,
      media_type: 'text/plain',
      filename: 'letter.txt',
      title: null,
      tags: [],
    },
    at: '2026-03-02T14:11:10.004Z',
    details: {},
  });

const FAILS = { code: 'INTEGRITY_FAILURE' };

describe('a crash between the fact of a document and its row', () => {
  it('leaves a new document that the next reader writes', async () => {
    const process = opened();
    const { tenantId, create, id } = await made(process, 'doc_01JQ0000000000000000000001');
    process.failing.operation = 'insertMany';
    await expect(create()).rejects.toThrow('the process died');
    expect(await rows.findOne({ _id: id })).toBeNull();
    expect(await opened().documents(tenantId).get(id)).toMatchObject({ sha256: ORIGINAL, status: 'AVAILABLE' });
    expect(await rows.findOne({ _id: id })).toMatchObject({ tenant_id: tenantId, revision: 1 });
  });

  it('leaves a step that the next reader completes, and that no retry takes twice', async () => {
    const process = opened();
    const { tenantId, id } = await made(process);
    process.failing.operation = 'findOneAndUpdate';
    await expect(attach(process, tenantId, id, 'evt_2')).rejects.toThrow('the process died');
    expect(await rows.findOne({ _id: id })).toMatchObject({ revision: 1 });
    const read = await opened().documents(tenantId).get(id);
    expect(read).toMatchObject({ revision: 2, event_ids: [...MEMBERS.event_ids, 'evt_2'] });
  });

  it('leaves a step that the sweep completes without a read of the document', async () => {
    const process = opened();
    const { tenantId, id } = await made(process);
    process.failing.operation = 'findOneAndUpdate';
    await expect(attach(process, tenantId, id, 'evt_2')).rejects.toThrow('the process died');
    await process.sweep();
    expect(await rows.findOne({ _id: id })).toMatchObject({ revision: 2 });
  });
});

describe('a document between the fact of its redaction and its own', () => {
  it('shows the rendition, and never the original, to the next reader of any process', async () => {
    const process = opened();
    const { tenantId, id } = await made(process);
    await redact(process, tenantId, id);
    expect(await rows.findOne({ _id: id })).toMatchObject({ rendition: null });
    const [read] = await opened().documents(tenantId).among([id]);
    expect(read).toMatchObject({ rendition: { sha256: REDACTED }, revision: 2 });
  });

  it('shows the rendition when the process dies between the two rows', async () => {
    const process = opened();
    const { tenantId, id } = await made(process);
    await redact(process, tenantId, id);
    process.failing.operation = 'findOneAndUpdate';
    await expect(process.documents(tenantId).get(id)).rejects.toThrow('the process died');
    expect(await opened().documents(tenantId).get(id)).toMatchObject({ rendition: { sha256: REDACTED }, revision: 2 });
  });

  it('is switched once, however many read it at once', async () => {
    const process = opened();
    const { tenantId, id } = await made(process);
    await redact(process, tenantId, id);
    const reads = await Promise.all([1, 2, 3, 4].map(() => opened().documents(tenantId).get(id)));
    for (const read of reads) expect(read).toMatchObject({ rendition: { sha256: REDACTED }, revision: 2 });
  });

  it('is not set back by an earlier redaction that comes late', async () => {
    const process = opened();
    const { tenantId, id } = await made(process);
    await redact(process, tenantId, id, 2);
    await redact(process, tenantId, id, 1);
    const read = await process.documents(tenantId).get(id);
    expect(read?.rendition?.redaction_id).toBe('rdx_01JQ0000000000000000000002');
  });

  it.each([
    ['removes the rendition', { $set: { rendition: null } }],
    ['names the original as the rendition', { $set: { 'rendition.sha256': ORIGINAL } }],
    ['names a fact that the ledger does not have', { $set: { 'rendition.fact.seq': 9_999 } }],
  ])('answers INTEGRITY_FAILURE when someone %s', async (_, change) => {
    const process = opened();
    const { tenantId, id } = await made(process);
    await redact(process, tenantId, id);
    await process.documents(tenantId).get(id);
    await rows.updateOne({ _id: id }, change);
    await expect(opened().documents(tenantId).get(id)).rejects.toMatchObject(FAILS);
  });

  it('shows the rendition when someone sets the document and its fact back to the state before', async () => {
    const process = opened();
    const { tenantId, id } = await made(process);
    const before = await rows.findOne({ _id: id });
    await redact(process, tenantId, id);
    await process.documents(tenantId).get(id);
    await rows.replaceOne({ _id: id }, before ?? {});
    expect(await opened().documents(tenantId).get(id)).toMatchObject({ rendition: { sha256: REDACTED } });
  });
});

describe('a list of documents', () => {
  const LISTS = [
    ['a member', { member_ids: 'M-1' }],
    ['an event', { event_ids: MEMBERS.event_ids[0] }],
    ['a matter', { matter_id: 'mat_1' }],
  ] as const;
  const EDITS = [
    ['gives it to another member', { member_ids: ['M-2'] }],
    ['detaches its events', { event_ids: [] }],
    ['takes it out of its matter', { matter_id: null }],
  ] as const;
  const page = (process: Opened, tenantId: TenantId, where: object) =>
    process.documents(tenantId).page({ limit: 10, order: 'asc', cursor: undefined, where } as never);

  it.each(LISTS.map(([name, where], i) => [name, where, EDITS[i]?.[1] ?? {}] as const))(
    'of %s notices an edited document that no longer matches, and a removed row',
    async (_, where, edit) => {
      const process = opened();
      const { tenantId, id } = await made(process);
      const row = await rows.findOne({ _id: id });
      await rows.updateOne({ _id: id }, { $set: edit });
      await expect(page(process, tenantId, where)).rejects.toMatchObject(FAILS);
      await rows.replaceOne({ _id: id }, row ?? {});
      await rows.deleteOne({ _id: id });
      expect((await page(process, tenantId, where)).items).toMatchObject([{ document_id: id }]);
    },
  );

  it('does not show a document that was detached', async () => {
    const process = opened();
    const { tenantId, id } = await made(process);
    await stepsOf(process, tenantId).take(id, 'detach', { change: () => ({ event_ids: [] }) });
    expect((await page(process, tenantId, LISTS[1][1])).items).toEqual([]);
  });
});

describe('a content', () => {
  it('is named by the facts of a document with a removed row', async () => {
    const process = opened();
    const { tenantId, id } = await made(process);
    await rows.deleteOne({ _id: id });
    expect(await process.documents(tenantId).referenced([ORIGINAL])).toEqual(new Set([ORIGINAL]));
  });

  it.each([
    ['names another content', { sha256: REDACTED }],
    ['is marked as disposed', { status: 'DISPOSED' }],
  ])('is not freed when the row of its document %s', async (_, edit) => {
    const process = opened();
    const { tenantId, id } = await made(process);
    await rows.updateOne({ _id: id }, { $set: edit });
    await expect(process.documents(tenantId).referenced([ORIGINAL])).rejects.toMatchObject(FAILS);
  });

  it('is free once its documents are disposed of', async () => {
    const process = opened();
    const { tenantId, id } = await made(process);
    await stepsOf(process, tenantId).take(id, 'dispose');
    expect(await process.documents(tenantId).referenced([ORIGINAL])).toEqual(new Set());
  });
});

describe('a request that runs again', () => {
  it('returns the document of its fact when a crash left no row', async () => {
    const process = opened();
    const tenantId = await vault.tenant(`documents-${++tenants}`);
    const principal = { keyId: 'key_01JQ0000000000000000000001', actorId: null };
    const context = { workId: 'wrk_01JQ0000000000000000000001', principal } as unknown as RequestContext;
    const create = () =>
      documentSteps({ ...process.deps, documents: process.documents }, context, tenantId).create(() => MEMBERS, {
        action: 'upload',
      });
    process.failing.operation = 'insertMany';
    await expect(create()).rejects.toThrow('the process died');
    vault.clock.advance(1_000);
    const again = await create();
    expect(await opened().documents(tenantId).get(again.document_id)).toEqual(again);
  });
});

describe('a document with a row removed after the sweep', () => {
  it('answers INTEGRITY_FAILURE to every process, by itself and in lists', async () => {
    const process = opened();
    const { tenantId, id } = await made(process);
    vault.clock.advance(HOUR_MS);
    await process.sweep();
    await rows.deleteOne({ _id: id });
    const other = opened();
    await expect(other.documents(tenantId).get(id)).rejects.toMatchObject(FAILS);
    await expect(other.documents(tenantId).among([id])).rejects.toMatchObject(FAILS);
    const query = { limit: 10, order: 'asc', cursor: undefined, where: { member_ids: 'M-1' } } as const;
    await expect(other.documents(tenantId).page(query)).rejects.toMatchObject(FAILS);
    await expect(other.documents(tenantId).referenced([ORIGINAL])).rejects.toMatchObject(FAILS);
  });
});
