import type { TenantId } from '../ids/tenant.js';

/** One person, under every identifier that stands for them. */
export interface MemberIdentity {
  /** The surviving one. */
  readonly member_id: string;
  /** The surviving one first, then every one that was merged into it. */
  readonly member_ids: readonly string[];
}

/** The directory of members, for parts that gather what belongs to one person. Events keep the id they were written with. */
export interface MemberDirectory {
  /** Null for an id that the directory does not know: a member known from events alone is one with itself. */
  identityOf(tenantId: TenantId, memberId: string): Promise<MemberIdentity | null>;
}
