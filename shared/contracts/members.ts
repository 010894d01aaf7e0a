import { z } from 'zod';
import type { TenantId } from '../ids/tenant.js';
import { branded, defineCall, list, TEXT } from './call.js';

/** One person, under every identifier that refers to them. */
const MemberIdentity = z.object({
  /** The surviving identifier. */
  member_id: z.string(),
  /** The surviving identifier first, then every one that was merged into it. */
  member_ids: list(z.string()),
});
export type MemberIdentity = z.infer<typeof MemberIdentity>;

/** The directory of members. Events keep the identifier that they were written with. */
export interface MemberDirectory {
  /** Null for an identifier that the directory does not know: a member known from events alone has only this one. */
  identityOf(tenantId: TenantId, memberId: string): Promise<MemberIdentity | null>;
}

/** The grant of a valid token of member access. */
const MemberVerdict = z.object({
  session_id: z.string(),
  tenant_id: branded<TenantId>(),
  grant: z.object({
    kind: z.enum(['MEMBER', 'AVA']),
    member_id: z.string(),
    member_ids: list(z.string()),
    purpose: z.string(),
    requested_by: z.string().nullable(),
  }),
});

export const memberIdentity = defineCall({
  subgraph: 'members-graph',
  kind: 'query',
  name: 'memberIdentity',
  input: { member_id: TEXT },
  output: MemberIdentity.nullable(),
});

export const authenticateMember = defineCall({
  subgraph: 'members-graph',
  kind: 'query',
  name: 'authenticateMember',
  input: { token: TEXT },
  output: MemberVerdict.nullable(),
});

/** Members with an open request about their data: their records are not deleted before it is answered. */
export interface OpenRequests {
  /**
   * Returns every identifier of each member. Read it after the state of the gate: a new request halts the deletions before
   * it is answered.
   */
  memberIds(tenantId: TenantId): Promise<readonly string[]>;
}

export const membersUnderRequest = defineCall({
  subgraph: 'members-graph',
  kind: 'query',
  name: 'membersUnderRequest',
  input: {},
  output: list(z.string()),
});
