import { byCode, jurisdictionOf } from '../../values/codes.js';
import { compact, unique } from '../../values/payload.js';
import { References } from '../elements.js';
import { type Segment, segmentKey } from '../envelope/segment.js';
import { BGN_DATE, ItemMapper, type MappedItem } from '../item-mapper.js';
import {
  describeMember,
  describeOrganization,
  identifiersOf,
  memberNumberOf,
  organizationOf,
  type Party,
  socialSecurityOf,
} from '../parties.js';
import { type Coverage, Enrollment, MEMBER_ONLY, MEMBER_SEGMENTS, periodOf } from './member.js';

const INS = segmentKey('INS');
const BGN = segmentKey('BGN');
const REF = segmentKey('REF');
const N1 = segmentKey('N1');

/** INS03, the maintenance type. */
const TYPES = byCode({
  changed: '001',
  added: '021',
  terminated: '024',
  reinstated: '025',
  audited: '030',
});

/** Maps an 834: one event per member (INS). */
export class Enrollment834Mapper extends ItemMapper<Enrollment> {
  protected readonly facts = {
    family: 'eligibility',
    noun: 'member',
    opener: 'INS',
    cut: 'EVENT_CUT',
    none: { code: 'NO_MEMBERS', message: 'the transaction has no member' },
    date: BGN_DATE,
    lacks: 'neither REF*0F nor NM1 gives the member a number of the plan',
  };
  readonly #references = new References();
  readonly #parties = new Map<string, Party>();
  /** REF*0F of the last subscriber. A dependent with the same number has no own number. */
  #subscriberNumber = '';

  segment(segment: Segment): void {
    const { key } = segment;
    if (key === INS) {
      this.close();
      this.open(new Enrollment(segment), segment);
    } else if (this.item !== null) MEMBER_SEGMENTS.get(key)?.(this.item, segment, this.composites);
    else if (key === BGN) this.readBgn(segment);
    else if (key === REF) this.#references.read(segment);
    else if (key === N1) this.#readParty(segment);
    else if (MEMBER_ONLY.has(key)) this.reportOrphan(segment);
  }

  protected name(): string {
    return '834';
  }

  protected map(member: Enrollment): MappedItem {
    const { head, person } = member;
    const type = TYPES.get(head.maintenanceType);
    if (type === undefined) {
      const { position } = member;
      const message = 'the maintenance type is unknown';
      member.warnings.push({ code: 'CODE_UNKNOWN', message, segment: 'INS', element: 3, position });
    }
    const { memberId, subscriberNumber, isOwn } = this.#numbersOf(member);
    const payload = compact({
      submission_reference: this.header.reference,
      submission_purpose: this.header.purpose,
      submission_action: this.header.type,
      policy_number: this.#references.first('38'),
      ...describeEnrollment(member),
      jurisdiction: jurisdictionOf(person),
      // The directory takes the person only under a number of their own.
      patient:
        person && compact({ ...describeMember(person, isOwn ? memberId : ''), address: compact(member.address) }),
      subscriber: compact({ id: subscriberNumber }),
      identifiers: identifiersOf(person),
      payer: this.#organization('IN'),
      sponsor: this.#organization('P5'),
      administrator: this.#organization('TV'),
      providers: member.coverages.flatMap(({ providers }) =>
        providers.map((party) => describeOrganization(party, party.role)),
      ),
    });
    const id = memberId || subscriberNumber;
    return { type: `enrollment_${type ?? 'reported'}`, outcome: 'recorded', id, memberId, payload };
  }

  /** A dependent without a number of their own stays under the subscriber's. */
  #numbersOf(member: Enrollment): { memberId: string; subscriberNumber: string; isOwn: boolean } {
    const { head, person } = member;
    const social = digitsOf(socialSecurityOf(person));
    const stated = member.subscriberNumber;
    const subscriberNumber = social !== '' && digitsOf(stated) === social ? '' : stated;
    if (head.isSubscriber) this.#subscriberNumber = subscriberNumber;
    const named = memberNumberOf(person);
    if (head.isSubscriber) return { memberId: subscriberNumber || named, subscriberNumber, isOwn: true };
    const isOwn = named !== '' && named !== this.#subscriberNumber;
    if (person === null) {
      // The guide requires NM1, which may hold a number of the dependent's own.
      const { position } = member;
      const message = 'a dependent has no NM1: a number of their own may be lost, so that no member is named';
      member.warnings.push({ code: 'PERSON_MISSING', message, segment: 'INS', position });
      return { memberId: '', subscriberNumber, isOwn: false };
    }
    return { memberId: named || subscriberNumber, subscriberNumber, isOwn };
  }

  #readParty(segment: Segment): void {
    const party = organizationOf(segment);
    if (['P5', 'IN', 'TV'].includes(party.entity) && !this.#parties.has(party.entity))
      this.#parties.set(party.entity, party);
  }

  #organization(entity: string): Record<string, unknown> | undefined {
    const party = this.#parties.get(entity);
    return party && describeOrganization(party);
  }
}

const digitsOf = (text: string): string => text.replace(/\D/g, '');

function describeEnrollment(member: Enrollment): Record<string, unknown> {
  const { head, references, dates, coverages } = member;
  const [first] = coverages;
  return {
    maintenance_type: head.maintenanceType,
    maintenance_reason: head.maintenanceReason,
    relationship: head.relationship,
    is_subscriber: head.isSubscriber,
    benefit_status: head.benefitStatus,
    medicare_status: head.medicare,
    cobra_event: head.cobra,
    employment_status: head.employmentStatus,
    student_status: head.student,
    disabled: head.disabled,
    death_date: head.deceased,
    group_number: references.first('1L'),
    supplemental_numbers: unique(references.all('17', '23', '3H', '6O', 'DX', 'ZZ')),
    eligibility_period: periodOf(dates, '356', '357'),
    employment_period: periodOf(dates, '336', '337'),
    maintenance_effective: dates.find(({ qualifier }) => qualifier === '303')?.period.from,
    // Of several coverages the first; each has its own below.
    coverage_period: first && periodOf(first.dates, '348', '349'),
    plan: coverages.find(({ head: { plan } }) => plan !== '')?.head.plan,
    coverages: coverages.map(describeCoverage),
  };
}

const describeCoverage = ({ head, references, dates, premiums, otherInsurances }: Coverage): Record<string, unknown> =>
  compact({
    ...head,
    coverage_period: periodOf(dates, '348', '349'),
    maintenance_effective: dates.find(({ qualifier }) => qualifier === '303')?.period.from,
    group_number: references.first('1L'),
    policy_number: references.first('X9', '17'),
    premium: premiums[0],
    other_insurances: otherInsurances,
  });
