import type { TenantId } from '../../../shared/ids/tenant.js';
import { mongoControlNumberStore } from '../model/control-number-model.js';
import { clearException } from '../service/clear-exception.js';
import type { ControlNumberDeps } from '../service/control-number-watch.js';
import { SERVICE_TAKER } from '../service/exception-step.js';
import type { ResolveException } from '../service/ports/feed-exceptions.js';
import type { LedgerParts } from './parts.js';

/** Takes back what has righted itself. */
export const exceptionResolver =
  ({ deps, exceptionQueue }: Pick<LedgerParts, 'deps' | 'exceptionQueue'>): ResolveException =>
  async (tenantId, kind, subject, note) => {
    // The rows of this subgraph name only tenants that were looked up.
    await clearException({ ...deps, ...exceptionQueue }, tenantId as TenantId, { kind, subject, note }, SERVICE_TAKER);
  };

/** What the watch over senders' control numbers stands on. */
export const controlNumberDeps = (parts: LedgerParts): ControlNumberDeps => ({
  controlNumbers: mongoControlNumberStore(parts.deps.database.db),
  openExceptions: parts.openExceptions,
  resolveException: exceptionResolver(parts),
});
