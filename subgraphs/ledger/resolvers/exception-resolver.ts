import { Arg, Ctx, Directive, Mutation, Resolver } from 'type-graphql';
import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import { INTERNAL_SCOPE } from '../../../shared/auth/scopes.js';
import { problem } from '../../../shared/errors/problem.js';
import { JsonScalar } from '../../../shared/graph/scalars.js';
import { isJsonObject, type JsonValue } from '../../../shared/json/strict-json.js';
import { EXCEPTION_SEVERITY, type ExceptionKind } from '../domain/exception-kinds.js';
import type { OpenExceptions } from '../service/open-exception.js';

export interface ExceptionResolverDeps {
  readonly openExceptions: OpenExceptions;
}

const isKind = (text: string): text is ExceptionKind => Object.hasOwn(EXCEPTION_SEVERITY, text);

/** For the other parts of the service: in no API schema, and closed to every key by its scope. */
@Resolver()
export class ExceptionResolver {
  readonly #deps: ExceptionResolverDeps;

  constructor(deps: ExceptionResolverDeps) {
    this.#deps = deps;
  }

  @Directive('@inaccessible')
  @Mutation(() => String, { description: 'Opens an exception; tells the one that is open of this kind and subject.' })
  async openException(
    @Ctx() context: RequestContext,
    @Arg('kind', () => String, { description: 'Its kind.' }) kind: string,
    @Arg('subject', () => JsonScalar, { description: 'What it is about: an object.' }) subject: JsonValue,
    @Arg('detail', () => JsonScalar, { description: 'What happened: an object.' }) detail: JsonValue,
  ): Promise<string> {
    const tenantId = authorise(context, INTERNAL_SCOPE);
    if (!isKind(kind) || !isJsonObject(subject) || !isJsonObject(detail)) {
      throw problem('INTERNAL', { internal: 'an exception of no known kind or form' });
    }
    const [row] = await this.#deps.openExceptions(tenantId, [{ kind, subject, detail, source: 'RECONCILIATION' }]);
    if (!row) throw problem('INTERNAL', { internal: 'an exception was neither opened nor open' });
    return row.exception_id;
  }
}
