export { hideFromSearch, type IndexDeps, refreshSearch } from './index-events.js';
export { mongoSearchStore, SEARCH } from './model.js';
export { rebuildEventSearch, searchArea } from './wiring.js';
