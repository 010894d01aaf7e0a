import type { LedgerEventView } from '../../../../shared/contracts/event-reads.js';
import { isJsonObject } from '../../../../shared/json/strict-json.js';
import type { SentenceName } from './sentences.js';

/** The decision that an event states. RETURNED: sent back undecided. NONE: not an answer. UNCLEAR: possibly a denial. */
export type Stance = 'NO' | 'YES' | 'OPEN' | 'RETURNED' | 'NONE' | 'UNCLEAR';

/**
 * The subject of the decision: payment of past care, future care, a drug at the counter, or another one. PRESCRIPTION: messages
 * between prescriber and pharmacy. RECORD: a record of care, a person or a document. No plan decides on the last two.
 */
export type Asked = 'CLAIM' | 'REQUEST' | 'DRUG' | 'PRESCRIPTION' | 'RECORD' | 'OTHER';

export interface Decision {
  readonly stance: Stance;
  readonly asked: Asked;
  readonly sentence: SentenceName;
}

/** Outcomes of mapping.md section 2. The service does not guess the meaning of other words. */
const OUTCOMES: Readonly<Record<string, readonly [Stance, SentenceName]>> = {
  denied: ['NO', 'denied'],
  partially_paid: ['NO', 'partially_paid'],
  partially_approved: ['NO', 'partially_approved'],
  applied_to_member: ['NO', 'applied_to_member'],
  paid: ['YES', 'paid'],
  approved: ['YES', 'approved'],
  no_action_required: ['YES', 'no_action_required'],
  pended: ['OPEN', 'pended'],
  submitted: ['OPEN', 'submitted'],
  accepted: ['OPEN', 'accepted'],
  forwarded: ['OPEN', 'forwarded'],
  estimated: ['OPEN', 'estimated'],
  duplicate: ['OPEN', 'duplicate'],
  rejected: ['RETURNED', 'rejected'],
  error: ['RETURNED', 'error'],
  reversed: ['UNCLEAR', 'reversed'],
  cancelled: ['NONE', 'cancelled'],
  active: ['NONE', 'active'],
  inactive: ['NONE', 'inactive'],
  recorded: ['NONE', 'no_answer'],
  scheduled: ['NONE', 'no_answer'],
  no_show: ['NONE', 'no_answer'],
};

const DENIALS: Readonly<Record<Asked, SentenceName>> = {
  CLAIM: 'denied_claim',
  REQUEST: 'denied_request',
  DRUG: 'denied_drug',
  PRESCRIPTION: 'denied',
  RECORD: 'denied',
  OTHER: 'denied',
};

type DecisionEvent = Pick<LedgerEventView, 'event_family' | 'event_type' | 'outcome' | 'payload'>;

/** Sentences for an approval or payment in part. */
const IN_PART: Readonly<Partial<Record<SentenceName, SentenceName>>> = {
  paid: 'partially_paid',
  approved: 'partially_approved',
};

interface ReasonsGiven {
  /** The event has reasons: without an outcome it may be a denial. */
  readonly any: boolean;
  /** A reason denies a part: a paid claim may have denied lines. */
  readonly refuse: boolean;
}

export function decisionOf(event: DecisionEvent, reasons: ReasonsGiven): Decision {
  const asked = askedOf(event);
  const outcome = event.outcome?.trim().toLowerCase() ?? '';
  const known = Object.hasOwn(OUTCOMES, outcome) ? OUTCOMES[outcome] : undefined;
  const other = noAnswerOf(event, asked, known);
  const isSilent = outcome === '' || outcome === 'unknown';
  if (asked === 'RECORD' && isSilent && !reasons.any) return { stance: 'NONE', asked, sentence: 'no_answer' };
  if (other !== null) return { stance: 'NONE', asked, sentence: other };
  if (known !== undefined) {
    const [stance, sentence] = known;
    const inPart = reasons.refuse ? IN_PART[sentence] : undefined;
    if (inPart !== undefined) return { stance: 'NO', asked, sentence: inPart };
    return { stance, asked, sentence: sentence === 'denied' ? DENIALS[asked] : sentence };
  }
  const says = outcome !== '' || reasons.any;
  return { stance: says ? 'UNCLEAR' : 'NONE', asked, sentence: says ? 'unknown_outcome' : 'no_answer' };
}

/** Handles outcomes that have another meaning in an event that is not a plan's answer. */
function noAnswerOf(
  { event_family, event_type }: DecisionEvent,
  asked: Asked,
  known: readonly [Stance, SentenceName] | undefined,
): SentenceName | null {
  const [family, type] = [event_family?.toLowerCase() ?? '', event_type?.toLowerCase() ?? ''];
  if (asked === 'PRESCRIPTION') return 'prescription';
  // A posted charge is not a claim yet.
  if (type === 'charge_posted' && known?.[0] !== 'NO') return 'no_answer';
  if (known === undefined) return null;
  const [stance, sentence] = known;
  // A denial in a caller's own record of care counts: it may be the plan's.
  if (asked === 'RECORD' && stance !== 'NO') return sentence === 'cancelled' ? sentence : 'no_answer';
  if (type === 'reversal_decided' && sentence === 'approved') return 'claim_taken_back';
  const isOfCover = sentence === 'active' || sentence === 'inactive';
  return isOfCover && !/eligib|cover|enrol/.test(`${family} ${type}`) ? 'no_answer' : null;
}

/** Event types of NCPDP SCRIPT (mapping.md section 2). Prior authorization, pa_…, goes to the plan. */
const PRESCRIPTION = /^(?:new_rx|rx_|cancel_rx|rems_|clinical_info_)/;
/** SCRIPT event types with names that callers may use for other events. */
const PERHAPS_PRESCRIPTION = /^(?:status|error|verify|resupply|drug_administration|recertification)$/;

function isPrescription(type: string, payload: DecisionEvent['payload']): boolean {
  const { raw } = payload;
  const isRead = isJsonObject(raw) && raw['format'] === 'ncpdp';
  return PRESCRIPTION.test(type) || (isRead && PERHAPS_PRESCRIPTION.test(type));
}

const RECORDS: ReadonlySet<string> = new Set(['clinical', 'encounter', 'document', 'appointment', 'member']);

/** Returns the subject by the families of mapping.md section 2 and the words of callers' own envelopes. */
function askedOf({ event_family, event_type, payload }: DecisionEvent): Asked {
  const family = event_family?.toLowerCase() ?? '';
  const type = event_type?.toLowerCase() ?? '';
  const review = /authori[sz]ation|prior_auth|precert|^pa_/.test(type);
  if (family === 'remittance') return 'CLAIM';
  if (family === 'claim' || family === 'claims') return review ? 'REQUEST' : 'CLAIM';
  if (family === 'pharmacy') return review ? 'REQUEST' : isPrescription(type, payload) ? 'PRESCRIPTION' : 'DRUG';
  if (review || /authori[sz]ation|utilization/.test(family)) return 'REQUEST';
  return RECORDS.has(family) ? 'RECORD' : 'OTHER';
}
