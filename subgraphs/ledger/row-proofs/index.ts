export type { RequireProven, RowDisposals, RowProof, RowProofs } from './ports.js';
export { requireProven, rowDisposals, rowProofs } from './prove-rows.js';
