import type { TenantId } from '../../../shared/ids/tenant.js';
import type { RecordStoreDeps } from '../../../shared/records/record-store.js';
import type { VaultArea, VaultParts } from '../parts.js';
import { HOLD_MACHINE } from './domain/states.js';
import { flagGauges } from './flag-gauges.js';
import { flagHeld } from './flag-held.js';
import { followHolds } from './follow-holds.js';
import { HOLD_FLAGS, mongoFlagRows } from './model/flag-rows.js';
import { HOLDS, holdStore, TOMBSTONES } from './model/hold-store.js';
import type { HoldStore } from './ports.js';
import { HoldPortResolver, HoldResolver, holdReferences } from './resolver.js';
import { HOLD_FACTS, HOLD_ROW } from './schema.js';

export const holdRecords = (deps: RecordStoreDeps): HoldStore =>
  holdStore(deps, { check: HOLD_ROW, facts: HOLD_FACTS });

/** Delay of the listing; protection is immediate. */
const FOLLOW_INTERVAL_MS = 5_000;

const servicesOf = ({ deps, documents, holds, gate }: VaultParts) => ({ ...deps, holds, gate, documents });

const flagParts = ({ deps, holds }: VaultParts) => ({
  clock: deps.clock,
  holds,
  flagRows: mongoFlagRows(deps.database.db, deps.clock),
});

/** Legal holds, their listings, and their flags in the bucket. */
export const holdsArea: VaultArea = {
  resolvers: [HoldResolver, HoldPortResolver],
  gauges: (parts) => (parts.deps.worm.hasHoldFlags ? flagGauges(flagParts(parts)) : []),
  references: { LegalHold: (parts) => holdReferences(servicesOf(parts)) },
  stateMachines: [HOLD_MACHINE],
  collectionsWithEffects: [HOLDS],
  collections: [TOMBSTONES, HOLD_FLAGS],
  wire: (parts) => {
    const services = servicesOf(parts);
    const pausedUntilMs = new Map<TenantId, number>();
    parts.deps.jobs.recurring({
      name: 'holds.follow',
      description: 'Lists the events and documents that legal holds cover.',
      everyMs: FOLLOW_INTERVAL_MS,
      run: (signal) => followHolds(services, signal, pausedUntilMs),
    });
    if (parts.deps.worm.hasHoldFlags) {
      const unflaggedUntilMs = new Map<TenantId, number>();
      parts.deps.jobs.recurring({
        name: 'holds.flag',
        description: 'Sets and lifts the legal hold flags of the bucket as legal holds need them.',
        everyMs: FOLLOW_INTERVAL_MS,
        run: (signal) => flagHeld({ ...services, ...flagParts(parts) }, signal, unflaggedUntilMs),
      });
    }
    return [new HoldResolver(services), new HoldPortResolver(services)];
  },
};
