import type { LinkedDeps } from '../../shared/contracts/deps.js';
import type { FactGuard } from '../../shared/facts/guard.js';
import { Outbox } from '../../shared/outbox/outbox.js';
import { type Performers, performersOver } from '../../shared/outbox/performers.js';
import { documentRecords, type VaultEffect } from './documents/index.js';
import { isRedactedIn, redactionRecords, switchReaders } from './redactions/index.js';
import { textPerformer } from './search/index.js';

/**
 * Performs the effects of writes in this subgraph.
 *
 * @param collections collections with rows that carry pending effects
 */
export function vaultOutbox(deps: LinkedDeps, guard: FactGuard, collections: readonly string[]): Outbox<VaultEffect> {
  const { exceptions } = deps;
  const performers: Performers<VaultEffect> = {
    ...performersOver(deps),
    'open-exception': ({ tenant_id, exception }) => exceptions.open(tenant_id, exception),
    'resolve-exception': ({ tenant_id, exception_kind, subject, note }) =>
      exceptions.resolve(tenant_id, exception_kind, subject, note),
    'expect-text': textPerformer(deps.database),
    'switch-readers': ({ tenant_id, redaction_id }) => {
      // These stores perform effects by this outbox.
      const { db } = deps.database;
      const stores = { ...deps, db, outbox, guard, isRedacted: isRedactedIn(db) };
      const records = { documents: documentRecords(stores), redactions: redactionRecords(stores) };
      return switchReaders({ ...deps, ...records, guard }, tenant_id, redaction_id);
    },
  };
  const outbox: Outbox<VaultEffect> = new Outbox<VaultEffect>({ ...deps, performers }, collections);
  return outbox;
}
