import type { SystemEntry } from '../../../../shared/contracts/system-ledger.js';
import { MAP_PARTITION } from '../../../../shared/ids/tenant.js';

export { MAP_PARTITION };

/** `payload.map` of the entries that hold roots. */
export const MAP_VERSION = 'eas.map/v1';

/** The entry `map.committed` of the first `treeSize` entries; the same again is a duplicate. @param at RFC 3339 */
export const mapEntry = (treeSize: number, root: Uint8Array, at: string): SystemEntry => ({
  source_system: MAP_PARTITION,
  source_record_id: `map/${treeSize}`,
  event_family: 'ledger',
  event_type: 'map.committed',
  event_effective_timestamp: at,
  payload: { map: MAP_VERSION, tree_size: treeSize, root: Buffer.from(root).toString('hex') },
});
