import { OPERATOR_TENANT } from '../../../shared/ids/tenant.js';
import { type PreparedRule, prepareRule, tenantWorm } from './content.js';
import type { GivenRule } from './domain/read-rule.js';
import type { TenantRules } from './ports.js';
import { type PutRuleDeps, type RuleAuthor, ruleWrite, writeRule } from './put-rule.js';

type CorpusDeps = Omit<PutRuleDeps, 'knownCodes'>;

/** Author of the shared corpus in its revisions. */
const CORPUS_AUTHOR: RuleAuthor = {
  tenantId: OPERATOR_TENANT,
  by: 'service:corpus',
  actor: { type: 'SERVICE', id: 'service:corpus' },
  workId: null,
};

export interface CorpusReport {
  readonly rules: number;
  readonly added: number;
  readonly revised: number;
}

/** Receives the number of rules compared and imported so far, and of all. */
export type ReportRules = (done: number, total: number) => void;

/** Rules of one batch; memory holds their artifacts. */
const BATCH_SIZE = 1_000;

/**
 * Imports the shared corpus. A changed text becomes the next revision of its rule. A rule that is no longer given stays,
 * because answers are based on it. Running it again changes nothing.
 */
export async function importCorpus(
  deps: CorpusDeps,
  given: readonly GivenRule[],
  report: ReportRules = () => {},
): Promise<CorpusReport> {
  const rules = deps.rules(OPERATOR_TENANT);
  let [added, revised] = [0, 0];
  for (let at = 0; at < given.length; at += BATCH_SIZE) {
    const batch: PreparedRule[] = [];
    for (const rule of given.slice(at, at + BATCH_SIZE)) batch.push(await prepareRule(null, rule));
    const newest = await rules.contentsOf(batch.map(({ key }) => key));
    added += await addNew(
      deps,
      rules,
      batch.filter(({ key }) => !newest.has(key)),
    );
    for (const rule of batch) {
      const current = newest.get(rule.key);
      if (current === undefined || current === rule.content.content_sha256) continue;
      if ((await writeRule(deps, CORPUS_AUTHOR, rule)).isNew) revised += 1;
    }
    report(Math.min(at + BATCH_SIZE, given.length), given.length);
  }
  return { rules: given.length, added, revised };
}

/** Inserts new rules in a few writes. @returns the number added. */
async function addNew(deps: CorpusDeps, rules: TenantRules, prepared: readonly PreparedRule[]): Promise<number> {
  if (prepared.length === 0) return 0;
  const worm = await tenantWorm(deps, OPERATOR_TENANT);
  const { recorded } = await worm.putSmallBlobs(prepared.map(({ artifact }) => artifact.bytes));
  await recorded;
  return rules.insertMany(
    prepared.map(({ key, content }) => ruleWrite(deps, CORPUS_AUTHOR, { current: null, key, content })),
  );
}
