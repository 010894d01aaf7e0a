import type { Clock } from '../../../shared/clock/clock.js';
import type { MetricGauge } from '../../../shared/telemetry/metrics.js';
import type { FlagRows, HoldStore, ListedFlags } from './ports.js';

interface GaugeDeps {
  readonly clock: Clock;
  readonly holds: HoldStore;
  readonly flagRows: FlagRows;
}

/** What the bucket lacks of the legal hold flags, over all tenants. */
export function flagGauges(deps: GaugeDeps): readonly MetricGauge[] {
  const listed = listedFlags(deps);
  return [
    {
      name: 'hold_flags_due',
      help: 'Records under legal holds whose objects have no legal hold flag yet.',
      read: async () => (await listed()).reduce((sum, { due }) => sum + due, 0),
    },
    {
      name: 'hold_flags_lag_seconds',
      help: 'Age of the oldest record under a legal hold whose objects have no legal hold flag yet.',
      read: async () => {
        const since = (await listed()).flatMap(({ oldest }) => oldest?.getTime() ?? []);
        return since.length === 0 ? 0 : Math.max(0, deps.clock.nowMs() - Math.min(...since)) / MS_PER_SECOND;
      },
    },
    {
      name: 'hold_flags_missing',
      help: 'Records under legal holds that the bucket has no object for.',
      read: async () => (await listed()).reduce((sum, { missing }) => sum + missing, 0),
    },
    { name: 'hold_flags_lifting', help: 'Released holds with flags in the bucket.', read: () => liftingOf(deps) },
  ];
}

const MS_PER_SECOND = 1000;

/** The gauges of one scrape share one read. */
const SHARED_MS = 1_000;

function listedFlags({ holds, clock }: GaugeDeps): () => Promise<readonly ListedFlags[]> {
  let known: { readonly atMs: number; readonly read: Promise<readonly ListedFlags[]> } | undefined;
  return () => {
    const nowMs = clock.monotonicMs();
    if (known === undefined || nowMs - known.atMs > SHARED_MS) known = { atMs: nowMs, read: holds.listedFlags() };
    return known.read;
  };
}

async function liftingOf({ holds, flagRows }: GaugeDeps): Promise<number> {
  const waiting = (await flagRows.all()).filter(({ isLifted }) => !isLifted).map(({ hold_id }) => hold_id);
  return waiting.length - (await holds.activeAmong(waiting));
}
