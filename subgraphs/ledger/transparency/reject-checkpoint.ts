import { problem } from '../../../shared/errors/problem.js';
import type { OpenExceptions } from '../exceptions/index.js';
import type { RejectCheckpoint } from './ports/tree-store.js';

/** Opens the exceptions of damaged checkpoints. */
export const checkpointRejecter =
  (open: OpenExceptions): RejectCheckpoint =>
  async (tenantId, id, compared) => {
    const subject = { kind: 'CHECKPOINT', id };
    await open(tenantId, [{ kind: 'CHAIN_BREAK', source: 'RECONCILIATION', subject, detail: { compared } }]);
    throw problem('INTEGRITY_FAILURE', { internal: `checkpoint ${id} fails: ${compared}` });
  };
