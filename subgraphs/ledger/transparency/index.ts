export { TREE_COLLECTION, TREE_COLLECTIONS } from './model/collections.js';
export { mongoTreeStore } from './model/tree-store.js';
export type { MapCommits } from './ports/map-commits.js';
export type { CheckpointRow, LinkedEntry, TenantTree, TreeRow, TreeStore } from './ports/tree-store.js';
export { ProvenEntries } from './proven-entries.js';
export { checkpointRejecter } from './reject-checkpoint.js';
export { placeKey, SignedLeaves } from './signed-leaves.js';
export { StoredTiles, TileCache, TreeFault } from './tree-tiles.js';
export { transparencyArea } from './wiring.js';
