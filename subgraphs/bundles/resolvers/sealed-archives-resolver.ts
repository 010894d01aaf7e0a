import { Arg, Ctx, Directive, Query, Resolver } from 'type-graphql';
import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import { INTERNAL_SCOPE } from '../../../shared/auth/scopes.js';
import type { NamedArchives } from '../service/ports/named-archives.js';

/** For the vault's disposals: in no API schema, and closed to every key by its scope. */
@Resolver()
export class SealedArchivesResolver {
  readonly #named: NamedArchives;

  constructor(named: NamedArchives) {
    this.#named = named;
  }

  @Directive('@inaccessible')
  @Query(() => [String], { description: 'Those of these contents that are the archive of a sealed bundle.' })
  async sealedArchives(
    @Ctx() context: RequestContext,
    @Arg('sha256s', () => [String], { description: 'The contents.' }) sha256s: string[],
  ): Promise<readonly string[]> {
    return this.#named(authorise(context, INTERNAL_SCOPE), sha256s);
  }
}
