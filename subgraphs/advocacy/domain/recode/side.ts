import type { LedgerEventView } from '../../../../shared/contracts/event-reads.js';
import { eventCodes } from '../event-codes.js';
import type { Evidence } from '../facts/fact-value.js';
import { evidence } from '../facts/record.js';

/** The side of the body that a service was on, as the event says it. */
export interface Side {
  readonly word: 'right' | 'left' | 'bilateral';
  readonly evidence: readonly Evidence[];
  /** The text that says so, in lower case; empty where a modifier does. */
  readonly said: string;
}

const BY_MODIFIER: Readonly<Partial<Record<string, Side['word']>>> = { RT: 'right', LT: 'left', '50': 'bilateral' };

/** Modifiers of the lines, else words of the service and the rationale. Two answers are none. */
export function sideOf(event: LedgerEventView): Side | null {
  const told = byModifier(event);
  return told.length > 0 ? onlyOne(told) : onlyOne(byWords(event));
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

/** Whether what says the side speaks of the part of the body that the code names: a modifier does, by being on its line. */
export function speaksOfSite({ said }: Side, description: string): boolean {
  if (said === '') return true;
  const words = description.toLowerCase().match(/[a-z]{4,}/g) ?? [];
  return words.some((word) => !SMALL_WORDS.has(word) && said.includes(word));
}
