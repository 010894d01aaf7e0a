import { byCode, REVIEW_ACTIONS } from '../../values/codes.js';
import { type Fields, fieldsAt, listAt, textAt } from '../json/objects.js';
import { codeOf, codingsOf, extensionOf, extensionsOf } from './codes.js';

/** Medicare's prior authorization decisions: affirmed, not affirmed. */
const AFFIRMATIONS = byCode({ approved: 'A', denied: 'N' });

interface Review {
  /** Null without a review action. */
  readonly decision: string | null;
  readonly unknownCodes: boolean;
  /** Codes as sent. */
  readonly codes: readonly string[];
  readonly reasons: readonly string[];
}

/** The decision of a response: its own review actions, else the sum of its items'. */
export function reviewOf(resource: Fields): Review {
  const items = listAt(resource, 'item');
  const own = actionsOf(resource);
  const used = own.length > 0 ? own : items.flatMap(actionsOf);
  const decisions = used.map(decisionOf);
  const known = decisions.filter((one) => one !== null);
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

/** The review actions of a header or item: below its adjudications or on itself. */
const NO_ACTIONS: readonly Action[] = [];

export function actionsOf(element: Fields): readonly Action[] {
  const found: Action[] = [];
  const holders = [element, ...listAt(element, 'adjudication')].filter(({ extension }) => extension !== undefined);
  if (holders.length === 0) return NO_ACTIONS;
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

function decisionOf({ code, affirmation }: Action): string | null {
  return (affirmation ? AFFIRMATIONS : REVIEW_ACTIONS).get(code) ?? null;
}

/** One common decision wins; an open one keeps the whole open; else the whole is partially approved. */
function sumOf(decisions: readonly string[]): string {
  const kinds = new Set(decisions);
  kinds.delete('no_action_required');
  const [only] = kinds;
  if (only === undefined) return 'no_action_required';
  if (kinds.size === 1) return only;
  if (kinds.has('pended')) return 'pended';
  if (kinds.has('approved') || kinds.has('partially_approved')) return 'partially_approved';
  return 'denied';
}

const DISPOSITIONS: readonly (readonly [RegExp, string])[] = [
  [/\b(?:not|non|un)[ -]?(?:\w+ ){0,2}(?:certified|approved|authori[sz]ed|affirmed)\b/i, 'denied'],
  [/\b(?:denied|denial|declined|rejected)\b/i, 'denied'],
  [/\bpartial(?:ly)?\b/i, 'partially_approved'],
  [/\bmodified\b/i, 'partially_approved'],
  [/\b(?:pended|pending|under review|in review|additional information)\b/i, 'pended'],
  [/\bcancel(?:l?ed)?\b/i, 'cancelled'],
  [/\b(?:approved|authori[sz]ed|certified|granted|affirmed)\b/i, 'approved'],
];

/** The decision in a disposition's words; null if there is none. */
export function decisionInWords(disposition: string): string | null {
  if (disposition === '') return null;
  return DISPOSITIONS.find(([pattern]) => pattern.test(disposition.slice(0, 2_000)))?.[1] ?? null;
}
