import { describe, expect, it } from '@jest/globals';
import type { DocumentFacts } from '../../../shared/contracts/documents.js';
import type { ChainEntry } from '../../../shared/contracts/ledger-records.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { FrozenTooEarly } from '../../../subgraphs/bundles/build/build-deps.js';
import { manifestDocument } from '../../../subgraphs/bundles/build/domain/manifest-records.js';
import { requireExplained } from '../../../subgraphs/bundles/build/explained-disposals.js';
import { hasChangedDocuments } from '../../../subgraphs/bundles/build/gather-documents.js';

// Records disposed of during a build: after the freeze of its tree, before a page or a document is read.

const TENANT = 't' as TenantId;
const disposal = (id: string) => ({ kind: 'SYSTEM', subject_id: id }) as ChainEntry;

/** A ledger with these entries in its signed tree. */
const ledgerWith = (...entries: readonly ChainEntry[]) => ({
  checkpoints: { force: async () => ({ tree_size: 9 }) } as never,
  ledgerRecords: {
    chain: async (_: string, { system_ids }: { readonly system_ids: readonly string[] }, size: number) =>
      size === 9 ? entries.filter(({ subject_id }) => system_ids.includes(subject_id)) : [],
  } as never,
});
const required = (ledger: ReturnType<typeof ledgerWith>, ids: readonly string[], known: readonly ChainEntry[]) =>
  requireExplained(ledger, { tenantId: TENANT }, ids, known);

describe('a missing record', () => {
  it('is explained by an entry of the frozen tree', async () => {
    await expect(required(ledgerWith(), ['dsp_1', 'dsp_1'], [disposal('dsp_1')])).resolves.toBeUndefined();
  });

  it('restarts the build if its entry is newer than the frozen tree', async () => {
    const ledger = ledgerWith(disposal('dsp_2'));
    await expect(required(ledger, ['dsp_1', 'dsp_2'], [disposal('dsp_1')])).rejects.toBeInstanceOf(FrozenTooEarly);
  });

  it('fails the build if no system entry accounts for it, even with a custody entry of that id', async () => {
    const forged = { ...disposal('dsp_1'), kind: 'CUSTODY' as const };
    await expect(required(ledgerWith(forged), ['dsp_1'], [forged])).rejects.toMatchObject({
      code: 'DISPOSAL_UNEXPLAINED',
    });
  });
});

describe('a document with missing content', () => {
  const facts = {
    ...{ document_id: 'doc_1', sha256: 'ab', size: 2, media_type: 'text/plain', rendition: null },
    ...{ filename: 'note.txt', member_ids: [], source_system: null, effective_at: null, created_at: '' },
  };
  const clean = { ...facts, status: 'AVAILABLE', scan: { status: 'CLEAN' } } as unknown as DocumentFacts;
  const documents = (...items: readonly DocumentFacts[]) => ({
    documents: { list: async () => ({ items, next_cursor: null }) } as never,
  });
  const gathered = [manifestDocument(clean, ['evt_1'], [])];

  it('is damaged if the document is unchanged', async () => {
    expect(await hasChangedDocuments(documents(clean), TENANT, gathered)).toBe(false);
  });

  it.each([
    ['disposed of', { status: 'DISPOSED' }],
    ['on its way out', { status: 'DISPOSAL_PENDING' }],
    ['shown by a rendition', { rendition: { redaction_id: 'rdx', sha256: 'cd', size: 1, media_type: 'text/plain' } }],
  ])('was overtaken where the document is %s', async (_, change) => {
    const changed = { ...clean, ...change } as DocumentFacts;
    expect(await hasChangedDocuments(documents(changed), TENANT, gathered)).toBe(true);
  });

  it('restarts the build if the document no longer exists', async () => {
    expect(await hasChangedDocuments(documents(), TENANT, gathered)).toBe(true);
  });
});
