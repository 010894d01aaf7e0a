import { describeDay } from '../values/hl7-timestamps.js';
import type { ElementNode } from '../values/xml/element-tree.js';
import { attribute, childrenOf, idOf, timesOf } from './elements.js';

// The parts that all readers of entries use: the entry that they return, its state and its days.

/** One coded entry. */
export interface CodedEntry {
  readonly node: ElementNode;
  /** '' if it has none. */
  readonly id: string;
  readonly family: 'clinical' | 'encounter' | 'eligibility';
  readonly type: string;
  readonly outcome: string;
  /** As sent, the best first. */
  readonly times: readonly string[];
  readonly payload: Record<string, unknown>;
}

export type EntryReader = (statement: ElementNode) => CodedEntry[];

/** Children of an entry with one of these names. */
export const statementsOf = (entry: ElementNode, ...names: string[]): ElementNode[] =>
  entry.children.filter(({ name }) => names.includes(name));

/** The observations that an entry or a concern (act) relates to. */
export const relatedObservations = (node: ElementNode): ElementNode[] =>
  childrenOf(node, 'entryRelationship').flatMap((one) => childrenOf(one, 'observation'));

/** The observations of an entry: of its concerns (acts), and its own. */
export const observationsOf = (entry: ElementNode): ElementNode[] => [
  ...statementsOf(entry, 'act').flatMap(relatedObservations),
  ...statementsOf(entry, 'observation'),
];

export const isNegated = (node: ElementNode): boolean => node.attributes.get('negationInd') === 'true';

/** The days of an entry; undefined without a day. */
export function periodOf(node: ElementNode): { from: string; to: string } | undefined {
  const times = timesOf(node);
  const [from, to] = [describeDay(times.from), describeDay(times.to)];
  const first = from || to;
  return first === '' ? undefined : { from: first, to: to === '' || to < first ? first : to };
}

/** ActStatus as an outcome of the ledger; a statement that denies is cancelled. */
export function stateOf(node: ElementNode): { status: string; outcome: string } {
  const status = attribute(node, 'code', 'statusCode');
  if (isNegated(node)) return { status: 'not-done', outcome: 'cancelled' };
  const outcome = OUTCOMES[status];
  return { status: outcome === undefined ? 'unknown' : status, outcome: outcome ?? 'unknown' };
}

const OUTCOMES: Readonly<Record<string, string | undefined>> = {
  active: 'active',
  completed: 'recorded',
  aborted: 'cancelled',
  cancelled: 'cancelled',
  suspended: 'pended',
  new: 'pended',
  held: 'pended',
};

/** An entry with its id and times. */
export function entryOf(
  node: ElementNode,
  family: CodedEntry['family'],
  type: string,
  outcome: string,
): Omit<CodedEntry, 'payload'> {
  const { from, to } = timesOf(node);
  return { node, id: idOf(node), family, type, outcome, times: [from, to] };
}
