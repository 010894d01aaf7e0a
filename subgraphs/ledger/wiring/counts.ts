import { mongoCountStore } from '../model/count-model.js';
import { CountResolver } from '../resolvers/count-resolver.js';
import { ChainCounter } from '../service/count-chain.js';
import { keepTallies } from '../service/keep-tallies.js';
import { integrityState } from '../service/scrub-state.js';
import { evidenceOf } from './evidence.js';
import type { WireArea } from './parts.js';

/** A chain grows by a block at most this long before its tally is kept. */
const TALLY_INTERVAL_MS = 60_000;

/** Tallies for the dashboard. */
export const wireCounts: WireArea = (parts) => {
  const { deps, store, contexts } = parts;
  const evidence = evidenceOf(parts);
  const counting = { counts: mongoCountStore(deps.database.db), chains: new ChainCounter() };
  deps.jobs.recurring({
    name: 'ledger.tally',
    description: 'Keeps tallies of what was appended, for the dashboard.',
    everyMs: TALLY_INTERVAL_MS,
    run: (signal) => keepTallies({ ...counting, store }, signal),
  });
  const integrity = async (tenantId: string) => integrityState(await evidence(tenantId), deps.clock.nowMs());
  return { resolvers: [[CountResolver, new CountResolver({ ...counting, contexts, integrity })]] };
};
