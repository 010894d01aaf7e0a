import { describe, expect, it } from '@jest/globals';
import type { WrapperItem } from '../../../subgraphs/ledger/formats/index.js';
import { controlNumberOf } from '../../../subgraphs/ledger/ingest/control-number-watch.js';
import {
  type ControlLevel,
  checkNumber,
  type NumberFinding,
  type NumberState,
  numberOf,
} from '../../../subgraphs/ledger/ingest/domain.js';
import { seeded } from '../../support/random.js';

/** A larger step begins a new sequence. */
const LONGEST_GAP = 1_000;

/** The findings in these numbers, in order; a number with a name is in a body of that name. */
function findings(
  numbers: readonly (number | readonly [number: number, body: string])[],
  level: ControlLevel = 'interchange',
): NumberFinding[] {
  let state: NumberState | null = null;
  const found: NumberFinding[] = [];
  numbers.forEach((one, place) => {
    const [number, raw_sha256] = typeof one === 'number' ? [one, `body ${place}`] : one;
    const judged = checkNumber(state, level, { number, raw_sha256 });
    state = judged.state;
    if (judged.finding) found.push(judged.finding);
  });
  return found;
}

describe('numbers in sequence', () => {
  it.each<[string, readonly number[]]>([
    ['from anywhere', [4_711, 4_712, 4_713]],
    ['over the highest of nine digits', [999_999_998, 999_999_999, 1, 2]],
  ])('%s yield no finding', (_what, numbers) => {
    expect(findings(numbers)).toEqual([]);
  });

  it('a repeated body or request yields no finding', () => {
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

describe('a missing number', () => {
  it('is a gap, reported once, and closed when its last number arrives', () => {
    expect(findings([1, 2, 6, 7])).toEqual([{ kind: 'GAP', expected: 3, found: 6, missing: { from: 3, to: 5 } }]);
    expect(findings([1, 5, 3, 2]).slice(1)).toEqual([]);
    expect(findings([1, 5, 3, 2, 4]).slice(1)).toEqual([{ kind: 'FILLED', missing: { from: 2, to: 4 } }]);
  });

  it('closes each of two gaps by its own numbers', () => {
    expect(findings([1, 3, 5, 4, 2]).slice(2)).toEqual([
      { kind: 'FILLED', missing: { from: 4, to: 4 } },
      { kind: 'FILLED', missing: { from: 2, to: 2 } },
    ]);
  });

  it('leaves no gap open when all numbers arrive in any order', () => {
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

describe('a repeated number', () => {
  it('is a reuse if the bytes differ, and names the first body', () => {
    expect(
      findings([
        [1, 'a'],
        [2, 'b'],
        [2, 'c'],
      ]),
    ).toEqual([{ kind: 'REPEAT', expected: 3, found: 2, first_raw_sha256: 'b' }]);
  });

  it('does not affect the numbers after it', () => {
    expect(findings([1, 2, 2, 3, 4])).toHaveLength(1);
  });
});

describe('numbers without a sequence', () => {
  it('ignores dates and random numbers', () => {
    expect(findings([20_260_301, 20_270_301, 5, 900_000_000, 17_000])).toEqual([]);
  });

  it('treats a step longer than a gap as a new sequence once the next number follows', () => {
    const far = 10 + LONGEST_GAP + 2;
    expect(findings([10, far, far + 1, far + 3])).toEqual([
      { kind: 'GAP', expected: far + 2, found: far + 3, missing: { from: far + 2, to: far + 2 } },
    ]);
    expect(findings([10, far, 11, 12])).toEqual([]);
  });

  it('follows a sender that restarts', () => {
    expect(findings([500, 501, 1, 2, 3])).toEqual([]);
    expect(findings([500, 501, 1, 2, 4])).toHaveLength(1);
  });

  it('does not report groups numbered per interchange as reuse', () => {
    expect(findings([1, 2, 1, 2, 1], 'group')).toEqual([]);
    expect(findings([1, 2, 1, 2, 1], 'interchange').length).toBeGreaterThan(0);
    expect(findings([1, 2, 4], 'group')).toHaveLength(1);
  });

  it.each<[string, number | null]>([
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

const WRAPPER: WrapperItem = {
  kind: 'wrapper',
  level: 'message',
  header: {},
  position: { byteOffset: 0, segmentNumber: 1 },
  declaredCount: null,
  count: 1,
  complete: true,
  warnings: [],
};

describe('controlNumberOf', () => {
  const body = { format: 'hl7v2', raw_sha256: 'a', source_system: undefined };
  const wrapper = (header: Record<string, string>, level: string = 'message') =>
    controlNumberOf({ ...WRAPPER, level: level as WrapperItem['level'], header }, body);

  it('numbers an HL7 message by sender and receiver', () => {
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

  it('numbers each facility of an application separately', () => {
    const header = { sender: 'LAB', receiver: 'EHR', control_number: '17' };
    const named = { ...header, sending_facility: 'NORTH', receiving_facility: 'PLAN' };
    expect(wrapper(named)).toMatchObject({ source_system: 'LAB', sender: 'LAB|NORTH', receiver: 'EHR|PLAN' });
  });

  it.each<[string, Record<string, string>, string]>([
    ['no sender', { control_number: '1' }, 'message'],
    ['no number', { sender: 'LAB' }, 'message'],
    ['a number that is none', { sender: 'LAB', control_number: 'MSG-1' }, 'message'],
    ['another level', { sender: 'LAB', control_number: '1' }, 'page'],
  ])('%s has no control number', (_what, header, level) => {
    expect(wrapper(header, level)).toBeNull();
  });
});
