import { authorise, type MemberGrant, type RequestContext, requireTenant } from '../../../shared/auth/context.js';
import { mintMemberToken, readMemberToken } from '../../../shared/auth/member-token.js';
import type { MemberDirectory } from '../../../shared/contracts/members.js';
import { equalInConstantTime } from '../../../shared/crypto/hash.js';
import { ID_PREFIXES, idLike } from '../../../shared/ids/ids.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { forWork } from '../../../shared/ids/work.js';
import { type TransitionRow, transition } from '../../../shared/state-machine/state-machine.js';
import {
  ACCESS_SCOPES,
  type AccessDeps,
  accessEntries,
  FAMILIES,
  invalidCode,
  invalidToken,
  tokenHmac,
} from './deps.js';
import {
  isOpenAt,
  MEMBER_TOKEN_LIFETIME_MS,
  SESSION_LIFETIME_MS,
  SESSION_MACHINES,
  type SessionAction,
} from './domain.js';
import type { CodeRequest, Session, SessionWrite } from './ports.js';

type SessionDeps = Pick<AccessDeps, 'sessions' | 'clock' | 'ids' | 'randomness' | 'masterKey'>;

/** A session and its tokens, which are returned once. */
export interface OpenedSession {
  readonly session: Session;
  readonly access_token: string;
  readonly refresh_token: string | null;
}

/** Derives the session id from the request, so that a code opens one session. */
const sessionIdOf = (requestId: string): string => idLike('session', requestId);

/** Opens the session of a proven code. @throws UNAUTHENTICATED if another request has opened it */
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
  if (await sessions.insert(write)) return { session, ...tokens.issued };
  const current = await sessions.get(session_id);
  // A repeated request creates the same tokens; any other request came second.
  if (current === null || !isSameToken(current.access_hmac, tokens.stored.access_hmac)) throw invalidCode();
  return { session: current, ...tokens.issued };
}

/**
 * Renews a member's session. A refresh token is valid once; using it twice ends the session.
 *
 * @throws UNAUTHENTICATED
 */
export async function refreshSession(
  deps: SessionDeps,
  context: RequestContext,
  refreshToken: string,
): Promise<OpenedSession> {
  const sessions = deps.sessions.forTenant(authorise(context, ACCESS_SCOPES.MEMBER));
  const current = await sessionOfToken(deps, context, refreshToken, 'refresh');
  if (current === null) throw invalidToken();
  const presented = tokenHmac(deps.masterKey, refreshToken).toString('hex');
  const tokens = tokensOf(deps, context, current.kind, current.session_id);
  const isCurrent = current.refresh_hmac !== null && isSameToken(current.refresh_hmac, presented);
  const atMs = deps.clock.nowMs();
  if (isCurrent && current.status === 'ACTIVE' && atMs < current.ends_at.getTime()) {
    const step = transition(SESSION_MACHINES[current.kind], current.status, 'refresh');
    const session: Session = {
      ...current,
      ...tokens.stored,
      used_refresh_hmacs: [...current.used_refresh_hmacs, presented],
      access_until: new Date(Math.min(atMs + MEMBER_TOKEN_LIFETIME_MS, current.ends_at.getTime())),
      work_id: context.workId,
      revision: current.revision + 1,
      updated_at: new Date(atMs),
    };
    const write = writeOf(deps, context, session, step);
    if (await sessions.replace(write, current.revision)) return { session, ...tokens.issued };
    // A concurrent request used the same token: decide again on the current session.
    return refreshSession(deps, context, refreshToken);
  }
  if (!current.used_refresh_hmacs.some((used) => isSameToken(used, presented))) throw invalidToken();
  const isDone = context.workId !== null && current.work_id === context.workId && current.status === 'ACTIVE';
  if (isDone && isSameToken(current.access_hmac, tokens.stored.access_hmac))
    return { session: current, ...tokens.issued };
  await moveTo(deps, context, current, 'reuse');
  throw invalidToken();
}

/** Ends the caller's own session or the session of the given token. Idempotent; unknown tokens are ignored. */
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

/** Ends the session that a request opened. */
export async function endSessionOf(deps: SessionDeps, context: RequestContext, requestId: string): Promise<void> {
  const current = await deps.sessions.forTenant(requireTenant(context)).get(sessionIdOf(requestId));
  if (current !== null) await moveTo(deps, context, current, 'end');
}

interface MemberVerdict {
  readonly session_id: string;
  readonly tenant_id: TenantId;
  readonly grant: MemberGrant;
}

/** Returns the access that a token grants now; null for an invalid token. */
export async function checkToken(
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

/** Takes the step unless the session is no longer ACTIVE; retries after concurrent changes. */
async function moveTo(
  deps: SessionDeps,
  context: RequestContext,
  current: Session,
  action: Exclude<SessionAction, 'open' | 'refresh'>,
): Promise<void> {
  const sessions = deps.sessions.forTenant(current.tenant_id);
  for (let now: Session | null = current; now?.status === 'ACTIVE'; now = await sessions.get(current.session_id)) {
    const step = transition(SESSION_MACHINES[now.kind], now.status, action);
    const updated_at = new Date(deps.clock.nowMs());
    const session = { ...now, status: step.to, work_id: context.workId, revision: now.revision + 1, updated_at };
    const write = writeOf(deps, context, session, step);
    if (await sessions.replace(write, now.revision)) return;
  }
}

/** Returns the session that a token names. The caller must compare the token's hash. */
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

/** Creates tokens of a session; a repeated request with an Idempotency-Key gets the same tokens. */
function tokensOf(deps: SessionDeps, context: RequestContext, kind: Session['kind'], sessionId: string) {
  const { randomness } = forWork(deps, context, 'member-tokens');
  const ulid = sessionId.slice(ID_PREFIXES.session.length + 1);
  const fill = (target: Uint8Array): Uint8Array => randomness.fill(target);
  const access_token = mintMemberToken(kind === 'AVA' ? 'eva' : 'emt', ulid, fill);
  const refresh_token = kind === 'AVA' ? null : mintMemberToken('emr', ulid, fill);
  const hmacOf = (token: string): string => tokenHmac(deps.masterKey, token).toString('hex');
  return {
    issued: { access_token, refresh_token },
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
