import { problem } from '../../../shared/errors/problem.js';
import { namesOfCode } from '../codes/domain/index.js';
import { contentHashOf, prepareRule } from './content.js';
import type { RuleKind } from './domain/kinds.js';
import type { GivenRule } from './domain/read-rule.js';
import type { StoredRevision, StoredRule } from './ports.js';
import type { ProveDeps } from './prove-rules.js';
import { ruleSubject } from './rule-facts.js';

interface Shipped {
  readonly content_sha256: string;
  readonly kind: RuleKind;
}

interface ShippedRules {
  readonly byKey: ReadonlyMap<string, Shipped>;
  /** Keys by the codes and families that their rules name. */
  readonly byName: ReadonlyMap<string, readonly string[]>;
}

/**
 * The shared corpus has no facts: it is data of this version. An answer uses a shared rule in the revision that this version
 * ships, and its stored content must hash to the shipped one. A shared rule that is missing fails the answer.
 */
export class SharedCorpus {
  readonly #given: () => readonly GivenRule[];
  #shipped: Promise<ShippedRules> | null = null;
  #isImported = false;

  constructor(given: () => readonly GivenRule[]) {
    this.#given = given;
  }

  /** Tells that this process has imported the corpus: from now on a missing rule is damage. */
  imported(): void {
    this.#isImported = true;
  }

  /**
   * Returns the shared rules of an answer, each in its shipped revision.
   *
   * @throws INTEGRITY_FAILURE for an edited or missing rule, UNAVAILABLE before the import
   */
  async proven(
    deps: ProveDeps,
    found: readonly StoredRule[],
    { codes, kinds }: { readonly codes: readonly string[] | undefined; readonly kinds: readonly RuleKind[] },
  ): Promise<readonly StoredRule[]> {
    const { byKey, byName } = await this.#rules();
    const keys =
      codes === undefined ? [...byKey.keys()] : codes.flatMap(namesOfCode).flatMap((it) => byName.get(it) ?? []);
    const rows = new Map(found.map((rule) => [rule.key, rule]));
    const rules: StoredRule[] = [];
    for (const key of new Set(keys)) {
      const rule = byKey.get(key);
      if (rule === undefined || !kinds.includes(rule.kind)) continue;
      const row = rows.get(key);
      if (row === undefined) return this.#missing(deps, key);
      rules.push({ ...row, revisions: [await shippedRevision(deps, row, rule)] });
    }
    return rules;
  }

  /** Returns a row of a list. @throws INTEGRITY_FAILURE for an edited one */
  async compared(deps: ProveDeps, row: StoredRule): Promise<StoredRule> {
    const rule = (await this.#rules()).byKey.get(row.key);
    // A rule that this version no longer ships is listed, and no answer uses it.
    if (rule !== undefined) await shippedRevision(deps, row, rule);
    return row;
  }

  #rules(): Promise<ShippedRules> {
    this.#shipped ??= this.#prepare();
    return this.#shipped;
  }

  async #prepare(): Promise<ShippedRules> {
    const byKey = new Map<string, Shipped>();
    const byName = new Map<string, string[]>();
    for (const given of this.#given()) {
      const { key, content } = await prepareRule(null, given);
      byKey.set(key, { content_sha256: content.content_sha256, kind: content.kind });
      for (const name of content.codes) byName.set(name, [...(byName.get(name) ?? []), key]);
    }
    return { byKey, byName };
  }

  #missing({ guard, tenantId }: ProveDeps, key: string): Promise<never> {
    if (!this.#isImported) throw problem('UNAVAILABLE', { internal: 'the shared rules are not imported yet' });
    return guard.reject(tenantId, ruleSubject(key), 'ROW_MISSING');
  }
}

async function shippedRevision(
  { guard, tenantId }: ProveDeps,
  { key, revisions }: StoredRule,
  { content_sha256 }: Shipped,
): Promise<StoredRevision> {
  const found = revisions.find((one) => one.content_sha256 === content_sha256 && hashOf(key, one) === content_sha256);
  return found ?? guard.reject(tenantId, ruleSubject(key), 'ROW_DIFFERS');
}

/** An edited row may hold values that cannot be hashed. */
function hashOf(key: string, revision: StoredRevision): string | null {
  try {
    return contentHashOf(key, revision);
  } catch (error) {
    if (error instanceof TypeError || error instanceof RangeError) return null;
    throw error;
  }
}
