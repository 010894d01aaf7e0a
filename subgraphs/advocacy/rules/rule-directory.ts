import { sha256Hex } from '../../../shared/crypto/hash.js';
import { comparePlaces, isInWindow } from '../../../shared/db/keyset.js';
import { canonicalJson } from '../../../shared/json/canonical.js';
import { namesOfCode } from '../codes/domain/index.js';
import type { RuleKind } from './domain/kinds.js';
import { meetsConditions, type RuleColumns, ruleColumns } from './domain/rule-columns.js';
import type { RuleQuery, StoredRule } from './ports.js';
import { type ProveDeps, proveRules } from './prove-rules.js';
import { stateOfRule } from './rule-facts.js';

/** Rules proven at once. */
const BATCH_RULES = 500;

interface KnownRule extends RuleColumns {
  readonly key: string;
  readonly rule_id: string;
  readonly created_at: Date;
  readonly entry_hash: string;
  readonly state_sha256: string;
  readonly kinds: ReadonlySet<string>;
  readonly artifacts: readonly string[];
}

/**
 * The rules of one tenant as their facts prove them: which rule names which code. Lists select by it and not by columns of
 * the rows, so that a removed or edited row cannot hide a rule from an answer.
 * Each use first asks the ledger for facts since the last use; only the first use reads all rules.
 */
export class RuleDirectory {
  readonly #deps: ProveDeps;
  readonly #rules = new Map<string, KnownRule>();
  readonly #byName = new Map<string, Set<string>>();
  readonly #byId = new Map<string, string>();
  /** Place in the chain up to which facts are known; null before the first load. */
  #seq: number | null = null;
  #last: Promise<void> = Promise.resolve();
  #next: Promise<void> | null = null;

  constructor(deps: ProveDeps) {
    this.#deps = deps;
  }

  /** Number of rules, for the bound of the cache. */
  get size(): number {
    return this.#rules.size;
  }

  /**
   * Reads what changed since the last call; concurrent callers share a read that starts after their call.
   *
   * @throws INTEGRITY_FAILURE for a rule that its latest fact does not prove
   */
  refresh(): Promise<void> {
    this.#next ??= this.#last
      .catch(() => undefined)
      .then(() => {
        this.#next = null;
        this.#last = this.#read();
        return this.#last;
      });
    return this.#next;
  }

  /** Returns the keys of the rules of these kinds that name one of the codes; of all rules if `codes` is absent. */
  naming(codes: readonly string[] | undefined, kinds: readonly RuleKind[]): readonly string[] {
    const named = codes === undefined ? this.#rules.keys() : this.#named(codes);
    return [...new Set(named)].filter((key) => kinds.some((kind) => this.#rules.get(key)?.kinds.has(kind)));
  }

  /** Returns the keys of the rules that meet the conditions of a list, up to a place in its order. */
  listed(query: RuleQuery, last: StoredRule | undefined): readonly string[] {
    const isUpToLast = (rule: KnownRule): boolean =>
      last === undefined || comparePlaces(query.order)(placeOf(rule), placeOf(last)) <= 0;
    return [...this.#rules.values()]
      .filter((rule) => isInWindow(placeOf(rule), query) && isUpToLast(rule) && meetsConditions(rule, query))
      .map(({ key }) => key);
  }

  keyOf(ruleId: string): string | undefined {
    return this.#byId.get(ruleId);
  }

  has(key: string): boolean {
    return this.#rules.has(key);
  }

  /** True if the row is the one that this directory has proven. */
  fits(row: StoredRule): boolean {
    const known = this.#rules.get(row.key);
    return known !== undefined && row.fact?.entry_hash === known.entry_hash && stateHash(row) === known.state_sha256;
  }

  /** Returns the hashes of all artifacts of the rules. */
  artifacts(): ReadonlySet<string> {
    return new Set([...this.#rules.values()].flatMap(({ artifacts }) => artifacts));
  }

  #named(codes: readonly string[]): readonly string[] {
    return codes.flatMap(namesOfCode).flatMap((name) => [...(this.#byName.get(name) ?? [])]);
  }

  async #read(): Promise<void> {
    const { guard, tenantId, rows } = this.#deps;
    const isFirst = this.#seq === null;
    const { seq, ids } = await guard.changesAfter(tenantId, 'rule', this.#seq ?? Number.MAX_SAFE_INTEGER);
    // A rule without a fact fails the first load; later ones fail when a list meets them.
    const keys = isFirst ? [...new Set([...(await guard.subjects(tenantId, 'rule')), ...(await rows.keys())])] : ids;
    for (let at = 0; at < keys.length; at += BATCH_RULES) await this.#prove(keys.slice(at, at + BATCH_RULES));
    this.#seq = seq;
  }

  async #prove(keys: readonly string[]): Promise<void> {
    const found = new Map<string, StoredRule | null>(keys.map((key) => [key, null]));
    for (const row of await this.#deps.rows.withKeys(keys)) found.set(row.key, row);
    for (const rule of (await proveRules(this.#deps, found)).values()) this.#add(rule);
  }

  #add(rule: StoredRule): void {
    const { key, rule_id, created_at, revisions, fact } = rule;
    this.#rules.set(key, {
      key,
      rule_id,
      created_at,
      entry_hash: fact?.entry_hash ?? '',
      state_sha256: stateHash(rule),
      kinds: new Set(revisions.map(({ kind }) => kind)),
      artifacts: revisions.map(({ artifact_sha256 }) => artifact_sha256),
      ...ruleColumns(revisions),
    });
    this.#byId.set(rule_id, key);
    // Revisions are only added: a code that a rule named once, it names for good.
    for (const name of revisions.flatMap(({ codes }) => codes))
      this.#byName.set(name, (this.#byName.get(name) ?? new Set()).add(key));
  }
}

const placeOf = ({ created_at, rule_id }: Pick<StoredRule, 'created_at' | 'rule_id'>) => ({
  atMs: created_at.getTime(),
  id: rule_id,
});

const stateHash = (rule: StoredRule): string => sha256Hex(canonicalJson(stateOfRule(rule)));
