import { updateMap } from '../../../../shared/state-map/update.js';
import type { UpdateMap } from '../ports.js';
import { MapThread } from './map-thread.js';

/** Changes that cost less than their way to the thread and back. */
const SMALL_CHANGES = 64;

/** Updates small batches in place, and large ones in the thread. */
export function threadedUpdates(): { readonly update: UpdateMap; close(): Promise<void> } {
  const thread = new MapThread();
  return {
    update: (nodes, versions, changes) =>
      changes.length < SMALL_CHANGES ? updateMap(nodes, versions, changes) : thread.update(nodes, versions, changes),
    close: () => thread.close(),
  };
}
