import { describe, expect, test } from '@jest/globals';
import type { DocumentFacts } from '../../shared/contracts/documents.js';
import type { ChainEntry } from '../../shared/contracts/ledger-records.js';
import type { TenantId } from '../../shared/ids/tenant.js';
import { manifestDocument } from '../../subgraphs/bundles/domain/bundle-documents.js';
import { FrozenTooEarly } from '../../subgraphs/bundles/service/build-deps.js';
import { requireExplained } from '../../subgraphs/bundles/service/explained-disposals.js';
import { isShownOtherwise } from '../../subgraphs/bundles/service/gather-documents.js';

// What is disposed of while a bundle is built: between the freeze of its tree and the reading of a page or a document.

const TENANT = 't' as TenantId;
const disposal = (id: string) => ({ kind: 'SYSTEM', subject_id: id }) as ChainEntry;

/** A ledger whose tree, signed now, holds these entries. */
const ledgerWith = (...entries: readonly ChainEntry[]) => ({
  checkpoints: { force: async () => ({ tree_size: 9 }) } as never,
  ledgerRecords: {
    chain: async (_: string, { system_ids }: { readonly system_ids: readonly string[] }, size: number) =>
      size === 9 ? entries.filter(({ subject_id }) => system_ids.includes(subject_id)) : [],
  } as never,
});
const required = (ledger: ReturnType<typeof ledgerWith>, ids: readonly string[], known: readonly ChainEntry[]) =>
  requireExplained(ledger, { tenantId: TENANT }, ids, known);

describe('a record that is gone', () => {
  test('is explained by an entry of the frozen tree', async () => {
    await expect(required(ledgerWith(), ['dsp_1', 'dsp_1'], [disposal('dsp_1')])).resolves.toBeUndefined();
  });

  test('has the build frozen anew where its entry lies beyond the frozen tree', async () => {
    const ledger = ledgerWith(disposal('dsp_2'));
    await expect(required(ledger, ['dsp_1', 'dsp_2'], [disposal('dsp_1')])).rejects.toBeInstanceOf(FrozenTooEarly);
  });

  test('ends the build where no entry accounts for it; an entry of custody of that name does not', async () => {
    const forged = { ...disposal('dsp_1'), kind: 'CUSTODY' as const };
    await expect(required(ledgerWith(forged), ['dsp_1'], [forged])).rejects.toMatchObject({
      code: 'DISPOSAL_UNEXPLAINED',
    });
  });
});

describe('a document whose content is not there any more', () => {
  const facts = { document_id: 'doc_1', sha256: 'ab', size: 2, media_type: 'text/plain', rendition: null };
  const clean = { ...facts, status: 'AVAILABLE', scan: { status: 'CLEAN' } } as unknown as DocumentFacts;
  const documents = (...items: readonly DocumentFacts[]) => ({
    documents: { list: async () => ({ items, next_cursor: null }) } as never,
  });
  const gathered = [manifestDocument(clean, ['evt_1'])];

  test('was lost where the document still stands', async () => {
    expect(await isShownOtherwise(documents(clean), TENANT, gathered)).toBe(false);
  });

  test.each([
    ['disposed of', { status: 'DISPOSED' }],
    ['on its way out', { status: 'DISPOSAL_PENDING' }],
    ['shown by a rendition', { rendition: { redaction_id: 'rdx', sha256: 'cd', size: 1, media_type: 'text/plain' } }],
  ])('was overtaken where the document is %s', async (_, change) => {
    const changed = { ...clean, ...change } as DocumentFacts;
    expect(await isShownOtherwise(documents(changed), TENANT, gathered)).toBe(true);
  });

  test('was overtaken where the document is not there at all', async () => {
    expect(await isShownOtherwise(documents(), TENANT, gathered)).toBe(true);
  });
});
