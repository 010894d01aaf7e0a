import { type EventKey, valuesOfKeys } from '../../../../shared/event-keys/event-keys.js';
import { amountText } from '../../../../shared/event-keys/stated-amounts.js';
import type { Said } from './condition.js';

// Groups of events and their measures.

const valuesOf =
  (name: string) =>
  ({ keys }: Said): readonly string[] =>
    valuesOfKeys([...keys], name);
/** The beginning of a time in UTC: `2026`, `2026-03` or `2026-03-02`. */
const timeOf = (length: number) => (said: Said) => [new Date(said.at_ms).toISOString().slice(0, length)];
const YEAR_LENGTH = 4;
const MONTH_LENGTH = 7;
const DAY_LENGTH = 10;

/** How an event belongs to groups: by each of its values, or by none. */
const DIMENSIONS = {
  PROVIDER: valuesOf('npi'),
  CARC: valuesOf('carc'),
  RARC: valuesOf('rarc'),
  PROGRAM: valuesOf('program'),
  JURISDICTION: valuesOf('jurisdiction'),
  FAMILY: valuesOf('family'),
  OUTCOME: valuesOf('outcome'),
  TYPE: (said: Said) => [said.event_type],
  SOURCE_SYSTEM: (said: Said) => [said.source_system],
  DAY: timeOf(DAY_LENGTH),
  MONTH: timeOf(MONTH_LENGTH),
  YEAR: timeOf(YEAR_LENGTH),
} as const;
export type Dimension = keyof typeof DIMENSIONS;
export const DIMENSION_NAMES: readonly Dimension[] = [
  'PROVIDER',
  'CARC',
  'RARC',
  'PROGRAM',
  'JURISDICTION',
  'FAMILY',
  'OUTCOME',
  'TYPE',
  'SOURCE_SYSTEM',
  'DAY',
  'MONTH',
  'YEAR',
];

export const MEASURE_NAMES = ['COUNT', 'SUM_BILLED', 'SUM_PAID', 'OVERTURN_RATE', 'DAYS_TO_DECISION'] as const;
export type Measure = (typeof MEASURE_NAMES)[number];

/** An event to count, with what other events say of it. */
export interface Counted {
  readonly said: Said;
  /** Null for an event that is no appealed denial. */
  readonly overturned: boolean | null;
  /** Days from the request or claim that the event answers; null if it answers none. */
  readonly days: number | null;
}

/** Values of the dimensions of a group; null where an event names none. */
type Values = readonly (string | null)[];

export interface Group {
  readonly values: Values;
  readonly count: number;
  /** Null if no event of the group states the amount. */
  readonly sum_billed: string | null;
  readonly sum_paid: string | null;
  readonly overturn_rate: number | null;
  readonly days_to_decision: number | null;
}

class Cell {
  readonly values: Values;
  count = 0;
  #billed: number | null = null;
  #paid: number | null = null;
  #appealed = 0;
  #overturned = 0;
  #decided = 0;
  #days = 0;

  constructor(values: Values) {
    this.values = values;
  }

  add({ said, overturned, days }: Counted): void {
    this.count += 1;
    if (said.charge_cents !== null) this.#billed = (this.#billed ?? 0) + said.charge_cents;
    if (said.paid_cents !== null) this.#paid = (this.#paid ?? 0) + said.paid_cents;
    if (overturned !== null) this.#appealed += 1;
    if (overturned === true) this.#overturned += 1;
    if (days === null) return;
    this.#decided += 1;
    this.#days += days;
  }

  group(measures: ReadonlySet<Measure>): Group {
    const asked = <T>(measure: Measure, value: T | null): T | null => (measures.has(measure) ? value : null);
    return {
      values: this.values,
      count: this.count,
      sum_billed: asked('SUM_BILLED', this.#billed === null ? null : amountText(this.#billed)),
      sum_paid: asked('SUM_PAID', this.#paid === null ? null : amountText(this.#paid)),
      overturn_rate: asked('OVERTURN_RATE', share(this.#overturned, this.#appealed)),
      days_to_decision: asked('DAYS_TO_DECISION', share(this.#days, this.#decided)),
    };
  }
}

const DECIMALS = 1e4;
const share = (part: number, whole: number): number | null =>
  whole === 0 ? null : Math.round((part / whole) * DECIMALS) / DECIMALS;

/**
 * Groups events, the largest group first. An event with several providers or codes counts in the group of each.
 *
 * @param maxCells of groups; null is returned if there are more
 */
export function groupEvents(
  events: Iterable<Counted>,
  by: readonly Dimension[],
  measures: ReadonlySet<Measure>,
  maxCells: number,
): readonly Group[] | null {
  const cells = new Map<string, Cell>();
  for (const event of events) {
    for (const values of combinationsOf(event.said, by, maxCells)) {
      const key = JSON.stringify(values);
      const cell = cells.get(key) ?? new Cell(values);
      cells.set(key, cell);
      cell.add(event);
      if (cells.size > maxCells) return null;
    }
  }
  return [...cells]
    .sort(([keyA, a], [keyB, b]) => b.count - a.count || (keyA < keyB ? -1 : 1))
    .map(([, cell]) => cell.group(measures));
}

/** The groups of one event; one more than the limit ends them. */
function combinationsOf(said: Said, by: readonly Dimension[], maxCells: number): readonly Values[] {
  let combinations: Values[] = [[]];
  for (const dimension of by) {
    const values = DIMENSIONS[dimension](said);
    const own = values.length === 0 ? [null] : values;
    combinations = combinations.flatMap((before) => own.map((value) => [...before, value])).slice(0, maxCells + 1);
  }
  return combinations;
}

const DENIED: EventKey = 'outcome:denied';
const APPEAL: EventKey = 'family:appeal';

/** A denial is an event with the outcome DENIED that is no appeal itself (docs/questions.md). */
export const isDenial = ({ keys }: Said): boolean => keys.has(DENIED) && !keys.has(APPEAL);
