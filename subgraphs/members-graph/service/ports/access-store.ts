import type { TenantId } from '../../../../shared/ids/tenant.js';
import type { PendingEffect } from '../../../../shared/outbox/pending-effect.js';
import type { AccessKind, CodeStatus } from '../../domain/member-access/one-time-code.js';
import type { SessionStatus } from '../../domain/member-access/session.js';

/** A code that was asked for. One for somebody unknown is the same in all but this: nothing proves it. */
export interface CodeRequest {
  readonly request_id: string;
  readonly tenant_id: TenantId;
  readonly kind: AccessKind;
  /** As it was named. */
  readonly member_id: string;
  readonly known: boolean;
  readonly purpose: string;
  readonly requested_by: string | null;
  /** Of the token that it is good for. */
  readonly token_seconds: number;
  /** HMAC under a key of the tenant's, over the request's id and the code. */
  readonly code_hmac: string;
  readonly tries: number;
  readonly status: CodeStatus;
  /** Of the request that proved it: the same request run again finds it done. */
  readonly verified_by: string | null;
  readonly revision: number;
  readonly created_at: Date;
  readonly created_by: string;
  readonly updated_at: Date;
  readonly expires_at: Date;
}

/** Members of a request that a step changes, and what follows from it. */
export interface CodeStep {
  readonly status: CodeStatus;
  readonly verified_by?: string | null;
  readonly updated_at: Date;
  readonly pending: readonly PendingEffect[];
}

/** Codes that were asked for within one tenant. */
export interface TenantCodes {
  get(requestId: string): Promise<CodeRequest | null>;
  /** False when the identifier is taken. Durable when it resolves. */
  insert(request: CodeRequest, pending: readonly PendingEffect[]): Promise<boolean>;
  /**
   * Takes one of the tries of a code that is PENDING and not expired: counted before anything is judged. Null where none is left
   * to take.
   */
  takeTry(kind: AccessKind, requestId: string, maxTries: number, atMs: number): Promise<CodeRequest | null>;
  /** A step of a PENDING request; null where it is no longer. */
  step(requestId: string, step: CodeStep): Promise<CodeRequest | null>;
  relay(requestId: string, pending: readonly PendingEffect[]): Promise<void>;
}

export type CodeStore = (tenantId: TenantId) => TenantCodes;

/** What a proven code opened. */
export interface Session {
  readonly session_id: string;
  readonly tenant_id: TenantId;
  readonly kind: AccessKind;
  readonly member_id: string;
  readonly purpose: string;
  readonly requested_by: string | null;
  readonly status: SessionStatus;
  readonly access_hmac: string;
  readonly access_until: Date;
  /** Null where it is not renewed. */
  readonly refresh_hmac: string | null;
  /** Those that were used up, oldest first. */
  readonly used_refresh_hmacs: readonly string[];
  readonly ends_at: Date;
  /** Of the request that last moved it. */
  readonly work_id: string | null;
  readonly revision: number;
  readonly created_at: Date;
  readonly updated_at: Date;
}

export interface SessionWrite {
  readonly session: Session;
  readonly pending: readonly PendingEffect[];
}

/** Sessions of one tenant. */
export interface TenantSessions {
  get(sessionId: string): Promise<Session | null>;
  /** False when there is one already. */
  insert(write: SessionWrite): Promise<boolean>;
  /** False when it is no longer at this revision. */
  replace(write: SessionWrite, revision: number): Promise<boolean>;
  relay(write: SessionWrite): Promise<void>;
}

export interface SessionStore {
  forTenant(tenantId: TenantId): TenantSessions;
  /** For a token, which names no tenant: the session tells whose it is. */
  byId(sessionId: string): Promise<Session | null>;
}

/** How often something was done within a window of time, counted for all processes together. */
export interface CodeLimits {
  /** Seconds to wait, null where it may be done; what is refused is counted too. @param name is kept hashed */
  take(name: string, limit: number, windowMs: number): Promise<number | null>;
}

/** Where a member can be reached; null for one that the directory does not know. */
export type MemberContacts = (tenantId: TenantId, memberId: string) => Promise<MemberContact | null>;

export interface MemberContact {
  /** The surviving identifier. */
  readonly member_id: string;
  readonly emails: readonly string[];
  readonly phones: readonly string[];
}
