import { type Period, parsePeriod } from '../values/dates.js';
import { filled } from '../values/payload.js';
import { References } from './elements.js';
import { bySegment, type Segment, segmentKey, segmentKeys } from './envelope/segment.js';
import { Item, nameRunOn } from './item.js';
import type { SegmentReader } from './item-mapper.js';
import { LevelMapper } from './level-mapper.js';
import { describeOrganization, type Level, levelAbove, partyOf, readPartyDetail } from './parties.js';

const HL = segmentKey('HL');
const BHT = segmentKey('BHT');
const NM1 = segmentKey('NM1');
const LS = segmentKey('LS');
const LE = segmentKey('LE');
/** Segments that occur only before the questions or benefits of a patient. */
const OF_PATIENT = segmentKeys('TRN DMG INS');

/** A subscriber or dependent of a 270 or 271: from its HL to the next. */
export abstract class Subject extends Item {
  readonly traces: string[] = [];
  readonly references = new References();
  readonly dates = new Map<string, Period>();
  relationship = '';
  /** Between LS and LE: parties there belong to the benefit, not to the patient. */
  inParties = false;

  constructor(
    segment: Segment,
    readonly level: Level,
  ) {
    super(segment);
  }

  /** True if it asks or answers something. */
  abstract get hasContent(): boolean;

  /** True after the first question or benefit: the segments of the patient precede it. */
  abstract get isDescribed(): boolean;
}

/** The segments of the patient, before the first question or benefit. */
const PATIENT_SEGMENTS = bySegment<SegmentReader<Subject>>({
  TRN: (item, segment) => {
    item.breakRunOn(segment);
    item.traces.push(...filled([segment.value(2)]));
  },
  REF: (item, segment) => item.references.read(segment),
  DTP: (item, segment) => {
    const period = parsePeriod(segment.value(2), segment.value(3));
    if (period === null) item.warnOfDate(segment);
    else item.dates.set(segment.value(1), period);
  },
  INS: (item, segment) => {
    item.relationship = segment.value(2);
  },
});

/** Maps a set with one event per subscriber or dependent at its own level (270, 271). */
export abstract class SubjectMapper<T extends Subject> extends LevelMapper<T> {
  /** The segments of questions or benefits. */
  protected abstract readonly readers: ReadonlyMap<number, SegmentReader<T>>;

  protected abstract subjectOf(segment: Segment, level: Level): T;

  segment(segment: Segment): void {
    const { key } = segment;
    if (key === HL) {
      this.party = null;
      const level = this.hierarchy.open(segment);
      this.close();
      this.open(this.subjectOf(segment, level), segment);
    } else if (key === BHT) this.readBht(segment);
    else if (this.item !== null) this.#insideLevel(this.item, segment);
  }

  protected override hasContent(item: T): boolean {
    return item.hasContent;
  }

  /** A subscriber is no event if only the dependent has content; a rejection at any level is one. */
  protected override settle(item: T): boolean {
    return item.hasContent;
  }

  protected organizationsOf({ level }: T) {
    const payer = levelAbove(level, '20')?.party ?? null;
    const receiver = levelAbove(level, '21')?.party ?? null;
    const described = {
      payer: payer && describeOrganization(payer),
      receiver: receiver && describeOrganization(receiver),
    };
    return { payer, described };
  }

  #insideLevel(item: T, segment: Segment): void {
    const { key } = segment;
    if (key === LS) item.inParties = true;
    else if (key === LE) item.inParties = false;
    else if (key === NM1) this.#readParty(item, segment);
    else if (item.isDescribed && OF_PATIENT.has(key)) this.#losePatient(item, segment);
    else this.#readSegment(item, segment);
  }

  #readSegment(item: T, segment: Segment): void {
    const read = this.readers.get(segment.key);
    if (read !== undefined) read(item, segment, this.composites);
    else if (!item.isDescribed) {
      PATIENT_SEGMENTS.get(segment.key)?.(item, segment, this.composites);
      if (this.party !== null) readPartyDetail(this.party, segment);
    }
  }

  #readParty(item: T, segment: Segment): void {
    const fault = nameRunOn(segment, item.inParties);
    if (fault !== null) {
      this.damaged(fault);
      return;
    }
    this.party = null;
    // Between LS and LE parties belong to a benefit (2120): other payers, contacts, insureds of other payers.
    if (item.inParties) return;
    const party = partyOf(segment);
    const { level } = item;
    const wanted = level.code === '22' ? 'IL' : level.code === '23' ? '03' : '';
    const isPatient = party.entity === 'IL' || party.entity === '03';
    if (level.party === null && (party.entity === wanted || (wanted === '' && !isPatient))) {
      level.party = party;
      this.party = party;
    } else if (isPatient) this.#losePatient(item, segment);
  }

  /** A patient of another level, or a second patient: an HL between them was lost. */
  #losePatient(item: T, segment: Segment): void {
    this.hierarchy.distrust();
    item.level.trusted = false;
    this.party = null;
    if (item.hasContent) item.break(segment, 'LOOP_ORDER', 'a second patient in one level: an HL is missing');
  }
}
