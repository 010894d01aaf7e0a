import type { Collection } from '../catalog/collection.js';

/** Wakes tailable cursors when something was written to their collection and is durable. */
export class InsertSignal {
  private readonly waiters = new Map<Collection, Set<() => void>>();

  notify(collections: Iterable<Collection>): void {
    for (const collection of collections) for (const wake of this.waiters.get(collection) ?? []) wake();
  }

  /** Resolves at the next write, after `timeoutMs`, or when `gone` aborts. */
  wait(collection: Collection, timeoutMs: number, gone: AbortSignal): Promise<void> {
    return new Promise<void>((resolve) => {
      const finish = () => {
        clearTimeout(timer);
        gone.removeEventListener('abort', finish);
        const waiters = this.waiters.get(collection);
        waiters?.delete(finish);
        if (waiters?.size === 0) this.waiters.delete(collection);
        resolve();
      };
      const timer = setTimeout(finish, timeoutMs);
      gone.addEventListener('abort', finish);
      if (gone.aborted) return finish();
      const waiters = this.waiters.get(collection) ?? new Set();
      waiters.add(finish);
      this.waiters.set(collection, waiters);
    });
  }
}
