import { Arg, Args, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import type { RequestContext } from '../../../shared/auth/context.js';
import { isoTime } from '../../../shared/clock/clock.js';
import { mapPage, type Page } from '../../../shared/pagination/cursor.js';
import { listQueryOf } from '../../../shared/records/list-query.js';
import { showing } from '../../../shared/records/shown.js';
import { LIFETIME_MS } from './domain.js';
import { Caller, OpenedSession, Session, SessionFilter, SessionPage } from './schema.js';
import { endSession, listSessions, openSession, type SessionDeps, type ShownSession } from './sessions.js';

const shownSession = showing(Session, (_: ShownSession) => ({}));

const SESSION_ID = { nullable: true, description: 'Identifier of the session; the session of the request by default.' };

@Resolver()
export class SessionResolver {
  readonly #deps: SessionDeps;

  constructor(deps: SessionDeps) {
    this.#deps = deps;
  }

  @Mutation(() => OpenedSession, { description: 'Opens a session for the API key of the request.' })
  async openSession(
    @Arg('address', () => String, { nullable: true, description: 'Address of the request.' }) address: string | null,
    @Ctx() context: RequestContext,
  ): Promise<OpenedSession> {
    const { token, session } = await openSession(this.#deps, context, address ?? null);
    const endsAt = isoTime(session.created_at.getTime() + LIFETIME_MS);
    return { token, caller: callerOf(context, session.session_id, endsAt) };
  }

  @Query(() => Caller, { description: 'Returns the identity and rights of the caller.' })
  async caller(@Ctx() context: RequestContext): Promise<Caller> {
    const { sessionId } = context.principal;
    const session = sessionId === undefined ? undefined : await this.#deps.sessions.byId(sessionId);
    const endsAt = session ? isoTime(session.created_at.getTime() + LIFETIME_MS) : null;
    return callerOf(context, session?.session_id ?? null, endsAt);
  }

  @Query(() => SessionPage, { description: 'Lists sessions: all for an administrator, else those of the own key.' })
  async sessions(
    @Args(() => SessionFilter) filter: SessionFilter,
    @Ctx() context: RequestContext,
  ): Promise<Page<Session>> {
    return mapPage(await listSessions(this.#deps, context, listQueryOf(filter)), shownSession);
  }

  @Mutation(() => Session, { description: 'Ends a session.' })
  async endSession(
    @Arg('session_id', () => String, SESSION_ID) sessionId: string | null,
    @Ctx() context: RequestContext,
  ): Promise<Session> {
    return shownSession(await endSession(this.#deps, context, sessionId ?? null));
  }
}

const callerOf = (
  { principal, tenantId }: RequestContext,
  sessionId: string | null,
  endsAt: string | null,
): Caller => ({
  session_id: sessionId,
  tenant_id: principal.tenantId ?? tenantId,
  key_id: principal.keyId,
  key_name: principal.keyName,
  actor_id: principal.actorId,
  scopes: [...principal.scopes].sort(),
  ends_at: endsAt,
});
