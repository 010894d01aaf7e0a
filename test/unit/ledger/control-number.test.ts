import { describe, expect, test } from '@jest/globals';
import {
  type ControlLevel,
  judgeNumber,
  LONGEST_GAP,
  type NumberFinding,
  type NumberState,
  numberOf,
} from '../../../subgraphs/ledger/domain/control-number.js';
import { controlNumberOf } from '../../../subgraphs/ledger/service/control-number-watch.js';
import { seeded } from '../../support/random.js';

/** What is found in these numbers, in order; a number with a name comes in a body of that name. */
function findings(
  numbers: readonly (number | readonly [number: number, body: string])[],
  level: ControlLevel = 'interchange',
): NumberFinding[] {
  let state: NumberState | null = null;
  const found: NumberFinding[] = [];
  numbers.forEach((one, place) => {
    const [number, raw_sha256] = typeof one === 'number' ? [one, `body ${place}`] : one;
    const judged = judgeNumber(state, level, { number, raw_sha256 });
    state = judged.state;
    if (judged.finding) found.push(judged.finding);
  });
  return found;
}

describe('numbers that go up by one', () => {
  test.each<[string, readonly number[]]>([
    ['from anywhere', [4_711, 4_712, 4_713]],
    ['over the highest of nine digits', [999_999_998, 999_999_999, 1, 2]],
  ])('%s give nothing', (_what, numbers) => {
    expect(findings(numbers)).toEqual([]);
  });

  test('a body sent again, or a request run again, gives nothing', () => {
    expect(
      findings([
        [1, 'a'],
        [2, 'b'],
        [1, 'a'],
        [2, 'b'],
        [3, 'c'],
        [2, 'b'],
      ]),
    ).toEqual([]);
  });
});

describe('a number left out', () => {
  test('is a gap, told once, and closed when the last of it has come', () => {
    expect(findings([1, 2, 6, 7])).toEqual([{ kind: 'GAP', expected: 3, found: 6, missing: { from: 3, to: 5 } }]);
    expect(findings([1, 5, 3, 2]).slice(1)).toEqual([]);
    expect(findings([1, 5, 3, 2, 4]).slice(1)).toEqual([{ kind: 'FILLED', missing: { from: 2, to: 4 } }]);
  });

  test('of two gaps each is closed by its own', () => {
    expect(findings([1, 3, 5, 4, 2]).slice(2)).toEqual([
      { kind: 'FILLED', missing: { from: 4, to: 4 } },
      { kind: 'FILLED', missing: { from: 2, to: 2 } },
    ]);
  });

  test('numbers in any order, all of them, leave no gap open', () => {
    const random = seeded(5);
    for (let round = 0; round < 50; round++) {
      const numbers = Array.from({ length: 30 }, (_, i) => i + 2).sort(() => random() - 0.5);
      const found = findings([1, ...numbers]);
      const [opened, closed] = (['GAP', 'FILLED'] as const).map((kind) =>
        found.flatMap((one) => (one.kind === kind && 'missing' in one ? [JSON.stringify(one.missing)] : [])).sort(),
      );
      expect(closed).toEqual(opened);
    }
  });
});

describe('a number twice', () => {
  test('in other bytes is a repeat, and names the first', () => {
    expect(
      findings([
        [1, 'a'],
        [2, 'b'],
        [2, 'c'],
      ]),
    ).toEqual([{ kind: 'REPEAT', expected: 3, found: 2, first_raw_sha256: 'b' }]);
  });

  test('does not hold up the ones after it', () => {
    expect(findings([1, 2, 2, 3, 4])).toHaveLength(1);
  });
});

describe('numbers that are no sequence', () => {
  test('dates and random ones are not judged', () => {
    expect(findings([20_260_301, 20_270_301, 5, 900_000_000, 17_000])).toEqual([]);
  });

  test('a step longer than a gap is a new numbering once it is followed', () => {
    const far = 10 + LONGEST_GAP + 2;
    expect(findings([10, far, far + 1, far + 3])).toEqual([
      { kind: 'GAP', expected: far + 2, found: far + 3, missing: { from: far + 2, to: far + 2 } },
    ]);
    expect(findings([10, far, 11, 12])).toEqual([]);
  });

  test('a sender that begins anew is followed', () => {
    expect(findings([500, 501, 1, 2, 3])).toEqual([]);
    expect(findings([500, 501, 1, 2, 4])).toHaveLength(1);
  });

  test('groups numbered anew in every interchange are no repeats', () => {
    expect(findings([1, 2, 1, 2, 1], 'group')).toEqual([]);
    expect(findings([1, 2, 1, 2, 1], 'interchange').length).toBeGreaterThan(0);
    expect(findings([1, 2, 4], 'group')).toHaveLength(1);
  });

  test.each<[string, number | null]>([
    ['000000905', 905],
    [' 12 ', 12],
    ['A12', null],
    ['', null],
    ['-1', null],
    ['1.5', null],
    ['1234567890123456', null],
  ])('%p is read as %p', (text, number) => {
    expect(numberOf(text)).toBe(number);
  });
});

describe('what a wrapper tells', () => {
  const body = { format: 'hl7v2', raw_sha256: 'a', source_system: undefined };
  const wrapper = (header: Record<string, string>, level = 'message') =>
    controlNumberOf({ kind: 'wrapper', level, header, warnings: [] }, body);

  test('a message of HL7 is numbered by sender and receiver', () => {
    expect(wrapper({ sender: 'LAB', receiver: 'EHR', control_number: '17' })).toEqual({
      format: 'hl7v2',
      level: 'message',
      source_system: 'LAB',
      sender: 'LAB',
      receiver: 'EHR',
      number: 17,
      raw_sha256: 'a',
    });
  });

  test('a facility stands beside its application, and counts on its own', () => {
    const header = { sender: 'LAB', receiver: 'EHR', control_number: '17' };
    const named = { ...header, sending_facility: 'NORTH', receiving_facility: 'PLAN' };
    expect(wrapper(named)).toMatchObject({ source_system: 'LAB', sender: 'LAB|NORTH', receiver: 'EHR|PLAN' });
  });

  test.each<[string, Record<string, string>, string]>([
    ['no sender', { control_number: '1' }, 'message'],
    ['no number', { sender: 'LAB' }, 'message'],
    ['a number that is none', { sender: 'LAB', control_number: 'MSG-1' }, 'message'],
    ['another level', { sender: 'LAB', control_number: '1' }, 'page'],
  ])('%s says nothing', (_what, header, level) => {
    expect(wrapper(header, level)).toBeNull();
  });
});
