import type { TenantId } from '../../../../shared/ids/tenant.js';
import type { JsonValue } from '../../../../shared/json/strict-json.js';
import type { RuleKind } from '../../domain/rules/rule-kinds.js';

/** What a rule said in one revision, which never changes. */
export interface RuleRevision {
  readonly rule_id: string;
  readonly key: string;
  readonly revision: number;
  readonly title: string;
  readonly kind: RuleKind;
  readonly jurisdiction: string | null;
  readonly program: string | null;
  readonly effective_from: Date;
  /** The first moment at which it is no longer in force; null: until another revision begins. */
  readonly effective_to: Date | null;
  /** `SYSTEM/CODE`, or `SYSTEM/START*` for a family of codes (domain/rules/rule-codes.ts). */
  readonly codes: readonly string[];
  /** As it was given: a list of criteria, or one JsonLogic rule (domain/criteria/read-criteria.ts). */
  readonly criteria: JsonValue;
  readonly body: string | null;
  readonly citation: string | null;
  readonly artifact_sha256: string;
  /** Of the corpus that comes with the service, which every tenant reads. */
  readonly shared: boolean;
}

export interface RulesAsked {
  /** `SYSTEM/CODE`; rules that name one of them, or a family that holds one. Without it: of any code. */
  readonly codes?: readonly string[];
  readonly kinds: readonly RuleKind[];
  /** The moment judged: an event's effective time. */
  readonly at: Date;
  /** Null: of any program. A rule without one is for all of them. */
  readonly program: string | null;
  readonly jurisdiction: string | null;
}

/** The rules in force, for those who judge by them. */
export interface RuleBook {
  /** In order of key: a tenant's own rule stands in place of the shared one with its key. */
  inForce(tenantId: TenantId, asked: RulesAsked): Promise<readonly RuleRevision[]>;
}
