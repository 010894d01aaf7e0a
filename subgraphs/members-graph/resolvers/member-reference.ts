import type { RequestContext } from '../../../shared/auth/context.js';
import type { Member } from '../schema/member.js';
import type { IdentityDeps } from '../service/members/identity.js';
import { getMember } from '../service/members/read-members.js';
import { shownMember } from './shown-member.js';

/**
 * Member as other subgraphs refer to it (`@key(fields: "member_id")`): null for one that is known from events alone, and for
 * another tenant's. The scope is asked for as on every root field.
 */
export const memberReference = (deps: IdentityDeps) => ({
  __resolveReference: async (
    { member_id }: { readonly member_id: string },
    context: RequestContext,
  ): Promise<Member | null> => {
    const found = await getMember(deps, context, member_id);
    return found === null ? null : shownMember(found);
  },
});
