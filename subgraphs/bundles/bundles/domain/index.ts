export { type BundleScope, windowOf } from './scope.js';
export type { BuildPhase } from './states.js';
