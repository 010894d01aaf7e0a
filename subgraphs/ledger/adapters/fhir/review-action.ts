import { codeOf, codingsOf, extensionOf, extensionsOf } from './codes.js';
import { type Fields, fieldsAt, listAt, textAt } from './json.js';

export type Decision = 'approved' | 'partially_approved' | 'denied' | 'pended' | 'cancelled' | 'no_action_required';

/** X12 306, the action code of a review (HCR01). */
const actions: Readonly<Record<string, Decision>> = {
  A1: 'approved',
  A2: 'partially_approved',
  A3: 'denied',
  A4: 'pended',
  A6: 'partially_approved',
  C: 'cancelled',
  CT: 'pended',
  NA: 'no_action_required',
};

/** Medicare's prior authorization decisions: affirmed, not affirmed. */
const affirmations: Readonly<Record<string, Decision>> = { A: 'approved', N: 'denied' };

export interface Review {
  /** Null when nothing was decided by a review action. */
  readonly decision: Decision | null;
  readonly unknownCodes: boolean;
  /** Codes as sent. */
  readonly codes: readonly string[];
  readonly reasons: readonly string[];
}

/** What the review actions of a response say: its own, else the sum of its items'. */
export function reviewOf(resource: Fields): Review {
  const items = listAt(resource, 'item');
  const own = actionsOf(resource);
  const used = own.length > 0 ? own : items.flatMap(actionsOf);
  const decisions = used.map(decisionOf);
  const known = decisions.filter((one): one is Decision => one !== null);
  return {
    decision: known.length > 0 && known.length === decisions.length ? sumOf(known) : null,
    unknownCodes: known.length < decisions.length,
    codes: [...new Set(used.map(({ code }) => code))],
    reasons: [...own, ...items.flatMap(actionsOf)].flatMap(({ reasons }) => reasons),
  };
}

interface Action {
  readonly code: string;
  readonly affirmation: boolean;
  readonly reasons: readonly string[];
}

/** The review actions of a header or an item: under its adjudications, or on itself. */
const noActions: readonly Action[] = [];

export function actionsOf(element: Fields): readonly Action[] {
  const found: Action[] = [];
  const holders = [element, ...listAt(element, 'adjudication')].filter(({ extension }) => extension !== undefined);
  if (holders.length === 0) return noActions;
  for (const holder of holders) {
    for (const action of extensionsOf(holder, 'extension-reviewAction')) {
      const code = codeOf(fieldsAt(extensionOf(action, 'extension-reviewActionCode'), 'valueCodeableConcept'));
      const reasons = extensionsOf(action, 'reasonCode').flatMap((one) =>
        codingsOf(fieldsAt(one, 'valueCodeableConcept')),
      );
      if (code !== '') found.push({ code, affirmation: false, reasons: reasons.map((one) => one.code) });
    }
  }
  const affirmed = textAt(extensionOf(element, 'PA-DECISION'), 'valueCoding', 'code');
  if (affirmed !== '') found.push({ code: affirmed, affirmation: true, reasons: [] });
  return found;
}

export function decisionOf({ code, affirmation }: Action): Decision | null {
  const table = affirmation ? affirmations : actions;
  return Object.hasOwn(table, code) ? (table[code] ?? null) : null;
}

/** One decision for all services stands; one still open keeps the whole open; else some were granted and some were not. */
function sumOf(decisions: readonly Decision[]): Decision {
  const kinds = new Set(decisions);
  kinds.delete('no_action_required');
  const [only] = kinds;
  if (only === undefined) return 'no_action_required';
  if (kinds.size === 1) return only;
  if (kinds.has('pended')) return 'pended';
  if (kinds.has('approved') || kinds.has('partially_approved')) return 'partially_approved';
  return 'denied';
}

const dispositions: readonly (readonly [RegExp, Decision])[] = [
  [/\b(?:not|non|un)[ -]?(?:\w+ ){0,2}(?:certified|approved|authori[sz]ed|affirmed)\b/i, 'denied'],
  [/\b(?:denied|denial|declined|rejected)\b/i, 'denied'],
  [/\bpartial(?:ly)?\b/i, 'partially_approved'],
  [/\bmodified\b/i, 'partially_approved'],
  [/\b(?:pended|pending|under review|in review|additional information)\b/i, 'pended'],
  [/\bcancel(?:l?ed)?\b/i, 'cancelled'],
  [/\b(?:approved|authori[sz]ed|certified|granted|affirmed)\b/i, 'approved'],
];

/** What a disposition says in words; null when it says none of it. */
export function decisionInWords(disposition: string): Decision | null {
  if (disposition === '') return null;
  return dispositions.find(([pattern]) => pattern.test(disposition.slice(0, 2_000)))?.[1] ?? null;
}
