import type { ConsentVerdict } from '../consent/verdict.js';
import type { TenantId } from '../ids/tenant.js';

/** Members of one question. */
export const MOST_MEMBERS_ASKED = 1_000;

/** For what, and for whom, records of these members are wanted. */
export interface ConsentQuestion {
  /** At most MOST_MEMBERS_ASKED. A record of nobody is judged without any. */
  readonly member_ids: readonly string[];
  /** As consents name it: `TREATMENT`; any case. */
  readonly purpose: string;
  /** Whom they go to: an actor's or key's id, or who asked for access; null where it is nobody in particular. */
  readonly actor: string | null;
}

/**
 * What members have said about who may see what. Whoever gives out records for a stated purpose asks once a page, and judges
 * each record by the verdict (shared/consent/sensitivity.ts makes the views).
 */
export interface ConsentGate {
  /** As of now. @throws UNAVAILABLE: what cannot be judged is not given out */
  decide(tenantId: TenantId, question: ConsentQuestion): Promise<ConsentVerdict>;
}
