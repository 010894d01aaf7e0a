/**
 * Where an X12 interchange tells its own separators: ISA is the one segment of fixed form, the element separator is its
 * fourth byte, and the component separator and segment terminator are the two bytes after the sixteenth separator (bytes
 * 104 and 105 where every element has its width). Counting separators also reads an ISA whose author miscounted blanks.
 */
export interface Separators {
  element: string;
  component: string;
  /** Empty below version 00402, where ISA11 is a standards id and not a separator. */
  repetition: string;
  segment: string;
}

/** What is taken when a body begins at GS or ST and so names no separators. */
export const assumedSeparators: Separators = { element: '*', component: ':', repetition: '', segment: '~' };

export const isaElementCount = 16;
/** Offset of the element separator before ISA16 when every element has its fixed width. */
const isaLastSeparatorAt = 103;
/** Room for an ISA with wrong widths; a longer one is not an ISA. */
export const isaSearchBytes = 512;

export type IsaReading =
  | { state: 'read'; separators: Separators; fixedWidth: boolean; terminatorAt: number; unterminated: boolean }
  | { state: 'incomplete' }
  | { state: 'unreadable' };

/** Reads the separators of the ISA that begins at `start`. Latin-1 text: one character a byte. */
export function readIsa(text: string, start: number): IsaReading {
  const element = text.charAt(start + 3);
  if (element === '') return { state: 'incomplete' };
  if (isNameCharacter(element)) return { state: 'unreadable' };
  let at = start + 3;
  for (let seen = 1; seen < isaElementCount; seen += 1) {
    at = text.indexOf(element, at + 1);
    if (at === -1 || at - start > isaSearchBytes) {
      return text.length - start > isaSearchBytes ? { state: 'unreadable' } : { state: 'incomplete' };
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
      segment: unterminated ? assumedSeparators.segment : segment,
    },
    fixedWidth: at - start === isaLastSeparatorAt,
    terminatorAt: at + 2,
    unterminated,
  };
}

/**
 * Whether an ISA that ends with its line merely lacks the `~` that the segments after it have: then the line end is none
 * of the separators. Null while the next line has not come.
 */
function lacksTerminator(text: string, from: number, lineEnd: string): boolean | null {
  const next = skipBlanks(text, from);
  const tilde = text.indexOf(assumedSeparators.segment, next);
  const end = text.indexOf(lineEnd, next);
  if (tilde === -1 && end === -1) return text.length - next > isaSearchBytes ? false : null;
  return tilde !== -1 && (end === -1 || tilde < end);
}

function isLineEnd(character: string): boolean {
  return character === '\n' || character === '\r';
}

/** Line ends, indentation, framing bytes and DOS's end of file between segments belong to nobody; so does a UTF-8 mark. */
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
