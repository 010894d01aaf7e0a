import type { SystemLedger } from '../../../shared/contracts/system-ledger.js';
import type { Performers } from '../../../shared/outbox/performers.js';
import type { OpenExceptions } from './open-exception.js';
import type { ResolveException } from './ports/feed-exceptions.js';
import type { FeedEffect } from './ports/feed-store.js';

export interface FeedEffectDeps {
  /** Into the reserved partitions; entries that are there already change nothing. */
  readonly append: SystemLedger['append'];
  readonly openExceptions: OpenExceptions;
  readonly resolveException: ResolveException;
}

/** What follows from a change of a feed, performed at least once: doing it again changes nothing. */
export const feedPerformers = (deps: FeedEffectDeps): Performers<FeedEffect> => ({
  'ledger-entry': ({ id, tenant_id, source_system, entry }) =>
    deps.append(tenant_id, [{ ...entry, source_system, source_record_id: id }]),
  'feed-exception': async ({ tenant_id, exception, subject, opens, note }) => {
    if (opens === null) await deps.resolveException(tenant_id, exception, subject, note);
    else await deps.openExceptions(tenant_id, [{ kind: exception, source: 'RECONCILIATION', subject, ...opens }]);
  },
});
