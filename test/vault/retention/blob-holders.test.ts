import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { repositoryFile } from '../../../app/repository.js';
import { isNeeded } from '../../../subgraphs/vault/retention/blob-holders.js';

/** Every file that stores blobs, and the holder (subgraphs/vault/retention/wiring.ts) that then answers for them. */
const STORED_BY: Readonly<Record<string, string>> = {
  'rest-facade/routes/connectors/receive-fhir.ts': 'raw messages',
  'rest-facade/routes/documents/post-document.ts': 'documents',
  'rest-facade/routes/ingest/post-raw.ts': 'raw messages',
  'subgraphs/advocacy/rules/import-corpus.ts': 'artifacts of rules',
  'subgraphs/advocacy/rules/content.ts': 'artifacts of rules',
  'subgraphs/bundles/archive/adapters/archive-store.ts': 'sealed bundles',
  'subgraphs/bundles/archive/adapters/archive-thread-main.ts': 'sealed bundles',
  'subgraphs/ledger/connectors/body.ts': 'raw messages',
  'subgraphs/ledger/connectors/messages.ts': 'raw messages',
  'subgraphs/ledger/ingest/attached-documents.ts': 'documents',
  'subgraphs/vault/redactions/apply-redaction.ts': 'renditions',
};

/** By the store, or by what another thread of the process has opened of it. */
const STORES = /\.put(Small)?Blobs?\(|openPlacedBlobs\(/;

function filesThatStore(folder: string): string[] {
  return readdirSync(repositoryFile(folder), { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((name) => name.endsWith('.ts') && STORES.test(readFileSync(repositoryFile(name), 'utf8')));
}

describe('holders of stored bytes', () => {
  it('cover every place that stores bytes', () => {
    const folders = ['subgraphs', 'rest-facade', 'gateway', 'app'];
    expect(folders.flatMap(filesThatStore).sort()).toEqual(Object.keys(STORED_BY).sort());
    const registry = readFileSync(repositoryFile('subgraphs/vault/retention/wiring.ts'), 'utf8');
    for (const holder of new Set(Object.values(STORED_BY))) expect(registry).toContain(`name: '${holder}'`);
  });

  it('are queried until one needs the bytes, and a failed query deletes nothing', async () => {
    const asked: string[] = [];
    const holder = (name: string, needed: readonly string[]) => ({
      name,
      needs: async () => {
        asked.push(name);
        return needed;
      },
    });
    const silent = { name: 'silent', needs: () => Promise.reject(new Error('no answer')) };
    const held = (...holders: Parameters<typeof isNeeded>[0]) => isNeeded(holders, 't' as never, 'aa', 'CONTENT');
    expect(await held(holder('one', []), holder('two', ['bb']))).toBe(false);
    expect(await held(holder('three', ['aa']), silent)).toBe(true);
    await expect(held(holder('four', []), silent)).rejects.toThrow('no answer');
    expect(asked).toEqual(['one', 'two', 'three', 'four']);
  });
});
