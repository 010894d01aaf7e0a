import { byCode, jurisdictionOf, programOf } from '../../values/codes.js';
import { type EffectiveTime, spanOf } from '../../values/dates.js';
import { formatCents } from '../../values/money.js';
import { compact, unique } from '../../values/payload.js';
import { positionOf, type Segment, type SegmentPlace, segmentKey, segmentKeys } from '../envelope/segment.js';
import type { TransactionEnd, TransactionHeader } from '../envelope/transaction-run.js';
import { nameRunOn } from '../item.js';
import { BHT_DATE, ItemMapper, type MappedItem } from '../item-mapper.js';
import {
  describeOrganization,
  describePerson,
  type Party,
  partyOf,
  personNumberOf,
  readPartyDetail,
} from '../parties.js';
import { CLAIM_SEGMENTS, Claim, type ClaimKind, type OtherPayer, type ServiceLine } from './claim.js';
import { LATE_PAYER, LatePayer } from './late-payer.js';
import { SubscriberLoops } from './subscriber-loops.js';

type Payload = Record<string, unknown>;

/** Segments that occur only inside a claim. */
const CLAIM_ONLY = segmentKeys('HI LX SV1 SV2 SV3 CAS SVD');

const CLM = segmentKey('CLM');
const HL = segmentKey('HL');
const BHT = segmentKey('BHT');
const SBR = segmentKey('SBR');
const NM1 = segmentKey('NM1');
const PAT = segmentKey('PAT');
const CAS = segmentKey('CAS');
const AMT = segmentKey('AMT');
const OI = segmentKey('OI');

/** Implementation guide numbers (the X… of ST03 and GS08) to kind of claim, 005010 and 004010. */
const KIND_BY_GUIDE = byCode({ professional: 'X222 X098', institutional: 'X223 X096', dental: 'X224 X097' });
const TRANSACTIONS = { professional: '837P', institutional: '837I', dental: '837D' } as const;

/** Maps an 837 (professional, institutional or dental): one event per CLM. */
export class Claim837Mapper extends ItemMapper<Claim> {
  protected readonly facts = {
    family: 'claim',
    noun: 'claim',
    opener: 'CLM',
    cut: 'CLAIM_CUT',
    none: { code: 'NO_CLAIMS', message: 'the transaction has no claim' },
    date: BHT_DATE,
    lacks: 'no NM1*IL of the subscriber loop names a member for this claim',
  };
  readonly #loops = new SubscriberLoops();
  readonly #declaredKind = declaredKind(this.context.header);
  #name = '837';
  #time: EffectiveTime | null = null;
  /** True after a misplaced loop, up to the next CLM or HL: its CAS belong to no claim. */
  #inMisplaced = false;
  /** A misplaced SBR that may open the loop of another payer; its OI decides. */
  #late: LatePayer | null = null;

  segment(segment: Segment): void {
    const { key } = segment;
    if (key === CLM || key === HL) {
      this.#refuseLate();
      this.#inMisplaced = false;
    }
    if (key === CLM) {
      this.close();
      this.open(new Claim(segment, this.composites, this.#loops.forClaim()), segment);
    } else if (key === HL) {
      this.close();
      this.#loops.open(segment);
      this.orphanReported = false;
    } else if (this.item === null) this.#outsideClaim(segment);
    else this.#insideClaim(this.item, segment);
  }

  override end(how: TransactionEnd, endOffset: number): void {
    this.#refuseLate();
    super.end(how, endOffset);
  }

  /** The lost segment may have been an HL or NM1*IL: the owner of further claims is unknown until the next HL. */
  protected override distrust(): void {
    this.#loops.distrust();
  }

  protected override isWhole(claim: Claim): boolean {
    return claim.lines.length > 0 && claim.lineCents === claim.head.chargeCents;
  }

  protected override settle(claim: Claim): boolean {
    if (claim.lines.length === 0 && claim.otherPayers.length > 0) this.#loops.distrust();
    claim.settleDecisions();
    return true;
  }

  /** The first BHT with a claim dates all claims. */
  protected override time(): EffectiveTime {
    this.#time ??= super.time();
    return this.#time;
  }

  protected name(): string {
    return this.#name;
  }

  protected map(claim: Claim): MappedItem {
    const kind = this.#kindOf(claim);
    this.#name = kind === null ? '837' : TRANSACTIONS[kind];
    const memberId = personNumberOf(claim.owner.subscriber?.party);
    return {
      type: eventType(claim),
      outcome: 'submitted',
      id: claim.head.claimId,
      memberId,
      payload: this.#describe(claim, kind),
    };
  }

  #insideClaim(claim: Claim, segment: Segment): void {
    if (this.#late !== null && this.#takeLate(this.#late, claim, segment)) return;
    if (isMisplaced(claim, segment)) {
      if (segment.key === SBR && this.#isAgreed && this.isWhole(claim)) this.#late = new LatePayer(segment);
      else this.#takeMisplaced(claim, segment);
      return;
    }
    const read = CLAIM_SEGMENTS.get(segment.key);
    if (read !== undefined) read(claim, segment, this.composites);
    else if (claim.party !== null) readPartyDetail(claim.party, segment);
  }

  /**
   * A subscriber or patient inside a claim: an HL was lost, or a sender writes its loops in another order. A claim that
   * is complete before it is accepted. The claims up to the next HL have no owner.
   */
  #takeMisplaced(claim: Claim, segment: SegmentPlace): void {
    this.#loops.lose();
    const { id } = segment;
    if (!this.isWhole(claim)) {
      claim.break(segment, 'LOOP_ORDER', `${id} is inside a claim: an HL is missing`, 1);
      return;
    }
    const message = `${id} is inside a claim that is complete before it: it is not read, and an HL may be missing`;
    claim.warn(segment, 'LOOP_ORDER', message, 1);
    this.close();
    this.#inMisplaced = true;
  }

  get #isAgreed(): boolean {
    return this.context.header.agreement?.faults.has(LATE_PAYER) === true;
  }

  /**
   * Reads on after a misplaced SBR. OI is a segment of the loop of another payer (2320) and never of a subscriber's
   * (2000B): with it the SBR is the other payer's, and no HL was lost. Any other segment but CAS and AMT rejects it.
   *
   * @returns false if the segment is not read yet.
   */
  #takeLate(late: LatePayer, claim: Claim, segment: Segment): boolean {
    if (segment.key === CAS || segment.key === AMT) {
      late.read(claim, segment);
      return true;
    }
    if (segment.key !== OI) {
      this.#refuseLate();
      if (this.item !== null) return false;
      this.segment(segment);
      return true;
    }
    this.#late = null;
    claim.addLatePayer(late.payer);
    const message = `SBR of another payer is after the service lines`;
    const { position } = late;
    claim.warnings.push({ code: LATE_PAYER, message, segment: 'SBR', element: 1, position });
    return true;
  }

  /** No OI followed the misplaced SBR: an HL may have been lost. */
  #refuseLate(): void {
    const late = this.#late;
    this.#late = null;
    if (late !== null && this.item !== null) this.#takeMisplaced(this.item, late.place);
  }

  #outsideClaim(segment: Segment): void {
    const { key } = segment;
    if (key === NM1) this.#readParty(segment);
    else if (key === SBR) this.#readSbr(segment);
    else if (key === PAT) this.#loops.pat(segment);
    else if (key === BHT) this.readBht(segment);
    else if (CLAIM_ONLY.has(key)) {
      if (!(this.#inMisplaced && key === CAS)) this.reportOrphan(segment);
    } else if (this.#loops.current !== null) readPartyDetail(this.#loops.current, segment);
  }

  #readSbr(segment: Segment): void {
    if (!this.#loops.sbr(segment)) this.#loseOwner(segment, 'SBR is outside a subscriber level');
  }

  #loseOwner(segment: Segment, where: string): void {
    this.#loops.lose();
    // The warning about a misplaced loop covers all of its segments.
    if (this.#inMisplaced) return;
    const message = `${where}: an HL is missing, and the next claims name no member`;
    this.context.warn({ code: 'LOOP_ORDER', message, segment: segment.id, position: positionOf(segment) });
  }

  #readParty(segment: Segment): void {
    const fault = nameRunOn(segment);
    if (fault === null) {
      if (!this.#loops.party(partyOf(segment))) this.#loseOwner(segment, 'a patient is outside a patient level');
    } else {
      this.#loops.distrust();
      this.context.warn(fault);
    }
  }

  /** The kind of the lines, else the declared kind, else institutional by bill type qualifier A. */
  #kindOf(claim: Claim): ClaimKind | null {
    const declared = this.#declaredKind;
    const actual = claim.lines.find(({ kind }) => kind !== '')?.kind || null;
    if (actual === null) return declared ?? (claim.head.placeQualifier === 'A' ? 'institutional' : null);
    if (declared !== null && declared !== actual) {
      const message = 'the service lines differ in kind from ST03 or GS08; the kind of the lines is used';
      this.context.warn({ code: 'KIND_DIFFERS', message, segment: 'GS', element: 8, position: claim.position });
    }
    return actual;
  }

  /** Sets fields one by one, without `compact`, because it runs for every claim of a file. */
  #describe(claim: Claim, kind: ClaimKind | null): Payload {
    const { codes, references, lines } = claim;
    const { claimId, chargeCents, place, placeQualifier, frequency } = claim.head;
    const payload: Payload = { claim_kind: kind ?? 'unknown', claim_id: claimId };
    if (frequency !== '') payload.frequency_code = frequency;
    if (this.header.purpose !== '') payload.submission_purpose = this.header.purpose;
    if (this.header.type !== '') payload.submission_type = this.header.type;
    const procedureCodes = codesOf(claim);
    if (procedureCodes.length > 0) payload.procedure_codes = procedureCodes;
    if (codes.diagnoses.length > 0) {
      payload.diagnosis_codes = unique(codes.diagnoses.map(({ code }) => code));
      payload.diagnoses = codes.diagnoses;
    }
    if (codes.procedures.length > 0) payload.procedures = codes.procedures;
    this.#describeCoverage(claim, payload);
    if (claim.notes.length > 0) payload.rationale = claim.notes.join('\n');
    const charge = formatCents(chargeCents);
    payload.amounts = claim.patientPaid === '' ? { charge } : { charge, patient_paid: claim.patientPaid };
    // CLM05: a place of service (B), or with the frequency the full bill type (A).
    if (placeQualifier === 'A') payload.bill_type = place + frequency;
    else if (place !== '') payload.place_of_service = place;
    const described = describeLines(claim);
    if (described.length > 0) payload.lines = described;
    const period = claim.statement ?? spanOf(lines.flatMap(({ period: days }) => (days ? [days.from, days.to] : [])));
    if (period !== undefined) payload.service_period = period;
    if (claim.admission !== '') payload.admission = claim.admission;
    if (claim.discharge !== '') payload.discharge = claim.discharge;
    const providers = describeProviders(this.#loops.billing, claim);
    if (providers.length > 0) payload.providers = providers;
    if (!references.isEmpty) Object.assign(payload, describeReferences(claim));
    if (claim.attachments.length > 0) payload.attachments = claim.attachments;
    if (claim.otherPayers.length > 0) payload.prior_payers = claim.otherPayers.map(describeOtherPayer);
    return payload;
  }

  /** Member, coverage and jurisdiction. */
  #describeCoverage({ owner, providers }: Claim, payload: Payload): void {
    const { subscriber, patient } = owner;
    const facility = providers.find(({ role }) => role === 'facility') ?? null;
    const insured = subscriber?.party ?? null;
    const payer = subscriber?.payer ?? null;
    payload.jurisdiction = jurisdictionOf(insured, patient, facility, this.#loops.billing, payer);
    if (patient !== null) payload.patient = describeRelated(patient, owner.patientRelationship);
    if (subscriber === null) return;
    if (subscriber.filingCode !== '') {
      payload.program = programOf(subscriber.filingCode);
      payload.program_code = subscriber.filingCode;
    }
    if (payer !== null) payload.payer = describeOrganization(payer);
    if (subscriber.responsibility !== '') payload.payer_responsibility = subscriber.responsibility;
    if (subscriber.groupNumber !== '') payload.group_number = subscriber.groupNumber;
    if (insured !== null) payload.subscriber = describeRelated(insured, subscriber.relationship);
  }
}

const INSURED = segmentKey('IL');
const PATIENT = segmentKey('QC');

/**
 * True for a segment of a subscriber or patient that no claim contains: SBR after a service line, PAT, and the NM1 of an
 * insured or patient outside the loops of another payer.
 */
function isMisplaced({ line, otherPayer, hasLatePayer }: Claim, segment: Segment): boolean {
  const { key } = segment;
  if (key === SBR) return line !== null || hasLatePayer;
  if (key === PAT) return true;
  if (key !== NM1) return false;
  const entity = segment.qualifier(1);
  if (line === null && otherPayer !== null) {
    // In a late loop a second insured, or a patient, belongs to an HL that was lost.
    return hasLatePayer && (entity === PATIENT || (entity === INSURED && otherPayer.memberId !== ''));
  }
  return entity === INSURED || entity === PATIENT;
}

/** REF: authorizations, referrals, and the numbers others gave this claim. */
function describeReferences({ references, head }: Claim): Payload {
  // F8 is the payer's number of an earlier claim. With frequency 7 or 8 this claim replaces or voids that one.
  const replaces = head.frequency === '7' || head.frequency === '8';
  return compact({
    prior_authorizations: unique(references.all('G1')),
    referral_numbers: unique(references.all('9F')),
    [replaces ? 'replaces' : 'payer_claim_id']: references.first('F8'),
    clearinghouse_claim_id: references.first('D9'),
    medical_record_number: references.first('EA'),
  });
}

function eventType(claim: Claim): string {
  if (claim.head.isPredetermination) return 'claim_predetermination';
  if (claim.head.frequency === '7') return 'claim_replaced';
  return claim.head.frequency === '8' ? 'claim_voided' : 'claim_submitted';
}

/** The kind of claim that ST03 names, else GS08; null if neither is an 837 guide. */
function declaredKind(header: TransactionHeader): ClaimKind | null {
  const guideOf = (version: string): string => /X\d{3}/.exec(version)?.[0] ?? '';
  return KIND_BY_GUIDE.get(guideOf(header.st03)) ?? KIND_BY_GUIDE.get(guideOf(header.gs08)) ?? null;
}

function codesOf({ codes, lines }: Claim): string[] {
  const found = codes.procedures.map(({ code }) => code);
  for (const { procedureCode } of lines) if (procedureCode !== '') found.push(procedureCode);
  return unique(found);
}

function describeRelated(party: Party, relationship: string): Payload {
  const described = describePerson(party);
  if (relationship !== '') described.relationship = relationship;
  return described;
}

function describeProviders(billing: Party | null, { providers, lines }: Claim): Payload[] {
  const describe = (party: Party): Payload => describeOrganization(party, party.role);
  const described = [...(billing === null ? [] : [billing]), ...providers].map(describe);
  lines.forEach((line, at) => {
    for (const party of line.providers) described.push({ ...describe(party), line: at + 1 });
  });
  return described;
}

/** The service lines of a claim; skips an LX without a service. */
function describeLines({ lines }: Claim): Payload[] {
  const described: Payload[] = [];
  lines.forEach((line, at) => {
    if (line.kind === '') return;
    described.push(describeLine(line, at + 1));
  });
  return described;
}

function describeLine(line: ServiceLine, number: number): Payload {
  const described: Payload = { line: number };
  const { drugCode, drugQuantity, drugUnit } = line;
  if (line.qualifier !== '') described.qualifier = line.qualifier;
  if (line.procedureCode !== '') described.procedure_code = line.procedureCode;
  if (line.modifiers.length > 0) described.modifiers = line.modifiers;
  if (line.description !== '') described.description = line.description;
  if (line.revenueCode !== '') described.revenue_code = line.revenueCode;
  if (line.charge !== '') described.charge = line.charge;
  if (line.unit !== '') described.unit = line.unit;
  if (line.quantity !== '') described.quantity = line.quantity;
  if (line.place !== '') described.place_of_service = line.place;
  if (line.pointers.length > 0) described.diagnosis_pointers = line.pointers;
  if (line.period !== null) described.service_period = line.period;
  if (line.controlNumber !== '') described.control_number = line.controlNumber;
  if (drugCode !== '') described.drug = compact({ ndc: drugCode, quantity: drugQuantity, unit: drugUnit });
  return described;
}

/** An earlier decision of another payer, in a separate field because this claim's payer did not make it. */
const describeOtherPayer = (other: OtherPayer): Payload =>
  compact({
    responsibility: other.responsibility,
    program_code: other.filingCode,
    payer: other.payer && describeOrganization(other.payer),
    member_id: other.memberId,
    paid: other.paid,
    adjustments: other.adjustments,
    lines: other.lines.map((line) => compact({ ...line })),
  });
