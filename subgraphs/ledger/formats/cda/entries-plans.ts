import type { ElementNode } from '../values/xml/element-tree.js';
import { codesOf, describeProcedures, wordsOf } from './codes.js';
import { attribute, find } from './elements.js';
import { type CodedEntry, entryOf, isNegated, periodOf, statementsOf } from './entry-parts.js';

// Entries about plans, requests and goals. Their moodCode is not EVN: nothing of it has happened.

/** Elements of a plan, and the name of each in a payload. */
const KINDS: Readonly<Record<string, string>> = {
  procedure: 'procedure',
  encounter: 'encounter',
  observation: 'observation',
  act: 'service',
  substanceAdministration: 'medication',
  supply: 'supply',
};

/** ActMood (HL7 v3) in words; a mood that is not here is no plan. */
const MOODS: Readonly<Record<string, string | undefined>> = {
  INT: 'intended',
  RQO: 'requested',
  PRMS: 'promised',
  PRP: 'proposed',
  ARQ: 'appointment_requested',
  APT: 'appointment',
  GOL: 'goal',
};

/** ActStatus of a plan as an outcome of the ledger. A completed plan is on record; it is no proof of a service. */
const OUTCOMES: Readonly<Record<string, string | undefined>> = {
  '': 'active',
  active: 'active',
  new: 'pended',
  held: 'pended',
  suspended: 'pended',
  completed: 'recorded',
  aborted: 'cancelled',
  cancelled: 'cancelled',
};

const moodOf = (node: ElementNode): string | undefined => MOODS[node.attributes.get('moodCode') ?? ''];

/** True for an entry about the future: its statement has the mood of a plan. */
export const isPlanned = (entry: ElementNode): boolean =>
  entry.children.some((node) => KINDS[node.name] !== undefined && moodOf(node) !== undefined);

/** The services, drugs, supplies and goals of an entry that are planned. */
export function readPlan(entry: ElementNode): CodedEntry[] {
  return statementsOf(entry, ...Object.keys(KINDS)).flatMap((node) => {
    const mood = moodOf(node);
    const code = codedPartOf(node);
    const coded = codesOf(code);
    if (mood === undefined || coded.length === 0) return [];
    const status = attribute(node, 'code', 'statusCode');
    const outcome = isNegated(node) ? 'cancelled' : (OUTCOMES[status] ?? 'unknown');
    return [
      {
        ...entryOf(node, 'clinical', mood === 'goal' ? 'goal_set' : 'care_planned', outcome),
        payload: {
          planned: KINDS[node.name],
          mood,
          status,
          ...describeProcedures(coded),
          service: wordsOf(code),
          service_period: periodOf(node),
        },
      },
    ];
  });
}

/** The element with the code: of a drug or supply it is the product. */
function codedPartOf(node: ElementNode): ElementNode | undefined {
  if (node.name === 'substanceAdministration')
    return find(node, 'consumable', 'manufacturedProduct', 'manufacturedMaterial', 'code');
  if (node.name === 'supply')
    return find(node, 'product', 'manufacturedProduct', 'manufacturedMaterial', 'code') ?? find(node, 'code');
  return find(node, 'code');
}
