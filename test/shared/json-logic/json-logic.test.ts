import { describe, expect, it } from '@jest/globals';
import type { JsonValue } from '../../../shared/json/strict-json.js';
import { parseRule, RuleFault, ruleHolds } from '../../../shared/json-logic/json-logic.js';

const DATA = { plan: 'gold', age: 41, tags: ['a'], site: { state: 'CA' }, beta: true, email: 'x@example.test' };
const holds = (rule: JsonValue): boolean => ruleHolds(parseRule(rule), DATA);

describe('a rule that matches', () => {
  it.each<[JsonValue]>([
    [true],
    [{ '==': [{ var: 'plan' }, 'gold'] }],
    [{ '!=': [{ var: 'plan' }, 'silver'] }],
    [{ '>=': [{ var: 'age' }, 41] }],
    [{ '<': [{ var: 'plan' }, 'silver'] }],
    [{ in: [{ var: 'site.state' }, ['CA', 'NY']] }],
    [{ in: ['old', { var: 'plan' }] }],
    [{ starts_with: [{ var: 'email' }, 'x@'] }],
    [{ ends_with: [{ var: 'email' }, '.test'] }],
    [{ '==': [{ var: 'nothing' }, null] }],
    [{ and: [true, { '!': { '==': [{ var: 'beta' }, false] } }] }],
    [{ or: [false, { '!': [false] }] }],
  ])('%j', (rule) => {
    expect(holds(rule)).toBe(true);
  });
});

describe('a rule that does not match', () => {
  it.each<[string, JsonValue]>([
    ['number and text are never equal', { '==': [{ var: 'age' }, '41'] }],
    ['nor in order', { '<': [{ var: 'age' }, '50'] }],
    ['an absent member is in no order', { '<': [{ var: 'nothing' }, 5] }],
    ['inherited names are no members', { '!=': [{ var: 'constructor' }, null] }],
    ['objects are equal to nothing', { '==': [{ var: 'site' }, { var: 'site' }] }],
    ['a list holds only scalars', { in: [{ var: 'tags' }, ['a']] }],
  ])('%s', (_why, rule) => {
    expect(holds(rule)).toBe(false);
  });
});

describe('an invalid rule is rejected with its location', () => {
  const nested = (depth: number): JsonValue => (depth === 0 ? true : { '!': nested(depth - 1) });
  it.each<[string, JsonValue, string]>([
    ['text', 'gold', ''],
    ['two operators', { '==': [1, 1], '!=': [1, 2] }, ''],
    ['an unknown operator', { log: ['x'] }, '/log'],
    ['one value', { '==': [1] }, '/=='],
    ['three values', { and: [{ '<': [1, 2, 3] }] }, '/and/0/<'],
    ['an empty and', { and: [] }, '/and'],
    ['a rule where a value belongs', { '==': [{ and: [true] }, 1] }, '/==/0'],
    ['an object in a list', { in: [1, [{}]] }, '/in/1/0'],
    ['too deep', nested(8), '/!'.repeat(8)],
    ['a list too long', { in: [1, Array(501).fill(1)] }, '/in/1'],
    ['a var without a name', { '==': [{ var: '' }, 1] }, '/==/0/var'],
  ])('for %s', (_what, rule, path) => {
    expect.assertions(2);
    try {
      parseRule(rule);
    } catch (error) {
      expect(error).toBeInstanceOf(RuleFault);
      expect((error as RuleFault).path).toBe(path);
    }
  });

  it('for too many parts', () => {
    const many = { or: Array.from({ length: 200 }, () => true) };
    expect(() => parseRule(many)).toThrow(RuleFault);
  });
});
