import { OPERATOR_TENANT } from '../../../shared/ids/tenant.js';
import type { GivenRule } from '../domain/rules/read-rule.js';
import type { TenantRules } from './ports/rule-store.js';
import { type PutRuleDeps, type RuleAuthor, ruleWrite, writeRule } from './put-rule.js';
import { tenantWorm } from './rule-artifact.js';
import { type PreparedRule, prepareRule } from './rule-content.js';

export type CorpusDeps = Omit<PutRuleDeps, 'knownCodes'>;

/** Who writes the shared corpus, as revisions tell it. */
const CORPUS_AUTHOR: RuleAuthor = { tenantId: OPERATOR_TENANT, by: 'service:corpus', workId: null };

export interface CorpusReport {
  readonly rules: number;
  readonly added: number;
  readonly revised: number;
}

/** Rules of one round of writes, which holds their artifacts in memory. */
const RULES_A_ROUND = 1_000;

/**
 * Brings the shared corpus to what the given rules say. Again it changes nothing; a text that has changed is the next
 * revision of its rule; a rule that is no longer among them stays, since answers stood on it.
 */
export async function importCorpus(deps: CorpusDeps, given: readonly GivenRule[]): Promise<CorpusReport> {
  const rules = deps.rules(OPERATOR_TENANT);
  let [added, revised] = [0, 0];
  for (let at = 0; at < given.length; at += RULES_A_ROUND) {
    const round: PreparedRule[] = [];
    for (const rule of given.slice(at, at + RULES_A_ROUND)) round.push(await prepareRule(null, rule));
    const newest = await rules.contentsOf(round.map(({ key }) => key));
    added += await addNew(
      deps,
      rules,
      round.filter(({ key }) => !newest.has(key)),
    );
    for (const rule of round) {
      const standing = newest.get(rule.key);
      if (standing === undefined || standing === rule.content.content_sha256) continue;
      if ((await writeRule(deps, CORPUS_AUTHOR, rule)).isNew) revised += 1;
    }
  }
  return { rules: given.length, added, revised };
}

/** Rules that are not there yet, in a few writes. @returns how many this call has added */
async function addNew(deps: CorpusDeps, rules: TenantRules, prepared: readonly PreparedRule[]): Promise<number> {
  if (prepared.length === 0) return 0;
  const worm = await tenantWorm(deps, OPERATOR_TENANT);
  const { recorded } = await worm.putSmallBlobs(prepared.map(({ artifact }) => artifact.bytes));
  await recorded;
  return rules.insertMany(
    prepared.map(({ key, content }) => ruleWrite(deps, CORPUS_AUTHOR, { standing: null, key, content })),
  );
}
