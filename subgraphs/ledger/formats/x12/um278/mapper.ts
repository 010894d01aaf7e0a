import { jurisdictionOf } from '../../values/codes.js';
import type { Period } from '../../values/dates.js';
import { compact, filled, unique } from '../../values/payload.js';
import { type Segment, segmentKey, segmentKeys } from '../envelope/segment.js';
import { nameRunOn } from '../item.js';
import { BHT_DATE, type MappedItem } from '../item-mapper.js';
import { LevelMapper } from '../level-mapper.js';
import { describeOrganization, type Level, levelAbove, type Party, partyOf, readPartyDetail } from '../parties.js';
import { type Direction, directionOf, eventType, partOutcome, reviewOutcome } from './outcome.js';
import { ReviewEvent, type ReviewPart, readReviewSegment } from './review.js';

const HL = segmentKey('HL');
const BHT = segmentKey('BHT');
const NM1 = segmentKey('NM1');
/** Segments with content of a request or answer, not only participants. */
const CONTENT = segmentKeys('TRN UM HCR AAA HI SV1 SV2 SV3');

type Persons = Omit<ReturnType<LevelMapper<ReviewEvent>['peopleOf']>, 'memberId'>;

/** Maps a 278 (request, answer, notification, inquiry): one event per patient event. */
export class Review278Mapper extends LevelMapper<ReviewEvent> {
  protected readonly facts = {
    family: 'prior_authorization',
    noun: 'event',
    opener: 'HL',
    // The cut part may have held the decision, so the event is rejected.
    cut: 'EVENT_CUT',
    none: { code: 'NO_EVENTS', message: 'the transaction has no patient event' },
    date: BHT_DATE,
    lacks: 'no NM1*IL or NM1*QC above the event names a member for it',
  };
  #payer: Party | null = null;
  #requester: Party | null = null;
  /** The level that follows the closing one. */
  #next: Level | null = null;

  segment(segment: Segment): void {
    const { key } = segment;
    if (key === HL) this.#openLevel(segment);
    else if (key === BHT) this.readBht(segment);
    else if (this.item !== null) this.#insideLevel(this.item, segment);
  }

  protected override hasContent(event: ReviewEvent): boolean {
    return event.hasContent;
  }

  protected override isEmpty(): boolean {
    return this.events === 0;
  }

  /**
   * Levels above an event yield no event, except if rejected (AAA) or, in 004010, if they carry the request. A level
   * above the next event passes its traces on.
   */
  protected override settle(event: ReviewEvent): boolean {
    if (event.isEvent) return true;
    const { rejections, review, decision } = event.own;
    const saysMore = rejections.length > 0 || review !== null || decision !== null;
    const isAbove = this.#next !== null && levelAbove(this.#next, event.level.code) === event.level;
    return event.hasContent && (saysMore || !isAbove);
  }

  protected name(): string {
    return '278';
  }

  protected map(event: ReviewEvent): MappedItem {
    const { direction, type, outcome } = this.#decide(event);
    const { memberId, ...persons } = this.peopleOf(event.level);
    const traced = event.parts.flatMap(({ traces }) => traces)[0]?.number ?? '';
    const payload = { ...this.#describe(event, persons), direction };
    return { type, outcome, id: traced || this.header.reference, memberId, payload };
  }

  #openLevel(segment: Segment): void {
    this.party = null;
    const level = this.hierarchy.open(segment);
    // A service belongs to the open event, or to the patient, who then is the event.
    if (level.code === 'SS' && level.parent !== null && level.parent === this.item?.level) {
      this.item.openService();
      return;
    }
    this.#next = level;
    this.close();
    this.#next = null;
    this.open(new ReviewEvent(segment, level), segment);
  }

  #insideLevel(event: ReviewEvent, segment: Segment): void {
    if (event.part === event.own && !event.isEvent && this.#insideParty(event, segment)) return;
    if (CONTENT.has(segment.key)) event.hasContent = true;
    readReviewSegment(event, segment, this.composites);
  }

  /** NM1 and its details at the levels of payer, requester and patient. */
  #insideParty(event: ReviewEvent, segment: Segment): boolean {
    if (segment.key !== NM1) {
      if (this.party !== null) readPartyDetail(this.party, segment);
      return false;
    }
    const { level } = event;
    const fault = nameRunOn(segment);
    if (fault !== null) {
      this.distrust();
      this.party = null;
      this.context.warn(fault);
      return true;
    }
    const party = partyOf(segment);
    this.party = party;
    const isPatient = party.entity === 'IL' || party.entity === 'QC';
    if (level.code === '20') this.#payer ??= party;
    else if (level.code === '21') this.#requester ??= party;
    if (!isPatient) return true;
    if (level.code !== '22' && level.code !== '23') this.distrust();
    else if (level.party !== null && (level.party.id !== party.id || level.party.entity !== party.entity)) {
      // A second patient in one level: an HL between them was lost.
      level.trusted = false;
      if (event.hasContent) event.break(segment, 'LOOP_ORDER', 'a second patient in one level: an HL is missing', 1);
    } else level.party = party;
    return true;
  }

  #decide(event: ReviewEvent): { direction: Direction; type: string; outcome: string } {
    const warn = (code: string, message: string, segment: string, element?: number): void => {
      event.warnings.push({ code, message, segment, ...(element !== undefined && { element }) });
    };
    const found = directionOf(event, this.header.purpose, this.context.header);
    if (found === null) warn('PURPOSE_UNKNOWN', 'neither BHT02 nor the guide states the direction', 'BHT', 2);
    const direction = found ?? 'request';
    const decided = reviewOutcome(event);
    const certification = (event.own.review ?? event.services[0]?.review)?.certification ?? '';
    const type = eventType(direction, certification, decided === 'rejected');
    if (type === null) warn('CODE_UNKNOWN', 'the certification type is unknown', 'UM', 2);
    if (direction !== 'response') {
      const outcome = direction === 'notification' ? 'recorded' : 'submitted';
      return { direction, type: type ?? 'authorization_requested', outcome };
    }
    if (decided === null) warn('DECISION_MISSING', 'an answer without HCR or AAA', 'HL');
    else if (decided === 'unknown') warn('STATUS_UNKNOWN', 'the review action is unknown', 'HCR', 1);
    return { direction, type: type ?? 'authorization_decided', outcome: decided ?? 'unknown' };
  }

  #describe(event: ReviewEvent, { subscriber, patient, people }: Persons): Record<string, unknown> {
    const { own, services, parts, codes } = event;
    const [payer, requester] = [this.#payer, this.#requester];
    const describe = (party: Party): Record<string, unknown> => describeOrganization(party, party.role);
    const performers = services.flatMap((service, at) =>
      service.providers.map((party) => ({ ...describe(party), line: at + 1 })),
    );
    return compact({
      ...describeNumbers(parts),
      submission_purpose: this.header.purpose,
      submission_reference: this.header.reference,
      ...describeDecision(parts),
      ...describeAsked(event),
      ...describeDates(parts),
      procedure_codes: unique(
        filled([
          ...codes.procedures.map(({ code }) => code),
          ...parts.map((part) => part.procedure?.procedureCode ?? ''),
        ]),
      ),
      procedures: codes.procedures,
      diagnosis_codes: unique(codes.diagnoses.map(({ code }) => code)),
      diagnoses: codes.diagnoses,
      lines: describeLines(event),
      jurisdiction: jurisdictionOf(patient, subscriber, ...own.providers, requester, payer),
      rationale: parts.flatMap(({ notes }) => notes).join('\n'),
      attachments: parts.flatMap(({ attachments }) => attachments),
      ...people,
      payer: payer && describeOrganization(payer),
      requester: requester && describeOrganization(requester),
      providers: [...own.providers.map(describe), ...performers],
    });
  }
}

/** The numbers that link a request, its answer, the claim and the payment. */
function describeNumbers(parts: readonly ReviewPart[]): Record<string, unknown> {
  const referenced = (qualifier: string): string[] => parts.flatMap(({ references }) => references.all(qualifier));
  const decided = filled(parts.map(({ decision }) => decision?.number ?? ''));
  const numbers = unique([...decided, ...referenced('BB')]);
  const traces = parts.flatMap((part) => part.traces);
  return {
    authorization_number: numbers[0],
    authorization_numbers: numbers.length > 1 ? numbers : undefined,
    administrative_number: referenced('NT')[0],
    trace_numbers: unique(filled(traces.map(({ number }) => number))),
    traces: traces.map(({ type, number, originator }) =>
      compact({ kind: type === '1' ? 'own' : 'referenced', number, originator }),
    ),
  };
}

function describeDecision(parts: readonly ReviewPart[]): Record<string, unknown> {
  const decisions = parts.flatMap(({ decision }) => decision ?? []);
  const rejections = parts.flatMap((part) => part.rejections);
  const reasons = [...decisions.flatMap((one) => one.reasons), ...rejections.map(({ reason }) => reason)];
  return {
    action_code: decisions[0]?.action,
    // Review reasons have their own code list and never appear in `carc`.
    decision_reason: unique(filled(reasons)),
    rejections: rejections.map(compact),
  };
}

/** The requested service: of the event, else of its first service (004010 has no event level). */
function describeAsked({ parts }: ReviewEvent): Record<string, unknown> {
  const review = parts.find((part) => part.review !== null)?.review ?? null;
  if (review === null) return {};
  const { category, certification, serviceType, place, placeQualifier, urgency } = review;
  return {
    service: serviceType || category,
    service_type: serviceType,
    request_category: category,
    certification_type: certification,
    place_of_service: placeQualifier === 'A' ? undefined : place,
    bill_type: placeQualifier === 'A' ? place : undefined,
    urgency,
  };
}

function describeDates(parts: readonly ReviewPart[]): Record<string, unknown> {
  const dated = (qualifier: string): Period | undefined =>
    parts.find(({ dates }) => dates.has(qualifier))?.dates.get(qualifier);
  return {
    service_period: dated('472') ?? dated('AAH'),
    event_period: dated('AAH'),
    admission: dated('435')?.from,
    discharge: dated('096')?.from,
    issued: dated('102')?.from,
    effective_from: dated('007')?.from,
    expires: dated('036')?.to,
  };
}

function describeLines({ own, services, parts }: ReviewEvent): Record<string, unknown>[] {
  const hasOwn = Boolean(own.procedure?.procedureCode) || own.revenueCode !== '' || own.quantity !== '';
  return (hasOwn ? parts : services).map((part, at) =>
    compact({
      line: at + 1,
      qualifier: part.procedure?.qualifier,
      procedure_code: part.procedure?.procedureCode,
      modifiers: part.procedure?.modifiers,
      revenue_code: part.revenueCode,
      charge: part.charge,
      units: part.units,
      quantity: part.quantity,
      quantity_unit: part.quantityUnit,
      service: part.review === null ? '' : part.review.serviceType || part.review.category,
      outcome: partOutcome(part),
      action_code: part.decision?.action,
      authorization_number: part.decision?.number,
      decision_reason: part.decision?.reasons,
      service_period: part.dates.get('472'),
    }),
  );
}
