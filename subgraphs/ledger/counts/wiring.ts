import { evidenceOf, integrityState } from '../integrity/index.js';
import type { LedgerArea, WireArea } from '../parts.js';
import { ChainCounter, keepTallies } from './count-chain.js';
import { mongoCountStore } from './model.js';
import { CountResolver } from './resolver.js';

/** Longest time in ms before a complete block's tally is stored. */
const TALLY_INTERVAL_MS = 60_000;

const wire: WireArea = (parts) => {
  const { deps, store, contexts } = parts;
  const evidence = evidenceOf(parts);
  const counting = { counts: mongoCountStore(deps.database.db), chains: new ChainCounter() };
  deps.jobs.recurring({
    name: 'ledger.tally',
    description: 'Stores tallies of appended events for the dashboard.',
    everyMs: TALLY_INTERVAL_MS,
    run: (signal) => keepTallies({ ...counting, store }, signal),
  });
  const integrity = async (tenantId: string) => integrityState(await evidence(tenantId), deps.clock.nowMs());
  return { resolvers: [new CountResolver({ ...counting, contexts, integrity })] };
};

/** Tallies of events for the dashboard. */
export const countsArea: LedgerArea = { resolvers: [CountResolver], wire };
