import { describe, expect, it } from '@jest/globals';
import type { JsonValue } from '../../../shared/json/strict-json.js';
import { bucketOf, evaluateFlag, readContext } from '../../../subgraphs/admin/flags/domain/evaluate-flag.js';
import { definitionFaults, type TargetingRule } from '../../../subgraphs/admin/flags/domain/feature-flag.js';

type EvaluableFlag = Parameters<typeof evaluateFlag>[0];

const NOW_MS = Date.parse('2026-03-02T14:11:10.004Z');

const flag = (over: Partial<EvaluableFlag> = {}): EvaluableFlag => ({
  key: 'f',
  revision: 3,
  type: 'string',
  description: null,
  variants: { a: 'A', b: 'B', off: 'OFF' },
  default_variant: 'off',
  targeting: [],
  enabled: true,
  owner: null,
  expires_at: null,
  ...over,
});

const told = (found: EvaluableFlag, context: JsonValue = {}, type?: EvaluableFlag['type']): string => {
  const read = readContext(context);
  if (read === null) throw new Error('no context');
  const { value, reason, error_code } = evaluateFlag(found, { context: read, type, nowMs: NOW_MS });
  return `${JSON.stringify(value)} ${reason} ${error_code}`;
};

const GOLD: TargetingRule = { when: { '==': [{ var: 'plan' }, 'gold'] }, variant: 'a' };

describe('evaluateFlag', () => {
  it.each<[string, EvaluableFlag, JsonValue, string]>([
    ['no rules: STATIC', flag(), {}, '"OFF" STATIC null'],
    ['no rule applies: DEFAULT', flag({ targeting: [GOLD] }), { plan: 'tin' }, '"OFF" DEFAULT null'],
    ['a rule applies: TARGETING_MATCH', flag({ targeting: [GOLD] }), { plan: 'gold' }, '"A" TARGETING_MATCH null'],
    ['off: DISABLED', flag({ targeting: [GOLD], enabled: false }), { plan: 'gold' }, '"OFF" DISABLED null'],
    ['at its expiry: DISABLED', flag({ expires_at: new Date(NOW_MS) }), {}, '"OFF" DISABLED null'],
    ['before its expiry: as it is', flag({ expires_at: new Date(NOW_MS + 1) }), {}, '"OFF" STATIC null'],
    [
      'the whole in one share: SPLIT',
      flag({ targeting: [{ split: [{ variant: 'b', percent: 100 }] }] }),
      { targetingKey: 'x' },
      '"B" SPLIT null',
    ],
    [
      'no share: the next rule',
      flag({ targeting: [{ variant: 'a', percent: 0 }, { variant: 'b' }] }),
      { targeting_key: 'x' },
      '"B" TARGETING_MATCH null',
    ],
    [
      'the targeting key is an attribute too',
      flag({ targeting: [{ when: { '==': [{ var: 'targetingKey' }, 'x'] }, variant: 'a' }] }),
      { targetingKey: 'x' },
      '"A" TARGETING_MATCH null',
    ],
  ])('%s', (_what, found, context, expected) => {
    expect(told(found, context)).toBe(expected);
  });

  it.each<[string, EvaluableFlag, string]>([
    ['a share without a targeting key', flag({ targeting: [{ variant: 'a', percent: 5 }] }), 'TARGETING_KEY_MISSING'],
    ['a rule that cannot be read', flag({ targeting: [{ when: { log: [1] }, variant: 'a' }] }), 'PARSE_ERROR'],
    ['a variant that is not there', flag({ default_variant: 'gone' }), 'GENERAL'],
    ['an inherited name is no variant', flag({ default_variant: 'constructor' }), 'GENERAL'],
  ])('returns an error without a value: %s', (_what, found, code) => {
    expect(told(found)).toBe(`null ERROR ${code}`);
  });

  it('returns TYPE_MISMATCH for another requested type', () => {
    expect(told(flag(), {}, 'boolean')).toBe('null ERROR TYPE_MISMATCH');
    expect(told(flag(), {}, 'string')).toBe('"OFF" STATIC null');
  });
});

describe('shares', () => {
  it('are stable: the bucket is a hash of flag key and targeting key', () => {
    // Fixed values: another hash would move every user of every flag.
    expect(bucketOf('new-timeline', 'user-1')).toBe(6523);
  });

  it('have the stated size, within two points in 10,000 keys', () => {
    const split = flag({
      targeting: [
        {
          split: [
            { variant: 'a', percent: 30 },
            { variant: 'b', percent: 20 },
          ],
        },
      ],
    });
    const counts: Record<string, number> = {};
    for (let n = 0; n < 10_000; n++) {
      const read = { targetingKey: `user-${n}`, attributes: {} };
      const { variant } = evaluateFlag(split, { context: read, nowMs: NOW_MS });
      counts[variant ?? ''] = (counts[variant ?? ''] ?? 0) + 1;
    }
    expect(Math.abs((counts['a'] ?? 0) - 3_000)).toBeLessThan(200);
    expect(Math.abs((counts['b'] ?? 0) - 2_000)).toBeLessThan(200);
  });

  it('keep their members when they grow', () => {
    const at = (percent: number) => flag({ targeting: [{ variant: 'a', percent }] });
    for (let n = 0; n < 500; n++) {
      const context = { targetingKey: `user-${n}` };
      if (told(at(20), context).startsWith('"A"')) expect(told(at(40), context)).toBe('"A" SPLIT null');
    }
  });
});

describe('a context', () => {
  it.each<[string, JsonValue]>([
    ['a list', []],
    ['text', 'user'],
    ['a targeting key that is a number', { targetingKey: 5 }],
    ['two targeting keys', { targetingKey: 'a', targeting_key: 'b' }],
    ['a targeting key too long', { targetingKey: 'x'.repeat(1_025) }],
    ['too large', { text: 'x'.repeat(70_000) }],
  ])('is invalid: %s', (_what, json) => {
    expect(readContext(json)).toBeNull();
  });

  it('may be absent; an empty targeting key counts as absent', () => {
    expect(readContext(undefined)).toEqual({ targetingKey: null, attributes: {} });
    expect(readContext({ targetingKey: '', a: 1 })).toEqual({ targetingKey: null, attributes: { a: 1 } });
  });
});

describe('definitionFaults', () => {
  it.each<[string, Partial<EvaluableFlag>, string]>([
    ['a variant of another type', { variants: { off: 'OFF', a: 1 } }, '/variants/a'],
    ['a list as an object', { type: 'object', variants: { off: [] } }, '/variants/off'],
    ['a variant with an odd name', { variants: { off: 'OFF', 'a b': 'x' } }, '/variants'],
    ['no variants', { variants: {} }, '/variants'],
    ['an unknown default', { default_variant: 'x' }, '/default_variant'],
    ['a rule with an unknown variant', { targeting: [{ variant: 'x' }] }, '/targeting/0/variant'],
    ['a rule with neither', { targeting: [{ when: true }] }, '/targeting/0'],
    ['a rule with both', { targeting: [{ variant: 'a', split: [{ variant: 'a', percent: 1 }] }] }, '/targeting/0'],
    ['a rule that is none', { targeting: [GOLD, { when: { '==': [1] }, variant: 'a' }] }, '/targeting/1/when/=='],
    [
      'shares beyond the whole',
      {
        targeting: [
          {
            split: [
              { variant: 'a', percent: 60 },
              { variant: 'b', percent: 40.01 },
            ],
          },
        ],
      },
      '/targeting/0/split',
    ],
    [
      'too much of it',
      { variants: Object.fromEntries(Array.from({ length: 5 }, (_, n) => [`v${n}`, 'x'.repeat(15_000)])) },
      '',
    ],
  ])('%s', (_what, over, path) => {
    expect(definitionFaults(flag(over)).map((fault) => fault.path)).toContain(path);
  });

  it('returns no fault for a complete definition', () => {
    expect(definitionFaults(flag({ targeting: [GOLD, { variant: 'b', percent: 12.5 }] }))).toEqual([]);
  });
});
