import type { TenantId } from '../../../shared/ids/tenant.js';
import type { RecordStoreDeps } from '../../../shared/records/record-store.js';
import type { VaultArea, VaultParts } from '../parts.js';
import { HOLD_MACHINE } from './domain/states.js';
import { followHolds } from './follow-holds.js';
import { HOLDS, holdStore, TOMBSTONES } from './model.js';
import type { HoldStore } from './ports.js';
import { HoldPortResolver, HoldResolver, holdReferences } from './resolver.js';
import { HOLD_FACTS, HOLD_ROW } from './schema.js';

export const holdRecords = (deps: RecordStoreDeps): HoldStore =>
  holdStore(deps, { check: HOLD_ROW, facts: HOLD_FACTS });

/** Delay of the listing; protection is immediate. */
const FOLLOW_INTERVAL_MS = 5_000;

const servicesOf = ({ deps, documents, holds, gate }: VaultParts) => ({ ...deps, holds, gate, documents });

/** Legal holds and their listings. */
export const holdsArea: VaultArea = {
  resolvers: [HoldResolver, HoldPortResolver],
  references: { LegalHold: (parts) => holdReferences(servicesOf(parts)) },
  stateMachines: [HOLD_MACHINE],
  collectionsWithEffects: [HOLDS],
  collections: [TOMBSTONES],
  wire: (parts) => {
    const services = servicesOf(parts);
    const pausedUntilMs = new Map<TenantId, number>();
    parts.deps.jobs.recurring({
      name: 'holds.follow',
      description: 'Lists the events and documents that legal holds cover.',
      everyMs: FOLLOW_INTERVAL_MS,
      run: (signal) => followHolds(services, signal, pausedUntilMs),
    });
    return [new HoldResolver(services), new HoldPortResolver(services)];
  },
};
