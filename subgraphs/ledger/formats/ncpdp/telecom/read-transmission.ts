import type { AdapterWarning, Position } from '../../format-adapter.js';
import type { ByteWindow } from '../../values/byte-window.js';
import { readHeader, type TelecomHeader, VERSIONS } from './header.js';
import { type Group, positionOf, Segment, type Transmission, type Warn, warnInto } from './segment.js';

const SEGMENTS_LIMIT = 1_000;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the separators of the standard are control characters
const SEPARATORS = /[\x1c-\x1e]/g;
const [FS, GS] = ['\x1c', '\x1d'] as const;
/**
 * Segments that all transactions of a transmission share: patient, insurance; in responses message, insurance, patient.
 */
const SHARED_IDS: ReadonlySet<string> = new Set(['AM01', 'AM04', 'AM20', 'AM25', 'AM27', 'AM29']);
/** Segments that begin a transaction; each occurs once in it. */
const FIRST_IDS: ReadonlySet<string> = new Set(['AM07', 'AM21']);
const KNOWN_IDS = /^AM(?:0[1-9]|1[0-9]|2[0-9]|3[0-7])$/;

interface RecordPlace {
  /** The header's offset, after a batch's reference number. */
  readonly start: number;
  readonly end: number;
  readonly terminated: boolean;
  readonly framed: boolean;
  readonly batchReference: string;
  /** Segments of the body before this transmission. */
  readonly segmentsBefore: number;
}

interface UnreadableTransmission {
  readonly code: string;
  readonly message: string;
  readonly header: TelecomHeader | null;
}

/** Reads the bytes of one transmission, or returns why it cannot. */
export function readTransmission(
  window: ByteWindow,
  place: RecordPlace,
): { transmission: Transmission } | { unreadable: UnreadableTransmission } {
  const text = window.slice(place.start, place.end);
  const header = readHeader(text);
  const refuse = (code: string, message: string) => ({ unreadable: { code, message, header } });
  if (text.includes('\0')) return refuse('NUL_IN_TRANSMISSION', 'the transmission contains NUL bytes');
  if (header === null) return refuse('NOT_NCPDP', 'these bytes do not begin with a transmission header');
  if (!VERSIONS.has(header.version)) return refuse('VERSION_UNKNOWN', '102-A2 is neither version D.0 nor F6');
  const position = { byteOffset: place.start, segmentNumber: place.segmentsBefore + 1, transactionPosition: 1 };
  const warnings: AdapterWarning[] = [];
  const warn = warnInto(warnings, position);
  const builder = new SegmentBuilder(place, position, warn, header.version);
  if (!builder.read(text, header.length)) {
    return refuse('TOO_MANY_SEGMENTS', `the transmission has more than ${SEGMENTS_LIMIT} segments`);
  }
  warnOfHeader(header, warn);
  if (place.framed && !place.terminated) warn('FRAME_OPEN', 'ETX is missing after the transmission');
  const { shared, groups, lost } = builder.assemble();
  const transmission = {
    header,
    shared,
    groups,
    lost,
    part: window.partOf(place.start, place.end),
    position,
    batchReference: place.batchReference,
    segmentCount: builder.segmentCount + 1,
    cut: place.framed && !place.terminated,
    framed: place.framed,
    terminated: place.terminated,
    warnings,
  };
  return { transmission };
}

function warnOfHeader(header: TelecomHeader, warn: Warn): void {
  if (header.short)
    warn('HEADER_SHORT', 'the header is shorter than the standard; its fields were located by the date');
  if (header.count === null) warn('COUNT_UNREADABLE', '109-A9 is not a number of transactions');
  if (header.provider === '') warn('PROVIDER_MISSING', '201-B1 names no pharmacy');
}

/** Collects fields into segments, and segments into groups. */
class SegmentBuilder {
  segmentCount = 0;
  readonly #groups: { segments: Segment[]; start: number }[];
  #segment: Segment | null = null;
  readonly #place: RecordPlace;
  readonly #position: Position;
  readonly #warn: Warn;

  readonly #version: string;

  constructor(place: RecordPlace, position: Position, warn: Warn, version: string) {
    this.#place = place;
    this.#version = version;
    this.#position = position;
    this.#warn = warn;
    this.#groups = [{ segments: [], start: place.start }];
  }

  /** Returns false if there are too many segments. */
  read(text: string, from: number): boolean {
    let separator = '';
    let start = from;
    SEPARATORS.lastIndex = from;
    for (;;) {
      const found = SEPARATORS.exec(text);
      const end = found?.index ?? text.length;
      this.#token(separator, text.slice(start, end), this.#place.start + start);
      if (this.segmentCount > SEGMENTS_LIMIT) return false;
      if (found === null) break;
      separator = found[0];
      start = found.index + 1;
    }
    const field = this.#segment?.fields.at(-1);
    if (!this.#place.terminated && this.#segment !== null && field !== undefined) this.#segment.cutField = field;
    return true;
  }

  #token(separator: string, text: string, offset: number): void {
    if (separator === GS) this.#groups.push({ segments: [], start: offset });
    if (separator !== FS && separator !== '') this.#segment = null;
    if (text === '') return;
    if (/^AM\d\d/.test(text)) {
      this.#open(text.slice(0, 4), offset);
      if (text.length > 4) this.#field(text.slice(4));
    } else if (separator === '') {
      this.#warn('HEADER_LONG', 'bytes between the header and the first separator are not read');
    } else this.#field(text);
  }

  #open(id: string, byteOffset: number): void {
    this.segmentCount += 1;
    const { segmentNumber } = this.#position;
    const position = this.segmentCount + 1;
    this.#segment = new Segment(id, { byteOffset, number: segmentNumber + this.segmentCount, position });
    // F6 adds segments: what D.0 does not know is kept raw.
    if (this.#version === 'D0' && !KNOWN_IDS.test(id))
      this.#warn('UNKNOWN_SEGMENT', 'no segment of the standard has this number', this.#segment);
    this.#groups.at(-1)?.segments.push(this.#segment);
  }

  #field(text: string): void {
    if (this.#segment === null) {
      this.#warn('SEGMENT_UNNAMED', 'fields follow a segment separator without a segment number');
    } else if (!/^[0-9A-Z]{2}/.test(text)) {
      this.#warn('FIELD_UNREADABLE', 'a field does not begin with an id; it is not read', this.#segment);
    } else this.#segment.fields.push({ id: text.slice(0, 2), value: text.slice(2) });
  }

  /**
   * The shared segments and the transactions. A second patient or insurance, or one after the first claim or status,
   * belongs to another transmission with a lost header.
   */
  assemble(): Pick<Transmission, 'shared' | 'groups' | 'lost'> {
    const shared: Segment[] = [];
    const groups: Group[] = [];
    const { end } = this.#place;
    let begun = false;
    for (const [at, { segments, start }] of this.#groups.entries()) {
      let own: Segment[] = [];
      let ownStart = start;
      const close = (before: number): void => {
        if (own.length > 0) groups.push({ segments: own, start: ownStart, end: before });
        own = [];
      };
      for (const segment of segments) {
        const first = FIRST_IDS.has(segment.id);
        begun ||= first;
        if (SHARED_IDS.has(segment.id)) {
          if (begun || shared.some(({ id }) => id === segment.id)) {
            dropLastField(own);
            close(segment.byteOffset);
            return { shared, groups, lost: { start: segment.byteOffset, end, position: positionOf(segment) } };
          }
          shared.push(segment);
          continue;
        }
        if (first && own.some(({ id }) => id === segment.id)) {
          this.#warn('GROUP_SEPARATOR_MISSING', 'a transaction begins without a group separator', segment);
          close(segment.byteOffset);
          ownStart = segment.byteOffset;
        }
        own.push(segment);
      }
      const next = this.#groups[at + 1];
      if (at === 0 && next !== undefined && !begun) {
        // Some senders put the prescriber before the first transaction: it applies to all.
        shared.push(...own);
        own = [];
      }
      close(next === undefined ? end : next.start - 1);
    }
    return { shared, groups, lost: null };
  }
}

/** Finds the lost header in the preceding value. */
function dropLastField(segments: readonly Segment[]): void {
  segments.at(-1)?.fields.pop();
}
