import { authorise, type MemberGrant, type RequestContext, requireTenant } from '../../../../shared/auth/context.js';
import { mintMemberToken, readMemberToken } from '../../../../shared/auth/member-token.js';
import type { MemberDirectory } from '../../../../shared/contracts/members.js';
import { equalInConstantTime } from '../../../../shared/crypto/hash.js';
import { ID_PREFIXES, idLike } from '../../../../shared/ids/ids.js';
import type { TenantId } from '../../../../shared/ids/tenant.js';
import { forWork } from '../../../../shared/ids/work.js';
import { type TransitionRow, transition } from '../../../../shared/state-machine/state-machine.js';
import {
  isOpenAt,
  MEMBER_TOKEN_LIFETIME_MS,
  SESSION_LIFETIME_MS,
  SESSION_MACHINES,
  type SessionAction,
} from '../../domain/member-access/session.js';
import type { CodeRequest, Session, SessionWrite } from '../ports/access-store.js';
import { ACCESS_SCOPES, type AccessDeps, refusedCode, refusedToken, tokenHmac } from './access-deps.js';
import { accessEntries, FAMILIES } from './access-entry.js';

export type SessionDeps = Pick<AccessDeps, 'sessions' | 'clock' | 'ids' | 'randomness' | 'masterKey'>;

/** A session and its tokens, which are told once. */
export interface OpenedSession {
  readonly session: Session;
  readonly access_token: string;
  readonly refresh_token: string | null;
}

/** The session that a code opens has its identifier from the code's request: there is one, however often it is asked for. */
export const sessionIdOf = (requestId: string): string => idLike('session', requestId);

/** Opens the session that a proven code is good for. @throws UNAUTHENTICATED where another request has opened it */
export async function openSession(
  deps: SessionDeps,
  context: RequestContext,
  request: CodeRequest,
): Promise<OpenedSession> {
  const { kind, tenant_id: tenantId, token_seconds } = request;
  const session_id = sessionIdOf(request.request_id);
  const tokens = tokensOf(deps, context, kind, session_id);
  const atMs = deps.clock.nowMs();
  const at = new Date(atMs);
  const access_until = new Date(atMs + token_seconds * 1_000);
  const step = transition(SESSION_MACHINES[kind], null, 'open');
  const session: Session = {
    session_id,
    tenant_id: tenantId,
    kind,
    member_id: request.member_id,
    purpose: request.purpose,
    requested_by: request.requested_by,
    status: step.to,
    ...tokens.stored,
    access_until,
    used_refresh_hmacs: [],
    ends_at: kind === 'AVA' ? access_until : new Date(atMs + SESSION_LIFETIME_MS),
    work_id: context.workId,
    revision: 1,
    created_at: at,
    updated_at: at,
  };
  const write = writeOf(deps, context, session, step);
  const sessions = deps.sessions.forTenant(tenantId);
  if (await sessions.insert(write)) {
    await sessions.relay(write);
    return { session, ...tokens.told };
  }
  const standing = await sessions.get(session_id);
  // The same request run again makes the same tokens; any other came too late.
  if (standing === null || !isSameToken(standing.access_hmac, tokens.stored.access_hmac)) throw refusedCode();
  return { session: standing, ...tokens.told };
}

/**
 * Renews a member's session. A refresh token is good once: one that comes again is in two hands, and the session ends.
 * @throws UNAUTHENTICATED
 */
export async function refreshSession(
  deps: SessionDeps,
  context: RequestContext,
  refreshToken: string,
): Promise<OpenedSession> {
  const sessions = deps.sessions.forTenant(authorise(context, ACCESS_SCOPES.MEMBER));
  const standing = await sessionOfToken(deps, context, refreshToken, 'refresh');
  if (standing === null) throw refusedToken();
  const presented = tokenHmac(deps.masterKey, refreshToken).toString('hex');
  const tokens = tokensOf(deps, context, standing.kind, standing.session_id);
  const isCurrent = standing.refresh_hmac !== null && isSameToken(standing.refresh_hmac, presented);
  const atMs = deps.clock.nowMs();
  if (isCurrent && standing.status === 'ACTIVE' && atMs < standing.ends_at.getTime()) {
    const step = transition(SESSION_MACHINES[standing.kind], standing.status, 'refresh');
    const session: Session = {
      ...standing,
      ...tokens.stored,
      used_refresh_hmacs: [...standing.used_refresh_hmacs, presented],
      access_until: new Date(Math.min(atMs + MEMBER_TOKEN_LIFETIME_MS, standing.ends_at.getTime())),
      work_id: context.workId,
      revision: standing.revision + 1,
      updated_at: new Date(atMs),
    };
    const write = writeOf(deps, context, session, step);
    if (await sessions.replace(write, standing.revision)) {
      await sessions.relay(write);
      return { session, ...tokens.told };
    }
    // Somebody brought the same token in the same moment: what stands now is judged anew.
    return refreshSession(deps, context, refreshToken);
  }
  if (!standing.used_refresh_hmacs.some((used) => isSameToken(used, presented))) throw refusedToken();
  const isDone = context.workId !== null && standing.work_id === context.workId && standing.status === 'ACTIVE';
  if (isDone && isSameToken(standing.access_hmac, tokens.stored.access_hmac))
    return { session: standing, ...tokens.told };
  await moveTo(deps, context, standing, 'reuse');
  throw refusedToken();
}

/** Ends the session of a token, its own or the one that is named. One that is ended, or never was, is no different. */
export async function endSession(deps: SessionDeps, context: RequestContext, token: string | null): Promise<void> {
  const { member, keyId } = context.principal;
  if (member !== undefined) {
    const own = await deps.sessions.forTenant(requireTenant(context)).get(keyId);
    if (own !== null) await moveTo(deps, context, own, 'end');
    return;
  }
  authorise(context, ACCESS_SCOPES.MEMBER);
  if (token === null) return;
  const named = await sessionOfToken(deps, context, token, null);
  if (named === null) return;
  const presented = tokenHmac(deps.masterKey, token).toString('hex');
  const { access_hmac, refresh_hmac, used_refresh_hmacs } = named;
  const known = [access_hmac, ...(refresh_hmac === null ? [] : [refresh_hmac]), ...used_refresh_hmacs];
  if (known.some((hmac) => isSameToken(hmac, presented))) await moveTo(deps, context, named, 'end');
}

/** Ends a session by its id: for who revokes the request that opened it. */
export async function endSessionOf(deps: SessionDeps, context: RequestContext, requestId: string): Promise<void> {
  const standing = await deps.sessions.forTenant(requireTenant(context)).get(sessionIdOf(requestId));
  if (standing !== null) await moveTo(deps, context, standing, 'end');
}

export interface MemberVerdict {
  readonly session_id: string;
  readonly tenant_id: TenantId;
  readonly grant: MemberGrant;
}

/** What a presented access token is worth now; null for one that is worth nothing. */
export async function judgeToken(
  {
    sessions,
    clock,
    masterKey,
    directory,
  }: Pick<AccessDeps, 'sessions' | 'clock' | 'masterKey'> & {
    readonly directory: MemberDirectory;
  },
  token: string,
): Promise<MemberVerdict | null> {
  const read = readMemberToken(token);
  if (read?.use !== 'access') return null;
  const session = await sessions.byId(`${ID_PREFIXES.session}_${read.ulid}`);
  if (session === null || session.kind !== read.kind) return null;
  if (!isSameToken(session.access_hmac, tokenHmac(masterKey, token).toString('hex'))) return null;
  if (!isOpenAt(session, clock.nowMs())) return null;
  const { session_id, tenant_id, kind, member_id, purpose, requested_by } = session;
  const identity = await directory.identityOf(tenant_id, member_id);
  const member_ids = identity?.member_ids ?? [member_id];
  return { session_id, tenant_id, grant: { kind, member_id, member_ids, purpose, requested_by } };
}

/** Until it is done, or there is nothing left to do: a session that is not ACTIVE stays as it is. */
async function moveTo(
  deps: SessionDeps,
  context: RequestContext,
  standing: Session,
  action: Exclude<SessionAction, 'open' | 'refresh'>,
): Promise<void> {
  const sessions = deps.sessions.forTenant(standing.tenant_id);
  for (let now: Session | null = standing; now?.status === 'ACTIVE'; now = await sessions.get(standing.session_id)) {
    const step = transition(SESSION_MACHINES[now.kind], now.status, action);
    const updated_at = new Date(deps.clock.nowMs());
    const session = { ...now, status: step.to, work_id: context.workId, revision: now.revision + 1, updated_at };
    const write = writeOf(deps, context, session, step);
    if (!(await sessions.replace(write, now.revision))) continue;
    await sessions.relay(write);
    return;
  }
}

/** The session that a text names, of this tenant; whether the text is its token is judged by who asks. */
async function sessionOfToken(
  { sessions }: Pick<SessionDeps, 'sessions'>,
  context: RequestContext,
  token: string,
  use: 'refresh' | null,
): Promise<Session | null> {
  const read = readMemberToken(token);
  if (read === null || read.kind !== 'MEMBER' || (use !== null && read.use !== use)) return null;
  return sessions.forTenant(requireTenant(context)).get(`${ID_PREFIXES.session}_${read.ulid}`);
}

/** Fresh tokens of a session; with an Idempotency-Key the same ones for the same request. */
function tokensOf(deps: SessionDeps, context: RequestContext, kind: Session['kind'], sessionId: string) {
  const { randomness } = forWork(deps, context, 'member-tokens');
  const ulid = sessionId.slice(ID_PREFIXES.session.length + 1);
  const fill = (target: Uint8Array): Uint8Array => randomness.fill(target);
  const access_token = mintMemberToken(kind === 'AVA' ? 'eva' : 'emt', ulid, fill);
  const refresh_token = kind === 'AVA' ? null : mintMemberToken('emr', ulid, fill);
  const hmacOf = (token: string): string => tokenHmac(deps.masterKey, token).toString('hex');
  return {
    told: { access_token, refresh_token },
    stored: { access_hmac: hmacOf(access_token), refresh_hmac: refresh_token === null ? null : hmacOf(refresh_token) },
  };
}

const isSameToken = (a: string, b: string): boolean =>
  equalInConstantTime(Buffer.from(a, 'hex'), Buffer.from(b, 'hex'));

const writeOf = (deps: SessionDeps, context: RequestContext, session: Session, step: TransitionRow): SessionWrite => ({
  session,
  pending: accessEntries(deps, context, {
    tenantId: session.tenant_id,
    family: FAMILIES[session.kind],
    step,
    at: session.updated_at,
    payload: { session_id: session.session_id, revision: session.revision },
  }),
});
