import { Arg, Ctx, Directive, Query, Resolver } from 'type-graphql';
import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import { INTERNAL_SCOPE } from '../../../shared/auth/scopes.js';
import type { MemberDirectory, MemberIdentity } from '../../../shared/contracts/members.js';
import { JsonScalar } from '../../../shared/graph/scalars.js';

/** For parts that gather what belongs to one person: in no API schema, and closed to every key by its scope. */
@Resolver()
export class IdentityResolver {
  readonly #directory: MemberDirectory;

  constructor(directory: MemberDirectory) {
    this.#directory = directory;
  }

  @Directive('@inaccessible')
  @Query(() => JsonScalar, { nullable: true, description: 'Every id of one person (MemberIdentity).' })
  async memberIdentity(
    @Arg('member_id', () => String, { description: 'Any of them.' }) memberId: string,
    @Ctx() context: RequestContext,
  ): Promise<MemberIdentity | null> {
    return this.#directory.identityOf(authorise(context, INTERNAL_SCOPE), memberId);
  }
}
