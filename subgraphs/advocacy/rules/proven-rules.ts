import type { FactGuard } from '../../../shared/facts/guard.js';
import { OPERATOR_TENANT, type TenantId } from '../../../shared/ids/tenant.js';
import type { RuleKind } from './domain/kinds.js';
import { meetsConditions, ruleColumns } from './domain/rule-columns.js';
import type { RuleQuery, RuleRows, RuleStore, RuleWrite, StoredRule, TenantRuleRows, TenantRules } from './ports.js';
import { type ProveDeps, proveRules } from './prove-rules.js';
import { RuleDirectory } from './rule-directory.js';
import { ruleDraft, ruleSubject } from './rule-facts.js';
import type { SharedCorpus } from './shared-corpus.js';

/** Rules that a process remembers; beyond it, the directory that was unused the longest goes. */
const MAX_REMEMBERED = 200_000;
/** Maximum number of tenants with remembered rules. */
const MAX_DIRECTORIES = 10_000;

interface ProvenRuleDeps {
  readonly guard: FactGuard;
  readonly rows: RuleRows;
  readonly corpus: SharedCorpus;
}

interface ProvenRuleStore {
  readonly forTenant: RuleStore;
  /** Writes the row of a rule that a crash left behind its facts. */
  catchUp(tenantId: TenantId, key: string): Promise<void>;
}

/** Rules as their facts prove them; the shared corpus is compared with the one that this version ships. */
export function provenRuleStore({ guard, rows, corpus }: ProvenRuleDeps): ProvenRuleStore {
  const directories = new Map<TenantId, RuleDirectory>();
  const directoryOf = (tenantId: TenantId): RuleDirectory => {
    const known = directories.get(tenantId) ?? new RuleDirectory({ guard, tenantId, rows: rows(tenantId) });
    directories.delete(tenantId);
    directories.set(tenantId, known);
    forgetOldest(directories);
    return known;
  };
  return {
    forTenant: (tenantId) =>
      tenantId === OPERATOR_TENANT
        ? rows(tenantId)
        : new ProvenTenantRules({ guard, tenantId, rows: rows(tenantId) }, corpus, directoryOf(tenantId)),
    catchUp: async (tenantId, key) => {
      const own = rows(tenantId);
      await proveRules({ guard, tenantId, rows: own }, new Map([[key, await own.byKey(key)]]), true);
    },
  };
}

function forgetOldest(directories: Map<TenantId, RuleDirectory>): void {
  let remembered = 0;
  for (const { size } of directories.values()) remembered += size;
  for (const [tenantId, { size }] of directories) {
    if (directories.size <= 1 || (remembered <= MAX_REMEMBERED && directories.size <= MAX_DIRECTORIES)) return;
    directories.delete(tenantId);
    remembered -= size;
  }
}

class ProvenTenantRules implements TenantRules {
  readonly #deps: ProveDeps;
  readonly #rows: TenantRuleRows;
  readonly #corpus: SharedCorpus;
  readonly #directory: RuleDirectory;

  constructor(deps: ProveDeps, corpus: SharedCorpus, directory: RuleDirectory) {
    this.#deps = deps;
    this.#rows = deps.rows;
    this.#corpus = corpus;
    this.#directory = directory;
  }

  async get(ruleId: string): Promise<StoredRule | null> {
    const found = await this.#rows.get(ruleId);
    if (found !== null) return (await this.#provenOf([found]))[0] ?? null;
    await this.#directory.refresh();
    const key = this.#directory.keyOf(ruleId);
    return key === undefined ? null : this.byKey(key);
  }

  async byKey(key: string): Promise<StoredRule | null> {
    const proven = await proveRules(this.#deps, new Map([[key, await this.#rows.byKey(key)]]));
    return proven.get(key) ?? null;
  }

  async list(query: RuleQuery): Promise<readonly StoredRule[]> {
    const [, found] = await Promise.all([this.#directory.refresh(), this.#rows.list(query)]);
    const shown = await this.#provenOf(found);
    return query.where.shared === true ? shown : this.#whole(query, shown);
  }

  /**
   * Compares the rules that facts name for a page and its rows do not, and those that the page should not have.
   *
   * @param attempts number of reads of the page that may still follow
   * @throws INTEGRITY_FAILURE
   */
  async #whole(query: RuleQuery, shown: readonly StoredRule[], attempts = 2): Promise<readonly StoredRule[]> {
    const own = shown.filter((rule) => !isShared(rule));
    const keys = new Set(own.map(({ key }) => key));
    const last = shown.length > query.limit ? shown.at(-1) : undefined;
    const missing = this.#directory.listed(query, last).filter((key) => !keys.has(key));
    const strange = own.filter((rule) => !isListed(rule, query)).map(({ key }) => key);
    const [damaged] = [...strange, ...missing];
    if (damaged === undefined) return shown;
    await this.#ownOf([], missing.slice(0, query.limit));
    if (attempts === 0) return this.#deps.guard.reject(this.#deps.tenantId, ruleSubject(damaged), 'ROW_DIFFERS');
    // Another request may have changed a rule since the page was read, or a crash had left a row out.
    await this.#directory.refresh();
    return this.#whole(query, await this.#provenOf(await this.#rows.list(query)), attempts - 1);
  }

  async withCodes(codes: readonly string[] | undefined, kinds: readonly RuleKind[]): Promise<readonly StoredRule[]> {
    const [, found] = await Promise.all([this.#directory.refresh(), this.#rows.withCodes(codes, kinds)]);
    const shared = found.filter(isShared);
    const own = await this.#ownOf(
      found.filter((rule) => !isShared(rule)),
      this.#directory.naming(codes, kinds),
    );
    return [...own, ...(await this.#corpus.proven(this.#deps, shared, { codes, kinds }))];
  }

  async withKeys(keys: readonly string[]): Promise<readonly StoredRule[]> {
    const [, found] = await Promise.all([this.#directory.refresh(), this.#rows.withKeys(keys)]);
    return this.#ownOf(
      found,
      keys.filter((key) => this.#directory.has(key)),
    );
  }

  insert(write: RuleWrite): Promise<StoredRule | null> {
    return this.#commit(write, (place) => this.#rows.insert(write, place));
  }

  addRevision(write: RuleWrite): Promise<StoredRule | null> {
    return this.#commit(write, (place) => this.#rows.addRevision(write, place));
  }

  insertMany(): Promise<number> {
    return Promise.reject(new TypeError('only rules of the shared corpus are written without facts'));
  }

  contentsOf(keys: readonly string[]): Promise<ReadonlyMap<string, string>> {
    return this.#rows.contentsOf(keys);
  }

  async artifacts(sha256s: readonly string[]): Promise<readonly string[]> {
    await this.#directory.refresh();
    const used = this.#directory.artifacts();
    return sha256s.filter((sha256) => used.has(sha256));
  }

  /** Commits a revision by its fact, then writes the row. @returns null when another revision was first. */
  async #commit(
    write: RuleWrite,
    put: (place: NonNullable<StoredRule['fact']>) => Promise<StoredRule | null>,
  ): Promise<StoredRule | null> {
    const { guard, tenantId } = this.#deps;
    if (write.step === undefined) throw new TypeError('a revision of a tenant has no fact');
    const { status, place } = await guard.append(tenantId, ruleDraft(write, write.step));
    if (status === 'TAKEN') return null;
    // The projector was faster if there is a row by now.
    return (await put(place)) ?? this.byKey(write.rule.key);
  }

  /**
   * Returns the own rules with these keys.
   *
   * @param found the rows that a query returned; the others are read
   */
  async #ownOf(found: readonly StoredRule[], keys: readonly string[]): Promise<readonly StoredRule[]> {
    const rows = new Map<string, StoredRule | null>(keys.map((key) => [key, null]));
    for (const row of found) rows.set(row.key, row);
    const missing = [...rows].filter(([, row]) => row === null).map(([key]) => key);
    for (const row of missing.length === 0 ? [] : await this.#rows.withKeys(missing)) rows.set(row.key, row);
    const doubtful = [...rows].filter(([, row]) => row === null || !this.#directory.fits(row));
    const proven = doubtful.length === 0 ? new Map() : await proveRules(this.#deps, new Map(doubtful));
    return keys.flatMap((key) => proven.get(key) ?? rows.get(key) ?? []);
  }

  /** Returns the rows of a list after comparing them. */
  async #provenOf(found: readonly StoredRule[]): Promise<readonly StoredRule[]> {
    const own = found.filter((rule) => !isShared(rule));
    const proven = await proveRules(this.#deps, new Map(own.map((rule) => [rule.key, rule])));
    return Promise.all(
      found.map((rule) => (isShared(rule) ? this.#corpus.compared(this.#deps, rule) : (proven.get(rule.key) ?? rule))),
    );
  }
}

const isListed = (rule: StoredRule, query: RuleQuery): boolean =>
  meetsConditions({ key: rule.key, ...ruleColumns(rule.revisions) }, query);

const isShared = ({ tenant_id }: StoredRule): boolean => tenant_id === OPERATOR_TENANT;
