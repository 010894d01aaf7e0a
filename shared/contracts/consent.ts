import { z } from 'zod';
import { CONSENT_DECISIONS, type ConsentVerdict } from '../consent/verdict.js';
import type { TenantId } from '../ids/tenant.js';
import { defineCall, list, TEXT, TEXT_OR_NULL, TEXTS } from './call.js';

/** Most members of one question. */
export const MOST_MEMBERS_ASKED = 1_000;

/** The purpose and the recipient for which a caller wants records of these members. */
export interface ConsentQuestion {
  /** At most MOST_MEMBERS_ASKED. Empty for a record without a member. */
  readonly member_ids: readonly string[];
  /** A purpose as consents name it, in any case: `TREATMENT`. */
  readonly purpose: string;
  /** The recipient: id of an actor or key, or the person who asked for access. Null without a particular recipient. */
  readonly actor: string | null;
}

/**
 * Members' consents. Code that returns records for a stated purpose asks once a page and applies the verdict to each record
 * (shared/consent/sensitivity.ts makes the views).
 */
export interface ConsentGate {
  /** Decides as of now. @throws UNAVAILABLE; the caller then returns no record */
  decide(tenantId: TenantId, question: ConsentQuestion): Promise<ConsentVerdict>;
}

export const consentTerms = defineCall({
  subgraph: 'members-graph',
  kind: 'query',
  name: 'consentTerms',
  input: { member_ids: TEXTS, purpose: TEXT, actor: TEXT_OR_NULL },
  output: z.object({
    member_ids: list(z.string()),
    terms: list(
      z.object({
        consent_id: z.string(),
        member_ids: list(z.string()),
        decision: z.enum(CONSENT_DECISIONS),
        categories: list(z.string()),
      }),
    ),
    part2_source_systems: list(z.string()),
  }),
});
