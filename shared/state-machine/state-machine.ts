import { type HeldScope, INTERNAL_SCOPE } from '../auth/scopes.js';
import { problem } from '../errors/problem.js';

// A resource's life is a table (design.md decision 6): code asks it, docs/states.md and the tests are printed from it.

/** One allowed step; what the table does not hold is refused. */
export interface TransitionRow<State extends string = string, Action extends string = string> {
  /** Null: the action makes the record. */
  readonly from: State | null;
  readonly action: Action;
  readonly to: State;
  /** What a caller must hold to take this step; `internal` for one that the service takes by itself. */
  readonly scope: HeldScope;
  /** Types of the ledger entries that the step leaves behind. */
  readonly emits: readonly string[];
}

export interface StateMachine<State extends string = string, Action extends string = string> {
  /** What moves: `lead`. */
  readonly name: string;
  readonly rows: readonly TransitionRow<State, Action>[];
}

/** Checks the table while it is loaded. @throws RangeError when an action of a state leads to two places. */
export function stateMachine<State extends string, Action extends string>(
  name: string,
  rows: readonly TransitionRow<State, Action>[],
): StateMachine<State, Action> {
  const seen = new Set<string>();
  for (const { from, action } of rows) {
    const step = `${from ?? ''} ${action}`;
    if (seen.has(step)) throw new RangeError(`${name}: two rows for ${action} from ${from ?? 'nothing'}`);
    seen.add(step);
  }
  return { name, rows };
}

/** The row of a step. @throws INVALID_TRANSITION, naming the actions that are allowed. */
export function transition<State extends string, Action extends string>(
  machine: StateMachine<State, Action>,
  from: State | null,
  action: Action,
): TransitionRow<State, Action> {
  const found = machine.rows.find((row) => row.from === from && row.action === action);
  if (found) return found;
  const allowed = allowedActions(machine, from);
  throw problem('INVALID_TRANSITION', {
    message: `${withArticle(machine.name)} that is ${from ?? 'not there'} does not take "${action}".`,
    extra: { from, allowed },
  });
}

const withArticle = (name: string): string => `${/^[aeiou]/i.test(name) ? 'An' : 'A'} ${name}`;

/** What a caller may do, in the order of the table; none from a final state, and no step that the service takes by itself. */
export const allowedActions = <State extends string, Action extends string>(
  machine: StateMachine<State, Action>,
  from: State | null,
): Action[] => machine.rows.flatMap((row) => (row.from === from && row.scope !== INTERNAL_SCOPE ? [row.action] : []));
