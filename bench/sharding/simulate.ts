import { zoneOf } from '../../shared/db/sharding/placement.js';

/** MongoDB's default size of a range of a sharded collection. */
export const RANGE_BYTES = 128 * 1_048_576;

export interface SimulationInput {
  readonly events: number;
  readonly tenants: number;
  readonly shards: number;
  /** Chains of each tenant. */
  readonly chains: number;
  /** Of Zipf's law, for tenants and for the chains of a tenant: 0 is uniform. */
  readonly exponent: number;
  /** Bytes of a ledger row. */
  readonly rowBytes: number;
  /** Bytes of a leaf of the tree. */
  readonly leafBytes: number;
}

export interface Chain {
  readonly tenant: string;
  readonly number: number;
  readonly events: number;
}

interface Balance {
  /** Events by shard, the largest first. */
  readonly events: readonly number[];
  /** The largest share over the mean. */
  readonly skew: number;
}

interface Ranges {
  readonly count: number;
  /** Ranges over RANGE_BYTES that no split makes smaller. */
  readonly jumbo: number;
  readonly largestBytes: number;
}

export interface Simulation {
  /** Tenants in the zones that db:prepare gives them. */
  readonly byZone: Balance;
  /** Tenants placed one by one, the largest first, on the emptiest shard. */
  readonly bySize: Balance;
  /** Chains placed in that way: the best that the shard key allows. */
  readonly byChain: Balance;
  readonly ledger: Ranges;
  readonly tree: Ranges;
  readonly hotChains: readonly Chain[];
}

const HOT_CHAINS = 5;

/** Shares of `count` ranks under Zipf's law; they sum to 1. */
export function zipf(count: number, exponent: number): readonly number[] {
  const weights = Array.from({ length: count }, (_, rank) => (rank + 1) ** -exponent);
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return weights.map((weight) => weight / sum);
}

/** Places events on shards by their tenants and chains; no event is made, only counted. */
export function simulate(input: SimulationInput): Simulation {
  const chains = chainsOf(input);
  const byTenant = new Map<string, number>();
  for (const { tenant, events } of chains) byTenant.set(tenant, (byTenant.get(tenant) ?? 0) + events);
  const zones = Array.from({ length: input.shards }, (_, n) => `eas-shard${n}`);
  const zoned = new Map(zones.map((zone) => [zone, 0]));
  for (const [tenant, events] of byTenant) {
    const zone = zoneOf(tenant, zones);
    zoned.set(zone, (zoned.get(zone) ?? 0) + events);
  }
  const tenantSizes = [...byTenant.values()];
  return {
    byZone: balanceOf([...zoned.values()]),
    bySize: balanceOf(packed(tenantSizes, input.shards)),
    byChain: balanceOf(
      packed(
        chains.map(({ events }) => events),
        input.shards,
      ),
    ),
    ledger: ledgerRanges(chains, input.rowBytes),
    tree: treeRanges(tenantSizes, input.leafBytes),
    hotChains: [...chains].sort((a, b) => b.events - a.events).slice(0, HOT_CHAINS),
  };
}

function chainsOf({ events, tenants, chains, exponent }: SimulationInput): readonly Chain[] {
  const chainShares = zipf(chains, exponent);
  return zipf(tenants, exponent).flatMap((share, rank) =>
    chainShares.map((part, number) => ({
      tenant: `tenant-${rank + 1}`,
      number: number + 1,
      events: events * share * part,
    })),
  );
}

/** Puts each size, the largest first, on the emptiest of the shards. */
function packed(sizes: readonly number[], shards: number): readonly number[] {
  const loads = Array.from({ length: shards }, () => 0);
  for (const size of [...sizes].sort((a, b) => b - a)) {
    const emptiest = loads.indexOf(Math.min(...loads));
    loads[emptiest] = (loads[emptiest] ?? 0) + size;
  }
  return loads;
}

function balanceOf(loads: readonly number[]): Balance {
  const events = [...loads].sort((a, b) => b - a);
  const mean = events.reduce((sum, load) => sum + load, 0) / events.length;
  return { events, skew: (events[0] ?? 0) / mean };
}

/** A zone's bounds split ranges at each tenant. Within a tenant whole chains share a range until it is full. */
function ledgerRanges(chains: readonly Chain[], rowBytes: number): Ranges {
  let [count, jumbo, largestBytes, filled, tenant] = [0, 0, 0, 0, ''];
  for (const chain of chains) {
    const bytes = chain.events * rowBytes;
    largestBytes = Math.max(largestBytes, bytes);
    if (bytes > RANGE_BYTES) jumbo++;
    if (chain.tenant !== tenant || filled + bytes > RANGE_BYTES) {
      count++;
      filled = 0;
    }
    filled += bytes;
    tenant = chain.tenant;
  }
  return { count, jumbo, largestBytes };
}

function treeRanges(tenantSizes: readonly number[], leafBytes: number): Ranges {
  const bytes = tenantSizes.map((events) => events * leafBytes);
  const jumbo = bytes.filter((size) => size > RANGE_BYTES).length;
  return { count: bytes.length, jumbo, largestBytes: Math.max(...bytes) };
}
