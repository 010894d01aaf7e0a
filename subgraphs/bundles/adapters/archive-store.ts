import type { TenantWorm, WormBlob, WormStore } from '../../../shared/worm/worm-store.js';
import type { ArchiveStore, SealedEntry } from '../service/ports/archive.js';
import { readableEntries } from './archive-entries.js';
import type { ArchiveThread } from './archive-thread.js';
import { zipOf } from './zip-archive.js';

/** A larger archive is stored by a thread of its own. */
const THREAD_FROM_BYTES = 16 * 1_048_576;

/**
 * Archives by the service's own thread as long as they are small. The bytes of a large one pass through the memory of whoever
 * stores it several times, and each pass makes the collector look through everything that lives there: of this service's
 * code and caches that is more work than all the rest.
 *
 * @param thread null: all of them by this thread
 */
export function archiveStore(worm: WormStore, thread: ArchiveThread | null): ArchiveStore {
  return {
    async store(tenant, sealed, told) {
      const bytes = sealed.reduce((sum, { size }) => sum + size, 0);
      if (thread !== null && bytes >= THREAD_FROM_BYTES) return thread.store(tenant, sealed, told);
      return storedHere(worm.forTenant(tenant), sealed, told);
    },
  };
}

async function storedHere(
  worm: TenantWorm,
  sealed: readonly SealedEntry[],
  told: (bytes: number) => Promise<void>,
): Promise<WormBlob> {
  const { entries, close } = readableEntries(sealed, (sha256) => worm.readBlob(sha256));
  async function* counted(): AsyncGenerator<Uint8Array> {
    let done = 0;
    for await (const chunk of zipOf(entries)) {
      done += chunk.length;
      await told(done);
      yield chunk;
    }
  }
  return worm.putBlob(counted(), Number.MAX_SAFE_INTEGER).finally(close);
}
