import { byCode, jurisdictionOf, programIn } from '../../values/codes.js';
import { compact, filled, unique } from '../../values/payload.js';
import type { Composites } from '../elements.js';
import { bySegment, type Segment } from '../envelope/segment.js';
import { BHT_DATE, type MappedItem, type SegmentReader } from '../item-mapper.js';
import type { Level } from '../parties.js';
import { Subject, SubjectMapper } from '../subject-mapper.js';

type Benefit = ReturnType<typeof readBenefit>;

/** The answer about one subscriber or dependent: from its HL to the next. */
class Eligibility extends Subject {
  readonly rejections: { valid: string; reason: string; follow_up: string }[] = [];
  readonly benefits: Benefit[] = [];
  benefit: Benefit | null = null;

  override get hasContent(): boolean {
    return this.isDescribed || this.rejections.length > 0;
  }

  override get isDescribed(): boolean {
    return this.benefits.length > 0;
  }
}

/** EB segments of one event; a larger patient is a roster. */
const BENEFITS_LIMIT = 5_000;

/** EB: one benefit, named as in `payload.benefits`, with the messages of its loop (2110). */
function readBenefit(item: Eligibility, segment: Segment, composites: Composites) {
  const [, procedureCode = ''] = composites.split(segment.value(13));
  const notes: string[] = [];
  return {
    information: segment.value(1),
    coverage_level: segment.value(2),
    service_types: composites.repetitions(segment.value(3)),
    insurance_type: segment.value(4),
    plan: segment.value(5),
    time_period: segment.value(6),
    amount: item.amount(segment, 7),
    percent: segment.value(8),
    quantity_qualifier: segment.value(9),
    quantity: segment.value(10),
    authorization_required: segment.value(11),
    in_network: segment.value(12),
    procedure_code: procedureCode.trim(),
    notes,
  };
}

function readEb(item: Eligibility, segment: Segment, composites: Composites): void {
  item.benefit = readBenefit(item, segment, composites);
  if (item.benefits.length < BENEFITS_LIMIT) item.benefits.push(item.benefit);
  else if (!item.warnings.some(({ code }) => code === 'BENEFITS_LEFT_OUT')) {
    item.warn(segment, 'BENEFITS_LEFT_OUT', `benefits after the first ${BENEFITS_LIMIT} are left out`, 1);
  }
}

function readAaa(item: Eligibility, segment: Segment): void {
  item.rejections.push({ valid: segment.value(1), reason: segment.value(3), follow_up: segment.value(4) });
}

/** The segments of a subscriber or dependent that are read, by id. */
const ELIGIBILITY_SEGMENTS = bySegment<SegmentReader<Eligibility>>({
  EB: readEb,
  AAA: readAaa,
  MSG: (item, segment) => item.benefit?.notes.push(...filled([segment.value(1)])),
});

/** Maps a 271: one event per subscriber or dependent with an answer. */
export class Eligibility271Mapper extends SubjectMapper<Eligibility> {
  protected readonly facts = {
    family: 'eligibility',
    noun: 'answer',
    opener: 'HL',
    cut: 'ANSWER_CUT',
    none: { code: 'NO_ANSWERS', message: 'the transaction has no answer about a subscriber or dependent' },
    date: BHT_DATE,
    lacks: 'no NM1*IL or NM1*03 of the subscriber or dependent names a member',
  };

  protected readonly readers = ELIGIBILITY_SEGMENTS;

  protected subjectOf(segment: Segment, level: Level): Eligibility {
    return new Eligibility(segment, level);
  }

  protected name(): string {
    return '271';
  }

  protected map(item: Eligibility): MappedItem {
    const { memberId, subscriber, patient, people } = this.peopleOf(item.level);
    const outcome = eligibilityOutcome(item);
    if (outcome === 'unknown') {
      const message = 'no EB01 states whether the coverage is active';
      item.warnings.push({ code: 'STATUS_UNKNOWN', message, segment: 'EB' });
    }
    const { reference } = this.header;
    const { payer, described } = this.organizationsOf(item);
    const payload = compact({
      trace_numbers: item.traces,
      ...describeCoverage(item),
      jurisdiction: jurisdictionOf(patient, subscriber, payer),
      ...people,
      relationship: item.relationship,
      ...described,
      submission_reference: reference,
    });
    return { type: 'eligibility_reported', outcome, id: item.traces[0] ?? reference, memberId, payload };
  }
}

const COVERED = byCode({ active: '1 2 3 4 5', inactive: '6 7 8' });
/** Service type 30: the plan's coverage as a whole. */
const WHOLE_PLAN = '30';

/** AAA rejects. Else EB01 decides: of the whole plan if present, else of the first service. */
function eligibilityOutcome({ rejections, benefits }: Eligibility): string {
  const decisive = benefits.filter(({ information }) => COVERED.has(information));
  const decided = decisive.find(({ service_types: types }) => types.includes(WHOLE_PLAN)) ?? decisive[0];
  const covered = COVERED.get(decided?.information ?? '');
  if (covered !== undefined) return covered;
  if (rejections.length > 0) return 'rejected';
  // V: cannot process.
  return benefits.some(({ information }) => information === 'V') ? 'error' : 'unknown';
}

/** EB04, insurance type: a different list from the claim filing indicator. */
const PROGRAMS = byCode({
  Medicare: 'MA MB MP HN QM 12 13 14 15 16 41 42 43 47',
  Medicaid: 'MC',
  Commercial: 'C1 CO EP GP HM HS IN IP PR PS',
  WorkersComp: 'WC',
});

function describeCoverage({ benefits, rejections, dates, references }: Eligibility): Record<string, unknown> {
  const first = (field: 'plan' | 'insurance_type'): string =>
    benefits.find((benefit) => benefit[field] !== '')?.[field] ?? '';
  const insuranceType = first('insurance_type');
  const from = dates.get('346')?.from ?? dates.get('356')?.from;
  const to = dates.get('347')?.to ?? dates.get('357')?.to;
  return {
    plan: first('plan'),
    program: programIn(PROGRAMS, insuranceType),
    program_code: insuranceType,
    group_number: references.first('6P', '18'),
    coverage_period: dates.get('291') ?? dates.get('307') ?? compact({ from, to }),
    service_period: dates.get('472'),
    rejections: rejections.map(compact),
    decision_reason: unique(filled(rejections.map(({ reason }) => reason))),
    procedure_codes: unique(filled(benefits.map(({ procedure_code }) => procedure_code))),
    benefits: benefits.map(compact),
  };
}
