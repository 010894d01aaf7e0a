import type { ListWindow } from '../../../../shared/db/keyset.js';
import type { TenantId } from '../../../../shared/ids/tenant.js';
import type { PendingEffect } from '../../../../shared/outbox/pending-effect.js';
import type { RuleContent } from '../../domain/rules/read-rule.js';
import type { RuleKind } from '../../domain/rules/rule-kinds.js';

export interface StoredRevision extends RuleContent {
  readonly revision: number;
  /** Of the bytes in the write-once store. */
  readonly artifact_sha256: string;
  readonly artifact_size: number;
  readonly artifact_media_type: string;
  /** Of the canonical content with its artifact: the same content is no new revision. */
  readonly content_sha256: string;
  readonly created_at: Date;
  readonly created_by: string;
  /** Of the request that made it: the same request run again finds it done. */
  readonly work_id: string | null;
}

/** A rule as stored: one document, so that a revision and what follows from it are one write. */
export interface StoredRule {
  readonly rule_id: string;
  readonly tenant_id: TenantId;
  readonly key: string;
  readonly created_at: Date;
  readonly updated_at: Date;
  /** How many there are; the newest has this number. */
  readonly revision: number;
  /** Oldest first. A list shows the newest one alone. */
  readonly revisions: readonly StoredRevision[];
}

export interface RuleQuery extends ListWindow {
  readonly kind?: RuleKind | undefined;
  /** `SYSTEM/CODE`. */
  readonly code?: string | undefined;
  readonly program?: string | undefined;
  readonly jurisdiction?: string | undefined;
  readonly key?: string | undefined;
  /** The shared corpus alone, or the tenant's own alone. */
  readonly shared?: boolean | undefined;
  /** With a revision in force at that time. */
  readonly at?: Date | undefined;
}

/** A revision to be added to a rule that stands at the revision before it. */
export interface RuleWrite {
  readonly rule: Omit<StoredRule, 'revisions' | 'revision'>;
  /** Those that it has, all of them. */
  readonly before: readonly StoredRevision[];
  readonly added: StoredRevision;
  readonly pending: readonly PendingEffect[];
}

/** Rules that a tenant reads: its own, and the shared corpus. Only its own can be written. */
export interface TenantRules {
  get(ruleId: string): Promise<StoredRule | null>;
  /** The tenant's own rule of this key. */
  byKey(key: string): Promise<StoredRule | null>;
  list(query: RuleQuery): Promise<readonly StoredRule[]>;
  /** With one of these codes, or without `codes` all of these kinds, each with every revision. */
  withCodes(codes: readonly string[] | undefined, kinds: readonly RuleKind[]): Promise<readonly StoredRule[]>;
  /** The tenant's own of these keys. */
  withKeys(keys: readonly string[]): Promise<readonly StoredRule[]>;
  /** Null where the key, or the identifier, is taken. */
  insert(write: RuleWrite): Promise<StoredRule | null>;
  /** Many new ones that leave nothing to be done; those whose key is taken stay as they are. @returns how many are new */
  insertMany(writes: readonly RuleWrite[]): Promise<number>;
  /** `content_sha256` of the newest revision of each of the tenant's own with these keys. */
  contentsOf(keys: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Null where the rule no longer stands at the revision before. */
  addRevision(write: RuleWrite): Promise<StoredRule | null>;
  /** Those of these contents that a revision of the tenant's own rules stands on. */
  artifacts(sha256s: readonly string[]): Promise<readonly string[]>;
  /** Performs at once what the write has left to be done. */
  relay(write: RuleWrite): Promise<void>;
}

export type RuleStore = (tenantId: TenantId) => TenantRules;
