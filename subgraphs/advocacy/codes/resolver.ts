import { Arg, Ctx, Directive, Query, Resolver } from 'type-graphql';
import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import { INTERNAL_SCOPE } from '../../../shared/auth/scopes.js';
import type { AskedCode, FaultyCode } from '../../../shared/codes/code-tables.js';
import { JsonScalar } from '../../../shared/graph/scalars.js';
import { judgeCodes } from './judge-codes.js';
import type { CodeTables } from './ports.js';

/** Judges codes for the ingest of raw messages. Not in the API schema; no API key has its scope. */
@Resolver()
export class CodeTableResolver {
  readonly #tables: CodeTables;

  constructor(tables: CodeTables) {
    this.#tables = tables;
  }

  @Directive('@inaccessible')
  @Query(() => [String], { description: 'Code systems with an imported table.' })
  async codeSystems(@Ctx() context: RequestContext): Promise<readonly string[]> {
    authorise(context, INTERNAL_SCOPE);
    return (await this.#tables.editions()).map(({ system }) => system);
  }

  @Directive('@inaccessible')
  @Query(() => JsonScalar, { description: 'Codes that the imported tables do not allow (a list of FaultyCode).' })
  async faultyCodes(
    @Ctx() context: RequestContext,
    @Arg('codes', () => JsonScalar, { description: 'The codes (a list of AskedCode).' }) codes: readonly AskedCode[],
  ): Promise<readonly FaultyCode[]> {
    authorise(context, INTERNAL_SCOPE);
    return judgeCodes(this.#tables, codes);
  }
}
