import type { LedgerEventView } from '../../../../shared/contracts/event-reads.js';
import type { Evidence } from '../../facts/domain/index.js';
import { eventCodes, evidence } from '../../facts/domain/index.js';

/** The side of the body that the event states for a service. */
export interface Side {
  readonly word: 'right' | 'left' | 'bilateral';
  readonly evidence: readonly Evidence[];
  /** The text that states it, in lower case; empty if a modifier states it. */
  readonly said: string;
}

const BY_MODIFIER: Readonly<Partial<Record<string, Side['word']>>> = { RT: 'right', LT: 'left', '50': 'bilateral' };

/** Reads the side from the modifiers of the lines, else from the service and rationale texts. Returns null if they conflict. */
export function sideOf(event: LedgerEventView): Side | null {
  const stated = byModifier(event);
  return stated.length > 0 ? onlyOne(stated) : onlyOne(byWords(event));
}

function byModifier(event: LedgerEventView): Side[] {
  return eventCodes(event).procedures.flatMap(({ modifiers, pointer }) =>
    modifiers.flatMap((modifier) => {
      const word = BY_MODIFIER[modifier.toUpperCase()];
      const field = pointer.replace(/procedure_code$/, 'modifiers');
      return word === undefined ? [] : [{ word, evidence: [evidence(event, field, modifier)], said: '' }];
    }),
  );
}

function byWords(event: LedgerEventView): Side[] {
  return ['service', 'rationale'].flatMap((name) => {
    const text = event.payload[name];
    if (typeof text !== 'string') return [];
    const said = text.toLowerCase();
    const words = (['right', 'left', 'bilateral'] as const).filter((word) => new RegExp(`\\b${word}\\b`).test(said));
    return words.map((word) => ({ word, evidence: [evidence(event, `/payload/${name}`, text)], said }));
  });
}

function onlyOne(sides: readonly Side[]): Side | null {
  const [first] = sides;
  return first !== undefined && sides.every(({ word }) => word === first.word) ? first : null;
}

const SMALL_WORDS = new Set(['pain', 'with', 'without', 'unspecified', 'other', 'right', 'left', 'side', 'bilateral']);

/** Returns whether the side refers to the body part that the code names. A modifier always does: it is on the code's line. */
export function namesBodyPart({ said }: Side, description: string): boolean {
  if (said === '') return true;
  const words = description.toLowerCase().match(/[a-z]{4,}/g) ?? [];
  return words.some((word) => !SMALL_WORDS.has(word) && said.includes(word));
}
