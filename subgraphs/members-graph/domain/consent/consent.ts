import type { ConsentDecision } from '../../../../shared/consent/verdict.js';
import { stateMachine } from '../../../../shared/state-machine/state-machine.js';

// What a member has said about who may see what (api.md section 6 "consent"; FHIR R4 Consent's provision, flat).

export const CONSENT_STATUSES = ['ACTIVE', 'REVOKED'] as const;
export type ConsentStatus = (typeof CONSENT_STATUSES)[number];

export type ConsentAction = 'create' | 'revoke';

/** A consent is never changed: another one is made, and this one revoked. Its period ends it without a step. */
export const CONSENT_MACHINE = stateMachine<ConsentStatus, ConsentAction>('consent', [
  { from: null, action: 'create', to: 'ACTIVE', scope: 'consent:write', emits: ['consent.created'] },
  { from: 'ACTIVE', action: 'revoke', to: 'REVOKED', scope: 'consent:write', emits: ['consent.revoked'] },
]);

/** Every purpose. */
export const ANY_PURPOSE = '*';
/** As consents are stored and asked about: upper case. */
export const purposeOf = (text: string): string => text.toUpperCase();

/** What a member's own token, and one that is asked for without another purpose, reads for. */
export const MEMBER_PURPOSE = 'MEMBER_ACCESS';

/** From ≤ t < until; null is open. */
export interface ConsentPeriod {
  readonly start: Date | null;
  readonly end: Date | null;
}

/** What decides whether a consent speaks to a question. */
export interface ConsentReach {
  readonly status: ConsentStatus;
  readonly decision: ConsentDecision;
  readonly purpose: string;
  /** Whom it is about; empty: anybody. */
  readonly actors: readonly string[];
  readonly period: ConsentPeriod;
}

export interface AskedFor {
  readonly purpose: string;
  readonly actor: string | null;
  readonly atMs: number;
}

export const isWithinPeriod = ({ start, end }: ConsentPeriod, atMs: number): boolean =>
  (start === null || start.getTime() <= atMs) && (end === null || atMs < end.getTime());

/**
 * Does a consent speak to what is asked? One that names actors permits nobody else, and denies nobody else; a DENY for actors
 * holds as well where it is not known who asks.
 */
export function speaksTo({ status, decision, purpose, actors, period }: ConsentReach, asked: AskedFor): boolean {
  if (status !== 'ACTIVE' || !isWithinPeriod(period, asked.atMs)) return false;
  if (purpose !== ANY_PURPOSE && purpose !== purposeOf(asked.purpose)) return false;
  if (actors.length === 0) return true;
  return asked.actor === null ? decision === 'DENY' : actors.includes(asked.actor);
}
