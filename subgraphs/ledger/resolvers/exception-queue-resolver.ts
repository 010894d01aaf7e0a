import { Arg, Args, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import { isoTime } from '../../../shared/clock/clock.js';
import { withoutNulls } from '../../../shared/graph/without-nulls.js';
import { DEFAULT_PAGE_LIMIT, type Page } from '../../../shared/pagination/cursor.js';
import { allowedActions } from '../../../shared/state-machine/state-machine.js';
import { instantOf } from '../../../shared/time/rfc3339.js';
import { EXCEPTION_TABLE } from '../domain/exception-kinds.js';
import { EXCEPTION_MACHINE } from '../domain/exception-states.js';
import { ExceptionFilter, ExceptionPage, ExceptionRecord } from '../schema/exception.js';
import { ExceptionAssignment, ExceptionResolution, KnownGapInput } from '../schema/exception-steps.js';
import {
  assignException,
  type ChangeExceptionDeps,
  markKnownGap,
  resolveException,
} from '../service/change-exception.js';
import type { ExceptionRow } from '../service/ports/exception-store.js';
import { listExceptions, readException } from '../service/read-exceptions.js';

const EXCEPTION_ID = { description: 'The exception.' };

const timeOf = (at: Date | null): string | undefined => (at === null ? undefined : isoTime(at.getTime()));

/** What has no value is left out; what the kind means is told with it. */
function shown({ subject_key: _k, subject_ids: _i, history, known_gap, ...row }: ExceptionRow): ExceptionRecord {
  const { meaning, advice } = EXCEPTION_TABLE[row.kind];
  const { raw_sha256, assigned_to, resolution, resolution_note, resolved_at, ...always } = row;
  const gap = known_gap && { reason: known_gap.reason, until: timeOf(known_gap.until) ?? null };
  return {
    ...always,
    ...withoutNulls({ raw_sha256, assigned_to, resolution, resolution_note, known_gap: gap }),
    ...(resolved_at === null ? {} : { resolved_at: isoTime(resolved_at.getTime()) }),
    meaning,
    advice,
    allowed_actions: allowedActions(EXCEPTION_MACHINE, row.status),
    last_seen_at: isoTime(row.last_seen_at.getTime()),
    created_at: isoTime(row.created_at.getTime()),
    updated_at: isoTime(row.updated_at.getTime()),
    history: history.map(({ work_id: _, at, ...step }) => ({ ...step, at: isoTime(at.getTime()) })),
  } as ExceptionRecord;
}

/** The operators' queue (api.md section 2 "Exceptions"). */
@Resolver()
export class ExceptionQueueResolver {
  readonly #deps: ChangeExceptionDeps;

  constructor(deps: ChangeExceptionDeps) {
    this.#deps = deps;
  }

  @Query(() => ExceptionPage, { description: 'Exceptions of the tenant.' })
  async exceptions(
    @Ctx() context: RequestContext,
    @Args(() => ExceptionFilter) filter: ExceptionFilter,
  ): Promise<Page<ExceptionRecord>> {
    const tenantId = authorise(context, 'exceptions:read');
    const { limit = DEFAULT_PAGE_LIMIT, order = 'desc', from, to, ...rest } = withoutNulls(filter);
    const window = {
      limit,
      order,
      fromMs: from === undefined ? undefined : instantOf(from),
      toMs: to === undefined ? undefined : instantOf(to),
    };
    const page = await listExceptions(this.#deps.exceptions, tenantId, { ...rest, ...window });
    return { items: page.items.map(shown), next_cursor: page.next_cursor };
  }

  @Query(() => ExceptionRecord, { nullable: true, description: 'An exception with its steps.' })
  async exception(
    @Ctx() context: RequestContext,
    @Arg('exception_id', () => String, EXCEPTION_ID) exceptionId: string,
  ): Promise<ExceptionRecord | null> {
    const found = await readException(this.#deps.exceptions, authorise(context, 'exceptions:read'), exceptionId);
    return found && shown(found);
  }

  @Mutation(() => ExceptionRecord, { description: 'Gives an exception to somebody.' })
  async assignException(
    @Ctx() context: RequestContext,
    @Arg('exception_id', () => String, EXCEPTION_ID) exceptionId: string,
    @Arg('input', () => ExceptionAssignment) { assignee }: ExceptionAssignment,
  ): Promise<ExceptionRecord> {
    return shown(await assignException(this.#deps, context, { exceptionId, assignee }));
  }

  @Mutation(() => ExceptionRecord, { description: 'Ends an exception; final.' })
  async resolveException(
    @Ctx() context: RequestContext,
    @Arg('exception_id', () => String, EXCEPTION_ID) exceptionId: string,
    @Arg('input', () => ExceptionResolution) { resolution, note }: ExceptionResolution,
  ): Promise<ExceptionRecord> {
    return shown(await resolveException(this.#deps, context, { exceptionId, resolution, note: note ?? undefined }));
  }

  @Mutation(() => ExceptionRecord, { description: 'Notes that an exception is known and bearable.' })
  async markExceptionKnownGap(
    @Ctx() context: RequestContext,
    @Arg('exception_id', () => String, EXCEPTION_ID) exceptionId: string,
    @Arg('input', () => KnownGapInput) { reason, until }: KnownGapInput,
  ): Promise<ExceptionRecord> {
    const untilMs = until == null ? undefined : instantOf(until);
    return shown(await markKnownGap(this.#deps, context, { exceptionId, reason, untilMs }));
  }
}
