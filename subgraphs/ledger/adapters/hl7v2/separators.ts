/** The separators of a message: MSH-1, then the characters of MSH-2 in their order. '' where MSH-2 is too short to name one. */
export interface Separators {
  readonly field: string;
  readonly component: string;
  readonly repetition: string;
  readonly escape: string;
  readonly subcomponent: string;
}

/** The longest MSH-2 that is one: four separators, the truncation character of 2.7, and the usual doubled escape. */
const encodingCharactersLimit = 6;

/**
 * The separators that an MSH, BHS or FHS shows. Null when it shows none: a letter, digit or blank in a separator's place, or one
 * character in two places.
 */
export function readSeparators(line: string): Separators | null {
  const field = line.charAt(3);
  if (!canSeparate(field)) return null;
  const end = line.indexOf(field, 4);
  if (end === -1 || end === 4 || end > 4 + encodingCharactersLimit) return null;
  let characters = line.slice(4, end);
  // `^~\\&`: an escape character doubled on its way through some other notation.
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
