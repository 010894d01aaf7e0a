import type { StateMachine } from '../../shared/state-machine/state-machine.js';

/** Every state, in the order in which the table first names it. */
export const statesOf = <State extends string>(machine: StateMachine<State>): State[] => [
  ...new Set(machine.rows.flatMap(({ from, to }) => (from === null ? [to] : [from, to]))),
];

/** Every action but the making, in the order of the table. */
export const actionsOf = <Action extends string>(machine: StateMachine<string, Action>): Action[] => [
  ...new Set(machine.rows.flatMap(({ from, action }) => (from === null ? [] : [action]))),
];
