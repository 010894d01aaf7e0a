import type { RequestContext } from '../../../shared/auth/context.js';
import type { Clock } from '../../../shared/clock/clock.js';
import { sha256Hex } from '../../../shared/crypto/hash.js';
import { problem } from '../../../shared/errors/problem.js';
import { type Ids, isIdOf, type Randomness } from '../../../shared/ids/ids.js';
import { ANY_TENANT } from '../../../shared/ids/tenant.js';
import { type Page, pageOf } from '../../../shared/pagination/cursor.js';
import type { Holder, KeyCheck } from '../access/index.js';
import { platformAct } from '../acts/index.js';
import { reachOf } from '../tenants/domain.js';
import { holderOf } from './check-session.js';
import { mintSessionToken, type SessionStatus, sessionStatusAt } from './domain.js';
import type { SessionQuery, SessionRecord, Sessions } from './ports.js';

export interface SessionDeps {
  readonly sessions: Sessions;
  readonly check: Pick<KeyCheck, 'knownById' | 'knownPerson'>;
  readonly ids: Ids;
  readonly randomness: Randomness;
  readonly clock: Clock;
}

export type ShownSession = SessionRecord & { readonly status: SessionStatus; readonly key_name: string | null };

/**
 * Opens a session for the key of the request. The token is returned once; the service stores its hash.
 *
 * @throws FORBIDDEN for a caller without a key: a session, or a token of member access
 */
export async function openSession(deps: SessionDeps, context: RequestContext, address: string | null) {
  const { principal } = context;
  if (principal.sessionId !== undefined || principal.member !== undefined) {
    throw problem('FORBIDDEN', { message: 'Only an API key opens a session.' });
  }
  const { tenantId, keyId: key_id } = principal;
  return insertSession(deps, context, { tenant_id: tenantId ?? ANY_TENANT, key_id, person: null, address });
}

/** Inserts a new session with its entry in the ledger. @param context of the key or person that the session acts for */
export async function insertSession(
  deps: Pick<SessionDeps, 'sessions' | 'ids' | 'randomness' | 'clock'>,
  context: Pick<RequestContext, 'principal'>,
  opened: Pick<SessionRecord, 'tenant_id' | 'key_id' | 'person' | 'address'>,
) {
  const sessionId = deps.ids.next('session');
  const token = mintSessionToken(sessionId, (target) => deps.randomness.fill(target));
  const at = new Date(deps.clock.nowMs());
  const session: SessionRecord = {
    ...opened,
    session_id: sessionId,
    token_hash: sha256Hex(token),
    created_at: at,
    last_seen_at: at,
    ended_at: null,
    ended_by: null,
  };
  await deps.sessions.insert(session, [actOf(deps, context, 'session.opened', session)]);
  return { token, session };
}

const actOf = (
  deps: Pick<SessionDeps, 'ids' | 'clock'>,
  context: Pick<RequestContext, 'principal'>,
  type: string,
  session: SessionRecord,
) =>
  platformAct(deps.ids, context, {
    type,
    tenantId: session.tenant_id,
    atMs: deps.clock.nowMs(),
    payload: { session_id: session.session_id, key_id: session.key_id },
  });

/** An administrator reaches every session of the tenant; any other caller only those of the same key. */
const isReached = ({ principal }: RequestContext, session: SessionRecord): boolean =>
  principal.scopes.has('admin') || session.key_id === principal.keyId;

/** Lists the sessions in reach, with those that ended in the last month. */
export async function listSessions(
  deps: SessionDeps,
  context: RequestContext,
  query: SessionQuery,
): Promise<Page<ShownSession>> {
  const { principal } = context;
  const where = principal.scopes.has('admin') ? query.where : { ...query.where, key_id: principal.keyId };
  const rows = await deps.sessions.within(reachOf(principal, context.tenantId)).list({ ...query, where });
  const page = pageOf(rows, query.limit, (row) => ({ atMs: row.created_at.getTime(), id: row.session_id }));
  return { ...page, items: await shownWithKeys(deps, page.items) };
}

async function shownWithKeys(deps: SessionDeps, sessions: readonly SessionRecord[]): Promise<ShownSession[]> {
  const nowMs = deps.clock.nowMs();
  const holders = new Map<string, Promise<Holder | undefined>>();
  const holderOfSession = (session: SessionRecord): Promise<Holder | undefined> => {
    const id = JSON.stringify([session.key_id, session.person]);
    const holder = holders.get(id) ?? holderOf(deps.check, session);
    holders.set(id, holder);
    return holder;
  };
  const known = await Promise.all(sessions.map(holderOfSession));
  return sessions.map((session, at) => {
    const key = known[at];
    const keyIsLive = key !== undefined && key.principal !== null && key.isLiveAt(nowMs);
    return { ...session, key_name: key?.name ?? null, status: sessionStatusAt(session, nowMs, keyIsLive) };
  });
}

/**
 * Ends a session; its token is rejected at once in this process and within 5 s in any other. Ending it again changes nothing.
 *
 * @param sessionId null for the session of the request
 * @throws NOT_FOUND for a session out of reach, and for a request without a session that names none
 */
export async function endSession(
  deps: SessionDeps,
  context: RequestContext,
  sessionId: string | null,
): Promise<ShownSession> {
  const { principal } = context;
  const id = sessionId ?? principal.sessionId;
  if (id === undefined || !isIdOf('session', id)) throw problem('NOT_FOUND');
  const inReach = deps.sessions.within(reachOf(principal, context.tenantId));
  const found = await inReach.get(id);
  if (found === null || !isReached(context, found)) throw problem('NOT_FOUND');
  const at = new Date(deps.clock.nowMs());
  const ended = await inReach.end(id, at, principal.keyId, [actOf(deps, context, 'session.ended', found)]);
  const [shown] = await shownWithKeys(deps, [ended ?? found]);
  if (shown === undefined) throw problem('NOT_FOUND');
  return shown;
}
