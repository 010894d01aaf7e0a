import type { PendingEffect } from '../../../shared/outbox/pending-effect.js';
import type { ListQuery } from '../../../shared/records/records.js';
import type { Reach } from '../tenants/domain.js';

/** A session as stored; `*` as tenant for a session of an operator's key. */
export interface SessionRecord {
  readonly session_id: string;
  readonly tenant_id: Reach;
  /**
   * The key that opened it, or the actor of the person who signed in; the session has exactly its rights, for as long as
   * the key or the actor has them.
   */
  readonly key_id: string;
  /** Null for a session that a key opened. */
  readonly person: PersonOfSession | null;
  /** SHA-256 of the token, lower-case hex. The token has 256 random bits, so a plain hash cannot be searched. */
  readonly token_hash: string;
  readonly address: string | null;
  readonly created_at: Date;
  readonly last_seen_at: Date;
  readonly ended_at: Date | null;
  readonly ended_by: string | null;
}

interface PersonOfSession {
  /** Roles that the claims of the sign-in name; null where the actor's own roles count. */
  readonly role_ids: readonly string[] | null;
}

export type SessionQuery = ListQuery<Pick<SessionRecord, 'key_id'>>;

export interface Sessions {
  insert(session: SessionRecord, pending: readonly PendingEffect[]): Promise<void>;
  /** The look-up of a token, before its tenant is known. */
  byId(sessionId: string): Promise<SessionRecord | undefined>;
  /** Moves `last_seen_at` forward, never back; an ended session stays as it is. */
  touch(sessionId: string, at: Date): Promise<void>;
  within(reach: Reach): SessionsInReach;
}

interface SessionsInReach {
  get(sessionId: string): Promise<SessionRecord | null>;
  /** Returns up to `limit + 1` rows in order. */
  list(query: SessionQuery): Promise<readonly SessionRecord[]>;
  /** @returns null if the session has ended already or is out of reach. */
  end(sessionId: string, at: Date, by: string, pending: readonly PendingEffect[]): Promise<SessionRecord | null>;
}
