import { type Period, parseMoment, parsePeriod } from '../../values/dates.js';
import { filled } from '../../values/payload.js';
import { type Composites, HealthCodes, References, readAttachment, readProcedure } from '../elements.js';
import { bySegment, type Segment, segmentKeys } from '../envelope/segment.js';
import { Item } from '../item.js';
import { type Level, type Party, partyOf, readPartyDetail } from '../parties.js';

/** The members that an event and each of its services share. */
export class ReviewPart {
  readonly traces: { type: string; number: string; originator: string }[] = [];
  /** UM: the request. */
  review: ReturnType<typeof readReview> | null = null;
  /** HCR: the decision. */
  decision: { action: string; number: string; reasons: string[] } | null = null;
  /** AAA: the reasons why the part was rejected. */
  readonly rejections: { reason: string; follow_up: string }[] = [];
  readonly references = new References();
  readonly dates = new Map<string, Period>();
  readonly notes: string[] = [];
  readonly attachments: Record<string, unknown>[] = [];
  readonly providers: Party[] = [];
  quantity = '';
  quantityUnit = '';
  /** SV1, SV2 or SV3. */
  procedure: ReturnType<typeof readProcedure> | null = null;
  revenueCode = '';
  charge = '';
  units = '';
}

/** One patient event while it is read: an HL EV, else the patient's HL, with the services (HL SS) below it. */
export class ReviewEvent extends Item {
  readonly own = new ReviewPart();
  /** The services below this level. */
  readonly services: ReviewPart[] = [];
  /** The part that the next segments describe: the event itself or its last service. */
  part = this.own;
  readonly codes = new HealthCodes();
  party: Party | null = null;
  /** True if it says more than who the patient is. */
  hasContent: boolean;

  constructor(
    segment: Segment,
    readonly level: Level,
  ) {
    super(segment);
    this.hasContent = this.isEvent;
  }

  /** True for the levels that are events; others are one only if they have content. */
  get isEvent(): boolean {
    return this.level.code === 'EV' || this.level.code === 'SS';
  }

  get parts(): readonly ReviewPart[] {
    return [this.own, ...this.services];
  }

  openService(): void {
    this.part = new ReviewPart();
    this.party = null;
    this.services.push(this.part);
    this.hasContent = true;
  }
}

type ReviewReader = (event: ReviewEvent, segment: Segment, composites: Composites) => void;

function readTrn(event: ReviewEvent, segment: Segment): void {
  event.breakRunOn(segment);
  event.part.traces.push({ type: segment.value(1), number: segment.value(2), originator: segment.value(3) });
}

function readReview(segment: Segment, composites: Composites) {
  const [place = '', placeQualifier = ''] = composites.split(segment.value(4));
  return {
    category: segment.value(1),
    certification: segment.value(2),
    serviceType: segment.value(3),
    place,
    placeQualifier,
    urgency: segment.value(6),
  };
}

function readUm(event: ReviewEvent, segment: Segment, composites: Composites): void {
  // A second UM in one level means that the HL between them was lost.
  if (event.part.review !== null) event.break(segment, 'LOOP_ORDER', 'a second UM in one level: an HL is missing');
  event.part.review = readReview(segment, composites);
}

function readHcr(event: ReviewEvent, segment: Segment, composites: Composites): void {
  if (event.part.decision !== null) event.break(segment, 'LOOP_ORDER', 'a second HCR in one level: an HL is missing');
  const action = segment.value(1);
  if (action === '') event.break(segment, 'ELEMENT_MISSING', 'the review has no action code', 1);
  event.part.decision = { action, number: segment.value(2), reasons: composites.repetitions(segment.value(3)) };
}

/** DTP: service (472), admission (435), discharge (096), event (AAH), issue (102), effective (007), expiry (036). */
const READ_DATES = segmentKeys('472 435 096 AAH 102 007 036');

function readDtp(event: ReviewEvent, segment: Segment): void {
  if (!READ_DATES.has(segment.qualifier(1))) return;
  const format = segment.value(2);
  const value = segment.value(3);
  const moment = format === 'DT' ? parseMoment(format, value) : null;
  const period = moment === null ? parsePeriod(format, value) : { from: moment, to: moment };
  if (period === null) event.warnOfDate(segment);
  else event.part.dates.set(segment.value(1), period);
}

/** NM1 below an event or service: its providers. Patients belong above it. */
function readNm1(event: ReviewEvent, segment: Segment): void {
  event.party = null;
  if (event.breakNameRunOn(segment)) return;
  const party = partyOf(segment);
  if (party.entity === 'IL' || party.entity === 'QC') {
    event.break(segment, 'LOOP_ORDER', 'a patient is named inside an event: an HL is missing', 1);
    return;
  }
  event.party = party;
  event.part.providers.push(party.role === '' ? { ...party, role: roleOf(party.entity) } : party);
}

/** NM101 codes that only the 278 has. */
function roleOf(entity: string): string {
  if (entity === 'SJ') return 'service';
  return entity === '1T' || entity === '1P' ? 'requester' : 'other';
}

/** SV1, SV2 or SV3, with the elements that hold its procedure, charge and units. */
const readService =
  (at: { procedure: number; charge: number; units: number; revenue?: number }): ReviewReader =>
  (event, segment, composites) => {
    const { part } = event;
    if (part.procedure !== null && part.procedure.qualifier !== '')
      event.break(segment, 'LOOP_ORDER', 'a second service in one level: an HL is missing');
    if (at.revenue !== undefined) part.revenueCode = segment.value(at.revenue);
    part.procedure = readProcedure(segment.value(at.procedure), composites);
    part.units = segment.value(at.units);
    const charge = event.amount(segment, at.charge);
    if (charge !== '' || segment.value(at.charge) === '') part.charge = charge;
  };

const READERS = bySegment<ReviewReader>({
  TRN: readTrn,
  UM: readUm,
  HCR: readHcr,
  AAA: (event, segment) => event.part.rejections.push({ reason: segment.value(3), follow_up: segment.value(4) }),
  REF: (event, segment) => {
    event.breakRunOn(segment);
    event.part.references.read(segment);
  },
  DTP: readDtp,
  HI: (event, segment, composites) => event.codes.read(event, segment, composites),
  HSD: ({ part }, segment) => {
    part.quantityUnit = segment.value(1);
    part.quantity = segment.value(2);
  },
  MSG: (event, segment) => event.part.notes.push(...filled([segment.value(1)])),
  PWK: (event, segment) => event.part.attachments.push(readAttachment(segment)),
  NM1: readNm1,
  SV1: readService({ procedure: 1, charge: 2, units: 4 }),
  SV2: readService({ procedure: 2, charge: 3, units: 5, revenue: 1 }),
  SV3: readService({ procedure: 1, charge: 2, units: 6 }),
});

/** Reads a segment of an event or of its open service. */
export function readReviewSegment(event: ReviewEvent, segment: Segment, composites: Composites): void {
  const read = READERS.get(segment.key);
  if (read !== undefined) read(event, segment, composites);
  else if (event.party !== null) readPartyDetail(event.party, segment);
}
