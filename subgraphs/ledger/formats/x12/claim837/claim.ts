import type { AdapterWarning } from '../../format-adapter.js';
import { type Period, parseMoment, parsePeriod } from '../../values/dates.js';
import { decimalAmount, formatCents, parseCents } from '../../values/money.js';
import {
  type Composites,
  describeAdjustment,
  HealthCodes,
  References,
  readAdjustments,
  readAttachment,
  readProcedure,
} from '../elements.js';
import { bySegment, positionOf, type Segment, segmentKeys } from '../envelope/segment.js';
import { AMOUNT_MALFORMED, Item } from '../item.js';
import type { SegmentReader } from '../item-mapper.js';
import { type Party, partyOf } from '../parties.js';
import type { ClaimOwner } from './subscriber-loops.js';

export type ClaimKind = 'professional' | 'institutional' | 'dental';

/** The decision of another payer (loops 2320, 2330 and, by line, 2430). Never this payer's. */
export class OtherPayer {
  responsibility = '';
  filingCode = '';
  payer: Party | null = null;
  memberId = '';
  paid = '';
  readonly adjustments: Record<string, unknown>[] = [];
  readonly lines: OtherLine[] = [];
}

/** Another payer's decision on one line, named as in `payload.prior_payers`. */
interface OtherLine {
  line: number;
  procedure_code: string;
  paid: string;
  adjustments: Record<string, unknown>[];
}

/** A service line (2400). */
export class ServiceLine {
  /** SV1, SV2 or SV3 as professional, institutional or dental; '' before the first. */
  kind: '' | ClaimKind = '';
  qualifier = '';
  procedureCode = '';
  modifiers: string[] = [];
  description = '';
  charge = '';
  unit = '';
  quantity = '';
  revenueCode = '';
  place = '';
  pointers: string[] = [];
  period: Period | null = null;
  drugCode = '';
  drugQuantity = '';
  drugUnit = '';
  controlNumber = '';
  readonly providers: Party[] = [];
}

/** One claim while it is read: from CLM to the next CLM, HL or trailer. */
export class Claim extends Item {
  /** CLM. */
  readonly head: ReturnType<typeof readClm>;
  readonly codes = new HealthCodes();
  readonly references = new References();
  readonly notes: string[] = [];
  readonly attachments: Record<string, unknown>[] = [];
  readonly providers: Party[] = [];
  readonly lines: ServiceLine[] = [];
  readonly otherPayers: OtherPayer[] = [];
  statement: Period | null = null;
  admission = '';
  discharge = '';
  patientPaid = '';
  /** The sum of the lines. */
  lineCents = 0;
  line: ServiceLine | null = null;
  otherPayer: OtherPayer | null = null;
  otherLine: OtherLine | null = null;
  /** The party that the next N4, DMG or PRV describes. */
  party: Party | null = null;

  constructor(
    segment: Segment,
    composites: Composites,
    readonly owner: ClaimOwner,
  ) {
    super(segment);
    this.head = readClm(segment, composites);
    if (this.head.claimId === '') this.break(segment, 'ELEMENT_MISSING', 'the claim has no id', 1);
    if (parseCents(segment.value(2)) === null)
      this.break(segment, 'AMOUNT_MALFORMED', 'the charge is missing or not a number of cents', 2);
  }

  /** True after the loop of another payer behind the lines. */
  hasLatePayer = false;
  /** Decisions for lines of a payer that is not named yet. */
  readonly #unowned: { readonly payerId: string; readonly line: OtherLine; readonly warning: AdapterWarning }[] = [];

  /** Adds another payer behind the lines, and closes the last line. */
  addLatePayer(payer: OtherPayer): void {
    this.hasLatePayer = true;
    this.line = null;
    this.otherLine = null;
    this.party = null;
    this.otherPayer = payer;
    this.otherPayers.push(payer);
  }

  /** Adds a decision of another payer (SVD). The message may name that payer behind the lines. */
  addDecision(line: OtherLine, payerId: string, segment: Segment): void {
    this.otherLine = line;
    const owner = this.#ownerOf(payerId);
    if (owner !== undefined) {
      owner.lines.push(line);
      return;
    }
    const message = 'no other payer was named for this decision';
    const place = { segment: segment.id, element: 1, position: positionOf(segment) };
    const warning = { code: 'SVD_WITHOUT_PAYER', message, ...place };
    this.warnings.push(warning);
    this.#unowned.push({ payerId, line, warning });
  }

  /** Gives the decisions to payers behind the lines; the others keep their warning. */
  settleDecisions(): void {
    if (!this.hasLatePayer) return;
    for (const { payerId, line, warning } of this.#unowned) {
      this.#ownerOf(payerId)?.lines.push(line);
      this.warnings.splice(this.warnings.indexOf(warning), 1);
    }
  }

  #ownerOf(payerId: string): OtherPayer | undefined {
    return this.otherPayers.find(({ payer }) => payer?.id === payerId) ?? this.otherPayers[0];
  }

  openLine(): ServiceLine {
    const line = new ServiceLine();
    this.line = line;
    this.lines.push(line);
    this.otherPayer = null;
    this.otherLine = null;
    this.party = null;
    return line;
  }

  /** The line that an SV segment describes; opens one with a warning if its LX is missing. */
  serviceLine(segment: Segment): ServiceLine {
    if (this.line !== null && this.line.kind === '') return this.line;
    const missing = { code: 'LX_MISSING', message: 'a service line has no LX' };
    this.warnings.push({ ...missing, segment: segment.id, position: positionOf(segment) });
    return this.openLine();
  }
}

function readClm(segment: Segment, composites: Composites) {
  const [place = '', placeQualifier = '', frequency = ''] = composites.split(segment.value(5));
  const chargeCents = parseCents(segment.value(2)) ?? 0;
  const isPredetermination = segment.value(19) === 'PB';
  return { claimId: segment.value(1), chargeCents, place, placeQualifier, frequency, isPredetermination };
}

const DATES = segmentKeys('472 434 435 096');

/** DTP: the line's service date (472), the statement's period (434), admission (435), discharge (096). */
function readDtp(claim: Claim, segment: Segment): void {
  if (!DATES.has(segment.qualifier(1))) return;
  const [qualifier, format, value] = [segment.at(1), segment.value(2), segment.value(3)];
  if (qualifier === '435' || qualifier === '096') {
    if (format === 'TM') return;
    const moment = parseMoment(format, value);
    if (moment === null) claim.warnOfDate(segment);
    else if (qualifier === '435') claim.admission = moment;
    else claim.discharge = moment;
    return;
  }
  const period = parsePeriod(format, value);
  if (period === null) claim.warnOfDate(segment);
  else if (qualifier === '472' && claim.line !== null) claim.line.period = period;
  else claim.statement = period;
}

const KEPT_REFERENCES = segmentKeys('G1 9F F8 D9 EA');

function readRef(claim: Claim, segment: Segment): void {
  if (segment.at(1) === '6R' && claim.line !== null) claim.line.controlNumber = segment.value(2);
  // References of another payer (2330B) are that payer's numbers, like those with a payer (2U) in REF04.
  if (claim.otherPayer !== null || claim.otherLine !== null || segment.at(4).startsWith('2U')) return;
  if (KEPT_REFERENCES.has(segment.qualifier(1))) claim.references.read(segment);
}

function readNte(claim: Claim, segment: Segment): void {
  const note = segment.value(2);
  if (note !== '') claim.notes.push(note);
}

function readPwk(claim: Claim, segment: Segment): void {
  claim.attachments.push(readAttachment(segment, claim.line === null ? undefined : claim.lines.length));
}

function readAmt(claim: Claim, segment: Segment): void {
  if (claim.line !== null) return;
  const qualifier = segment.value(1);
  const amount = claim.amount(segment, 2);
  if (amount === '') return;
  if (claim.otherPayer === null && qualifier === 'F5') claim.patientPaid = amount;
  else if (claim.otherPayer !== null && qualifier === 'D') claim.otherPayer.paid = amount;
}

/** SBR inside a claim opens another payer's loop (2320). */
function readOtherSbr(claim: Claim, segment: Segment): void {
  claim.otherPayer = new OtherPayer();
  claim.otherPayer.responsibility = segment.value(1);
  claim.otherPayer.filingCode = segment.value(9);
  claim.otherPayers.push(claim.otherPayer);
  claim.party = null;
}

/** NM1 inside a claim: its providers, or the other payer's insured and the other payer. */
function readNm1(claim: Claim, segment: Segment): void {
  if (claim.breakNameRunOn(segment)) return;
  const party = partyOf(segment);
  claim.party = party;
  const { line, otherPayer } = claim;
  if (line === null && otherPayer !== null) {
    if (party.entity === 'IL') otherPayer.memberId = party.id;
    else if (party.entity === 'PR') otherPayer.payer = party;
  } else if (party.role === '') return;
  else if (line === null) claim.providers.push(party);
  else if (claim.otherLine === null) line.providers.push(party);
}

/** CAS in an 837 belongs to another payer: to the open line decision, else to the claim decision. */
function readCas(claim: Claim, segment: Segment): void {
  const adjustments = readAdjustments(segment);
  if (typeof adjustments === 'number') claim.warnOfAmount(segment, adjustments);
  else for (const one of adjustments) (claim.otherLine ?? claim.otherPayer)?.adjustments.push(describeAdjustment(one));
}

/** SVD: the payment of another payer for this line; SVD01 names the payer. */
function readSvd(claim: Claim, segment: Segment, composites: Composites): void {
  const paid = decimalAmount(segment.value(2));
  if (paid === null) claim.warnOfAmount(segment, 2);
  const payerId = segment.value(1);
  const procedureCode = composites.split(segment.value(3))[1] ?? '';
  const line = claim.line === null ? 0 : claim.lines.length;
  const decision = { line, procedure_code: procedureCode, paid: paid ?? '', adjustments: [] };
  claim.addDecision(decision, payerId, segment);
}

/** Where SV1, SV2 and SV3 have the members of a line; 0 for none. */
const SERVICES = {
  SV1: { kind: 'professional', procedure: 1, charge: 2, unit: 3, quantity: 4, place: 5, pointers: 7, revenue: 0 },
  SV2: { kind: 'institutional', procedure: 2, charge: 3, unit: 4, quantity: 5, place: 0, pointers: 0, revenue: 1 },
  SV3: { kind: 'dental', procedure: 1, charge: 2, unit: 0, quantity: 6, place: 3, pointers: 0, revenue: 0 },
} as const;

const readService =
  (at: (typeof SERVICES)[keyof typeof SERVICES]): SegmentReader<Claim> =>
  (claim, segment, composites) => {
    const line = claim.serviceLine(segment);
    const value = (element: number): string => (element === 0 ? '' : segment.value(element));
    line.kind = at.kind;
    Object.assign(line, readProcedure(segment.value(at.procedure), composites));
    line.revenueCode = value(at.revenue);
    line.unit = value(at.unit);
    line.quantity = value(at.quantity);
    line.place = value(at.place);
    line.pointers = composites.split(value(at.pointers)).filter((pointer) => pointer !== '');
    const charge = segment.value(at.charge);
    const cents = parseCents(charge);
    if (cents !== null) {
      claim.lineCents += cents;
      line.charge = formatCents(cents);
    } else if (charge !== '') claim.break(segment, ...AMOUNT_MALFORMED, at.charge);
  };

/** LIN and CTP: the drug of the line, if LIN02 is N4 (NDC). */
function readLin(claim: Claim, segment: Segment): void {
  if (claim.line !== null && segment.value(2) === 'N4') claim.line.drugCode = segment.value(3);
}

function readCtp(claim: Claim, segment: Segment, composites: Composites): void {
  if (claim.line === null) return;
  claim.line.drugQuantity = segment.value(4);
  claim.line.drugUnit = composites.split(segment.value(5))[0] ?? '';
}

/** Segments read inside a claim; all others are skipped without splitting. */
export const CLAIM_SEGMENTS = bySegment<SegmentReader<Claim>>({
  HI: (claim, segment, composites) => claim.codes.read(claim, segment, composites),
  DTP: readDtp,
  REF: readRef,
  NTE: readNte,
  PWK: readPwk,
  AMT: readAmt,
  SBR: readOtherSbr,
  NM1: readNm1,
  CAS: readCas,
  SVD: readSvd,
  LX: (claim) => claim.openLine(),
  SV1: readService(SERVICES.SV1),
  SV2: readService(SERVICES.SV2),
  SV3: readService(SERVICES.SV3),
  LIN: readLin,
  CTP: readCtp,
});
