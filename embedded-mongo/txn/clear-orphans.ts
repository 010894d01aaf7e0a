import type { Catalog } from '../catalog/catalog.js';
import type { DocumentStore } from '../store/document-store.js';
import type { WriteQueue } from './write-queue.js';

/** Entries removed in one step of a write group. */
const clearedPerStep = 500;

/** Removes, bit by bit between other writes, what dropped collections and indexes left in the store. */
export async function clearOrphans(parts: {
  catalog: Catalog;
  store: DocumentStore;
  writes: WriteQueue;
}): Promise<void> {
  const { catalog, store, writes } = parts;
  for (const prefix of catalog.orphanPrefixes()) {
    await writes.runSteps(function* () {
      while (store.clearPrefix(prefix, clearedPerStep) > 0) yield;
      catalog.removeOrphan(prefix);
    });
  }
}
