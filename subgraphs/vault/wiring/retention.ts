import { mongoRulesStore, mongoSweepStore } from '../model/retention-repository.js';
import { ErasureResolver } from '../resolvers/erasure-resolver.js';
import { RetentionResolver } from '../resolvers/retention-resolver.js';
import { sweepEveryTenant } from '../service/sweep-tenants.js';
import type { WireArea } from './parts.js';

/** Every day; looked at more often, so that a process that slept through its hour sweeps when it wakes. */
const SWEEP_LOOK_MS = 15 * 60_000;
const RESUME_INTERVAL_MS = 30_000;

/** Policies, the sweep, and what ends the disposals that a crash has left. */
export const wireRetention: WireArea = ({ deps, outbox, gate, gates, disposing }) => {
  const { db } = deps.database;
  const services = {
    ...deps,
    ...disposing,
    gate,
    rules: mongoRulesStore(db, outbox),
    sweeps: mongoSweepStore(db, outbox),
    minimumYears: deps.config.retention.minimumYears,
  };
  deps.jobs.recurring({
    name: 'retention.sweep',
    description: 'Disposes of what is past its age and under no hold, of each tenant once a day.',
    everyMs: SWEEP_LOOK_MS,
    run: (signal) => sweepEveryTenant({ ...services, gates }, signal),
  });
  deps.jobs.recurring({
    name: 'retention.resume',
    description: 'Ends the disposals that a crash has left half done.',
    everyMs: RESUME_INTERVAL_MS,
    run: (signal) => gate.resume(signal),
  });
  return {
    resolvers: [
      [RetentionResolver, new RetentionResolver(services)],
      [ErasureResolver, new ErasureResolver(services)],
    ],
  };
};
