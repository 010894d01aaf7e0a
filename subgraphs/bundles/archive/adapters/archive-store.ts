import type { TenantWorm, WormBlob, WormStore } from '../../../../shared/worm/worm-store.js';
import { zipOf } from '../../../../shared/zip/write-archive.js';
import type { ArchiveStore, SealedEntry } from '../ports.js';
import { readableEntries } from './archive-entries.js';
import type { ArchiveThread } from './archive-thread.js';

/** A thread stores larger archives. */
const THREAD_FROM_BYTES = 16 * 1_048_576;

/**
 * Stores small archives on the main thread and large ones on another.
 * The bytes of an archive pass through memory several times, and each pass makes the garbage collector scan the heap.
 * The heap of the service, with its code and caches, costs far more to scan than that of the thread.
 *
 * @param thread null stores all archives on the main thread
 */
export function archiveStore(worm: WormStore, thread: ArchiveThread | null): ArchiveStore {
  return {
    async store(tenant, sealed, onProgress) {
      const bytes = sealed.reduce((sum, { size }) => sum + size, 0);
      if (thread !== null && bytes >= THREAD_FROM_BYTES) return thread.store(tenant, sealed, onProgress);
      return storeOnThisThread(worm.forTenant(tenant), sealed, onProgress);
    },
  };
}

async function storeOnThisThread(
  worm: TenantWorm,
  sealed: readonly SealedEntry[],
  onProgress: (bytes: number) => Promise<void>,
): Promise<WormBlob> {
  const { entries, close } = readableEntries(sealed, (sha256) => worm.readBlob(sha256));
  async function* counted(): AsyncGenerator<Uint8Array> {
    let done = 0;
    for await (const chunk of zipOf(entries)) {
      done += chunk.length;
      await onProgress(done);
      yield chunk;
    }
  }
  return worm.putBlob(counted(), Number.MAX_SAFE_INTEGER).finally(close);
}
