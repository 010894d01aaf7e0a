import type { LedgerEventView } from '../../../../shared/contracts/event-reads.js';
import type { SentenceName } from './sentences.js';

/** What an event says of a decision. RETURNED: sent back without one. NONE: it is no answer at all. UNCLEAR: it may be a no. */
export type Stance = 'NO' | 'YES' | 'OPEN' | 'RETURNED' | 'NONE' | 'UNCLEAR';

/** What was asked for: payment of care that was given, care to come, a drug at the counter, or something else. */
export type Asked = 'CLAIM' | 'REQUEST' | 'DRUG' | 'OTHER';

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
  OTHER: 'denied',
};

type Judged = Pick<LedgerEventView, 'event_family' | 'event_type' | 'outcome'>;

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
  if (known !== undefined) {
    const [stance, sentence] = known;
    const inPart = reasons.refuse ? IN_PART[sentence] : undefined;
    if (inPart !== undefined) return { stance: 'NO', asked, sentence: inPart };
    return { stance, asked, sentence: sentence === 'denied' ? DENIALS[asked] : sentence };
  }
  const says = outcome !== '' || reasons.any;
  return { stance: says ? 'UNCLEAR' : 'NONE', asked, sentence: says ? 'unknown_outcome' : 'no_answer' };
}

/** By the families of mapping.md section 2, and the words of callers that post envelopes of their own. */
function askedOf({ event_family, event_type }: Judged): Asked {
  const family = event_family?.toLowerCase() ?? '';
  const type = event_type?.toLowerCase() ?? '';
  const review = /authori[sz]ation|prior_auth|precert|^pa_/.test(type);
  if (family === 'remittance') return 'CLAIM';
  if (family === 'claim' || family === 'claims') return review ? 'REQUEST' : 'CLAIM';
  if (family === 'pharmacy') return review ? 'REQUEST' : 'DRUG';
  if (review || /authori[sz]ation|utilization/.test(family)) return 'REQUEST';
  return 'OTHER';
}
