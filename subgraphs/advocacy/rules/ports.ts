import type { ListWindow } from '../../../shared/db/keyset.js';
import type { FactDraft, FactPlace } from '../../../shared/facts/fact.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import type { JsonObject } from '../../../shared/json/strict-json.js';
import type { PendingEffect } from '../../../shared/outbox/pending-effect.js';
import type { NamedCode } from '../codes/domain/index.js';
import type { RuleKind } from './domain/kinds.js';
import type { RuleContent } from './domain/read-rule.js';
import type { Rule, RuleFilter } from './schema.js';

type ShownNames = 'revision' | 'artifact_sha256' | 'artifact_size' | 'artifact_media_type' | 'created_by';

export interface StoredRevision extends RuleContent, Readonly<Pick<Rule, ShownNames>> {
  /** Hash of the canonical content and the artifact. Equal content is not a new revision. */
  readonly content_sha256: string;
  readonly created_at: Date;
  /** Work id of the request that made it; the same request run again finds it. */
  readonly work_id: string | null;
}

/** A rule as stored: one document, so that a revision and its effects are one write. */
export interface StoredRule {
  readonly rule_id: string;
  readonly tenant_id: TenantId;
  readonly key: string;
  readonly created_at: Date;
  readonly updated_at: Date;
  /** Number of revisions, and of the newest one. */
  readonly revision: number;
  /** Oldest first. */
  readonly revisions: readonly StoredRevision[];
  /** The fact that the row projects; absent in rules of the shared corpus. */
  readonly fact?: FactPlace;
}

/** The fact of a revision, apart from its state. */
export type RuleStep = Pick<FactDraft, 'fact_id' | 'event_type' | 'at' | 'action' | 'actor'> & {
  /** Members of the entry's payload for readers of the partition. */
  readonly details: JsonObject;
};

export interface RuleQuery extends ListWindow {
  readonly where: Readonly<Pick<RuleFilter, 'kind' | 'code' | 'program' | 'jurisdiction' | 'key' | 'shared'>>;
  /** Only rules with a revision in force at that time. */
  readonly at?: Date | undefined;
}

/** The write of the next revision of a rule. */
export interface RuleWrite {
  readonly rule: Omit<StoredRule, 'revisions' | 'revision'>;
  /** All existing revisions. */
  readonly before: readonly StoredRevision[];
  readonly added: StoredRevision;
  readonly pending: readonly PendingEffect[];
  /** Absent for the shared corpus, which has no ledger. */
  readonly step?: RuleStep;
  /** The fact before the revision; absent for the first. */
  readonly previous?: FactPlace;
}

/** The rules that a tenant reads: its own and the shared corpus. It writes only its own. */
export interface TenantRules {
  get(ruleId: string): Promise<StoredRule | null>;
  /** Returns the tenant's own rule with this key. */
  byKey(key: string): Promise<StoredRule | null>;
  list(query: RuleQuery): Promise<readonly StoredRule[]>;
  /** Returns rules of these kinds that name one of these codes, with all revisions; all codes if `codes` is absent. */
  withCodes(codes: readonly string[] | undefined, kinds: readonly RuleKind[]): Promise<readonly StoredRule[]>;
  /** Returns the tenant's own rules with these keys. */
  withKeys(keys: readonly string[]): Promise<readonly StoredRule[]>;
  /** Inserts a rule and performs its effects. @returns null if the key or the identifier is taken. */
  insert(write: RuleWrite): Promise<StoredRule | null>;
  /** Inserts new rules without effects; keeps rules with a taken key. @returns the number inserted. */
  insertMany(writes: readonly RuleWrite[]): Promise<number>;
  /** Returns `content_sha256` of the newest revision of each own rule with these keys. */
  contentsOf(keys: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Appends a revision and performs its effects. @returns null if the rule has another revision by now. */
  addRevision(write: RuleWrite): Promise<StoredRule | null>;
  /** Returns the given hashes that a revision of an own rule uses as its artifact. */
  artifacts(sha256s: readonly string[]): Promise<readonly string[]>;
}

export type RuleStore = (tenantId: TenantId) => TenantRules;

/** The stored rows, unproven: they are projections of facts. */
export interface TenantRuleRows extends Omit<TenantRules, 'insert' | 'addRevision'> {
  /** Returns the keys of all own rules. */
  keys(): Promise<readonly string[]>;
  /** Every own rule, in the order of keys. A row may hold anything. */
  all(): AsyncIterable<StoredRule>;
  /** Writes the place of its fact into a row of an earlier version, which names none. */
  adopt(ruleId: string, fact: FactPlace): Promise<void>;
  insert(write: RuleWrite, fact?: FactPlace): Promise<StoredRule | null>;
  addRevision(write: RuleWrite, fact?: FactPlace): Promise<StoredRule | null>;
}

export type RuleRows = (tenantId: TenantId) => TenantRuleRows;

/** A revision of a rule as its users read it; a revision never changes. */
export interface RuleRevision
  extends Omit<
    StoredRevision,
    'artifact_size' | 'artifact_media_type' | 'content_sha256' | 'created_at' | 'created_by' | 'work_id'
  > {
  readonly rule_id: string;
  readonly key: string;
  /** True for a rule of the shared corpus, which every tenant reads. */
  readonly shared: boolean;
}

export interface RulesInForceQuery {
  /** `SYSTEM/CODE`: rules that name one of the codes or its family. Absent: any code. */
  readonly codes?: readonly string[];
  readonly kinds: readonly RuleKind[];
  /** An event's effective time. */
  readonly at: Date;
  /** Null: any program. A rule without a program applies to all of them. */
  readonly program: string | null;
  readonly jurisdiction: string | null;
}

/** Finds the rules in force. */
export interface RuleBook {
  /** Returns rules in order of key; a tenant's own rule replaces the shared rule with its key. */
  inForce(tenantId: TenantId, query: RulesInForceQuery): Promise<readonly RuleRevision[]>;
}

/** The codes of the tables: those of the service, and imported ones. */
export interface KnownCodes {
  /** Returns a test: whether a table has the code, or a code of the family. True for a system without a table. */
  among(codes: readonly NamedCode[]): Promise<(code: NamedCode) => boolean>;
}
