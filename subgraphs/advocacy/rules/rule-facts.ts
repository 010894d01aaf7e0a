import type { AdoptedState } from '../../../shared/facts/adoption.js';
import type { Fact, FactDraft, FactSubject } from '../../../shared/facts/fact.js';
import { countAndRoot, jsonOf } from '../../../shared/facts/state-json.js';
import { canonicalJson } from '../../../shared/json/canonical.js';
import type { JsonObject } from '../../../shared/json/strict-json.js';
import { packed, unpacked } from '../../../shared/records/projected-row.js';
import type { RuleStep, RuleWrite, StoredRule } from './ports.js';

/** A rule is named by its key, so that of two concurrent creations of one key the ledger accepts one. */
export const ruleSubject = (key: string): FactSubject => ({ kind: 'rule', id: key });

/** The evidential fields. All revisions are stated by their count and root: their content decides the answers. */
export const stateOfRule = ({ rule_id, key, revision, created_at, updated_at, revisions }: StoredRule): JsonObject => ({
  rule_id: jsonOf(rule_id),
  key: jsonOf(key),
  revision: jsonOf(revision),
  created_at: jsonOf(created_at),
  updated_at: jsonOf(updated_at),
  revisions: Array.isArray(revisions)
    ? countAndRoot(revisions.map((one) => canonicalJson(jsonOf(one))))
    : jsonOf(revisions),
});

type PackedWrite = Pick<RuleWrite, 'rule' | 'added' | 'pending'> & {
  /** Revisions before `added`, of an adopted rule. */
  readonly before?: RuleWrite['before'];
};

export function ruleDraft(write: RuleWrite, step: RuleStep): FactDraft {
  const { rule, before, added, pending, previous } = write;
  const after: StoredRule = { ...rule, revision: added.revision, revisions: [...before, added] };
  return {
    ...step,
    subject: ruleSubject(rule.key),
    event_family: 'rule',
    previous: previous?.entry_hash ?? null,
    state: stateOfRule(after),
    row: packed({ rule, added, pending } satisfies PackedWrite),
  };
}

/** The fact that adopts a rule of an earlier version, with all its revisions. @throws TypeError for a malformed rule */
export function adoptedRule(rule: StoredRule): AdoptedState {
  const { revisions, fact: _, ...members } = rule;
  const added = revisions.at(-1);
  if (added?.revision !== rule.revision || rule.revision !== revisions.length) {
    throw new TypeError('the revisions of a rule are not numbered from 1');
  }
  const write: Omit<PackedWrite, 'rule'> = { added, before: revisions.slice(0, -1), pending: [] };
  return { state: stateOfRule(rule), row: packed({ rule: members, ...write }) };
}

/** The write that a fact commits; null for a fact without a row. */
export function writeOfFact({ row }: Fact, before: StoredRule | null): RuleWrite | null {
  if (row === undefined) return null;
  // The writer packed exactly this, and the ledger proves it.
  const { rule, added, pending, before: earlier = [] } = unpacked(row) as PackedWrite;
  return { rule, added, pending, before: before?.revisions ?? earlier };
}
