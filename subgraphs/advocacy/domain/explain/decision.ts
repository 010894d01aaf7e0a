import type { LedgerEventView } from '../../../../shared/contracts/event-reads.js';
import { isJsonObject } from '../../../../shared/json/strict-json.js';
import type { SentenceName } from './sentences.js';

/** What an event says of a decision. RETURNED: sent back without one. NONE: it is no answer at all. UNCLEAR: it may be a no. */
export type Stance = 'NO' | 'YES' | 'OPEN' | 'RETURNED' | 'NONE' | 'UNCLEAR';

/**
 * What was asked for: payment of care that was given, care to come, a drug at the counter, or something else. PRESCRIPTION: what
 * a prescriber and a pharmacy write to each other. RECORD: of care, of a person, of a document. No plan decides on those two.
 */
export type Asked = 'CLAIM' | 'REQUEST' | 'DRUG' | 'PRESCRIPTION' | 'RECORD' | 'OTHER';

export interface Decision {
  readonly stance: Stance;
  readonly asked: Asked;
  readonly sentence: SentenceName;
}

/** By the outcomes of mapping.md section 2; any other word is the sender's own, and its meaning is not guessed. */
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

type Judged = Pick<LedgerEventView, 'event_family' | 'event_type' | 'outcome' | 'payload'>;

/** Of a yes that is no yes to everything. */
const IN_PART: Readonly<Partial<Record<SentenceName, SentenceName>>> = {
  paid: 'partially_paid',
  approved: 'partially_approved',
};

export interface ReasonsGiven {
  /** A record without an outcome that still gives reasons may be a denial. */
  readonly any: boolean;
  /** Some of them refuse a part: a claim whose outcome is paid may have lines that were denied. */
  readonly refuse: boolean;
}

export function decisionOf(event: Judged, reasons: ReasonsGiven): Decision {
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

/** Words of a plan's answer that mean something else in a record that is none. */
function noAnswerOf(
  { event_family, event_type }: Judged,
  asked: Asked,
  known: readonly [Stance, SentenceName] | undefined,
): SentenceName | null {
  const [family, type] = [event_family?.toLowerCase() ?? '', event_type?.toLowerCase() ?? ''];
  if (asked === 'PRESCRIPTION') return 'prescription';
  // What a hospital books is not yet sent to anybody.
  if (type === 'charge_posted' && known?.[0] !== 'NO') return 'no_answer';
  if (known === undefined) return null;
  const [stance, sentence] = known;
  // A caller's own record of care that says no is heard: it may be the plan's.
  if (asked === 'RECORD' && stance !== 'NO') return sentence === 'cancelled' ? sentence : 'no_answer';
  if (type === 'reversal_decided' && sentence === 'approved') return 'claim_taken_back';
  const isOfCover = sentence === 'active' || sentence === 'inactive';
  return isOfCover && !/eligib|cover|enrol/.test(`${family} ${type}`) ? 'no_answer' : null;
}

/** Of NCPDP SCRIPT (mapping.md section 2); those of prior authorization, pa_…, go to the plan. */
const PRESCRIPTION = /^(?:new_rx|rx_|cancel_rx|rems_|clinical_info_)/;
/** Others of SCRIPT, whose names a caller may use for something else. */
const PERHAPS_PRESCRIPTION = /^(?:status|error|verify|resupply|drug_administration|recertification)$/;

function isPrescription(type: string, payload: Judged['payload']): boolean {
  const { raw } = payload;
  const isRead = isJsonObject(raw) && raw['format'] === 'ncpdp';
  return PRESCRIPTION.test(type) || (isRead && PERHAPS_PRESCRIPTION.test(type));
}

const RECORDS: ReadonlySet<string> = new Set(['clinical', 'encounter', 'document', 'appointment', 'member']);

/** By the families of mapping.md section 2, and the words of callers that post envelopes of their own. */
function askedOf({ event_family, event_type, payload }: Judged): Asked {
  const family = event_family?.toLowerCase() ?? '';
  const type = event_type?.toLowerCase() ?? '';
  const review = /authori[sz]ation|prior_auth|precert|^pa_/.test(type);
  if (family === 'remittance') return 'CLAIM';
  if (family === 'claim' || family === 'claims') return review ? 'REQUEST' : 'CLAIM';
  if (family === 'pharmacy') return review ? 'REQUEST' : isPrescription(type, payload) ? 'PRESCRIPTION' : 'DRUG';
  if (review || /authori[sz]ation|utilization/.test(family)) return 'REQUEST';
  return RECORDS.has(family) ? 'RECORD' : 'OTHER';
}
