import type { CharacterSet } from './character-sets.js';
import type { Separators } from './separators.js';

/** The longest escape sequence that is looked for; a lone escape character further from the next stands for itself. */
const sequenceLimit = 200;

/**
 * A value without its escape sequences (HL7 2.x chapter 2, "Use of escape sequences in text fields"): the separators, `\Xhh\`,
 * and the line breaks and blanks of formatted text. Highlighting is dropped. What is no escape sequence stays as it stands.
 */
export function unescapeValue(text: string, separators: Separators, characters: CharacterSet): string {
  const { escape: mark } = separators;
  let from = mark === '' ? -1 : text.indexOf(mark);
  if (from === -1) return text;
  let out = '';
  let kept = 0;
  while (from !== -1) {
    const to = text.indexOf(mark, from + 1);
    if (to === -1) break;
    const plain = to - from > sequenceLimit ? null : replacement(text.slice(from + 1, to), separators, characters);
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

/** What a sequence stands for; null when it is none. */
function replacement(sequence: string, separators: Separators, characters: CharacterSet): string | null {
  switch (sequence) {
    case 'F':
      return separators.field;
    case 'S':
      return separators.component;
    case 'T':
      return separators.subcomponent;
    case 'R':
      return separators.repetition;
    case 'E':
      return separators.escape;
    case 'P':
      return '#';
    case 'H':
    case 'N':
      return '';
    default:
      break;
  }
  if (sequence.startsWith('.')) return formatting(sequence);
  if (/^X(?:[0-9A-Fa-f]{2})+$/.test(sequence)) return characters.decode(Buffer.from(sequence.slice(1), 'hex'));
  // A switch of the character set (ISO 2022); the set itself is not followed, the switch is no text.
  return /^(?:C[0-9A-Fa-f]{4}|M[0-9A-Fa-f]{4}(?:[0-9A-Fa-f]{2})?)$/.test(sequence) ? '' : null;
}

/** `.br` and its kin begin a line, `.sp3` three of them, `.sk3` three blanks; indents and fills have no text of their own. */
function formatting(sequence: string): string | null {
  const found = /^\.(br|sp|ce|in|ti|fi|nf|sk)\+?-?(\d{0,3})$/.exec(sequence);
  if (found === null) return null;
  const count = Math.min(Number(found[2] === '' ? 1 : found[2]), 10);
  if (found[1] === 'br' || found[1] === 'ce') return '\n';
  if (found[1] === 'sp') return '\n'.repeat(count);
  return found[1] === 'sk' ? ' '.repeat(count) : '';
}
