import type { TenantId } from '../shared/ids/tenant.js';
import { createIndexes } from '../shared/records/collections.js';
import { RULES, ruleStore } from '../subgraphs/advocacy/rules/model.js';
import { ruleBookOver } from '../subgraphs/advocacy/rules/read-rules.js';
import { ruleWrites } from '../test/advocacy/rules/many-rules.js';
import { startTestServer } from '../test/support/database.js';
import { describeRun, type Results, type Run, ratioOf, timed } from './support/measure.js';

// Measures the look-up of the rules in force for an event's codes, in a small and a large corpus. With an index over codes
// the cost is the same in both.

const LARGE = Number(process.env['BENCH_RULES'] ?? 20_000);
const SMALL = 2_000;
const LOOK_UPS = 400;
const ROUNDS = 3;
const RULES_A_WRITE = 2_000;
const TENANTS = { small: 'small' as TenantId, large: 'large' as TenantId } as const;

export async function benchRules(): Promise<Results> {
  const server = await startTestServer();
  try {
    const database = await server.connect('rules');
    await createIndexes(database.db, [RULES]);
    const store = ruleStore(database.db, { relay: async () => {} });
    const fill = async (tenantId: TenantId, rules: number): Promise<void> => {
      for (let at = 0; at < rules; at += RULES_A_WRITE) {
        await store(tenantId).insertMany(ruleWrites(tenantId, at, Math.min(RULES_A_WRITE, rules - at)));
      }
    };
    await fill(TENANTS.small, SMALL);
    await fill(TENANTS.large, LARGE);
    const book = ruleBookOver(store);
    const lookUps = (tenantId: TenantId): Promise<Run> =>
      timed(LOOK_UPS, 1, async (n) => {
        // Both corpora have rules for this service; the larger one has ten times as many.
        const codes = [`HCPCS/E${String(n % SMALL).padStart(4, '0')}`];
        const asked = { kinds: ['GUIDELINE'], program: null, jurisdiction: null, at: new Date('2026-01-01') } as const;
        return (await book.inForce(tenantId, { ...asked, codes })).length;
      });
    await lookUps(TENANTS.large);
    const pairs: (readonly [ours: number, base: number])[] = [];
    const lines: string[] = [];
    const medians: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const small = await lookUps(TENANTS.small);
      const large = await lookUps(TENANTS.large);
      // Per found rule, because a larger corpus returns more rules.
      pairs.push([large.items / large.seconds, small.items / small.seconds]);
      medians.push(large.p50Ms);
      lines.push(describeRun(`${LARGE} rules`, large), describeRun(`${SMALL} rules`, small));
    }
    return {
      ratios: [ratioOf(`Rules found by code a second: ${LARGE} rules / ${SMALL} rules`, 1, pairs, lines)],
      figures: [
        { name: `Rules in force by code, of ${LARGE}`, unit: 'ms p50', aim: 3, lower: true, values: medians, lines },
      ],
    };
  } finally {
    await server.stop();
  }
}
