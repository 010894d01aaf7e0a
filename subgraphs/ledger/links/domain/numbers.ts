import { sha256Hex } from '../../../../shared/crypto/hash.js';
import { isJsonObject, type JsonObject } from '../../../../shared/json/strict-json.js';
import { contentOf, type LedgerRow, type QueryFields } from '../../append/domain/index.js';
import { authorizationClock } from './authorization-clock.js';
import type { LinkedEvent, LinkKind, LinkRole, NumberKey } from './linked-event.js';

/** Longer numbers are stored as a hash, to keep index entries small. */
const MAX_NUMBER_LENGTH = 120;
/** The most numbers of one event. A batch of numbers in one event would make each a hub. */
const MAX_KEYS = 60;
/** Placeholders that senders write for a missing number. */
const PLACEHOLDER = /^(?:0+|N\/?A|NONE|PENDING|UNKNOWN|NOT ?REQUIRED)$/i;
/** CARC that say an authorization was missing (15), absent (197) or exceeded (198). */
const AUTHORIZATION_REASONS: ReadonlySet<string> = new Set(['15', '197', '198']);

/** Whether events of this family and type are linked at all. */
export const isJoined = ({ query }: Pick<LedgerRow, 'query'>): boolean =>
  query !== undefined && roleOf(query) !== undefined;

/**
 * The link numbers of an event; undefined if it has none. Matching is exact, because senders define their numbers.
 *
 * @param row with its record; neither altered nor hidden.
 */
export function linkedEventOf(row: LedgerRow): LinkedEvent | undefined {
  const { record, query } = row;
  if (record === undefined || query === undefined) return undefined;
  const role = roleOf(query);
  if (role === undefined) return undefined;
  const envelope = contentOf(row) ?? {};
  const payload = isJsonObject(envelope['payload']) ? envelope['payload'] : {};
  const numbers = new Numbers(payload);
  READERS[role](numbers, String(envelope['source_record_id'] ?? ''));
  if (numbers.keys.size === 0) return undefined;
  return {
    event_id: row.event_id,
    event_type: query.event_type,
    role,
    at: query.effective_at,
    outcome: query.outcome ?? null,
    member: query.member_id === undefined ? null : memberMark(row.tenant_id, query.member_id),
    keys: [...numbers.keys],
    replaces: numbers.replaces,
    answers: numbers.answers,
    denied_for: role === 'REMITTANCE' ? numbers.list('carc').filter((code) => AUTHORIZATION_REASONS.has(code)) : [],
    clock:
      role === 'AUTHORIZATION_REQUEST'
        ? authorizationClock({ eventType: query.event_type, requestedAt: query.effective_at, payload })
        : null,
  };
}

const memberMark = (tenantId: string, memberId: string): string => sha256Hex(`${tenantId}\n${memberId}`).slice(0, 24);

const PHARMACY_ROLES: Readonly<Record<string, LinkRole>> = {
  claim_submitted: 'PHARMACY_REQUEST',
  claim_rebilled: 'PHARMACY_REQUEST',
  claim_predetermination: 'PHARMACY_REQUEST',
  authorization_requested: 'PHARMACY_REQUEST',
  authorization_asked: 'PHARMACY_REQUEST',
  claim_adjudicated: 'PHARMACY_RESPONSE',
  claim_estimated: 'PHARMACY_RESPONSE',
  authorization_decided: 'PHARMACY_RESPONSE',
  claim_reversal_requested: 'PHARMACY_REVERSAL',
  authorization_reversal_requested: 'PHARMACY_REVERSAL',
  reversal_decided: 'PHARMACY_REVERSAL_RESPONSE',
};

/** CDS Hooks (Da Vinci CRD). */
const HOOK_ROLES: Readonly<Record<string, LinkRole>> = {
  coverage_requirements_asked: 'HOOK_REQUEST',
  coverage_requirements_answered: 'HOOK_ANSWER',
  coverage_requirements_feedback: 'HOOK_FEEDBACK',
};

/** By the terms of mapping.md section 2; other terms are not linked. */
function roleOf({ event_family, event_type }: QueryFields): LinkRole | undefined {
  switch (event_family) {
    case 'remittance':
      return 'REMITTANCE';
    case 'claim':
      if (event_type === 'claim_status_reported') return 'CLAIM_STATUS';
      if (event_type === 'claim_status_asked') return 'CLAIM_STATUS_REQUEST';
      return event_type.startsWith('claim_') ? 'CLAIM' : undefined;
    case 'eligibility':
      if (event_type === 'eligibility_asked') return 'ELIGIBILITY_REQUEST';
      return event_type === 'eligibility_reported' ? 'ELIGIBILITY_ANSWER' : undefined;
    case 'prior_authorization':
      if (event_type === 'authorization_decided' || event_type === 'authorization_rejected') {
        return 'AUTHORIZATION_DECISION';
      }
      if (event_type.startsWith('referral_')) return 'REFERRAL';
      if (Object.hasOwn(HOOK_ROLES, event_type)) return HOOK_ROLES[event_type];
      return event_type.startsWith('authorization_') ? 'AUTHORIZATION_REQUEST' : undefined;
    case 'pharmacy':
      return Object.hasOwn(PHARMACY_ROLES, event_type) ? PHARMACY_ROLES[event_type] : 'MESSAGE';
    default:
      return undefined;
  }
}

type Reader = (numbers: Numbers, sourceRecordId: string) => void;

const claim: Reader = (numbers, sourceRecordId) => {
  numbers.take('CLAIM', 'claim_id');
  numbers.take('PAYER_CLAIM', 'payer_claim_id');
  numbers.take('CLEARINGHOUSE_CLAIM', 'clearinghouse_claim_id');
  numbers.takeAuthorizations();
  numbers.take('REFERRAL', 'referral_numbers', 'referral_number');
  numbers.resource(sourceRecordId);
  numbers.takeReplaced();
};
const authorization: Reader = (numbers, sourceRecordId) => {
  numbers.takeAuthorizations();
  numbers.take('REFERRAL', 'referral_numbers', 'referral_number');
  numbers.take('TRACE', 'trace_numbers');
  numbers.take('SUBMISSION', 'submission_reference');
  numbers.take('CLAIM', 'claim_id');
  numbers.resource(sourceRecordId);
  numbers.takeRelated();
};
const pharmacy: Reader = (numbers, sourceRecordId) => {
  numbers.prescription(sourceRecordId);
  numbers.takeAuthorizations();
  numbers.take('PAYER_CLAIM', 'payer_claim_id');
};

const claimStatus: Reader = (numbers) => {
  numbers.take('CLAIM', 'claim_id');
  numbers.take('PAYER_CLAIM', 'payer_claim_id');
  numbers.take('CLEARINGHOUSE_CLAIM', 'clearinghouse_claim_id');
  numbers.take('TRACE', 'trace_numbers');
};
const eligibility: Reader = (numbers) => {
  numbers.take('TRACE', 'trace_numbers');
  numbers.take('SUBMISSION', 'submission_reference');
};

const READERS: Readonly<Record<LinkRole, Reader>> = {
  CLAIM: claim,
  CLAIM_STATUS: claimStatus,
  CLAIM_STATUS_REQUEST: claimStatus,
  ELIGIBILITY_REQUEST: eligibility,
  ELIGIBILITY_ANSWER: eligibility,
  REMITTANCE: (numbers) => {
    numbers.take('CLAIM', 'claim_id');
    numbers.take('PAYER_CLAIM', 'payer_claim_id');
    numbers.takeAuthorizations();
    numbers.takeRelated();
  },
  REFERRAL: authorization,
  AUTHORIZATION_REQUEST: authorization,
  AUTHORIZATION_DECISION: authorization,
  PHARMACY_REQUEST: pharmacy,
  PHARMACY_RESPONSE: pharmacy,
  PHARMACY_REVERSAL: pharmacy,
  PHARMACY_REVERSAL_RESPONSE: pharmacy,
  HOOK_REQUEST: (numbers) => {
    numbers.take('HOOK', 'hook_instance');
  },
  HOOK_ANSWER: (numbers) => {
    numbers.take('HOOK', 'hook_instance');
    numbers.take('CARD', 'card_ids');
  },
  HOOK_FEEDBACK: (numbers) => {
    numbers.take('CARD', 'card_ids');
  },
  MESSAGE: (numbers) => {
    numbers.take('MESSAGE', 'message_id');
    numbers.answers.push(...numbers.take('MESSAGE', 'relates_to'));
    numbers.takeAuthorizations();
  },
};

/** Reads numbers from a payload; ignores members that are neither a text nor a list of texts. */
class Numbers {
  readonly keys = new Set<NumberKey>();
  readonly replaces: NumberKey[] = [];
  readonly answers: NumberKey[] = [];
  readonly #payload: JsonObject;

  constructor(payload: JsonObject) {
    this.#payload = payload;
  }

  list(name: string): string[] {
    const value = this.#payload[name];
    const texts = Array.isArray(value) ? value : [value];
    return texts.filter((text): text is string => typeof text === 'string');
  }

  /** @returns the keys of these members. */
  take(kind: LinkKind, ...names: readonly string[]): NumberKey[] {
    const taken = names.flatMap((name) => this.list(name).flatMap((number) => this.add(kind, number)));
    return [...new Set(taken)];
  }

  takeAuthorizations(): void {
    this.take('AUTHORIZATION', 'authorization_number', 'authorization_numbers', 'prior_authorizations');
  }

  /** REF*F8 is the payer's number of the earlier claim; a FHIR claim names it by reference or by number. */
  takeReplaced(): void {
    for (const named of this.list('replaces')) {
      const keys = isReference(named)
        ? this.add('RESOURCE', resourceIn(named))
        : [...this.add('PAYER_CLAIM', named), ...this.add('CLAIM', named)];
      this.replaces.push(...keys);
    }
  }

  /** The reference of a FHIR response to its request. */
  takeRelated(): void {
    for (const named of this.list('relates_to')) if (isReference(named)) this.add('RESOURCE', resourceIn(named));
  }

  /** A FHIR claim as `Type/id`: its record id without the version. */
  resource(sourceRecordId: string): void {
    const [found] = /^Claim\/[A-Za-z0-9.-]{1,64}(?=\/|$)/.exec(sourceRecordId) ?? [];
    if (found !== undefined) this.add('RESOURCE', found);
  }

  /**
   * `103-A3/201-B1/402-D2/403-D3/401-D1` without code and fill number: a response has no 403-D3, and two fills at one
   * pharmacy are on two days.
   */
  prescription(sourceRecordId: string): void {
    const [, provider = '', number = '', date = ''] =
      /^[A-Z]\d\/([^/]*)\/([^/]+)\/[^/]*\/(\d{8})$/.exec(sourceRecordId) ?? [];
    if (number !== '' && !number.startsWith('sha256:')) this.add('PRESCRIPTION', `${provider}/${number}/${date}`);
  }

  add(kind: LinkKind, written: string): NumberKey[] {
    const number = written.trim();
    if (number === '' || PLACEHOLDER.test(number) || this.keys.size >= MAX_KEYS) return [];
    const key = `${kind}:${number.length > MAX_NUMBER_LENGTH ? sha256Hex(number) : number}`;
    this.keys.add(key);
    return [key];
  }
}

const isReference = (text: string): boolean => /(?:^|\/)Claim\/[A-Za-z0-9.-]{1,64}(?:\/|$)|^urn:uuid:/.test(text);

/** `https://server/fhir/Claim/1/_history/2`, `Claim/1` and `urn:uuid:…` become `Claim/id`. */
function resourceIn(reference: string): string {
  const [, id] =
    /(?:^|\/)Claim\/([A-Za-z0-9.-]{1,64})(?=\/|$)/.exec(reference) ?? /^urn:uuid:(.{1,64})$/.exec(reference) ?? [];
  return id === undefined ? '' : `Claim/${id}`;
}
