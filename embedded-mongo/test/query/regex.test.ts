import { describe, expect, it } from '@jest/globals';
import { MongoError } from '../../errors.js';
import { parseTranslated } from '../../match/guarded-regex.js';
import { compileRegex } from '../../match/regex.js';
import { RegexAutomaton } from '../../match/regex-automaton.js';
import { seeded } from '../seeded.js';
import { pick } from '../values/generator.js';

/** Patterns published as catastrophic for backtracking engines (OWASP "ReDoS", and reports on npm packages). */
const CATASTROPHIC: readonly [pattern: string, text: string][] = [
  ['^(a+)+$', `${'a'.repeat(60)}!`],
  [
    '^([a-zA-Z0-9])(([-.]|[_]+)?([a-zA-Z0-9]+))*(@){1}[a-z0-9]+[.]{1}(([a-z]{2,3})|([a-z]{2,3}[.]{1}[a-z]{2,3}))$',
    'a'.repeat(60),
  ],
  ['^(([a-z])+.)+[A-Z]([a-z])+$', 'a'.repeat(60)],
  ['(a|aa)+$', `${'a'.repeat(80)}b`],
  ['^(a|a?)+$', `${'a'.repeat(80)}b`],
  ['(.*a){20}', `${'a'.repeat(19)}${'b'.repeat(60)}`],
  ['(x+x+)+y', 'x'.repeat(80)],
  ['^(\\w+\\s?)*$', `${'word '.repeat(30)}!`],
  ['\\s+$', `${' '.repeat(200_000)}x`],
  ['a*a*a*a*a*b', 'a'.repeat(5_000)],
  ['(?:a?){30}a{30}b', 'a'.repeat(60)],
  ['^(?:(?:a|b)|(?:ab)*)*c', 'ab'.repeat(60)],
];

describe('catastrophic patterns', () => {
  it.each(CATASTROPHIC)('answer %s', (pattern, text) => {
    expect(compileRegex(pattern, '').test(text)).toBe(false);
    expect(compileRegex(pattern, '').exec(text)).toBeNull();
  });

  it.each([
    ['(?=(a+)+$)b', 'a'],
    ['^(a+)+\\1$', 'a'],
    ['(\\w+)+(?!x)\\1@', 'w'],
  ])('end %s, which has no automaton, with code 51156', (pattern, letter) => {
    const outcome = () => compileRegex(pattern, '').test(`${letter.repeat(60)}!`);
    expect(outcome).toThrow(MongoError);
    expect(outcome).toThrow(/match limit/);
  });

  it('have bounded searches for all matches', () => {
    const pattern = compileRegex('(x+x+)+y', '').everywhere();
    expect(['x'.repeat(60).match(pattern)]).toEqual([null]);
    expect([...'xxy xxxy'.matchAll(pattern)].map(([found]) => found)).toEqual(['xxy', 'xxxy']);
  });
});

describe('the automaton', () => {
  it('agrees with the backtracking engine over random patterns and texts', () => {
    const random = seeded(53);
    const atoms = [
      'a',
      'b',
      '.',
      '[ab]',
      '[^a]',
      '\\w',
      '\\d',
      '\\s',
      'é',
      '\\x62',
      '[a-c\\n]',
      '^',
      '$',
      '\\b',
      '\\B',
      '\\A',
      '\\z',
      '\\Z',
    ];
    const pattern = (depth: number): string => {
      const kind = depth > 0 ? random() : 1;
      if (kind < 0.2) return `(${pattern(depth - 1)}|${pattern(depth - 1)})`;
      if (kind < 0.5) return pattern(depth - 1) + pattern(depth - 1);
      if (kind < 0.75)
        return `(?:${pattern(depth - 1)})${pick(random, ['*', '+', '?', '{2}', '{1,3}', '{0,2}?', '*?'])}`;
      return pick(random, atoms);
    };
    const letters = ['a', 'b', 'c', ' ', '\n', '1', 'é', 'A'];
    let matched = 0;
    for (let n = 0; n < 6_000; n++) {
      const options = pick(random, ['', 'i', 'm', 's', 'ims']);
      const source = pattern(3);
      const regex = compileRegex(source, options);
      const automaton = RegexAutomaton.of(parseTranslated(regex.source), regex.flags);
      if (!automaton) throw new Error(`no automaton for ${source}`);
      const plain = new RegExp(regex.source, regex.flags);
      for (let i = 0; i < 4; i++) {
        const text = Array.from({ length: Math.floor(random() * 9) }, () => pick(random, letters)).join('');
        const expected = plain.test(text);
        if (automaton.test(text) !== expected) {
          throw new Error(
            `/${source}/${options} on ${JSON.stringify(text)}: the engine says ${expected}, ${plain.source} ${plain.flags}`,
          );
        }
        if (expected) matched += 1;
      }
    }
    expect(matched).toBeGreaterThan(2_000);
  });
});
