import { type Period, parseDate, parsePeriod } from '../values/dates.js';
import { type Composites, References, type readPaidService } from './elements.js';
import { type Segment, segmentKey } from './envelope/segment.js';
import { Item, nameRunOn } from './item.js';
import type { SegmentReader } from './item-mapper.js';
import { LevelMapper } from './level-mapper.js';
import { describeOrganization, type Level, levelAbove, type Party, partyOf, readPartyDetail } from './parties.js';

const HL = segmentKey('HL');
const BHT = segmentKey('BHT');
const NM1 = segmentKey('NM1');
const DMG = segmentKey('DMG');
const TRN = segmentKey('TRN');
/** HL03 of a patient. In a 277CA the payer, the receiver and the provider have statuses too. */
const PATIENT_LEVELS: ReadonlySet<string> = new Set(['22', '23', 'PT']);

/** A service of a claim (2210 of a 276, 2220 of a 277). */
export class TracedLine {
  controlNumber = '';
  period: Period | null = null;

  constructor(
    readonly service: ReturnType<typeof readPaidService>,
    readonly charge: string,
    readonly quantity: string,
  ) {}
}

/** One claim of a 276 or 277 (2200) while it is read: from its TRN to the next TRN, HL or trailer. */
export class TracedClaim<L extends TracedLine = TracedLine> extends Item {
  /** The first segment: an STC if there is no TRN. */
  readonly opener: string;
  /** TRN02: the requester's number in a 276 and 277, the claim's number in a 277CA. */
  readonly trace: string;
  readonly references = new References();
  period: Period | null = null;
  readonly lines: L[] = [];
  line: L | null = null;

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

export function readClaimRef(claim: TracedClaim, segment: Segment): void {
  claim.breakRunOn(segment);
  if (claim.line === null) claim.references.read(segment);
  else if (['FJ', '6R'].includes(segment.value(1)))
    claim.line.controlNumber = segment.value(2) || claim.line.controlNumber;
}

/** DTP: service dates (472) and the claim's statement dates (232). A 277CA also sends the date of receipt (050). */
export function readClaimDtp(claim: TracedClaim, segment: Segment): void {
  const qualifier = segment.value(1);
  if (qualifier !== '472' && qualifier !== '232') return;
  const period = parsePeriod(segment.value(2), segment.value(3));
  if (period === null) claim.warnOfDate(segment);
  else if (claim.line !== null) claim.line.period = period;
  else claim.period = period;
}

/** Maps a set of claims that TRN opens below the levels of payer, receiver, provider and patient (276, 277). */
export abstract class ClaimLevelMapper<T extends TracedClaim> extends LevelMapper<T> {
  protected payer: Party | null = null;
  protected receiver: Party | null = null;
  /** The hierarchy is unclear: items have no member until the next HL. */
  #orphaned = false;
  /** A DMG before the NM1 of its level. */
  #ahead: Pick<Party, 'birthDate' | 'gender'> | null = null;

  protected abstract readonly readers: ReadonlyMap<number, SegmentReader<T>>;

  protected abstract claimOf(segment: Segment, level: Level | null): T;

  /** Takes a segment outside a claim that is no HL, BHT, NM1 or TRN. */
  protected abstract outside(segment: Segment): void;

  segment(segment: Segment): void {
    const { key } = segment;
    if (key === HL) {
      this.close();
      this.party = null;
      this.#orphaned = false;
      this.#ahead = null;
      this.hierarchy.open(segment);
    } else if (key === BHT) this.readBht(segment);
    else if (key === NM1) this.#readParty(segment);
    else if (key === TRN) {
      this.close();
      if (this.isPatient()) this.openClaim(segment);
    } else if (this.item !== null) this.readIn(segment, this.composites);
    else this.outside(segment);
  }

  protected override distrust(): void {
    super.distrust();
    this.#orphaned = true;
  }

  protected isPatient(): boolean {
    return this.#orphaned || PATIENT_LEVELS.has(this.hierarchy.current?.code ?? '');
  }

  protected openClaim(segment: Segment): void {
    this.open(this.claimOf(segment, this.hierarchy.current), segment);
  }

  protected readIn(segment: Segment, composites: Composites): void {
    if (this.item !== null) this.readers.get(segment.key)?.(this.item, segment, composites);
  }

  /** Reads a segment that describes a party. A 276 sends the DMG of a patient before the NM1. */
  protected readDetail(segment: Segment): void {
    if (this.party !== null) readPartyDetail(this.party, segment);
    else if (segment.key === DMG)
      this.#ahead = { birthDate: parseDate(segment.value(2)) ?? '', gender: segment.value(3) };
  }

  /** The organisations of a claim in a payload. */
  protected organizationsOf(claim: T) {
    const provider = levelAbove(claim.level, '19')?.party ?? null;
    const { payer, receiver } = this;
    const described = {
      payer: payer && describeOrganization(payer),
      receiver: receiver && describeOrganization(receiver),
      providers: provider && [describeOrganization(provider, 'billing')],
    };
    return { provider, described };
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
    if (isPatient) Object.assign(party, this.#ahead);
    if (level.code === '20') this.payer ??= party;
    else if (level.code === '21') this.receiver ??= party;
  }
}
