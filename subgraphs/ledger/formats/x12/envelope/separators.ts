/**
 * The separators that an X12 interchange declares. ISA has a fixed form: its fourth byte is the element separator, and
 * the two bytes after the sixteenth separator (104 and 105 at fixed widths) are the component separator and the segment
 * terminator. Counting separators also reads an ISA with wrong widths.
 */
export interface Separators {
  element: string;
  component: string;
  /** Empty below version 00402, where ISA11 is a standards id. */
  repetition: string;
  segment: string;
}

/** The separators of a body that begins at GS or ST. */
export const ASSUMED_SEPARATORS: Separators = { element: '*', component: ':', repetition: '', segment: '~' };

const ISA_ELEMENT_COUNT = 16;
/** Offset of the element separator before ISA16 at fixed widths. */
const ISA_LAST_SEPARATOR_AT = 103;
/** The longest ISA with wrong widths. */
const ISA_SEARCH_BYTES = 512;

type IsaReading =
  | { state: 'read'; separators: Separators; fixedWidth: boolean; terminatorAt: number; unterminated: boolean }
  | { state: 'incomplete' }
  | { state: 'unreadable' };

/** Reads the separators of the ISA at `start`. Latin-1 text: one character per byte. */
export function readIsa(text: string, start: number): IsaReading {
  const element = text.charAt(start + 3);
  if (element === '') return { state: 'incomplete' };
  if (isNameCharacter(element)) return { state: 'unreadable' };
  let at = start + 3;
  for (let seen = 1; seen < ISA_ELEMENT_COUNT; seen += 1) {
    at = text.indexOf(element, at + 1);
    if (at === -1 || at - start > ISA_SEARCH_BYTES) {
      return text.length - start > ISA_SEARCH_BYTES ? { state: 'unreadable' } : { state: 'incomplete' };
    }
  }
  if (at + 2 >= text.length) return { state: 'incomplete' };
  const component = text.charAt(at + 1);
  const segment = text.charAt(at + 2);
  if (segment === element || segment === component || isNameCharacter(component) || isNameCharacter(segment)) {
    return { state: 'unreadable' };
  }
  const unterminated = isLineEnd(segment) ? lacksTerminator(text, at + 3, segment) : false;
  if (unterminated === null) return { state: 'incomplete' };
  const elements = text.slice(start, at).split(element);
  const isa11 = elements[11] ?? '';
  const hasRepetition = (elements[12] ?? '') >= '00402' && isa11.length === 1 && !isNameCharacter(isa11);
  return {
    state: 'read',
    separators: {
      element,
      component,
      repetition: hasRepetition ? isa11 : '',
      segment: unterminated ? ASSUMED_SEPARATORS.segment : segment,
    },
    fixedWidth: at - start === ISA_LAST_SEPARATOR_AT,
    terminatorAt: at + 2,
    unterminated,
  };
}

/** What the elements of an ISA hold, by number; others hold anything. */
const ISA_FORMS: readonly (readonly [number, RegExp])[] = [
  [1, /^\d\d$/],
  [3, /^\d\d$/],
  [5, /^[0-9A-Z]{2}$/i],
  [7, /^[0-9A-Z]{2}$/i],
  [9, /^\d{6}(?:\d\d)?$/],
  [10, /^\d{4}(?:\d\d)?$/],
  [12, /^\d{5}$/],
  [13, /^\s*\d{1,9}\s*$/],
  [14, /^[01]$/],
  [15, /^[PTI]$/],
];

/**
 * Whether an ISA begins at `start`, where no terminator precedes it. Words such as `LISA*` must not pass, so the
 * elements must hold what an ISA holds. `incomplete` until enough text has arrived.
 */
export function findsIsa(text: string, start: number): 'yes' | 'no' | 'incomplete' {
  const { state } = readIsa(text, start);
  if (state === 'unreadable') return 'no';
  const elements = text.slice(start, start + ISA_SEARCH_BYTES).split(text.charAt(start + 3));
  // The last element may continue beyond the text.
  const known = elements.length - 1;
  if (ISA_FORMS.some(([at, form]) => at < known && !form.test(elements[at] ?? ''))) return 'no';
  return state === 'read' ? 'yes' : 'incomplete';
}

/**
 * Whether an ISA that ends with its line only lacks the `~` of the later segments. Null until the next line has
 * arrived.
 */
function lacksTerminator(text: string, from: number, lineEnd: string): boolean | null {
  const next = skipBlanks(text, from);
  const tilde = text.indexOf(ASSUMED_SEPARATORS.segment, next);
  const end = text.indexOf(lineEnd, next);
  if (tilde === -1 && end === -1) return text.length - next > ISA_SEARCH_BYTES ? false : null;
  return tilde !== -1 && (end === -1 || tilde < end);
}

/** Where the text before `end` ends without blanks and line ends. */
export function trimmedEnd(text: string, start: number, end: number): number {
  let at = end;
  while (at > start && text.charCodeAt(at - 1) <= 0x20) at -= 1;
  return at;
}

function isLineEnd(character: string): boolean {
  return character === '\n' || character === '\r';
}

/** Skips line ends, indentation, framing bytes, DOS end of file and UTF-8 marks between segments. */
export function skipBlanks(text: string, from: number): number {
  let at = from;
  for (; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x20 || (code >= 0x09 && code <= 0x0d) || code === 0x02 || code === 0x1a) continue;
    if (code !== 0xef || text.charCodeAt(at + 1) !== 0xbb || text.charCodeAt(at + 2) !== 0xbf) break;
    at += 2;
  }
  return at;
}

function isNameCharacter(character: string): boolean {
  return /^[A-Za-z0-9]$/.test(character);
}

/** The most bytes of one BIN or BDS that are held; a longer one is read up to the next terminator. */
const BINARY_BYTES = 16 * 1024 * 1024;
/** `BIN*length*` or `BDS*filter*length*`. */
const BINARY_HEADER_BYTES = 32;

/** Where the bytes of a BIN or BDS at `start` lie, by their stated length; null for any other segment. */
export function binaryAt(text: string, start: number, { element }: Separators): { start: number; end: number } | null {
  const isBinary = text.startsWith(`BIN${element}`, start) || text.startsWith(`BDS${element}`, start);
  if (!isBinary) return null;
  const elements = text.slice(start, start + BINARY_HEADER_BYTES).split(element);
  const at = elements[0] === 'BIN' ? 1 : 2;
  const length = elements[at] ?? '';
  if (elements.length < at + 2 || !/^\d{1,9}$/.test(length) || Number(length) > BINARY_BYTES) return null;
  const dataStart = start + elements.slice(0, at + 1).join(element).length + 1;
  return { start: dataStart, end: dataStart + Number(length) };
}
