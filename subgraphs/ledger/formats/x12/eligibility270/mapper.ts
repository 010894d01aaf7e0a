import { jurisdictionOf } from '../../values/codes.js';
import { compact, filled, unique } from '../../values/payload.js';
import { type Composites, References } from '../elements.js';
import { bySegment, type Segment } from '../envelope/segment.js';
import { BHT_DATE, type MappedItem, type SegmentReader } from '../item-mapper.js';
import type { Level } from '../parties.js';
import { Subject, SubjectMapper } from '../subject-mapper.js';

/** EQ segments of one event; the guide allows 99. */
const QUESTIONS = { count: 500, code: 'QUESTIONS_LEFT_OUT' };
/** BHT02 of an inquiry that withdraws an earlier one. */
const CANCELLATION = '01';

type Question = ReturnType<typeof readQuestion>;

/** The questions about one subscriber or dependent. */
class Inquiry extends Subject {
  readonly questions: Question[] = [];
  /** REF of the questions, such as a prior authorization. */
  readonly asked = new References();

  override get hasContent(): boolean {
    return this.isDescribed || this.traces.length > 0;
  }

  override get isDescribed(): boolean {
    return this.questions.length > 0;
  }
}

/** EQ: one question (2110), named as in `payload.questions`. */
function readQuestion(segment: Segment, composites: Composites) {
  const [qualifier = '', procedureCode = ''] = composites.split(segment.value(2));
  return {
    service_types: composites.repetitions(segment.value(1)),
    qualifier,
    procedure_code: procedureCode.trim(),
    coverage_level: segment.value(3),
  };
}

function readEq(item: Inquiry, segment: Segment, composites: Composites): void {
  item.keep(item.questions, readQuestion(segment, composites), segment, QUESTIONS);
}

/** The segments of a subscriber or dependent that are read besides those of the patient. */
const QUESTION_SEGMENTS = bySegment<SegmentReader<Inquiry>>({
  EQ: readEq,
  REF: (item, segment) => {
    item.breakRunOn(segment);
    (item.isDescribed ? item.asked : item.references).read(segment);
  },
});

/** Maps a 270: one event per subscriber or dependent with a question about coverage. */
export class Eligibility270Mapper extends SubjectMapper<Inquiry> {
  protected readonly facts = {
    family: 'eligibility',
    noun: 'inquiry',
    opener: 'HL',
    cut: 'EVENT_CUT',
    none: { code: 'NO_INQUIRIES', message: 'the transaction asks about no subscriber or dependent' },
    date: BHT_DATE,
    lacks: 'no NM1*IL or NM1*03 of the subscriber or dependent names a member',
  };
  protected readonly readers = QUESTION_SEGMENTS;

  protected subjectOf(segment: Segment, level: Level): Inquiry {
    return new Inquiry(segment, level);
  }

  protected name(): string {
    return '270';
  }

  protected map(item: Inquiry): MappedItem {
    const { memberId, subscriber, patient, people } = this.peopleOf(item.level);
    const { payer, described } = this.organizationsOf(item);
    const { reference, purpose } = this.header;
    const { traces, questions, references, asked, dates, relationship } = item;
    const payload = compact({
      trace_numbers: traces,
      submission_reference: reference,
      submission_purpose: purpose,
      service_type: questions.flatMap(({ service_types: types }) => types)[0],
      service_period: dates.get('291') ?? dates.get('472'),
      procedure_codes: unique(filled(questions.map(({ procedure_code: code }) => code))),
      questions: questions.map(compact),
      group_number: references.first('6P', '18'),
      prior_authorizations: asked.all('9F', 'G1'),
      jurisdiction: jurisdictionOf(patient, subscriber, payer),
      ...people,
      relationship,
      ...described,
    });
    const outcome = purpose === CANCELLATION ? 'cancelled' : 'submitted';
    return { type: 'eligibility_asked', outcome, id: traces[0] ?? reference, memberId, payload };
  }
}
