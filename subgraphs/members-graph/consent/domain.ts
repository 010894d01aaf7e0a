import type { ConsentDecision } from '../../../shared/consent/verdict.js';
import { stateMachine } from '../../../shared/state-machine/state-machine.js';
import { isWithin, type Period } from '../records/domain.js';

// Consents of members (api.md section 6 "consent"; the provision of FHIR R4 Consent, flattened).

export const CONSENT_STATUSES = ['ACTIVE', 'REVOKED'] as const;
export type ConsentStatus = (typeof CONSENT_STATUSES)[number];

export type ConsentAction = 'create' | 'revoke';

/** A consent never changes: a new one replaces it. Its period ends it without a step. */
export const CONSENT_MACHINE = stateMachine<ConsentStatus, ConsentAction>('consent', [
  { from: null, action: 'create', to: 'ACTIVE', scope: 'consent:write', emits: ['consent.created'] },
  { from: 'ACTIVE', action: 'revoke', to: 'REVOKED', scope: 'consent:write', emits: ['consent.revoked'] },
]);

/** Every purpose. */
export const ANY_PURPOSE = '*';
/** Folds a purpose: stored and compared in upper case. */
export const purposeOf = (text: string): string => text.toUpperCase();

/** Purpose of reads with a member's own token, and of tokens without another purpose. */
export const MEMBER_PURPOSE = 'MEMBER_ACCESS';

/** The members of a consent that decide whether it applies. */
interface ConsentReach {
  readonly status: ConsentStatus;
  readonly decision: ConsentDecision;
  readonly purpose: string;
  /** Empty: everyone. */
  readonly actors: readonly string[];
  readonly period: Period;
}

interface Question {
  readonly purpose: string;
  readonly actor: string | null;
  readonly atMs: number;
}

/**
 * True if a consent applies to a question. A consent with actors applies to those actors only; a DENY with actors also applies
 * to an unknown actor.
 */
export function appliesTo({ status, decision, purpose, actors, period }: ConsentReach, question: Question): boolean {
  if (status !== 'ACTIVE' || !isWithin(period, question.atMs)) return false;
  if (purpose !== ANY_PURPOSE && purpose !== purposeOf(question.purpose)) return false;
  if (actors.length === 0) return true;
  return question.actor === null ? decision === 'DENY' : actors.includes(question.actor);
}
