import { byCode, jurisdictionOf } from '../../values/codes.js';
import { type Period, parseDate, parsePeriod, spanOf } from '../../values/dates.js';
import { parseCents } from '../../values/money.js';
import { compact, filled, unique } from '../../values/payload.js';
import { type Composites, References, readPaidService } from '../elements.js';
import { bySegment, positionOf, type Segment, segmentKey } from '../envelope/segment.js';
import { Item, nameRunOn } from '../item.js';
import { BHT_DATE, type MappedItem, type SegmentReader } from '../item-mapper.js';
import { LevelMapper } from '../level-mapper.js';
import { describeOrganization, type Level, levelAbove, type Party, partyOf, readPartyDetail } from '../parties.js';

const HL = segmentKey('HL');
const BHT = segmentKey('BHT');
const NM1 = segmentKey('NM1');
const TRN = segmentKey('TRN');
const STC = segmentKey('STC');
const REF = segmentKey('REF');
/** HL03 of a patient. In a 277CA the payer, the receiver and the provider have statuses too. */
const PATIENT_LEVELS: ReadonlySet<string> = new Set(['22', '23', 'PT']);

type Status = ReturnType<typeof readStatus>;

/** A service of the claim (2220). */
class StatusLine {
  controlNumber = '';
  period: Period | null = null;
  readonly statuses: Status[] = [];

  constructor(
    readonly service: ReturnType<typeof readPaidService>,
    readonly charge: string,
    readonly paid: string,
    readonly quantity: string,
  ) {}
}

/** One claim's status (2200) while it is read: from its TRN to the next TRN, HL or trailer. */
class ClaimStatus extends Item {
  /** The first segment: an STC if there is no TRN. */
  readonly opener: string;
  /** TRN02: the requester's number in a 277, the claim's number in a 277CA. */
  readonly trace: string;
  readonly statuses: Status[] = [];
  readonly references = new References();
  period: Period | null = null;
  readonly lines: StatusLine[] = [];
  line: StatusLine | null = null;

  constructor(
    segment: Segment,
    readonly level: Level | null,
  ) {
    super(segment);
    this.opener = segment.id;
    this.trace = segment.key === TRN ? segment.value(2) : '';
    if (segment.key === TRN) this.breakRunOn(segment);
  }
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

function readRef(claim: ClaimStatus, segment: Segment): void {
  claim.breakRunOn(segment);
  if (claim.line === null) claim.references.read(segment);
  else if (['FJ', '6R'].includes(segment.value(1)))
    claim.line.controlNumber = segment.value(2) || claim.line.controlNumber;
}

/** DTP: service dates (472) and the claim's statement dates (232). A 277CA also sends the date of receipt (050). */
function readDtp(claim: ClaimStatus, segment: Segment): void {
  const qualifier = segment.value(1);
  if (qualifier !== '472' && qualifier !== '232') return;
  const period = parsePeriod(segment.value(2), segment.value(3));
  if (period === null) claim.warnOfDate(segment);
  else if (claim.line !== null) claim.line.period = period;
  else claim.period = period;
}

function readSvc(claim: ClaimStatus, segment: Segment, composites: Composites): void {
  const service = readPaidService(segment, composites);
  claim.line = new StatusLine(service, claim.amount(segment, 2), claim.amount(segment, 3), segment.value(7));
  claim.lines.push(claim.line);
}

/** The segments of a claim's status that are read, by id. */
const STATUS_SEGMENTS = bySegment<SegmentReader<ClaimStatus>>({
  STC: readStc,
  REF: readRef,
  DTP: readDtp,
  SVC: readSvc,
});

/** Maps a 277 or 277CA: one event per claim with a status. */
export class Status277Mapper extends LevelMapper<ClaimStatus> {
  protected readonly facts = {
    family: 'claim',
    noun: 'claim',
    opener: 'TRN',
    cut: 'CLAIM_CUT',
    none: { code: 'NO_CLAIMS', message: 'the transaction has no claim' },
    date: BHT_DATE,
    lacks: 'no NM1*IL or NM1*QC above the status names a member for it',
  };
  #payer: Party | null = null;
  #receiver: Party | null = null;
  /** The hierarchy is unclear: items have no member until the next HL. */
  #orphaned = false;
  #aboveReported = false;

  segment(segment: Segment): void {
    const { key } = segment;
    if (key === HL) {
      this.close();
      this.party = null;
      this.#orphaned = false;
      this.hierarchy.open(segment);
    } else if (key === BHT) this.readBht(segment);
    else if (key === NM1) this.#readParty(segment);
    else if (key === TRN) {
      this.close();
      if (this.#isPatient()) this.#openClaim(segment);
    } else if (this.item === null && key === STC && this.#isPatient()) {
      this.#openClaim(segment);
      this.#readIn(segment);
    } else if (this.item !== null) this.#readIn(segment);
    else if (key === REF) this.#readAbove(segment);
    else if (this.party !== null) readPartyDetail(this.party, segment);
  }

  protected override distrust(): void {
    super.distrust();
    this.#orphaned = true;
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
    const provider = levelAbove(claim.level, '19')?.party ?? null;
    const [payer, receiver] = [this.#payer, this.#receiver];
    const outcome = outcomeOf(claim);
    const payload = compact({
      claim_id: claimId,
      payer_claim_id: references.first('1K'),
      trace_numbers: filled([trace]),
      ...describeStatus(claim),
      jurisdiction: jurisdictionOf(patient, subscriber, provider, payer),
      ...people,
      payer: payer && describeOrganization(payer),
      receiver: receiver && describeOrganization(receiver),
      providers: provider && [describeOrganization(provider, 'billing')],
    });
    return { type: 'claim_status_reported', outcome, id: claimId || trace, memberId, payload, opener };
  }

  #isPatient(): boolean {
    return this.#orphaned || PATIENT_LEVELS.has(this.hierarchy.current?.code ?? '');
  }

  #openClaim(segment: Segment): void {
    this.open(new ClaimStatus(segment, this.hierarchy.current), segment);
  }

  #readIn(segment: Segment): void {
    if (this.item !== null) STATUS_SEGMENTS.get(segment.key)?.(this.item, segment, this.composites);
  }

  #readParty(segment: Segment): void {
    const level = this.hierarchy.current;
    this.party = null;
    const fault = nameRunOn(segment);
    if (fault !== null) {
      this.damaged(fault);
      return;
    }
    if (this.item !== null) {
      // NM1 precedes the claims of its level: the HL of another patient was lost.
      this.item.break(segment, 'LOOP_ORDER', 'another party is named inside a claim: an HL is missing', 1);
      this.distrust();
      return;
    }
    if (level === null) return;
    const party = partyOf(segment);
    this.party = party;
    const isPatient = party.entity === 'IL' || party.entity === 'QC';
    if (isPatient !== PATIENT_LEVELS.has(level.code) || level.party !== null) {
      // A patient of another level, or a second patient: an HL between them was lost.
      if (isPatient || PATIENT_LEVELS.has(level.code)) this.distrust();
      return;
    }
    level.party = party;
    if (level.code === '20') this.#payer ??= party;
    else if (level.code === '21') this.#receiver ??= party;
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
