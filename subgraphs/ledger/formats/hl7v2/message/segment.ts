import type { CharacterSet } from './character-sets.js';

/** The separators of a message: MSH-1, then the characters of MSH-2. '' if MSH-2 is too short. */
export interface Separators {
  readonly field: string;
  readonly component: string;
  readonly repetition: string;
  readonly escape: string;
  readonly subcomponent: string;
}

/** The longest MSH-2: four separators, the truncation character of 2.7, and a doubled escape. */
const ENCODING_CHARACTERS_LIMIT = 6;

/** Reads the separators of an MSH, BHS or FHS. Null if a separator is a letter, digit or blank, or is repeated. */
export function readSeparators(line: string): Separators | null {
  const field = line.charAt(3);
  if (!canSeparate(field)) return null;
  const end = line.indexOf(field, 4);
  if (end === -1 || end === 4 || end > 4 + ENCODING_CHARACTERS_LIMIT) return null;
  let characters = line.slice(4, end);
  // `^~\\&`: another notation doubled the escape character.
  if (characters.charAt(2) === characters.charAt(3)) characters = characters.slice(0, 3) + characters.slice(4);
  const named = [field, ...characters.slice(0, 4)];
  if (!named.every(canSeparate) || new Set(named).size !== named.length) return null;
  const [, component = '', repetition = '', mark = '', subcomponent = ''] = named;
  return { field, component, repetition, escape: mark, subcomponent };
}

function canSeparate(character: string): boolean {
  const code = character.charCodeAt(0);
  if (code <= 0x20 || code >= 0x7f) return false;
  const letter = code | 0x20;
  return !(code >= 0x30 && code <= 0x39) && !(letter >= 0x61 && letter <= 0x7a);
}

/** The longest escape sequence; an escape character without a partner within it is literal. */
const SEQUENCE_LIMIT = 200;

/**
 * Resolves escape sequences (HL7 2.x chapter 2, "Use of escape sequences in text fields"): separators, `\Xhh\`, line
 * breaks and blanks of formatted text. Drops highlighting. Leaves anything else unchanged.
 */
function unescapeValue(text: string, separators: Separators, characters: CharacterSet): string {
  const { escape: mark } = separators;
  let from = mark === '' ? -1 : text.indexOf(mark);
  if (from === -1) return text;
  let out = '';
  let kept = 0;
  while (from !== -1) {
    const to = text.indexOf(mark, from + 1);
    if (to === -1) break;
    const plain = to - from > SEQUENCE_LIMIT ? null : replacement(text.slice(from + 1, to), separators, characters);
    if (plain === null) {
      from = to;
      continue;
    }
    out += text.slice(kept, from) + plain;
    kept = to + 1;
    from = text.indexOf(mark, kept);
  }
  return out + text.slice(kept);
}

/** The text of a sequence; null if it is none. */
function replacement(sequence: string, separators: Separators, characters: CharacterSet): string | null {
  const { field: F, component: S, subcomponent: T, repetition: R, escape: E } = separators;
  const plain: Readonly<Record<string, string>> = { F, S, T, R, E, P: '#', H: '', N: '' };
  if (Object.hasOwn(plain, sequence)) return plain[sequence] ?? null;
  if (sequence.startsWith('.')) return formatting(sequence);
  if (/^X(?:[0-9A-Fa-f]{2})+$/.test(sequence)) return characters.decode(Buffer.from(sequence.slice(1), 'hex'));
  // A character set switch (ISO 2022) is dropped, not followed.
  return /^(?:C[0-9A-Fa-f]{4}|M[0-9A-Fa-f]{4}(?:[0-9A-Fa-f]{2})?)$/.test(sequence) ? '' : null;
}

/** `.br` and similar begin a line, `.sp3` three, `.sk3` three blanks; indents and fills are dropped. */
function formatting(sequence: string): string | null {
  const found = /^\.(br|sp|ce|in|ti|fi|nf|sk)\+?-?(\d{0,3})$/.exec(sequence);
  if (found === null) return null;
  const count = Math.min(Number(found[2] === '' ? 1 : found[2]), 10);
  if (found[1] === 'br' || found[1] === 'ce') return '\n';
  if (found[1] === 'sp') return '\n'.repeat(count);
  return found[1] === 'sk' ? ' '.repeat(count) : '';
}

/** Segments of HL7 2.1 to 2.8 (chapters 2 to 17). `Z…` segments are agreed between sender and receiver. */
const KNOWN: ReadonlySet<string> = new Set(
  (
    'ABS ACC ADD ADJ AFF AIG AIL AIP AIS AL1 APR ARQ ARV AUT BHS BLC BLG BPO BPX BTS BTX BUI CDM CDO CER CM0 CM1 CM2 CNS ' +
    'CON CSP CSR CSS CTD CTI DB1 DEV DG1 DMI DON DPS DRG DSC DSP DST ECD ECR EDU EQL EQP EQU ERQ ERR EVN FAC FHS FT1 FTS ' +
    'GOL GP1 GP2 GT1 IAM IAR IIM ILT IN1 IN2 IN3 INV IPC IPR ISD ITM IVC IVT LAN LCC LCH LDP LOC LRL MCP MFA MFE MFI MRG ' +
    'MSA MSH NCK NDS NK1 NPU NSC NST NTE OBR OBX ODS ODT OH1 OH2 OH3 OH4 OM1 OM2 OM3 OM4 OM5 OM6 OM7 OMC ORC ORG OVR PAC ' +
    'PCE PCR PD1 PDA PDC PEO PES PID PKG PM1 PMT PR1 PRA PRB PRC PRD PRT PSG PSH PSL PSS PTH PV1 PV2 PYE QAK QID QPD QRD ' +
    'QRF QRI RCP RDF RDT REL RF1 RFI RGS RMI ROL RQ1 RQD RXA RXC RXD RXE RXG RXO RXR RXV SAC SCD SCH SCP SDD SFT SGH SGT ' +
    'SHP SID SLT SPM STF STZ TCC TCD TQ1 TQ2 TXA UAC UB1 UB2 URD URS VAR VND VTQ'
  ).split(' '),
);

export function isKnownSegment(id: string): boolean {
  return id.charAt(0) === 'Z' || KNOWN.has(id);
}

/** How the values of a message are decoded. */
export interface Reading {
  readonly separators: Separators;
  readonly characters: CharacterSet;
  /** Character codes of the separators that end the first value of a field; NaN for a missing one. */
  readonly codes: { readonly component: number; readonly repetition: number; readonly subcomponent: number };
}

export function readingOf(separators: Separators, characters: CharacterSet): Reading {
  const { component, repetition, subcomponent } = separators;
  const codes = {
    component: component.charCodeAt(0),
    repetition: repetition.charCodeAt(0),
    subcomponent: subcomponent.charCodeAt(0),
  };
  return { separators, characters, codes };
}

/** The most repetitions read: longer lists of identifiers or diagnoses are not plausible. */
const REPETITIONS_LIMIT = 100;

/** One segment of a message. Splits its fields on demand, because most segments are never read. */
export class Segment {
  readonly id: string;
  /** The first byte's offset in the body. */
  readonly byteOffset: number;
  /** The offset after its last byte, without the terminator. */
  readonly endOffset: number;
  /** Counted through the body, from 1. */
  readonly number: number;
  /** Counted from MSH, which is 1. */
  readonly position: number;
  readonly #source: string;
  readonly #reading: Reading;
  /** 1 in MSH, BHS and FHS, which count their separator as the first field. */
  readonly #shift: number;
  #split: string[] | null = null;

  constructor(
    source: string,
    place: { byteOffset: number; endOffset: number; number: number; position: number },
    reading: Reading,
  ) {
    this.id = source.slice(0, 3);
    this.#source = source;
    this.byteOffset = place.byteOffset;
    this.endOffset = place.endOffset;
    this.number = place.number;
    this.position = place.position;
    this.#reading = reading;
    this.#shift = this.id === 'MSH' || this.id === 'BHS' || this.id === 'FHS' ? 1 : 0;
  }

  /** How many fields follow the id. */
  get fieldCount(): number {
    return this.#fields().length - 1 + this.#shift;
  }

  /**
   * Field n as sent, with all repetitions; '' if absent. Fields of MSH, BHS and FHS count their separator as the first.
   */
  field(n: number): string {
    return this.#fields()[n - this.#shift] ?? '';
  }

  /** The repetitions of field n as sent, at most `limit`. */
  repetitions(n: number, limit = REPETITIONS_LIMIT): string[] {
    const raw = this.field(n);
    if (raw === '') return [];
    const { repetition } = this.#reading.separators;
    return repetition === '' ? [raw] : raw.split(repetition, limit);
  }

  /** A component of the first repetition of field n, first subcomponent only. */
  value(n: number, component = 1, subcomponent = 1): string {
    if (component === 1 && subcomponent === 1) return this.#leading(this.field(n));
    const first = this.#first(n);
    return first === '' ? '' : this.valueOf(first, component, subcomponent);
  }

  /** The first value of a field, which is read most: one pass instead of a search for each separator. */
  #leading(raw: string): string {
    const { component, repetition, subcomponent } = this.#reading.codes;
    for (let at = 0; at < raw.length; at += 1) {
      const code = raw.charCodeAt(at);
      if (code === component || code === repetition || code === subcomponent) return this.plain(raw.slice(0, at));
    }
    return this.plain(raw);
  }

  /**
   * A component of the first repetition of field n with all subcomponents: for texts, where senders write `&`
   * unescaped.
   */
  text(n: number, component = 1): string {
    const first = this.#first(n);
    return first === '' ? '' : this.textOf(first, component);
  }

  /** A component of one repetition. */
  valueOf(repetition: string, component = 1, subcomponent = 1): string {
    const { separators } = this.#reading;
    return this.plain(part(part(repetition, separators.component, component), separators.subcomponent, subcomponent));
  }

  textOf(repetition: string, component = 1): string {
    return this.plain(part(repetition, this.#reading.separators.component, component));
  }

  /** A whole repetition as text, with its separators. */
  plain(raw: string): string {
    // `""` asks the receiver to delete its value: there is no value here.
    if (raw === '' || raw === '""') return '';
    return trimBlanks(unescapeValue(raw, this.#reading.separators, this.#reading.characters));
  }

  #first(n: number): string {
    const raw = this.field(n);
    return raw === '' ? '' : part(raw, this.#reading.separators.repetition, 1);
  }

  #fields(): string[] {
    this.#split ??= this.#source.split(this.#reading.separators.field);
    return this.#split;
  }
}

/** Part n (from 1) of a text split at a separator; '' if there are fewer. */
function part(text: string, separator: string, n: number): string {
  if (separator === '' || text === '') return n === 1 ? text : '';
  let start = 0;
  for (let left = n; left > 1; left -= 1) {
    const at = text.indexOf(separator, start);
    if (at === -1) return '';
    start = at + 1;
  }
  const end = text.indexOf(separator, start);
  if (end === -1) return start === 0 ? text : text.slice(start);
  return text.slice(start, end);
}

/** `trim` with a fast path for values that need none. */
function trimBlanks(value: string): string {
  const last = value.charCodeAt(value.length - 1);
  return value.charCodeAt(0) > 32 && last > 32 && last < 128 ? value : value.trim();
}
