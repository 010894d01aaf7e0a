import type { LinkedDeps } from '../../../shared/contracts/deps.js';
import { Outbox } from '../../../shared/outbox/outbox.js';
import { type Performers, performersOver } from '../../../shared/outbox/performers.js';
import { timestampStore } from '../model/timestamp-model.js';
import type { BundleEffect } from '../service/ports/bundle-effects.js';

/** What follows from writes of this subgraph. @param collections whose documents carry pending effects. */
export function bundlesOutbox(deps: LinkedDeps, collections: readonly string[]): Outbox<BundleEffect> {
  const { exceptions, config, clock } = deps;
  const timestamps = timestampStore(deps.database.db);
  const performers: Performers<BundleEffect> = {
    ...performersOver(deps),
    'open-exception': ({ tenant_id, exception }) => exceptions.open(tenant_id, exception),
    'resolve-exception': ({ tenant_id, subject, note }) =>
      exceptions.resolve(tenant_id, 'BUNDLE_FAILED', subject, note),
    'ask-timestamp': async ({ tenant_id, bundle_id }) => {
      if (config.timestamps.url !== null) await timestamps.ask(tenant_id, bundle_id, new Date(clock.nowMs()));
    },
  };
  return new Outbox<BundleEffect>({ ...deps, performers }, collections);
}
