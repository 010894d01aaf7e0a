import type { RequestContext } from '../../shared/auth/context.js';
import { systemClock } from '../../shared/clock/clock.js';
import type { TenantId } from '../../shared/ids/tenant.js';
import { DEFAULT_THRESHOLDS } from '../../subgraphs/members-graph/matching/domain/grade.js';
import { learnModel, MatchModels } from '../../subgraphs/members-graph/search/match-models.js';
import { matchModelStore } from '../../subgraphs/members-graph/search/model.js';
import { type SearchDeps, searchMembers } from '../../subgraphs/members-graph/search/search-members.js';
import type { Figure } from '../support/measure.js';
import { fill, memberOf, startDirectory } from './directory.js';
import { madePerson, misspelt } from './made-people.js';

const MEMBERS = Number(process.env['BENCH_MEMBERS'] ?? 100_000);
const SEARCHES = Number(process.env['BENCH_MEMBER_SEARCHES'] ?? 600);
const TENANT = 't-bench' as TenantId;

/** Measures typed searches over a large directory: half with a typo, half with a birth date. */
export async function benchMembers(): Promise<readonly Figure[]> {
  const directory = await startDirectory();
  try {
    await fill(directory, people());
    const models = matchModelStore(directory.database.db);
    const learnt = await learnModel({ ...directory, clock: systemClock }, TENANT, MEMBERS);
    if (learnt !== null) await models.put(TENANT, learnt);
    const deps = { ...directory, models: new MatchModels(models, systemClock), thresholds: DEFAULT_THRESHOLDS };
    const first = await searches(deps, 50);
    const tookMs = await searches(deps, SEARCHES);
    const sorted = tookMs.took.sort((a, b) => a - b);
    const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
    const found = `${((100 * tookMs.found) / SEARCHES).toFixed(1)} % among the first five; ${first.found} of 50 before`;
    const over = `Search over ${MEMBERS.toLocaleString('en')} members`;
    return [
      { name: `${over}: p50`, unit: 'ms', aim: 15, lower: true, values: [at(0.5)], lines: [found] },
      { name: `${over}: p99`, unit: 'ms', aim: 80, lower: true, values: [at(0.99)], lines: [] },
    ];
  } finally {
    await directory.stop();
  }
}

function* people() {
  for (let n = 0; n < MEMBERS; n++) yield memberOf(TENANT, `M-${n}`, madePerson(n));
}

async function searches(deps: SearchDeps, count: number) {
  const took: number[] = [];
  let found = 0;
  for (let n = 0; n < count; n++) {
    const who = (n * 7919 + 13) % MEMBERS;
    const { family = '', given = [], birthDate = '' } = madePerson(who);
    const name = n % 2 === 0 ? misspelt(family, n) : family;
    const q = n % 4 < 2 ? `${given[0] ?? ''} ${name} ${birthDate}` : `${name}, ${given[0] ?? ''}`;
    const began = performance.now();
    const items = await searchMembers(deps, CONTEXT, { q, parts: {}, identifier: '', limit: 20 });
    took.push(performance.now() - began);
    if (items.slice(0, 5).some(({ matchedId }) => matchedId === `M-${who}`)) found += 1;
  }
  return { took, found };
}

const CONTEXT: RequestContext = {
  requestId: 'bench',
  traceparent: null,
  workId: null,
  tenantId: TENANT,
  principal: {
    keyId: 'bench',
    keyName: 'bench',
    actorId: null,
    tenantId: TENANT,
    grantedScopes: [],
    scopes: new Set(['members:read']),
  },
};
