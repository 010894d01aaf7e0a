import { stateOf } from '../../values/codes.js';
import { type Period, parseDate, parsePeriod } from '../../values/dates.js';
import { compact, filled } from '../../values/payload.js';
import { References } from '../elements.js';
import { bySegment, type Segment, segmentKeys } from '../envelope/segment.js';
import { Item } from '../item.js';
import type { SegmentReader } from '../item-mapper.js';
import { type Party, partyOf, readPartyDetail } from '../parties.js';

/** Coverages, dates, other insurances and providers of one member; the guide allows 99 coverages. */
const COVERAGES = { count: 500, code: 'COVERAGES_LEFT_OUT' };
const DETAILS = { count: 500, code: 'DETAILS_LEFT_OUT' };
/** The last element of a REF in this guide. */
const REF_ELEMENTS = 2;
/** Segments that occur only inside a member. */
export const MEMBER_ONLY = segmentKeys('NM1 DMG HD COB');
/** NM101 of the member: insured, or insured with a corrected name. */
const MEMBER_ENTITIES: ReadonlySet<string> = new Set(['IL', '74']);

interface Dated {
  qualifier: string;
  period: Period;
}

/** One coverage of the member (2300). */
export class Coverage {
  readonly head: ReturnType<typeof readCoverage>;
  readonly references = new References();
  readonly dates: Dated[] = [];
  readonly premiums: string[] = [];
  readonly otherInsurances: Record<string, unknown>[] = [];
  readonly providers: Party[] = [];

  constructor(segment: Segment) {
    this.head = readCoverage(segment);
  }
}

const readCoverage = (segment: Segment) => ({
  maintenance_type: segment.value(1),
  insurance_line: segment.value(3),
  plan: segment.value(4),
  coverage_level: segment.value(5),
});

const readIns = (segment: Segment) => ({
  isSubscriber: segment.value(1) === 'Y',
  relationship: segment.value(2),
  maintenanceType: segment.value(3),
  maintenanceReason: segment.value(4),
  benefitStatus: segment.value(5),
  medicare: segment.value(6),
  cobra: segment.value(7),
  employmentStatus: segment.value(8),
  student: segment.value(9),
  disabled: segment.value(10),
  deceased: parseDate(segment.value(12)) ?? '',
});

/** One member (2000) while it is read: from its INS to the next. */
export class Enrollment extends Item {
  /** INS. */
  readonly head: ReturnType<typeof readIns>;
  readonly references = new References();
  readonly dates: Dated[] = [];
  readonly coverages: Coverage[] = [];
  coverage: Coverage | null = null;
  person: Party | null = null;
  /** The party that the next N3, N4 or DMG describes. */
  party: Party | null = null;
  readonly address = { lines: [] as string[], city: '', state: '', postal_code: '', country: '' };

  constructor(segment: Segment) {
    super(segment);
    this.head = readIns(segment);
    if (this.head.maintenanceType === '') this.break(segment, 'ELEMENT_MISSING', 'INS has no maintenance type', 3);
  }

  get subscriberNumber(): string {
    return this.references.first('0F') ?? '';
  }
}

function readRef(member: Enrollment, segment: Segment): void {
  member.breakRunOn(segment, REF_ELEMENTS);
  const isMember = segment.at(1) === '0F';
  // A member has one subscriber number, before its coverages: the INS of the next member was lost.
  if (isMember && (member.subscriberNumber !== '' || member.coverage !== null || member.person !== null))
    member.break(segment, 'LOOP_ORDER', 'a second subscriber number in one member: an INS is missing', 1);
  (member.coverage ?? member).references.read(segment);
}

function readNm1(member: Enrollment, segment: Segment): void {
  member.party = null;
  const isOfCoverage = member.coverage !== null && !MEMBER_ENTITIES.has(segment.value(1));
  if (member.breakNameRunOn(segment, isOfCoverage)) return;
  const party = partyOf(segment);
  if (MEMBER_ENTITIES.has(party.entity)) {
    if (member.person !== null || member.coverage !== null)
      member.break(segment, 'LOOP_ORDER', 'a second member in one loop: an INS is missing', 1);
    member.person = party;
    member.party = party;
  } else if (member.coverage !== null && party.role !== '') {
    member.keep(member.coverage.providers, party, segment, DETAILS);
  }
}

function readN3(member: Enrollment, segment: Segment): void {
  if (member.party === member.person && member.party !== null)
    member.address.lines = filled([segment.value(1), segment.value(2)]);
}

function readN4(member: Enrollment, segment: Segment): void {
  if (member.party === null || member.party !== member.person) return;
  readPartyDetail(member.party, segment);
  member.address.city = segment.value(1);
  member.address.state = stateOf(segment.value(2), segment.value(4)) || segment.value(2);
  member.address.postal_code = segment.value(3);
  member.address.country = segment.value(4);
}

function readDtp(member: Enrollment, segment: Segment): void {
  const period = parsePeriod(segment.value(2), segment.value(3));
  if (period === null) member.warnOfDate(segment);
  else member.keep((member.coverage ?? member).dates, { qualifier: segment.value(1), period }, segment, DETAILS);
}

function readHd(member: Enrollment, segment: Segment): void {
  member.party = null;
  member.coverage = new Coverage(segment);
  member.keep(member.coverages, member.coverage, segment, COVERAGES);
}

/** AMT of a coverage: the premium (P3). Others are deductibles and copayments of the sponsor's agreement. */
function readAmt(member: Enrollment, segment: Segment): void {
  const { coverage } = member;
  if (coverage === null || segment.at(1) !== 'P3') return;
  const amount = member.amount(segment, 2);
  if (amount !== '') member.keep(coverage.premiums, amount, segment, DETAILS);
}

function readCob(member: Enrollment, segment: Segment): void {
  if (member.coverage === null) return;
  const other = compact({
    responsibility: segment.value(1),
    policy_number: segment.value(2),
    status: segment.value(3),
  });
  member.keep(member.coverage.otherInsurances, other, segment, DETAILS);
}

/** The segments of a member that are read, by id. */
export const MEMBER_SEGMENTS = bySegment<SegmentReader<Enrollment>>({
  REF: readRef,
  NM1: readNm1,
  N3: readN3,
  N4: readN4,
  DTP: readDtp,
  HD: readHd,
  AMT: readAmt,
  COB: readCob,
  DMG: (member, segment) => {
    if (member.party !== null) readPartyDetail(member.party, segment);
  },
});

/** The span of the first dates with these qualifiers, such as begin and end. */
export function periodOf(dates: readonly Dated[], begin: string, end: string): Record<string, unknown> {
  const found = (wanted: string): Period | undefined => dates.find(({ qualifier }) => qualifier === wanted)?.period;
  return compact({ from: found(begin)?.from, to: found(end)?.to });
}
