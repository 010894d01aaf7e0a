import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sha256Hex } from '../../../shared/crypto/hash.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import {
  Acts,
  openVault,
  sealTenant,
  startTestServer,
  storeBlob,
  type TestServer,
  takeDocument,
  type VaultProcess,
  wormOfTenant,
  YEAR_MS,
} from './retention-kit.js';

// A disposal deletes more than the row: write-once copies, documents, bodies, and the remains of a crash.

let server: TestServer;
let vault: VaultProcess;
let next = 0;

beforeAll(async () => {
  server = await startTestServer();
  vault = await openVault(server, { env: { SERVICE_WORM_SEGMENT_RECORDS: '100' } });
});

afterAll(async () => {
  await vault.close();
  await server.stop();
});

const acts = async (): Promise<Acts> => new Acts(vault, await vault.tenant(`gone-${next++}`));
const HOUR_MS = 3_600_000;

const wormOf = (tenantId: TenantId) => wormOfTenant(vault, tenantId);
const blobOf = (tenantId: TenantId, text: string): Promise<string> => storeBlob(vault, tenantId, text);

const none = async (): Promise<boolean> => false;

describe('stored bytes', () => {
  it('are deleted once no holder needs them, and can be stored again', async () => {
    const { tenant } = await acts();
    const sha256 = await blobOf(tenant, 'a letter');
    const { worm, upkeep } = await wormOf(tenant);
    expect(await upkeep.dropBlob(sha256, none)).toBe(false);
    vault.clock.advance(25 * HOUR_MS);
    expect(await upkeep.dropBlob(sha256, async () => true)).toBe(false);
    expect(await upkeep.dropBlob(sha256, none)).toBe(true);
    expect(await worm.blobSize(sha256)).toBeNull();
    expect(await blobOf(tenant, 'a letter')).toBe(sha256);
    expect(await worm.blobSize(sha256)).toBe(8);
  });

  it('stay if equal bytes were stored recently, also during the deletion', async () => {
    const { tenant } = await acts();
    const sha256 = await blobOf(tenant, 'twice');
    const { worm, upkeep } = await wormOf(tenant);
    vault.clock.advance(25 * HOUR_MS);
    await blobOf(tenant, 'twice');
    expect(await upkeep.dropBlob(sha256, none)).toBe(false);
    vault.clock.advance(25 * HOUR_MS);
    let refused: unknown;
    const meanwhile = async (): Promise<boolean> => {
      refused = await blobOf(tenant, 'twice').catch((error: { code?: unknown }) => error.code);
      return false;
    };
    expect(await upkeep.dropBlob(sha256, meanwhile)).toBe(true);
    expect(refused).toBe('UNAVAILABLE');
    expect(await worm.blobSize(sha256)).toBeNull();
  });

  it('that never became a blob are deleted after a day', async () => {
    const { tenant } = await acts();
    const { worm } = await wormOf(tenant);
    const vanishing = (async function* () {
      for (let n = 0; n < 3; n++) yield Buffer.alloc(1_048_576, n);
      throw new Error('the client vanished');
    })();
    await expect(worm.putBlob(vanishing, 10_000_000)).rejects.toThrow('vanished');
    const kept = await blobOf(tenant, 'kept');
    expect(await vault.worm.removeOrphans(0)).toBe(0);
    vault.clock.advance(25 * HOUR_MS);
    expect(await vault.worm.removeOrphans(0)).toBe(1);
    expect(await worm.blobSize(kept)).toBe(4);
  });
});

const DOCUMENT = 'query($id: String!) { document(document_id: $id) { status history { action } } }';
const CONTENT = 'query($id: String!) { documentContent(document_id: $id) { sha256 } }';

const documentOf = ({ tenant }: Acts, sha256: string, members: object = {}): Promise<string> =>
  takeDocument(vault, tenant, sha256, members);

async function readDocument({ tenant }: Acts, id: string): Promise<string> {
  const { document } = await vault.ask('vault', tenant, DOCUMENT, { id });
  const read = await vault.ask('vault', tenant, CONTENT, { id }).catch((error: { code?: unknown }) => error);
  return `${document.status} ${read.code ?? 'READABLE'}`;
}

const certificates = async ({ tenant }: Acts, id: string): Promise<{ detail: { stage: string } }[]> => {
  const custody = `query($id: String) { custody(subject_id: $id, action: "DISPOSE") { items { detail } } }`;
  return (await vault.ask('ledger', tenant, custody, { id })).custody.items;
};

describe('an expired document', () => {
  it('is deleted with its bytes, reports DISPOSED and leaves a certificate, unless it is held', async () => {
    const all = await acts();
    await all.hold({ member_ids: ['M-held'] });
    const effective_at = new Date(vault.clock.nowMs() - 3 * YEAR_MS).toISOString();
    const [plain, held] = [await blobOf(all.tenant, 'an old letter'), await blobOf(all.tenant, 'a held letter')];
    const gone = await documentOf(all, plain, { effective_at });
    const stays = await documentOf(all, held, { effective_at, member_ids: ['M-held'] });
    const { worm } = await wormOf(all.tenant);
    // Ten years since it came, however long ago it was written.
    vault.clock.advance(9 * YEAR_MS);
    expect(await all.sweep()).toMatchObject({ documents: { past_age: 0 } });
    vault.clock.advance(1.1 * YEAR_MS);
    expect(await all.sweep(true)).toMatchObject({ documents: { past_age: 2, disposed: 1, held: 1 } });
    expect(await readDocument(all, gone)).toBe('AVAILABLE READABLE');
    expect(await all.sweep()).toMatchObject({ documents: { past_age: 2, disposed: 1, held: 1 } });
    expect(await readDocument(all, gone)).toBe('DISPOSED DISPOSED');
    expect(await readDocument(all, stays)).toBe('AVAILABLE READABLE');
    expect([await worm.blobSize(plain), await worm.blobSize(held)]).toEqual([null, 13]);
    const told = (await certificates(all, gone)).map(({ detail }) => detail);
    expect(told).toEqual([
      expect.objectContaining({ stage: 'DISPOSED', policies: ['default=10y'] }),
      expect.objectContaining({ stage: 'GONE', disposed_at: expect.any(String), copies_gone_at: expect.any(String) }),
    ]);
    expect(await certificates(all, stays)).toEqual([]);
    expect(await all.verify()).toMatchObject({ valid: true, breaks: [] });
  });

  it('stays while a hold covers its legal matter or an event, until the release', async () => {
    const all = await acts();
    const ask = (subgraph: 'bundles' | 'vault', document: string, variables: object) =>
      vault.ask(subgraph, all.tenant, document, variables);
    const input = { name: 'Doe v. Acme', kind: 'LITIGATION' };
    const made = 'mutation($input: LegalMatterInput!) { createLegalMatter(input: $input) { matter_id } }';
    const matter_id = (await ask('bundles', made, { input })).createLegalMatter.matter_id as string;
    const [eventId = ''] = await all.ingest(['the event']);
    const linked = await documentOf(all, await blobOf(all.tenant, 'linked to the matter'));
    const attached = await documentOf(all, await blobOf(all.tenant, 'attached to the event'), { event_ids: [eventId] });
    const link = `($id: String!, $ref: String!) { LegalMatter(matter_id: $id, kind: "documents", ref: $ref) { document_ids } }`;
    const inMatter = { id: matter_id, ref: linked };
    await ask('bundles', `mutation${link.replace('LegalMatter', 'linkLegalMatter')}`, inMatter);
    const ofMatter = await all.hold({}, { matter_id });
    const ofEvent = await all.hold({ event_ids: [eventId] });

    const unlink = () => ask('bundles', `mutation${link.replace('LegalMatter', 'unlinkLegalMatter')}`, inMatter);
    const detached =
      'mutation($id: String!, $event: String!) { detachDocument(document_id: $id, event_id: $event) { event_ids } }';
    const detach = () => ask('vault', detached, { id: attached, event: eventId });
    await expect(unlink()).rejects.toMatchObject({ code: 'LEGAL_HOLD_ACTIVE' });
    await expect(detach()).rejects.toMatchObject({ code: 'LEGAL_HOLD_ACTIVE' });

    vault.clock.advance(10.1 * YEAR_MS);
    expect(await all.sweep()).toMatchObject({ documents: { past_age: 2, disposed: 0, held: 2 } });
    await all.release(ofMatter);
    await all.release(ofEvent);
    expect((await unlink()).unlinkLegalMatter.document_ids).toEqual([]);
    expect((await detach()).detachDocument.event_ids).toEqual([]);
    expect(await all.sweep()).toMatchObject({ documents: { past_age: 2, disposed: 2, held: 0 } });
  });

  it('leaves its bytes to a second record, and to a sealed bundle with this archive', async () => {
    const all = await acts();
    const [twice, archive] = [await blobOf(all.tenant, 'in two records'), await blobOf(all.tenant, 'an archive')];
    const first = await documentOf(all, twice);
    const uploaded = await documentOf(all, archive);
    const bundles = vault.database.db.collection<{ _id: string }>('bundles');
    const sealed = { tenant_id: all.tenant, status: 'SEALED', seal: { worm_blob_sha256: archive } };
    await bundles.insertOne({ _id: `bnd_${all.tenant}`, ...sealed } as { _id: string });
    vault.clock.advance(9 * YEAR_MS);
    const second = await documentOf(all, await blobOf(all.tenant, 'in two records'));
    vault.clock.advance(1.1 * YEAR_MS);
    expect(await all.sweep()).toMatchObject({ documents: { disposed: 2 } });
    expect(await readDocument(all, first)).toBe('DISPOSED DISPOSED');
    expect(await readDocument(all, uploaded)).toBe('DISPOSED DISPOSED');
    expect(await readDocument(all, second)).toBe('AVAILABLE READABLE');
    const { worm } = await wormOf(all.tenant);
    expect([await worm.blobSize(twice), await worm.blobSize(archive)]).toEqual([14, 10]);
    // When the second one goes, nothing keeps them.
    vault.clock.advance(9 * YEAR_MS);
    expect(await all.sweep()).toMatchObject({ documents: { disposed: 1 } });
    expect([await worm.blobSize(twice), await worm.blobSize(archive)]).toEqual([null, 10]);
  });

  it('is not certified as gone while equal bytes were stored recently; a later sweep deletes them', async () => {
    const all = await acts();
    const sha256 = await blobOf(all.tenant, 'stored anew');
    const id = await documentOf(all, sha256);
    vault.clock.advance(10.1 * YEAR_MS);
    await blobOf(all.tenant, 'stored anew');
    await all.sweep();
    const { worm } = await wormOf(all.tenant);
    const stages = async () => (await certificates(all, id)).map(({ detail }) => detail.stage);
    expect([await readDocument(all, id), await worm.blobSize(sha256), await stages()]).toEqual([
      'DISPOSED DISPOSED',
      11,
      ['DISPOSED'],
    ]);
    vault.clock.advance(25 * HOUR_MS);
    await all.sweep();
    expect([await worm.blobSize(sha256), await stages()]).toEqual([null, ['DISPOSED', 'GONE']]);
  });
});

describe('a write-once segment', () => {
  it('is deleted whole once all its events are disposed of, with a ledger entry', async () => {
    const all = await acts();
    const held = await all.hold({ member_ids: ['M-held'] });
    await all.ingest(['held'], { member_id: 'M-held' });
    for (let n = 0; n < 90; n += 30) await all.ingest(Array.from({ length: 30 }, (_, i) => n + i));
    vault.clock.advance(HOUR_MS);
    const { worm, upkeep } = await wormOf(all.tenant);
    await sealTenant(vault, all.tenant);
    const sealed = (await upkeep.segments()).filter(({ state }) => state === 'SEALED');
    expect(sealed.length).toBeGreaterThan(0);
    const [first] = sealed;
    const names = await upkeep.names(String(first?._id), null, 200);
    vault.clock.advance(10.2 * YEAR_MS);
    expect((await all.sweep()).segments_dropped).toEqual([]);
    await all.release(held);
    expect((await all.sweep()).segments_dropped).toContain(first?._id);
    const present = await worm.presentRecords(names);
    for (const [sha256, { bytes }] of await worm.readRecords([...present])) {
      expect(sha256Hex(bytes)).toBe(sha256);
      expect(JSON.parse(bytes.toString('utf8')).source_system ?? '_').toMatch(/^_/);
    }
    expect(await all.verify()).toMatchObject({ valid: true, breaks: [] });
    const custody = `{ custody(action: "DISPOSE", limit: 500) { items { detail } } }`;
    const { items } = (await vault.ask('ledger', all.tenant, custody)).custody;
    expect(items.map(({ detail }: { detail: { stage: string } }) => detail.stage)).toContain('GONE');
  });
});
