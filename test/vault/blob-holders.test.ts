import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { repositoryFile } from '../../app/repository.js';
import { isHeldBySomebody } from '../../subgraphs/vault/service/blob-holders.js';

/** Every file that stores blobs, and the holder (subgraphs/vault/wiring/blob-holders.ts) that then answers for them. */
const STORED_BY: Readonly<Record<string, string>> = {
  'rest-facade/routes/connectors/receive-fhir.ts': 'raw messages',
  'rest-facade/routes/documents/post-document.ts': 'documents',
  'rest-facade/routes/ingest/post-raw.ts': 'raw messages',
  'subgraphs/advocacy/service/import-corpus.ts': 'artifacts of rules',
  'subgraphs/advocacy/service/rule-artifact.ts': 'artifacts of rules',
  'subgraphs/bundles/adapters/archive-store.ts': 'sealed bundles',
  'subgraphs/bundles/adapters/archive-thread-main.ts': 'sealed bundles',
  'subgraphs/ledger/service/connector-body.ts': 'raw messages',
  'subgraphs/ledger/service/connector-messages.ts': 'raw messages',
  'subgraphs/vault/service/apply-redaction.ts': 'renditions',
};

/** By the store, or by what another thread of the process has opened of it. */
const STORES = /\.put(Small)?Blobs?\(|openPlacedBlobs\(/;

function filesThatStore(folder: string): string[] {
  return readdirSync(repositoryFile(folder), { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((name) => name.endsWith('.ts') && STORES.test(readFileSync(repositoryFile(name), 'utf8')));
}

describe('holders of stored bytes', () => {
  test('answer for every place that stores some', () => {
    const folders = ['subgraphs', 'rest-facade', 'gateway', 'app'];
    expect(folders.flatMap(filesThatStore).sort()).toEqual(Object.keys(STORED_BY).sort());
    const registry = readFileSync(repositoryFile('subgraphs/vault/wiring/blob-holders.ts'), 'utf8');
    for (const holder of new Set(Object.values(STORED_BY))) expect(registry).toContain(`name: '${holder}'`);
  });

  test('are asked until one of them needs the bytes, and a failure to answer lets nothing go', async () => {
    const asked: string[] = [];
    const holder = (name: string, needed: readonly string[]) => ({
      name,
      needs: async () => {
        asked.push(name);
        return needed;
      },
    });
    const silent = { name: 'silent', needs: () => Promise.reject(new Error('no answer')) };
    const held = (...holders: Parameters<typeof isHeldBySomebody>[0]) =>
      isHeldBySomebody(holders, 't' as never, 'aa', 'CONTENT');
    expect(await held(holder('one', []), holder('two', ['bb']))).toBe(false);
    expect(await held(holder('three', ['aa']), silent)).toBe(true);
    await expect(held(holder('four', []), silent)).rejects.toThrow('no answer');
    expect(asked).toEqual(['one', 'two', 'three', 'four']);
  });
});
