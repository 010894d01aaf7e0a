import { byCode, jurisdictionOf } from '../../values/codes.js';
import { parseDate, spanOf } from '../../values/dates.js';
import { parseCents } from '../../values/money.js';
import { compact, filled, unique } from '../../values/payload.js';
import { ClaimLevelMapper, readClaimDtp, readClaimRef, TracedClaim, TracedLine } from '../claim-level-mapper.js';
import { type Composites, readPaidService } from '../elements.js';
import { bySegment, positionOf, type Segment, segmentKey } from '../envelope/segment.js';
import { BHT_DATE, type MappedItem, type SegmentReader } from '../item-mapper.js';
import type { Level } from '../parties.js';

const STC = segmentKey('STC');
const REF = segmentKey('REF');

type Status = ReturnType<typeof readStatus>;

/** A service of the claim (2220). */
class StatusLine extends TracedLine {
  paid = '';
  readonly statuses: Status[] = [];
}

/** One claim's status (2200) while it is read. */
class ClaimStatus extends TracedClaim<StatusLine> {
  readonly statuses: Status[] = [];
}

/** STC of any level: one status, with up to three codes. */
function readStatus(claim: ClaimStatus, segment: Segment, composites: Composites) {
  const codes = filled([1, 10, 11].map((element) => segment.value(element))).map((value) => {
    const [category = '', code = '', entity = ''] = composites.split(value);
    return { category, code, entity };
  });
  return {
    codes,
    date: parseDate(segment.value(2)) ?? '',
    action: segment.value(3),
    charge: claim.amount(segment, 4),
    paid: claim.amount(segment, 5),
    note: segment.value(12),
  };
}

function readStc(claim: ClaimStatus, segment: Segment, composites: Composites): void {
  const status = readStatus(claim, segment, composites);
  if (status.codes.length === 0) claim.break(segment, 'ELEMENT_MISSING', 'the status has no code', 1);
  if (claim.line !== null) claim.line.statuses.push(status);
  else if (!claim.references.isEmpty || claim.period !== null) {
    // Statuses of a claim precede its references: the TRN of the next claim was lost.
    claim.break(segment, 'LOOP_ORDER', 'a status follows the references of a claim: a TRN is missing');
  } else claim.statuses.push(status);
}

function readSvc(claim: ClaimStatus, segment: Segment, composites: Composites): void {
  const service = readPaidService(segment, composites);
  claim.line = new StatusLine(service, claim.amount(segment, 2), segment.value(7));
  claim.line.paid = claim.amount(segment, 3);
  claim.lines.push(claim.line);
}

/** The segments of a claim's status that are read, by id. */
const STATUS_SEGMENTS = bySegment<SegmentReader<ClaimStatus>>({
  STC: readStc,
  REF: readClaimRef,
  DTP: readClaimDtp,
  SVC: readSvc,
});

/** Maps a 277 or 277CA: one event per claim with a status. */
export class Status277Mapper extends ClaimLevelMapper<ClaimStatus> {
  protected readonly facts = {
    family: 'claim',
    noun: 'claim',
    opener: 'TRN',
    cut: 'CLAIM_CUT',
    none: { code: 'NO_CLAIMS', message: 'the transaction has no claim' },
    date: BHT_DATE,
    lacks: 'no NM1*IL or NM1*QC above the status names a member for it',
  };
  protected readonly readers = STATUS_SEGMENTS;
  #aboveReported = false;

  protected claimOf(segment: Segment, level: Level | null): ClaimStatus {
    return new ClaimStatus(segment, level);
  }

  protected outside(segment: Segment): void {
    const { key } = segment;
    if (key === STC && this.isPatient()) {
      this.openClaim(segment);
      this.readIn(segment, this.composites);
    } else if (key === REF) this.#readAbove(segment);
    else this.readDetail(segment);
  }

  protected override settle(claim: ClaimStatus): boolean {
    if (claim.statuses.length > 0 || claim.lines.length > 0) return true;
    const { position } = claim;
    claim.broken ??= { code: 'STATUS_MISSING', message: 'the claim has no status', segment: 'TRN', position };
    return true;
  }

  /** 277CA (005010X214) is the payer's answer to a claim; the other guides answer a 276. */
  protected name(): '277CA' | '277' {
    const { st03, gs08 } = this.context.header;
    const { structure, type } = this.header;
    return structure === '0085' || type === 'TH' || (st03 || gs08).includes('X214') ? '277CA' : '277';
  }

  protected map(claim: ClaimStatus): MappedItem {
    const { references, trace, opener } = claim;
    const claimId = references.first('EJ') || (this.name() === '277CA' ? trace : '');
    const { memberId, subscriber, patient, people } = this.peopleOf(claim.level);
    const { provider, described } = this.organizationsOf(claim);
    const outcome = outcomeOf(claim);
    const payload = compact({
      claim_id: claimId,
      payer_claim_id: references.first('1K'),
      trace_numbers: filled([trace]),
      ...describeStatus(claim),
      jurisdiction: jurisdictionOf(patient, subscriber, provider, this.payer),
      ...people,
      ...described,
    });
    return { type: 'claim_status_reported', outcome, id: claimId || trace, memberId, payload, opener };
  }

  /** Warns once of a claim number at the level of a batch or provider, for which the guide has no event. */
  #readAbove(segment: Segment): void {
    if (segment.at(1) !== '1K' || this.#aboveReported) return;
    this.#aboveReported = true;
    const message = 'a status above the patient names a claim: it yields no event';
    const position = positionOf(segment);
    this.context.warn({ code: 'STATUS_ABOVE_PATIENT', message, segment: 'REF', position });
  }
}

/** STC01-1 by its whole code, then by its letter. */
const BY_CATEGORY = byCode({
  forwarded: 'A0 F3F',
  accepted: 'A1 A2 A5',
  rejected: 'A3 A6 A7 A8 F5',
  paid: 'F1',
  denied: 'F2',
  no_action_required: 'F4 F3N',
  unknown: 'A4 D0',
});
const BY_LETTER = byCode({ pended: 'P R', error: 'E' });

/** The outcome of a status; null if its category is unknown. The amounts decide on F0 (finalized) and F3 (revised). */
function statusOutcome({ codes, charge, paid }: Status): string | null {
  const category = codes[0]?.category ?? '';
  if (category === 'F0' || category === 'F3') return outcomeOfMoney(charge, paid);
  const letter = /^[PRE]\d{1,2}$/.test(category) ? category.charAt(0) : '';
  return BY_CATEGORY.get(category) ?? BY_LETTER.get(letter) ?? null;
}

function outcomeOfMoney(charge: string, paid: string): string {
  const [charged, given] = [parseCents(charge), parseCents(paid)];
  if (given === null || given <= 0) return 'no_action_required';
  return charged !== null && given < charged ? 'partially_paid' : 'paid';
}

function outcomeOf(claim: ClaimStatus): string {
  // Some payers report only the services.
  const statuses = claim.statuses.length > 0 ? claim.statuses : claim.lines.flatMap((line) => line.statuses);
  const outcomes = statuses.map(statusOutcome);
  const [first] = outcomes;
  if (first === null || first === undefined) {
    const message = 'the category of the status is unknown';
    claim.warnings.push({ code: 'STATUS_UNKNOWN', message, segment: 'STC', element: 1 });
    return 'unknown';
  }
  if (outcomes.some((outcome) => outcome !== first)) {
    const message = 'the statuses of the claim differ; the first is used';
    claim.warnings.push({ code: 'STATUS_DIFFERS', message, segment: 'STC' });
  }
  return first;
}

function describeStatus({ statuses, lines, period, references }: ClaimStatus): Record<string, unknown> {
  const [first] = statuses;
  const [code] = first?.codes ?? [];
  return {
    status_category: code?.category,
    status_code: code?.code,
    status_date: first?.date,
    statuses: statuses.map(describeOne),
    rationale: filled(statuses.map(({ note }) => note)).join('\n'),
    amounts: compact({ charge: first?.charge, paid: first?.paid }),
    procedure_codes: unique(filled(lines.map(({ service }) => service.procedureCode))),
    lines: lines.map(describeLine),
    service_period: period ?? spanOf(lines.flatMap((line) => (line.period ? [line.period.from, line.period.to] : []))),
    bill_type: references.first('BLT'),
    prescription_number: references.first('XZ'),
    clearinghouse_claim_id: references.first('D9'),
    group_number: references.first('6P'),
  };
}

const describeOne = ({ note: _, ...status }: Status): Record<string, unknown> =>
  compact({ ...status, codes: status.codes.map(compact) });

const describeLine = (line: StatusLine, at: number): Record<string, unknown> =>
  compact({
    line: at + 1,
    qualifier: line.service.qualifier,
    procedure_code: line.service.procedureCode,
    modifiers: line.service.modifiers,
    revenue_code: line.service.revenueCode,
    charge: line.charge,
    paid: line.paid,
    quantity: line.quantity,
    control_number: line.controlNumber,
    service_period: line.period,
    statuses: line.statuses.map(describeOne),
  });
