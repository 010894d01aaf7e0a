import type { Principal } from '../../../shared/auth/context.js';
import { ABSENT_MAX_AGE_MS, ANSWER_MAX_AGE_MS, MAX_CACHED_ANSWERS } from '../../../shared/cache/answer-age.js';
import { FreshCache } from '../../../shared/cache/fresh-cache.js';
import type { Clock } from '../../../shared/clock/clock.js';
import type { KeyAuthority, KeyVerdict } from '../../../shared/contracts/tenants.js';
import { equalInConstantTime, sha256Hex } from '../../../shared/crypto/hash.js';
import { describeUnexpected } from '../../../shared/telemetry/describe-error.js';
import type { Logger } from '../../../shared/telemetry/logger.js';
import type { Holder, KeyCheck } from '../access/index.js';
import { sessionEndsAtMs, sessionIdIn, TOUCH_INTERVAL_MS } from './domain.js';
import type { SessionRecord, Sessions } from './ports.js';

interface SessionCheckDeps {
  readonly sessions: Pick<Sessions, 'byId' | 'touch'>;
  readonly check: Pick<KeyCheck, 'authenticate' | 'verdict' | 'knownById' | 'knownPerson'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

interface KnownSession {
  readonly session: SessionRecord;
  readonly key: Holder | undefined;
}

/** The current holder of a session's rights: the key that opened it, or the person who signed in. */
export const holderOf = (
  check: Pick<KeyCheck, 'knownById' | 'knownPerson'>,
  { key_id, tenant_id, person }: Pick<SessionRecord, 'key_id' | 'tenant_id' | 'person'>,
): Promise<Holder | undefined> =>
  person === null ? check.knownById(key_id) : check.knownPerson({ ...person, tenant_id, actor_id: key_id });

/**
 * Checks session tokens, and passes everything else to the check of keys. A session has the rights of its key or person at each
 * request: when the key is revoked, expired, or limited to other addresses, or the person's actor suspended, so is the session. The stored side is cached as
 * long as that of a key, less than 5 s.
 */
export class SessionCheck implements KeyAuthority {
  readonly #deps: SessionCheckDeps;
  readonly #known: FreshCache<KnownSession>;
  /** Last use of each session that this process has noted; at most once a minute goes to the database. */
  readonly #seenMs = new Map<string, number>();
  readonly #writes = new Set<Promise<void>>();

  constructor(deps: SessionCheckDeps) {
    this.#deps = deps;
    this.#known = new FreshCache({
      clock: deps.clock,
      maxAgeMs: ANSWER_MAX_AGE_MS,
      absentMaxAgeMs: ABSENT_MAX_AGE_MS,
      maxEntries: MAX_CACHED_ANSWERS,
      load: (sessionId) => this.#load(sessionId),
    });
  }

  async authenticate(presented: string, address: string | null): Promise<Principal | undefined> {
    const sessionId = sessionIdIn(presented);
    if (sessionId === null) return this.#deps.check.authenticate(presented, address);
    const found = this.#live(presented, await this.#known.get(sessionId));
    if (found === undefined || !found.key.isAllowedFrom(address)) return undefined;
    this.#touch(found.session);
    return found.principal;
  }

  /** Answers another process from the database; see KeyCheck.verdict. */
  async verdict(presented: string, address: string | null): Promise<KeyVerdict | undefined> {
    const sessionId = sessionIdIn(presented);
    if (sessionId === null) return this.#deps.check.verdict(presented, address);
    const found = this.#live(presented, await this.#load(sessionId));
    if (found === undefined) return undefined;
    if (found.key.isAllowedFrom(address)) this.#touch(found.session);
    const ends = [found.key.endsAtMs, sessionEndsAtMs(found.session)].filter((end) => end !== null);
    return { principal: found.principal, endsAtMs: Math.min(...ends), allowedCidrs: found.key.allowedCidrs };
  }

  /** Drops a session that this process has changed. */
  forget(sessionId: string): void {
    this.#known.forget(sessionId);
  }

  /** Drops all sessions after this process has changed a key, a role or an actor. */
  forgetAll(): void {
    this.#known.forgetAll();
  }

  /** Resolves when all uses noted so far are written. */
  async settled(): Promise<void> {
    await Promise.all(this.#writes);
  }

  async #load(sessionId: string): Promise<KnownSession | undefined> {
    const session = await this.#deps.sessions.byId(sessionId);
    return session && { session, key: await holderOf(this.#deps.check, session) };
  }

  #live(presented: string, known: KnownSession | undefined) {
    if (known === undefined) return undefined;
    const { session, key } = known;
    const hash = Buffer.from(sha256Hex(presented), 'hex');
    if (!equalInConstantTime(Buffer.from(session.token_hash, 'hex'), hash)) return undefined;
    const nowMs = this.#deps.clock.nowMs();
    const lastMs = Math.max(session.last_seen_at.getTime(), this.#seenMs.get(session.session_id) ?? 0);
    const isOpen = session.ended_at === null && nowMs < sessionEndsAtMs({ ...session, last_seen_at: new Date(lastMs) });
    if (!isOpen || key === undefined || key.principal === null || !key.isLiveAt(nowMs)) return undefined;
    return {
      session,
      key,
      principal: { ...key.principal, sessionId: session.session_id, signedInAtMs: session.created_at.getTime() },
    };
  }

  /** Notes a use in the background; a failure must not fail the request. */
  #touch({ session_id, last_seen_at }: SessionRecord): void {
    const { clock, sessions, logger } = this.#deps;
    const nowMs = clock.nowMs();
    if (nowMs - Math.max(last_seen_at.getTime(), this.#seenMs.get(session_id) ?? 0) < TOUCH_INTERVAL_MS) return;
    for (const [id, seenMs] of this.#seenMs) if (nowMs - seenMs >= TOUCH_INTERVAL_MS) this.#seenMs.delete(id);
    this.#seenMs.set(session_id, nowMs);
    const write = sessions
      .touch(session_id, new Date(nowMs))
      .then(() => this.forget(session_id))
      .catch((error: unknown) => logger.warn(describeUnexpected(error), 'could not write the last use of a session'))
      .finally(() => this.#writes.delete(write));
    this.#writes.add(write);
  }
}
