import { Arg, Args, Ctx, Directive, Mutation, Query, Resolver } from 'type-graphql';
import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import { INTERNAL_SCOPE } from '../../../shared/auth/scopes.js';
import { isoTime } from '../../../shared/clock/clock.js';
import { problem } from '../../../shared/errors/problem.js';
import { referencesTo } from '../../../shared/graph/edges/references.js';
import { windowOf } from '../../../shared/graph/group-args.js';
import { JsonScalar } from '../../../shared/graph/scalars.js';
import { isIdOf } from '../../../shared/ids/ids.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../shared/json/strict-json.js';
import { mapPage, type Page } from '../../../shared/pagination/cursor.js';
import { firstGroups } from '../../../shared/records/group-cells.js';
import { listQueryOf } from '../../../shared/records/list-query.js';
import { showing } from '../../../shared/records/shown.js';
import { requestTaker } from '../../../shared/records/steps.js';
import { allowedActions } from '../../../shared/state-machine/state-machine.js';
import { instantOf } from '../../../shared/time/rfc3339.js';
import { clearException } from './clear-exception.js';
import { AGE_BUCKETS, ageBounds } from './domain/ages.js';
import { type ExceptionDimension, groupExceptions } from './domain/groups.js';
import { EXCEPTION_TABLE, type ExceptionKind } from './domain/kinds.js';
import { EXCEPTION_MACHINE } from './domain/states.js';
import type { ExceptionRow, OpenExceptions } from './ports.js';
import {
  ExceptionAggregate,
  ExceptionAggregateArgs,
  ExceptionAssignment,
  ExceptionFilter,
  ExceptionPage,
  ExceptionRecord,
  ExceptionResolution,
  ExceptionSummary,
  KnownGapInput,
} from './schema.js';
import { assignException, type ExceptionDeps, markKnownGap, resolveException } from './steps.js';

// A dimension has the name of its member, in capitals.
const memberOf = (dimension: Uppercase<ExceptionDimension>) => dimension.toLowerCase() as ExceptionDimension;

const EXCEPTION_ID = { description: 'The exception.' };

const shown = showing(ExceptionRecord, ({ kind, status, known_gap: gap }: ExceptionRow) => ({
  meaning: EXCEPTION_TABLE[kind].meaning,
  advice: EXCEPTION_TABLE[kind].advice,
  allowed_actions: allowedActions(EXCEPTION_MACHINE, status),
  known_gap: gap && { reason: gap.reason, until: gap.until && isoTime(gap.until.getTime()) },
}));

/** Exceptions of other tenants do not exist here. */
const readException = async (
  { exceptions }: Pick<ExceptionDeps, 'exceptions'>,
  tenantId: TenantId,
  id: string,
): Promise<ExceptionRow | null> => (isIdOf('exception', id) ? exceptions.forTenant(tenantId).get(id) : null);

/** Resolves references to exceptions under the scope of `exception`. */
export const exceptionReferences = ({ exceptions }: Pick<ExceptionDeps, 'exceptions'>) =>
  referencesTo('exception_id', 'exception', async (context, ids) =>
    (await exceptions.forTenant(authorise(context, 'exceptions:read')).among(ids)).map(shown),
  );

/** The operators' queue (api.md section 2 "Exceptions"). */
@Resolver()
export class ExceptionQueueResolver {
  readonly #deps: ExceptionDeps;

  constructor(deps: ExceptionDeps) {
    this.#deps = deps;
  }

  @Query(() => ExceptionPage, { description: 'Exceptions of the tenant.' })
  async exceptions(
    @Ctx() context: RequestContext,
    @Args(() => ExceptionFilter) filter: ExceptionFilter,
  ): Promise<Page<ExceptionRecord>> {
    const exceptions = this.#deps.exceptions.forTenant(authorise(context, 'exceptions:read'));
    return mapPage(await exceptions.page(listQueryOf(filter)), shown);
  }

  @Query(() => ExceptionSummary, { description: 'Counts unresolved exceptions by kind and age.' })
  async exceptionSummary(@Ctx() context: RequestContext): Promise<ExceptionSummary> {
    const exceptions = this.#deps.exceptions.forTenant(authorise(context, 'exceptions:read'));
    const nowMs = this.#deps.clock.nowMs();
    const counts = await exceptions.countByAge(ageBounds(nowMs));
    const items = [...counts]
      .sort((a, b) => (a.kind < b.kind ? -1 : a.kind > b.kind ? 1 : a.bucket - b.bucket))
      .flatMap(({ kind, bucket, count, oldest }) => {
        const age = AGE_BUCKETS[bucket];
        return age === undefined ? [] : [{ kind, age, count, oldest_at: isoTime(oldest.getTime()) }];
      });
    return { as_of: isoTime(nowMs), count: items.reduce((total, { count }) => total + count, 0), items };
  }

  @Query(() => ExceptionAggregate, { description: 'Groups exceptions by their values.' })
  async exceptionAggregate(
    @Ctx() context: RequestContext,
    @Args(() => ExceptionAggregateArgs) { by, limit, ...window }: ExceptionAggregateArgs,
  ): Promise<ExceptionAggregate> {
    const exceptions = this.#deps.exceptions.forTenant(authorise(context, 'exceptions:read'));
    const cells = await exceptions.cells(windowOf(window));
    return firstGroups(cells, groupExceptions(cells, by.map(memberOf)), limit);
  }

  @Query(() => ExceptionRecord, { nullable: true, description: 'An exception with its steps.' })
  async exception(
    @Ctx() context: RequestContext,
    @Arg('exception_id', () => String, EXCEPTION_ID) id: string,
  ): Promise<ExceptionRecord | null> {
    const found = await readException(this.#deps, authorise(context, 'exceptions:read'), id);
    return found && shown(found);
  }

  @Mutation(() => ExceptionRecord, { description: 'Assigns an exception to a user.' })
  async assignException(
    @Ctx() context: RequestContext,
    @Arg('exception_id', () => String, EXCEPTION_ID) id: string,
    @Arg('input', () => ExceptionAssignment) input: ExceptionAssignment,
  ): Promise<ExceptionRecord> {
    return shown(await assignException(this.#deps, context, id, input));
  }

  @Mutation(() => ExceptionRecord, { description: 'Resolves an exception; final.' })
  async resolveException(
    @Ctx() context: RequestContext,
    @Arg('exception_id', () => String, EXCEPTION_ID) id: string,
    @Arg('input', () => ExceptionResolution) input: ExceptionResolution,
  ): Promise<ExceptionRecord> {
    return shown(await resolveException(this.#deps, context, id, input));
  }

  @Mutation(() => ExceptionRecord, { description: 'Marks an exception as a known gap.' })
  async markExceptionKnownGap(
    @Ctx() context: RequestContext,
    @Arg('exception_id', () => String, EXCEPTION_ID) id: string,
    @Arg('input', () => KnownGapInput) { reason, until, revision }: KnownGapInput,
  ): Promise<ExceptionRecord> {
    const untilMs = until == null ? undefined : instantOf(until);
    return shown(await markKnownGap(this.#deps, context, id, { reason, untilMs, revision }));
  }
}

interface InternalDeps extends ExceptionDeps {
  readonly openExceptions: OpenExceptions;
}

const isKind = (text: string): text is ExceptionKind => Object.hasOwn(EXCEPTION_TABLE, text);

/** Only this service passes these arguments: a wrong one is its own fault. */
function known(kind: string, ...objects: JsonValue[]): { kind: ExceptionKind; objects: JsonObject[] } {
  if (isKind(kind) && objects.every(isJsonObject)) return { kind, objects };
  throw problem('INTERNAL', { internal: 'an exception has an unknown kind or form' });
}

/** Serves the other subgraphs: its fields are in no API schema, and their scope rejects every API key. */
@Resolver()
export class ExceptionResolver {
  readonly #deps: InternalDeps;

  constructor(deps: InternalDeps) {
    this.#deps = deps;
  }

  @Directive('@inaccessible')
  @Mutation(() => String, { description: 'Opens an exception; returns the open one of this kind and subject.' })
  async openException(
    @Ctx() context: RequestContext,
    @Arg('kind', () => String, { description: 'Its kind.' }) kindName: string,
    @Arg('subject', () => JsonScalar, { description: 'The subject: an object.' }) subjectValue: JsonValue,
    @Arg('detail', () => JsonScalar, { description: 'The detail: an object.' }) detailValue: JsonValue,
  ): Promise<string> {
    const tenantId = authorise(context, INTERNAL_SCOPE);
    const { kind, objects } = known(kindName, subjectValue, detailValue);
    const [subject = {}, detail = {}] = objects;
    const [row] = await this.#deps.openExceptions(tenantId, [{ kind, subject, detail, source: 'RECONCILIATION' }]);
    if (!row) throw problem('INTERNAL', { internal: 'an exception was neither opened nor found open' });
    return row.exception_id;
  }

  @Directive('@inaccessible')
  @Mutation(() => Boolean, {
    description: 'Resolves the exception of this kind and subject, because its cause has gone.',
  })
  async resolveStandingException(
    @Ctx() context: RequestContext,
    @Arg('kind', () => String, { description: 'Its kind.' }) kindName: string,
    @Arg('subject', () => JsonScalar, { description: 'The subject: an object.' }) subjectValue: JsonValue,
    @Arg('note', () => String, { description: 'Why the exception no longer applies.' }) note: string,
  ): Promise<boolean> {
    const tenantId = authorise(context, INTERNAL_SCOPE);
    const { kind, objects } = known(kindName, subjectValue);
    const [subject = {}] = objects;
    return clearException(this.#deps, requestTaker(this.#deps, context), tenantId, { kind, subject, note });
  }

  @Directive('@inaccessible')
  @Query(() => Boolean, { description: 'Whether the tenant has this exception.' })
  async hasException(
    @Ctx() context: RequestContext,
    @Arg('exception_id', () => String, { description: 'The exception.' }) exceptionId: string,
  ): Promise<boolean> {
    return (await readException(this.#deps, authorise(context, INTERNAL_SCOPE), exceptionId)) !== null;
  }
}
