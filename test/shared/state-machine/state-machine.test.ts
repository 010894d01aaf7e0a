import { describe, expect, it } from '@jest/globals';
import { Problem } from '../../../shared/errors/problem.js';
import { allowedActions, stateMachine, transition } from '../../../shared/state-machine/state-machine.js';
import { actionsOf, statesOf } from '../../support/state-machine.js';

const row = { scope: 'leads:write', emits: [] } as const;
const door = stateMachine('door', [
  { from: null, action: 'hang', to: 'SHUT', ...row },
  { from: 'SHUT', action: 'open', to: 'OPEN', ...row },
  { from: 'OPEN', action: 'shut', to: 'SHUT', ...row },
  { from: 'OPEN', action: 'remove', to: 'GONE', ...row },
]);

describe('a state machine', () => {
  it('takes the steps of its table', () => {
    expect(transition(door, 'SHUT', 'open').to).toBe('OPEN');
    expect(transition(door, null, 'hang').to).toBe('SHUT');
  });

  it('rejects every other step and names the allowed ones', () => {
    expect.assertions(3);
    try {
      transition(door, 'SHUT', 'remove');
    } catch (error) {
      expect(error).toBeInstanceOf(Problem);
      expect((error as Problem).code).toBe('INVALID_TRANSITION');
      expect((error as Problem).details.extra).toEqual({ from: 'SHUT', allowed: ['open'] });
    }
  });

  it('lists its states, its actions and the actions of a state', () => {
    expect(statesOf(door)).toEqual(['SHUT', 'OPEN', 'GONE']);
    expect(actionsOf(door)).toEqual(['open', 'shut', 'remove']);
    expect(allowedActions(door, 'OPEN')).toEqual(['shut', 'remove']);
    expect(allowedActions(door, 'GONE')).toEqual([]);
  });

  it('is rejected at once when one action leads to two states', () => {
    const twice = { from: 'A', action: 'go', to: 'B', ...row } as const;
    expect(() => stateMachine('walk', [twice, { ...twice, to: 'A' }])).toThrow(/two rows for go from A/);
  });
});
