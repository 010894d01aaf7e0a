/** What a number names. The same text under two kinds is two numbers. */
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
] as const;
export type LinkKind = (typeof LINK_KINDS)[number];

/** What an event is to others that name the same number. */
export type LinkRole =
  | 'CLAIM'
  | 'CLAIM_STATUS'
  | 'REMITTANCE'
  | 'REFERRAL'
  | 'AUTHORIZATION_REQUEST'
  | 'AUTHORIZATION_DECISION'
  | 'PHARMACY_REQUEST'
  | 'PHARMACY_RESPONSE'
  | 'PHARMACY_REVERSAL'
  | 'PHARMACY_REVERSAL_RESPONSE'
  | 'MESSAGE';

/** `KIND:number`: what rows are found by. */
export type NumberKey = string;

export const kindOf = (key: NumberKey): LinkKind => key.slice(0, key.indexOf(':')) as LinkKind;
export const numberOf = (key: NumberKey): string => key.slice(key.indexOf(':') + 1);

export const keysOfKinds = (keys: readonly NumberKey[], kinds: readonly LinkKind[]): NumberKey[] =>
  keys.filter((key) => kinds.includes(kindOf(key)));

/** The time a request for prior authorization must be decided in. */
export interface AuthorizationClock {
  readonly pace: 'EXPEDITED' | 'STANDARD';
  readonly requested_at: Date;
  readonly due_at: Date;
  readonly limit_hours: number;
  /** Where the limit stands. */
  readonly rule: string;
  /** As the request says; null where it does not. */
  readonly program: string | null;
}

/** An event by the numbers that join it to others. All of it follows from the ledger row: it can be made again. */
export interface LinkedEvent {
  readonly event_id: string;
  readonly event_type: string;
  readonly role: LinkRole;
  /** Effective time. */
  readonly at: Date;
  readonly outcome: string | null;
  /** Tells members apart without naming them; null where the event names none. */
  readonly member: string | null;
  readonly keys: readonly NumberKey[];
  /** Those of `keys` that name what this event stands in place of. */
  readonly replaces: readonly NumberKey[];
  /** Those of `keys` that name what this event answers. */
  readonly answers: readonly NumberKey[];
  /** Of a remittance: adjustment reasons that say an authorization was missing. */
  readonly denied_for: readonly string[];
  /** Of a request whose decision is due by a rule. */
  readonly clock: AuthorizationClock | null;
}
