/** The meaning of a number. The same text with two meanings is two numbers. */
export const LINK_KINDS = [
  'CLAIM',
  'PAYER_CLAIM',
  'CLEARINGHOUSE_CLAIM',
  'AUTHORIZATION',
  'REFERRAL',
  'TRACE',
  'SUBMISSION',
  'PRESCRIPTION',
  'MESSAGE',
  'RESOURCE',
  'HOOK',
  'CARD',
] as const;
export type LinkKind = (typeof LINK_KINDS)[number];

/** The role of an event for others with the same number. */
export type LinkRole =
  | 'CLAIM'
  | 'CLAIM_STATUS'
  | 'CLAIM_STATUS_REQUEST'
  | 'ELIGIBILITY_REQUEST'
  | 'ELIGIBILITY_ANSWER'
  | 'REMITTANCE'
  | 'REFERRAL'
  | 'AUTHORIZATION_REQUEST'
  | 'AUTHORIZATION_DECISION'
  | 'PHARMACY_REQUEST'
  | 'PHARMACY_RESPONSE'
  | 'PHARMACY_REVERSAL'
  | 'PHARMACY_REVERSAL_RESPONSE'
  | 'HOOK_REQUEST'
  | 'HOOK_ANSWER'
  | 'HOOK_FEEDBACK'
  | 'MESSAGE';

/** `KIND:number`, the lookup key. */
export type NumberKey = string;

export const kindOf = (key: NumberKey): LinkKind =>
  // Every key is made from a kind.
  key.slice(0, key.indexOf(':')) as LinkKind;
export const numberOf = (key: NumberKey): string => key.slice(key.indexOf(':') + 1);

export const keysOfKinds = (keys: readonly NumberKey[], kinds: readonly LinkKind[]): NumberKey[] =>
  keys.filter((key) => kinds.includes(kindOf(key)));

/** The deadline of a prior authorization request. */
export interface AuthorizationClock {
  readonly pace: 'EXPEDITED' | 'STANDARD';
  readonly requested_at: Date;
  readonly due_at: Date;
  readonly limit_hours: number;
  /** The source of the limit. */
  readonly rule: string;
  /** As stated in the request; null if absent. */
  readonly program: string | null;
}

/** An event with its link numbers, derived from the ledger row. */
export interface LinkedEvent {
  readonly event_id: string;
  readonly event_type: string;
  readonly role: LinkRole;
  /** Effective time. */
  readonly at: Date;
  readonly outcome: string | null;
  /** Distinguishes members without naming them; null if the event names none. */
  readonly member: string | null;
  readonly keys: readonly NumberKey[];
  /** The `keys` that name what this event replaces. */
  readonly replaces: readonly NumberKey[];
  /** The `keys` that name what this event answers. */
  readonly answers: readonly NumberKey[];
  /** For a remittance: adjustment reasons about a missing authorization. */
  readonly denied_for: readonly string[];
  /** For a request with a deadline by rule. */
  readonly clock: AuthorizationClock | null;
}
