import { Arg, Ctx, Directive, Mutation, Query, Resolver } from 'type-graphql';
import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import { INTERNAL_SCOPE } from '../../../shared/auth/scopes.js';
import { problem } from '../../../shared/errors/problem.js';
import { JsonScalar } from '../../../shared/graph/scalars.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../shared/json/strict-json.js';
import { EXCEPTION_TABLE, type ExceptionKind } from '../domain/exception-kinds.js';
import { clearException, type ServiceStepDeps } from '../service/clear-exception.js';
import { takerOf } from '../service/exception-step.js';
import type { OpenExceptions } from '../service/open-exception.js';
import { readException } from '../service/read-exceptions.js';

export interface ExceptionResolverDeps extends ServiceStepDeps {
  readonly openExceptions: OpenExceptions;
}

const isKind = (text: string): text is ExceptionKind => Object.hasOwn(EXCEPTION_TABLE, text);

/** Arguments come from this service's own parts: what does not fit is a fault of theirs. */
function known(kind: string, ...objects: JsonValue[]): { kind: ExceptionKind; objects: JsonObject[] } {
  if (isKind(kind) && objects.every(isJsonObject)) return { kind, objects: objects as JsonObject[] };
  throw problem('INTERNAL', { internal: 'an exception of no known kind or form' });
}

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
    @Arg('kind', () => String, { description: 'Its kind.' }) kindName: string,
    @Arg('subject', () => JsonScalar, { description: 'What it is about: an object.' }) subjectValue: JsonValue,
    @Arg('detail', () => JsonScalar, { description: 'What happened: an object.' }) detailValue: JsonValue,
  ): Promise<string> {
    const tenantId = authorise(context, INTERNAL_SCOPE);
    const { kind, objects } = known(kindName, subjectValue, detailValue);
    const [subject = {}, detail = {}] = objects;
    const [row] = await this.#deps.openExceptions(tenantId, [{ kind, subject, detail, source: 'RECONCILIATION' }]);
    if (!row) throw problem('INTERNAL', { internal: 'an exception was neither opened nor open' });
    return row.exception_id;
  }

  @Directive('@inaccessible')
  @Mutation(() => Boolean, {
    description: 'Ends the exception of this kind and subject, because it has righted itself.',
  })
  async resolveStandingException(
    @Ctx() context: RequestContext,
    @Arg('kind', () => String, { description: 'Its kind.' }) kindName: string,
    @Arg('subject', () => JsonScalar, { description: 'What it is about: an object.' }) subjectValue: JsonValue,
    @Arg('note', () => String, { description: 'Why it is over.' }) note: string,
  ): Promise<boolean> {
    const tenantId = authorise(context, INTERNAL_SCOPE);
    const { kind, objects } = known(kindName, subjectValue);
    const [subject = {}] = objects;
    return clearException(this.#deps, tenantId, { kind, subject, note }, takerOf(context));
  }

  @Directive('@inaccessible')
  @Query(() => Boolean, { description: 'Whether the tenant has this exception.' })
  async hasException(
    @Ctx() context: RequestContext,
    @Arg('exception_id', () => String, { description: 'The exception.' }) exceptionId: string,
  ): Promise<boolean> {
    const tenantId = authorise(context, INTERNAL_SCOPE);
    return (await readException(this.#deps.exceptions, tenantId, exceptionId)) !== null;
  }
}
